/*
 * Folds what stands above the bones into them: armatures of other programs that are scaled by 0.01, turned by 90 degrees,
 * moved or walking. A game's file has no joint for such a node, and BVH no scale, so the first bone below takes its place
 * and turn, and lengths are multiplied by its scale.
 *
 * Local transforms of the remaining bones are otherwise unchanged. Below a node that stays, maps of keys are linear, so
 * that no key is inserted; bake_above_keys.c has the others.
 */
#include "lib/bake/above.h"

#include "lib/core/error.h"
#include "lib/core/value.h"
#include "lib/model/build.h"
#include "lib/model/rate.h"
#include "lib/model/stand_in.h"

#include <math.h>
#include <string.h>

static const struct place nowhere = {.turn = {0, 0, 0, 1}, .scale = 1};

static bool is_identity(const struct place *place)
{
    const double turn = fmax(fmax(fabs(place->turn.x), fabs(place->turn.y)), fabs(place->turn.z));
    return vec_length(place->at) < 1e-7 && turn < 1e-7 && fabs(place->scale - 1) < 1e-6;
}

void place_set(struct place *place, enum pose_part part, const float *v)
{
    if (part == POSE_TRANSLATION)
        place->at = (struct vec){(double)v[0], (double)v[1], (double)v[2]};
    if (part == POSE_ROTATION)
        place->turn = turn_unit((struct turn){(double)v[0], (double)v[1], (double)v[2], (double)v[3]});
    if (part == POSE_SCALE) /* of a mirrored one the size */
        place->scale = (fabs((double)v[0]) + fabs((double)v[1]) + fabs((double)v[2])) / 3;
}

struct place place_mul(const struct place *a, const struct place *b)
{
    return (struct place){vec_add(a->at, turn_point(a->turn, vec_scale(b->at, a->scale))),
                          turn_unit(turn_mul(a->turn, b->turn)), a->scale * b->scale};
}

void place_get(const struct place *place, enum pose_part part, float *v)
{
    const struct turn q = place->turn;
    const struct vec at = place->at;
    if (part == POSE_ROTATION)
        memcpy(v, (float[4]){(float)q.x, (float)q.y, (float)q.z, (float)q.w}, 4 * sizeof *v);
    else
        memcpy(v, (float[3]){(float)at.x, (float)at.y, (float)at.z}, 3 * sizeof *v);
}

/* ----------------------------------------------------------------------------------------------- measuring -- */

static bool is_constant(const struct pose_channel *channel, size_t components)
{
    for (uint32_t k = 1; k < channel->count; k++) {
        if (memcmp(channel->values, channel->values + k * components, components * sizeof *channel->values) !=
            0)
            return false;
    }
    return true;
}

static void set_part(struct node *node, enum pose_part part, const float *v)
{
    place_set(&node->local, part, v);
    if (part == POSE_SCALE)
        node->is_even = fmax(fabs((double)v[0] - (double)v[1]), fabs((double)v[0] - (double)v[2])) <=
                        1e-4 * fabs(node->local.scale);
}

static void measure_track(const struct folding *folding, const struct pose_track *track)
{
    const int64_t joint = joint_index_find(&folding->index, track);
    for (enum pose_part part = POSE_TRANSLATION; joint >= 0 && part <= POSE_SCALE; part++) {
        const struct pose_channel *channel = &track->channels[part];
        struct node *node = &folding->nodes[joint];
        node->has_track = true;
        if (!channel->count)
            continue;
        node->moving[part] = is_constant(channel, part_components(part)) ? NULL : channel;
        if (!node->moving[part])
            set_part(node, part, channel->values);
    }
}

static void measure_nodes(struct folding *folding)
{
    for (uint32_t j = 0; j < folding->skeleton->joint_count; j++) {
        const struct pose_joint *joint = &folding->skeleton->joints[j];
        struct node *node = &folding->nodes[j];
        set_part(node, POSE_TRANSLATION, joint->translation);
        set_part(node, POSE_ROTATION, joint->rotation);
        set_part(node, POSE_SCALE, joint->scale);
    }
    for (uint32_t i = 0; i < folding->clip->track_count; i++)
        measure_track(folding, &folding->clip->tracks[i]);
}

/* --------------------------------------------------------------------------------------------------- bones -- */

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    while (words && *words) {
        const size_t next = strcspn(words, " ");
        if (next == length && !memcmp(words, word, length))
            return true;
        words += next + (words[next] == ' ');
    }
    return false;
}

