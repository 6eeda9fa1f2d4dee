/*
 * Folds what stands above the bones into them: armatures of other programs that are scaled by 0.01, turned by 90 degrees or
 * moved. A game's file has no joint for such a node, and BVH no scale, so the first bone below takes its place and turn,
 * and lengths are multiplied by its scale.
 *
 * Local transforms of the remaining bones are otherwise unchanged. Maps of keys are linear, so no key is inserted.
 */
#include "lib/bake/bake.h"
#include "lib/model/match.h"
#include "lib/model/stand_in.h"
#include "lib/model/turn.h"

#include <math.h>
#include <string.h>

/* A transform with one scale. */
struct place {
    struct vec at;
    struct turn turn;
    double scale;
};

struct node {
    struct place local;     /* at rest, or as tracks with a single value have it */
    bool is_still, is_even; /* nothing moves it; its scale is the same on all axes */
    bool is_bone;           /* of the target, or below one */
    bool is_renamed;        /* by the caller, to a name of the target */
    struct place above;     /* of a bone: what is folded into it; else of the node in the world */
    double length;          /* of a bone: the factor of its translation */
    double scale;           /* the factor that it hands to its children */
};

struct folding {
    const struct pose_conversion *conversion;
    const struct pose_skeleton *skeleton;
    const struct pose_clip *clip;
    struct arena *arena;
    struct joint_index index;
    struct node *nodes; /* [joint_count] */
    bool drops_scale;   /* the target has none: scales of bones are multiplied into lengths as well */
    bool keeps_nodes;   /* the target has every joint */
    bool is_needed, is_uneven;
};

static const struct place nowhere = {.turn = {0, 0, 0, 1}, .scale = 1};

static bool is_identity(const struct place *place)
{
    const double turn = fmax(fmax(fabs(place->turn.x), fabs(place->turn.y)), fabs(place->turn.z));
    return vec_length(place->at) < 1e-7 && turn < 1e-7 && fabs(place->scale - 1) < 1e-6;
}

static struct vec place_point(const struct place *place, struct vec point)
{
    return vec_add(place->at, turn_point(place->turn, vec_scale(point, place->scale)));
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
    if (part == POSE_TRANSLATION)
        node->local.at = (struct vec){(double)v[0], (double)v[1], (double)v[2]};
    if (part == POSE_ROTATION)
        node->local.turn = turn_unit((struct turn){(double)v[0], (double)v[1], (double)v[2], (double)v[3]});
    if (part == POSE_SCALE) {
        node->local.scale = ((double)v[0] + (double)v[1] + (double)v[2]) / 3;
        node->is_even = fmax(fabs((double)v[0] - (double)v[1]), fabs((double)v[0] - (double)v[2])) <=
                        1e-4 * fabs(node->local.scale);
    }
}

