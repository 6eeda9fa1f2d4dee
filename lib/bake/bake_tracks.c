/* Which tracks are kept, and how the target identifies their joints. */
#include "lib/bake/bake.h"

#include "lib/core/hash.h"
#include "lib/core/value.h"
#include "lib/formats/rules.h"
#include "lib/model/build.h"
#include "lib/model/match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRIME_BONES = 100 };

struct gathering {
    struct baking *b;
    struct joint_index joints; /* of the skeleton, by the target's rules */
    bool has_joints;
    bool taken[PRIME_BONES];
    /* Reported once per clip. */
    uint32_t scales, morphs, unnamed, unknown, twice, without_rest, root_without_rest;
    char unknown_names[200];
};

/* --------------------------------------------------------------------------------------------------- root -- */

static const struct root_rule *root_rule(enum pose_rules rules)
{
    const struct rules_row *row = rules_row(rules);
    return row ? row->root : NULL;
}

/* The joint of the skeleton to which the rule about the root applies, if the skeleton is of the same game. */
static const struct pose_joint *find_root(const struct baking *b, enum pose_rules rules)
{
    const struct pose_skeleton *skeleton = b->conversion->skeleton;
    bool has = skeleton && skeleton->axes == rules_row(rules)->axes && skeleton->root_joint >= 0 &&
               (uint32_t)skeleton->root_joint < skeleton->joint_count;
    return has ? &skeleton->joints[skeleton->root_joint] : NULL;
}

static bool lists_name(const char *const *names, const char *name)
{
    for (; names && *names; names++) {
        if (!strcmp(*names, name))
            return true;
    }
    return false;
}

/* Whether these rules add a joint's keys to its rest. */
static bool is_root(const struct baking *b, enum pose_rules rules, const char *name)
{
    const struct root_rule *rule = root_rule(rules);
    if (!rule || !name)
        return false;
    const struct pose_joint *joint = find_root(b, rules);
    return lists_name(rule->names, name) ||
           (joint && (lists_name(joint->aliases, name) || (joint->name && !strcmp(name, joint->name))));
}

/* The offset for the root's translations: its rest if the clip excludes it and the target does not, or its
 * negative in the opposite case. */
static void place_root(struct gathering *g, const struct pose_track *from, const struct pose_track *to,
                       struct bake_track *source)
{
    const struct baking *b = g->b;
    enum pose_rules own = b->clip.rules, wanted = b->target.rules;
    bool is_key = is_root(b, own, from->name), wants_key = is_root(b, wanted, to->name);
    enum pose_rules rules = is_key ? own : wanted;
    float rest[3];
    /* A root that is renamed, even back to its own name, remains a root. */
    bool is_renamed = root_rule(own) && own == wanted;
    if (is_renamed || is_key == wants_key || !from->channels[POSE_TRANSLATION].count)
        return;
    const struct pose_joint *joint = find_root(b, rules);
    g->root_without_rest += is_key && !joint;
    if (is_key && !joint)
        return;
    memcpy(rest, joint ? joint->translation : root_rule(rules)->rest, sizeof rest);
    pose_convert_axes(POSE_TRANSLATION, rest, 1, rules_row(rules)->axes, b->clip.axes);
    for (int i = 0; i < 3; i++)
        source->offset[i] = is_key ? (double)rest[i] : -(double)rest[i];
}

/* ------------------------------------------------------------------------------------------------- joints -- */

static bool name_sims3(const struct gathering *g, const struct pose_track *from, const char *name,
                       bool is_new, struct pose_track *to)
{
    to->name = arena_copy_text(g->b->arena, name);
    if (!is_new && from->has_id && g->b->family == FAMILY_SIMS3) {
        to->id = from->id;
        return to->has_id = true;
    }
    int64_t number = bake_joint_number(name);
    if (number >= 0) {
        to->name = NULL;
        to->id = (uint32_t)number;
        return to->has_id = true;
    }
    if (!name)
        return false;
    /* Morphs and bones have different hashes: a track that is both is left to the encoder. */
    bool is_morph = from->channels[POSE_MORPH].count, is_joint = track_is_joint(from);
    to->id = is_morph ? (uint32_t)hash_fnv64(name, strlen(name)) : hash_fnv32(name, strlen(name));
    to->has_id = is_morph != is_joint;
    return true;
}

static int64_t find_bone(const struct gathering *g, const struct pose_track *from, const char *name,
                         bool is_new)
{
    if (!is_new && from->has_id && g->b->family == FAMILY_PRIME)
        return from->id;
    int64_t number = bake_joint_number(name);
    if (number >= 0 || !name || !g->has_joints)
        return number;
    const struct pose_skeleton *skeleton = g->b->conversion->skeleton;
    int64_t joint = joint_index_find(&g->joints, &(struct pose_track){.name = name});
    return joint >= 0 && skeleton->joints[joint].has_id ? (int64_t)skeleton->joints[joint].id : -1;
}