/* Whether the figure of some game has a joint of that name or alias ("hip" in BVH is Second Life's pelvis). */
static bool is_of_a_game(const char *name)
{
    const struct stand_in *stand_in;
    for (unsigned i = 0; name && (stand_in = stand_in_get(i)); i++) {
        for (uint32_t j = 0; j < stand_in->joint_count; j++) {
            if (!strcmp(stand_in->joints[j].name, name) || has_word(stand_in->joints[j].aliases, name))
                return true;
        }
    }
    return name && bake_joint_number(name) >= 0;
}

/* Whether the file's skins have it. */
static bool is_skinned(const struct folding *folding, uint32_t joint)
{
    return folding->skeleton->joints[joint].in_skin;
}

/* Whether the node is a bone of the figure, whatever is above it. */
static bool is_own(const struct folding *folding, uint32_t joint)
{
    return is_skinned(folding, joint) || folding->nodes[joint].is_renamed ||
           (!folding->keeps_nodes && is_of_a_game(folding->skeleton->joints[joint].name));
}

static bool moves(const struct node *node)
{
    return node->moving[POSE_TRANSLATION] || node->moving[POSE_ROTATION] || node->moving[POSE_SCALE];
}

/* What leads to no bone of the figure (a prop, a robot of rigid parts) is one itself if it moves. */
static bool is_bone(const struct folding *folding, uint32_t joint)
{
    const struct node *node = &folding->nodes[joint];
    return is_own(folding, joint) || (!node->leads && (folding->keeps_nodes || moves(node)));
}

static void mark_renamed(struct folding *folding)
{
    const struct pose_conversion *conversion = folding->conversion;
    for (uint32_t i = 0; i < conversion->rename_count; i++) {
        const struct pose_track named = {.name = conversion->renames[i].from};
        const int64_t joint = joint_index_find(&folding->index, &named);
        if (joint >= 0)
            folding->nodes[joint].is_renamed = true;
    }
}

/* Children come last. */
static void mark_leading(struct folding *folding)
{
    for (uint32_t j = folding->skeleton->joint_count; j-- > 0;) {
        const int32_t parent = folding->skeleton->joints[j].parent;
        const bool is_part = folding->keeps_nodes ? is_skinned(folding, j) : is_own(folding, j);
        if (parent >= 0)
            folding->nodes[parent].leads |= folding->nodes[j].leads || is_part;
    }
}

/* Parents come first. A BVH has one root: if folding made several, the nodes stay. */
static void mark_bones(struct folding *folding)
{
    uint32_t roots = 0, tops = 0;
    for (uint32_t j = 0; j < folding->skeleton->joint_count; j++) {
        const int32_t parent = folding->skeleton->joints[j].parent;
        struct node *node = &folding->nodes[j];
        const bool is_below = parent >= 0 && folding->nodes[parent].is_bone;
        node->is_bone = is_below || is_bone(folding, j);
        roots += node->is_bone && !is_below;
        tops += parent < 0;
    }
    for (uint32_t j = 0; folding->keeps_nodes && roots > tops && j < folding->skeleton->joint_count; j++)
        folding->nodes[j].is_bone = true;
}

static void place_node(struct folding *folding, struct node *node, const struct node *up)
{
    const bool is_top = !up || up->is_bone, is_moving = moves(node);
    const bool is_folded = !node->is_bone || folding->drops_scale;
    node->above = is_top ? nowhere : up->above;
    node->above_moves = !is_top && up->above_moves;
    node->above_turns = !is_top && up->above_turns;
    node->length = node->scale = up ? up->scale : 1;
    folding->is_needed |=
        node->is_bone ? node->above_moves || !is_identity(&node->above) || fabs(node->length - 1) > 1e-6
                      : folding->keeps_nodes;
    if (!node->is_bone) {
        node->above = place_mul(&node->above, &node->local);
        node->above_moves |= is_moving;
        node->above_turns |= node->moving[POSE_ROTATION] != NULL;
        folding->is_growing |= node->moving[POSE_SCALE] != NULL;
    }
    if (is_folded)
        node->scale *= node->local.scale;
    folding->is_uneven |= is_folded && !node->is_even;
}

static void place_nodes(struct folding *folding)
{
    mark_leading(folding);
    mark_bones(folding);
    for (uint32_t j = 0; j < folding->skeleton->joint_count; j++) {
        const int32_t parent = folding->skeleton->joints[j].parent;
        place_node(folding, &folding->nodes[j], parent >= 0 ? &folding->nodes[parent] : NULL);
    }
}

/* -------------------------------------------------------------------------------------------------- folding -- */

static void fold_key(const struct node *node, enum pose_part part, const float *from, float *to)
{
    struct place place = nowhere;
    const bool is_first = !is_identity(&node->above);
    if (part == POSE_ROTATION && !is_first) {
        memcpy(to, from, 4 * sizeof *to);
        return;
    }
    place_set(&place, part, from);
    if (is_first)
        place = place_mul(&node->above, &place);
    else
        place.at = vec_scale(place.at, node->length);
    place_get(&place, part, to);
}