static void measure_nodes(struct folding *folding)
{
    for (uint32_t j = 0; j < folding->skeleton->joint_count; j++) {
        const struct pose_joint *joint = &folding->skeleton->joints[j];
        struct node *node = &folding->nodes[j];
        node->is_still = true;
        set_part(node, POSE_TRANSLATION, joint->translation);
        set_part(node, POSE_ROTATION, joint->rotation);
        set_part(node, POSE_SCALE, joint->scale);
    }
    for (uint32_t i = 0; i < folding->clip->track_count; i++) {
        const struct pose_track *track = &folding->clip->tracks[i];
        const int64_t joint = joint_index_find(&folding->index, track);
        for (int part = 0; joint >= 0 && part <= POSE_SCALE; part++) {
            const struct pose_channel *channel = &track->channels[part];
            if (!channel->count)
                continue;
            if (is_constant(channel, part == POSE_ROTATION ? 4 : 3))
                set_part(&folding->nodes[joint], (enum pose_part)part, channel->values);
            else
                folding->nodes[joint].is_still = false;
        }
    }
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

static bool is_bone(const struct folding *folding, uint32_t joint)
{
    const struct pose_skeleton *skeleton = folding->skeleton;
    const bool is_skinned = skeleton->binds && skeleton->binds[joint][15] != 0;
    return folding->keeps_nodes || !folding->nodes[joint].is_still || folding->nodes[joint].is_renamed ||
           is_skinned || is_of_a_game(skeleton->joints[joint].name);
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

/* Parents come first. */
static void place_nodes(struct folding *folding)
{
    for (uint32_t j = 0; j < folding->skeleton->joint_count; j++) {
        const int32_t parent = folding->skeleton->joints[j].parent;
        const struct node *up = parent >= 0 ? &folding->nodes[parent] : NULL;
        struct node *node = &folding->nodes[j];
        const struct place *world = up && !up->is_bone ? &up->above : &nowhere;
        const double scale = up ? up->scale : 1, own = node->local.scale;
        node->is_bone = (up && up->is_bone) || is_bone(folding, j);
        node->length = scale;
        node->above = *world;
        node->scale = scale;
        if (!node->is_bone)
            node->above =
                (struct place){place_point(world, node->local.at),
                               turn_unit(turn_mul(world->turn, node->local.turn)), world->scale * own};
        if (!node->is_bone || folding->drops_scale)
            node->scale *= own;
        folding->is_uneven |= !node->is_even && (!node->is_bone || folding->drops_scale);
        folding->is_needed |= node->is_bone && (!is_identity(&node->above) || fabs(scale - 1) > 1e-6);
    }
}

/* -------------------------------------------------------------------------------------------------- folding -- */

static void fold_translation(const struct node *node, const float from[3], float to[3])
{
    const struct vec v = {(double)from[0], (double)from[1], (double)from[2]};
    const bool is_first = !is_identity(&node->above);
    const struct vec w = is_first ? place_point(&node->above, v) : vec_scale(v, node->length);
    to[0] = (float)w.x;
    to[1] = (float)w.y;
    to[2] = (float)w.z;
}

static void fold_rotation(const struct node *node, const float from[4], float to[4])
{
    const struct turn own = {(double)from[0], (double)from[1], (double)from[2], (double)from[3]};
    const struct turn q = turn_mul(node->above.turn, own);
    to[0] = (float)q.x;
    to[1] = (float)q.y;
    to[2] = (float)q.z;
    to[3] = (float)q.w;
}

static const struct pose_skeleton *fold_skeleton(const struct folding *folding)
{
    const struct pose_skeleton *from = folding->skeleton;
    struct pose_skeleton *to = ARENA_NEW(folding->arena, struct pose_skeleton, 1);
    struct pose_joint *joints = ARENA_NEW(folding->arena, struct pose_joint, from->joint_count);
    if (!to || !joints)
        return NULL;
    for (uint32_t j = 0; j < from->joint_count; j++) {
        const struct node *node = &folding->nodes[j];
        joints[j] = from->joints[j];
        if (node->is_bone) {
            fold_translation(node, from->joints[j].translation, joints[j].translation);
            fold_rotation(node, from->joints[j].rotation, joints[j].rotation);
        } else {
            memcpy(joints[j].translation, (float[3]){0, 0, 0}, sizeof joints[j].translation);
            memcpy(joints[j].rotation, (float[4]){0, 0, 0, 1}, sizeof joints[j].rotation);
        }
        if (!node->is_bone || folding->drops_scale)
            memcpy(joints[j].scale, (float[3]){1, 1, 1}, sizeof joints[j].scale);
    }
    *to = *from;
    to->joints = joints;
    to->binds = NULL; /* they are of the file's own nodes */
    return to;
}

/* One key, for a bone that is turned and has none. */
static bool add_rotation(const struct folding *folding, uint32_t joint, struct pose_channel *channel)
{
    static const float start = 0;
    float *values = ARENA_NEW(folding->arena, float, 4);
    if (values)
        fold_rotation(&folding->nodes[joint], folding->skeleton->joints[joint].rotation, values);
    *channel = (struct pose_channel){1, &start, values};
    return values;
}

static bool fold_channel(const struct folding *folding, const struct node *node, enum pose_part part,
                         struct pose_channel *channel)
{
    const size_t components = part == POSE_ROTATION ? 4 : 3;
    float *values = ARENA_NEW(folding->arena, float, channel->count *components);
    for (uint32_t k = 0; values && k < channel->count; k++)
        (part == POSE_ROTATION ? fold_rotation : fold_translation)(node, channel->values + k * components,
                                                                   values + k * components);
    channel->values = values;
    return values;
}

static bool fold_track(const struct folding *folding, struct pose_track *track)
{
    const int64_t joint = joint_index_find(&folding->index, track);
    if (joint < 0)
        return true;
    const struct node *node = &folding->nodes[joint];
    const bool is_turned = turn_angle(node->above.turn) > 1e-7;
    for (int part = 0; part <= POSE_SCALE; part++) {
        struct pose_channel *channel = &track->channels[part];
        const bool is_folded =
            !node->is_bone || (part == POSE_SCALE && folding->drops_scale && is_constant(channel, 3));
        if (is_folded)
            *channel = (struct pose_channel){0};
        if (channel->count && part != POSE_SCALE &&
            !fold_channel(folding, node, (enum pose_part)part, channel))
            return false;
    }
    struct pose_channel *rotation = &track->channels[POSE_ROTATION];
    const bool wants_turn =
        node->is_bone && is_turned && !rotation->count && track->channels[POSE_TRANSLATION].count;
    return !wants_turn || add_rotation(folding, (uint32_t)joint, rotation);
}

static const struct pose_clip *fold_clip(const struct folding *folding)
{
    struct pose_clip *to = ARENA_NEW(folding->arena, struct pose_clip, 1);
    struct pose_track *tracks = ARENA_NEW(folding->arena, struct pose_track, folding->clip->track_count);
    if (!to || !tracks)
        return NULL;
    *to = *folding->clip;
    to->tracks = tracks;
    for (uint32_t i = 0; i < to->track_count; i++) {
        tracks[i] = folding->clip->tracks[i];
        if (!fold_track(folding, &tracks[i]))
            return NULL;
    }
    to->key_count = clip_count_keys(to);
    return to;
}

/* Whether the target lacks nodes or scale, and the nodes of the clip are known. */
static bool may_fold(const struct pose_conversion *conversion, const struct target *target)
{
    const struct pose_skeleton *skeleton = conversion->skeleton;
    if ((target->family == FAMILY_NONE && !target->lacks_scale) || conversion->clip_count != 1 || !skeleton)
        return false;
    const struct pose_clip *clip = conversion->clips->clip;
    return skeleton->scaling == POSE_SCALE_INHERITED && skeleton->root_joint < 0 &&
           clip->axes == skeleton->axes && clip->rules == POSE_RULES_PLAIN && clip_is_of_tree(clip, skeleton);
}

bool bake_fold(const struct pose_conversion *conversion, const struct target *target, struct arena *arena,
               struct bake_folded *folded, bool *is_uneven)
{
    folded->conversion = *conversion;
    *is_uneven = false;
    if (!may_fold(conversion, target))
        return true;
    struct folding folding = {.conversion = conversion,
                              .skeleton = conversion->skeleton,
                              .clip = conversion->clips->clip,
                              .arena = arena,
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
    *is_uneven = folding.is_uneven;
    folded->clip = *conversion->clips;
    folded->clip.clip = fold_clip(&folding);
    folded->conversion.clips = &folded->clip;
    folded->conversion.skeleton = fold_skeleton(&folding);
    return folded->clip.clip && folded->conversion.skeleton;
}