static void note_unknown(struct gathering *g, const char *name)
{
    size_t used = strlen(g->unknown_names);
    snprintf(g->unknown_names + used, sizeof g->unknown_names - used, "%s%s", used ? ", " : "",
             name ? name : "one without a name");
    g->unknown++;
}

static bool name_prime(struct gathering *g, const struct pose_track *from, const char *name, bool is_new,
                       struct pose_track *to)
{
    int64_t bone = find_bone(g, from, name, is_new);
    if (bone < 0 || bone >= PRIME_BONES) {
        note_unknown(g, name);
        return false;
    }
    if (g->taken[bone]) {
        g->twice++;
        return false;
    }
    g->taken[bone] = true;
    to->id = (uint32_t)bone;
    return to->has_id = true;
}

/* Returns false if the target cannot have the joint. */
static bool name_joint(struct gathering *g, const struct pose_track *from, struct pose_track *to)
{
    char made[32] = "";
    if (!from->name && from->has_id)
        snprintf(made, sizeof made, "joint_%u", from->id);
    const char *old = from->name ? from->name : *made ? made : NULL, *new = bake_new_name(g->b, old);
    const char *name = new ? new : from->name;
    if (g->b->target.family == FAMILY_PRIME)
        return name_prime(g, from, name, new, to);
    if (g->b->target.family == FAMILY_SIMS3 && name_sims3(g, from, name, new, to))
        return true;
    if (g->b->target.family == FAMILY_NONE) {
        to->has_id = from->has_id && !new;
        to->id = to->has_id ? from->id : 0;
    }
    if (g->b->target.family == FAMILY_SIMS && !name)
        name = old;
    to->name = arena_copy_text(g->b->arena, name);
    g->unnamed += !to->name && !to->has_id;
    return to->name || to->has_id;
}

/* ------------------------------------------------------------------------------------------------- tracks -- */

/* Whether a track still drives something, or may exist without doing so. */
static bool goes_along(struct gathering *g, const struct pose_track *from)
{
    const bool *holds = g->b->target.holds;
    bool drives = false, driven = false;
    for (int part = 0; part < POSE_PART_COUNT; part++) {
        bool has = from->channels[part].count;
        driven |= has;
        drives |= has && holds[part];
    }
    g->scales += from->channels[POSE_SCALE].count && !holds[POSE_SCALE];
    g->morphs += from->channels[POSE_MORPH].count && !holds[POSE_MORPH];
    return driven ? drives : g->b->keeps_extras;
}

static void take_rest(struct gathering *g, const struct pose_track *track, struct bake_track *source)
{
    static const float identity[4] = {0, 0, 0, 1};
    int64_t joint = g->has_joints ? joint_index_find(&g->joints, track) : -1;
    float rest[10];
    memcpy(source->rest_rotation, identity, sizeof identity);
    source->wants_rotation = true;
    g->without_rest += joint < 0;
    if (joint < 0)
        return;
    pose_joint_rest(g->b->conversion->skeleton, (uint32_t)joint, g->b->clip.axes, rest);
    memcpy(source->rest_rotation, rest + 3, sizeof source->rest_rotation);
}

static void take_track(struct gathering *g, const struct pose_track *from)
{
    struct baking *b = g->b;
    struct pose_track *to = &b->tracks[b->track_count];
    struct bake_track *source = &b->sources[b->track_count];
    *to = (struct pose_track){0};
    *source = (struct bake_track){.from = from};
    if (!goes_along(g, from) || !name_joint(g, from, to))
        return;
    place_root(g, from, to, source);
    b->track_count++;
}

/* --------------------------------------------------------------------------------------------- for Prime -- */

struct bone {
    struct pose_track track;
    struct bake_track source;
};

static int compare_bones(const void *a, const void *b)
{
    const struct bone *x = a, *y = b;
    return x->track.id < y->track.id ? -1 : x->track.id > y->track.id;
}

static void add_bones(struct gathering *g)
{
    const struct pose_skeleton *skeleton = g->b->conversion->skeleton;
    for (uint32_t i = 0; g->has_joints && i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        if (!joint->has_id || joint->id >= PRIME_BONES || g->taken[joint->id])
            continue;
        g->taken[joint->id] = true;
        g->b->sources[g->b->track_count] = (struct bake_track){0};
        g->b->tracks[g->b->track_count++] = (struct pose_track){.has_id = true, .id = joint->id};
    }
}