/* Without the nodes that are folded: place[j] becomes the new number of joint j. */
static const struct pose_skeleton *fold_skeleton(const struct folding *folding, uint32_t *place)
{
    const struct pose_skeleton *from = folding->skeleton;
    struct pose_skeleton *to = ARENA_NEW(folding->arena, struct pose_skeleton, 1);
    struct pose_joint *joints = ARENA_NEW(folding->arena, struct pose_joint, from->joint_count);
    uint32_t *figures = from->figures ? ARENA_NEW(folding->arena, uint32_t, from->joint_count) : NULL;
    if (!to || !joints || !figures != !from->figures)
        return NULL;
    *to = *from;
    to->joint_count = 0;
    for (uint32_t j = 0; j < from->joint_count; j++) {
        const struct node *node = &folding->nodes[j];
        const int32_t parent = from->joints[j].parent;
        if (!node->is_bone)
            continue;
        struct pose_joint *joint = &joints[to->joint_count];
        *joint = from->joints[j];
        joint->parent = parent >= 0 && folding->nodes[parent].is_bone ? (int32_t)place[parent] : -1;
        fold_key(node, POSE_TRANSLATION, from->joints[j].translation, joint->translation);
        fold_key(node, POSE_ROTATION, from->joints[j].rotation, joint->rotation);
        if (folding->drops_scale)
            memcpy(joint->scale, (float[3]){1, 1, 1}, sizeof joint->scale);
        if (figures)
            figures[to->joint_count] = from->figures[j];
        place[j] = to->joint_count++;
    }
    to->joints = joints;
    to->figures = figures;
    to->file_order = NULL;
    to->binds = NULL; /* they are of the file's own nodes */
    to->pivots = NULL;
    to->tree = skeleton_tree(to);
    return to;
}

/* One key, for a bone that is turned and has none. */
static bool add_rotation(const struct folding *folding, uint32_t joint, struct pose_channel *channel)
{
    static const float start = 0;
    float *values = ARENA_NEW(folding->arena, float, 4);
    if (values)
        fold_key(&folding->nodes[joint], POSE_ROTATION, folding->skeleton->joints[joint].rotation, values);
    *channel = (struct pose_channel){1, &start, values};
    return values;
}

static bool fold_channel(const struct folding *folding, const struct node *node, enum pose_part part,
                         struct pose_channel *channel)
{
    const size_t components = part_components(part);
    float *values = ARENA_NEW(folding->arena, float, channel->count *components);
    for (uint32_t k = 0; values && k < channel->count; k++)
        fold_key(node, part, channel->values + k * components, values + k * components);
    channel->values = values;
    return values;
}

static bool fold_part(struct folding *folding, uint32_t joint, enum pose_part part,
                      struct pose_channel *channel)
{
    const struct node *node = &folding->nodes[joint];
    if (part == POSE_ROTATION ? node->above_turns : node->above_moves)
        return above_follow(folding, joint, part, channel);
    return !channel->count || fold_channel(folding, node, part, channel);
}

static bool fold_track(struct folding *folding, uint32_t joint, struct pose_track *track)
{
    const struct node *node = &folding->nodes[joint];
    struct pose_channel *rotation = &track->channels[POSE_ROTATION], *scale = &track->channels[POSE_SCALE];
    if (folding->drops_scale && is_constant(scale, 3))
        *scale = (struct pose_channel){0};
    if (!fold_part(folding, joint, POSE_TRANSLATION, &track->channels[POSE_TRANSLATION]) ||
        !fold_part(folding, joint, POSE_ROTATION, rotation))
        return false;
    const bool wants_turn =
        turn_angle(node->above.turn) > 1e-7 && !rotation->count && track->channels[POSE_TRANSLATION].count;
    return !wants_turn || add_rotation(folding, joint, rotation);
}

/* Tracks of bones that have none, but are moved by what is above them. */
static void add_tracks(const struct folding *folding, struct pose_clip *clip, struct pose_track *tracks)
{
    for (uint32_t j = 0; j < folding->skeleton->joint_count; j++) {
        const struct pose_joint *joint = &folding->skeleton->joints[j];
        const struct node *node = &folding->nodes[j];
        if (node->is_bone && node->above_moves && !node->has_track)
            tracks[clip->track_count++] = (struct pose_track){
                .name = joint->name, .has_id = joint->has_id, .id = joint->id, .node = j + 1};
    }
}

static const struct pose_clip *fold_clip(struct folding *folding, const struct pose_skeleton *skeleton,
                                         const uint32_t *place)
{
    const struct pose_clip *from = folding->clip;
    struct pose_clip *to = ARENA_NEW(folding->arena, struct pose_clip, 1);
    struct pose_track *tracks = ARENA_NEW(folding->arena, struct pose_track,
                                          (size_t)from->track_count + folding->skeleton->joint_count);
    if (!to || !tracks)
        return NULL;
    *to = *from;
    to->tree = skeleton->tree;
    to->tracks = tracks;
    to->track_count = 0;
    for (uint32_t i = 0; i < from->track_count; i++) {
        const int64_t joint = joint_index_find(&folding->index, &from->tracks[i]);
        if (joint < 0 || folding->nodes[joint].is_bone)
            tracks[to->track_count++] = from->tracks[i];
    }
    if (folding->keeps_nodes && !(to->fps > 0))
        to->fps = (float)clip_find_rate(from); /* keys that are inserted are on no frame */
    add_tracks(folding, to, tracks);
    for (uint32_t i = 0; i < to->track_count; i++) {
        const int64_t joint = joint_index_find(&folding->index, &tracks[i]);
        if (joint >= 0 && !fold_track(folding, (uint32_t)joint, &tracks[i]))
            return NULL;
        tracks[i].node = joint >= 0 ? place[joint] + 1 : 0;
    }
    to->key_count = clip_count_keys(to);
    return to;
}

static bool promises_metres(const struct pose_conversion *conversion, const struct target *target)
{
    const char *axes = target->metres ? value_get_string(conversion->settings, "axes", "") : "";
    return target->metres && !strcmp(axes, target->metres);
}

/* Whether the target lacks nodes or scale, or promises metres, and the nodes of the clip are known. */
static bool may_fold(const struct pose_conversion *conversion, const struct target *target)
{
    const struct pose_skeleton *skeleton = conversion->skeleton;
    const bool is_wanted =
        target->family != FAMILY_NONE || target->lacks_scale || promises_metres(conversion, target);
    if (!is_wanted || conversion->clip_count != 1 || !skeleton)
        return false;
    const struct pose_clip *clip = conversion->clips->clip;
    return skeleton->scaling == POSE_SCALE_INHERITED && skeleton->root_joint < 0 &&
           clip->axes == skeleton->axes && clip->rules == POSE_RULES_PLAIN && clip_is_of_tree(clip, skeleton);
}

static bool are_finite(const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!isfinite(values[i]))
            return false;
    }
    return true;
}

/* Scales that are multiplied may pass what a float holds. */
static bool check_folded(const struct pose_skeleton *skeleton, const struct pose_clip *clip,
                         struct pose_error *error)
{
    bool is_finite = true;
    for (uint32_t j = 0; j < skeleton->joint_count; j++)
        is_finite &= are_finite(skeleton->joints[j].translation, 3);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_channel *channel = &clip->tracks[i].channels[POSE_TRANSLATION];
        is_finite &= are_finite(channel->values, (size_t)channel->count * 3);
    }
    return is_finite || error_set(error, POSE_BAD_DATA, "not_finite",
                                  "the scales above the bones are so large that places have no number");
}

bool bake_fold(const struct pose_conversion *conversion, const struct target *target, uint64_t key_limit,
               struct arena *arena, struct bake_folded *folded)
{
    *folded = (struct bake_folded){.conversion = *conversion};
    if (!may_fold(conversion, target))
        return true;
    struct folding folding = {.conversion = conversion,
                              .skeleton = conversion->skeleton,
                              .clip = conversion->clips->clip,
                              .arena = arena,
                              .key_limit = key_limit,
                              .drops_scale = target->lacks_scale || !target->holds[POSE_SCALE],
                              .keeps_nodes = target->family == FAMILY_NONE};
    folding.nodes = ARENA_NEW(arena, struct node, conversion->skeleton->joint_count);
    if (!folding.nodes || !joint_index_init(&folding.index, arena, folding.skeleton, folding.clip->rules))
        return false;
    joint_index_follow(&folding.index, folding.skeleton, folding.clip);
    measure_nodes(&folding);
    mark_renamed(&folding);
    place_nodes(&folding);
    if (!folding.is_needed)
        return true;
    folded->is_uneven = folding.is_uneven;
    folded->is_growing = folding.is_growing;
    folded->clip = *conversion->clips;
    folded->conversion.clips = &folded->clip;
    uint32_t *place = ARENA_NEW(arena, uint32_t, conversion->skeleton->joint_count);
    folded->conversion.skeleton = place ? fold_skeleton(&folding, place) : NULL;
    if (folded->conversion.skeleton)
        folded->clip.clip = fold_clip(&folding, folded->conversion.skeleton, place);
    return folded->conversion.skeleton && folded->clip.clip &&
           check_folded(folded->conversion.skeleton, folded->clip.clip, arena->error);
}