static bool sort_bones(struct baking *b)
{
    struct bone *bones = ARENA_NEW(b->scratch, struct bone, b->track_count);
    if (!bones)
        return false;
    for (uint32_t i = 0; i < b->track_count; i++)
        bones[i] = (struct bone){b->tracks[i], b->sources[i]};
    if (b->track_count)
        qsort(bones, b->track_count, sizeof *bones, compare_bones);
    for (uint32_t i = 0; i < b->track_count; i++) {
        b->tracks[i] = bones[i].track;
        b->sources[i] = bones[i].source;
    }
    return true;
}

static bool has_rotation(const struct bake_track *source)
{
    return source->from && source->from->channels[POSE_ROTATION].count;
}

/*
 * Prime 1 needs a rotation for every bone with keys; Prime 2 one track for every bone of the skeleton, by ascending
 * id, and a rotation for the first (prime-anim.md, 2.2). A clip that already is Prime's is unchanged.
 */
static bool complete_bones(struct gathering *g)
{
    struct baking *b = g->b;
    bool all = b->game->has_all_bones;
    const char *own = value_get_string(b->clip.extras, "game", "");
    if (b->keeps_extras && !strcmp(own, b->game->name))
        return true;
    if (all)
        add_bones(g);
    if (all && !sort_bones(b))
        return false;
    for (uint32_t i = 0; i < b->track_count; i++) {
        if (!has_rotation(&b->sources[i]) && (!all || i == 0))
            take_rest(g, &b->tracks[i], &b->sources[i]);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------- losses -- */

/* Detects joints that have become the same by renaming. */
static bool count_same_names(struct gathering *g)
{
    struct name_index index;
    struct baking *b = g->b;
    if (!b->conversion->rename_count)
        return true;
    if (!name_index_init(&index, b->scratch, b->track_count))
        return false;
    for (uint32_t i = 0; i < b->track_count; i++)
        name_index_add(&index, b->tracks[i].name, i);
    name_index_sort(&index);
    for (uint32_t i = 1; i < index.count; i++)
        g->twice += !strcmp(index.entries[i].name, index.entries[i - 1].name);
    return true;
}

static void tell(const struct gathering *g)
{
    const struct baking *b = g->b;
    const char *title = b->target.title;
    if (g->scales)
        bake_warn(b, "scale_dropped", "the scale of %u tracks was left out: %s has none", g->scales, title);
    if (g->morphs)
        bake_warn(b, "morph_dropped", "the morphs of %u tracks were left out: %s has none", g->morphs, title);
    if (g->unnamed)
        bake_warn(b, "unnamed_track", "%u tracks without a name were left out", g->unnamed);
    if (g->unknown)
        bake_warn(
            b, "unknown_bone",
            "%u tracks were left out: it is unknown which bones of %s they move (add a skeleton, or names "
            "such as joint_7): %s",
            g->unknown, title, g->unknown_names);
    if (g->twice)
        bake_warn(b, "joint_twice", "%u tracks move a joint that another track moves already", g->twice);
    if (g->root_without_rest)
        bake_warn(
            b, "pelvis_without_rest",
            "the pelvis' translation is relative to standing, not to the ground: give a skeleton of its game "
            "with its rest pose");
    if (g->without_rest)
        bake_warn(
            b, "rest_unknown",
            "%u bones without rotation keys got the identity, because %s requires keys: give a skeleton "
            "with their rest pose",
            g->without_rest, title);
}

bool bake_tracks(struct baking *b)
{
    struct gathering g = {.b = b};
    const struct pose_skeleton *skeleton = b->conversion->skeleton;
    size_t room = (size_t)b->clip.track_count + PRIME_BONES;
    b->tracks = ARENA_NEW(b->arena, struct pose_track, room);
    b->sources = ARENA_NEW(b->scratch, struct bake_track, room);
    if (!b->tracks || !b->sources)
        return false;
    g.has_joints = skeleton;
    if (skeleton && !joint_index_init(&g.joints, b->scratch, skeleton, b->target.rules))
        return false;
    if (skeleton)
        joint_index_follow(&g.joints, skeleton, &b->clip);
    for (uint32_t i = 0; i < b->clip.track_count; i++)
        take_track(&g, &b->clip.tracks[i]);
    if (g.unknown && !b->track_count)
        return error_set(
            b->error, POSE_BAD_DATA, "nothing_to_write",
            "none of the clip's %u joints is a bone of %s: name a skeleton, map its joints to names such as "
            "joint_7, or retarget it (%s)",
            g.unknown, b->target.title, g.unknown_names);
    if (b->target.family == FAMILY_PRIME && !complete_bones(&g))
        return false;
    if (!count_same_names(&g))
        return false;
    tell(&g);
    return !b->arena->failed;
}
