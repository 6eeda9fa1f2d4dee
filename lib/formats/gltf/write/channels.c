/* Assigns curves to nodes: the channels of an animation, and the records needed to restore the file's keys. */
#include "lib/formats/gltf/write/channels.h"

#include <math.h>
#include <string.h>

static const float FINEST_LENGTH = 1e-6f; /* the limit of single precision */

/* -------------------------------------------------------------------------------------- tracks and parts -- */

/* Which track a channel belongs to. */
static uint32_t track_of(const struct gltf_writing *writing, const struct pose_channel *channel)
{
    const char *first = (const char *)gltf_writing_clip(writing)->tracks;
    return (uint32_t)((size_t)((const char *)channel - first) / sizeof(struct pose_track));
}

static struct gltf_kept *kept_of(const struct gltf_writing *writing, const struct pose_channel *channel,
                                 enum pose_part part)
{
    return &writing->animation->kept[track_of(writing, channel)][part];
}

/* Marks all parts as inline until a channel holds them. */
bool gltf_kept_init(struct gltf_writing *writing)
{
    struct gltf_animation *animation = writing->animation;
    const struct pose_clip *clip = gltf_writing_clip(writing);
    animation->kept = arena_alloc(&writing->arena, clip->track_count, sizeof *animation->kept);
    animation->track_nodes = ARENA_NEW(&writing->arena, uint32_t, clip->track_count);
    if (!animation->kept || !animation->track_nodes)
        return false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        animation->track_nodes[i] = UINT32_MAX;
        for (int part = 0; part < POSE_PART_COUNT; part++)
            animation->kept[i][part].keeping =
                clip->tracks[i].channels[part].count ? GLTF_INLINE : GLTF_NOT_DRIVEN;
    }
    for (uint32_t row = 0; row < animation->clip->sampler.row_count; row++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
            const struct pose_channel *channel = animation->clip->drivers[row].channels[part];
            if (channel)
                animation->track_nodes[track_of(writing, channel)] = gltf_writing_joint(writing, row)->node;
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------- channels -- */

/* Returns its record, whose output is to be filled in; NULL if out of memory. times must stay valid. */
static struct gltf_channel *open_channel(struct gltf_writing *writing, uint32_t node, enum pose_part part,
                                         const float *times, uint32_t count)
{
    struct gltf_animation *animation = writing->animation;
    struct gltf_channel *channels = arena_grow(&writing->arena, animation->channels, animation->channel_count,
                                               &animation->channel_capacity, sizeof *channels);
    if (!channels)
        return NULL;
    animation->channels = channels;
    struct gltf_time_list *list = gltf_times_find(&writing->times, times, count);
    if (!list->times) {
        list->times = times;
        list->number = gltf_accessor_bounded(writing->file, GLTF_SCALAR, times, count);
    }
    struct gltf_channel *channel = &channels[animation->channel_count++];
    *channel = (struct gltf_channel){.node = node, .input = list->number, .part = part};
    return channel;
}

static void add_channel(struct gltf_writing *writing, uint32_t node, enum pose_part part,
                        const struct gltf_curve *curve)
{
    struct gltf_file *file = writing->file;
    struct gltf_channel *channel = open_channel(writing, node, part, curve->times, curve->count);
    if (!channel)
        return;
    channel->output =
        gltf_accessor_add(file, GLTF_FLOATS, curve->components == 4 ? GLTF_VEC4 : GLTF_VEC3, curve->count);
    gltf_bin_floats(file, curve->values, (size_t)curve->count * curve->components);
}

void gltf_channel_put_weights(struct gltf_writing *writing, uint32_t node, const float *times, uint32_t count,
                              const float *values, uint32_t targets)
{
    struct gltf_channel *channel = open_channel(writing, node, POSE_MORPH, times, count);
    if (!channel)
        return;
    writing->animation->plays_morphs = true;
    channel->output = gltf_accessor_add(writing->file, GLTF_FLOATS, GLTF_SCALAR, count * targets);
    gltf_bin_floats(writing->file, values, (size_t)count * targets);
}

/* Whether the curve reaches the clip's end, up to rounding. */
static bool reaches_end(const struct gltf_writing *writing, const struct gltf_curve *curve)
{
    return curve->times[curve->count - 1] >= writing->end * (1 - 1e-6f);
}

static const float *rest_value(const struct gltf_joint *joint, enum pose_part part)
{
    return joint->rest + part_place(part);
}

static bool is_value(const float *a, const float *b, unsigned components)
{
    for (unsigned i = 0; i < components; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

static bool is_still(const struct gltf_curve *curve)
{
    for (uint32_t k = 1; k < curve->count; k++) {
        if (!is_value(curve->values, curve->values + (size_t)k * curve->components, curve->components))
            return false;
    }
    return true;
}

/*
 * Puts a curve on a node unless the node has that value anyway; returns how the file's keys are kept. The curve
 * that ends last is extended to the end of the clip, so that viewers know its length.
 */
static bool put_curve(struct gltf_writing *writing, uint32_t node, enum pose_part part, const float *rest,
                      struct gltf_curve *curve, bool is_last, struct gltf_kept *kept)
{
    bool still = is_still(curve);
    if (still)
        gltf_curve_collapse(curve);
    bool holds = is_last && !reaches_end(writing, curve);
    if (holds && !gltf_curve_hold(curve, writing->end))
        return false;
    if (holds || !still || !is_value(curve->values, rest, curve->components))
        add_channel(writing, node, part, curve);
    if (kept && !curve->cut)
        *kept = (struct gltf_kept){
            .keeping = still                ? GLTF_STILL
                       : writing->resampler ? GLTF_SAMPLED
                                            : GLTF_PLAYED,
            .count = curve->count,
            .added_count = curve->added_count,
            .added = curve->added,
        };
    return true;
}

/* ---------------------------------------------------------------------------------------- parts of a row -- */

/* A constant curve at the rest value; for factors that nothing drives. */
static void make_rest_curve(const struct gltf_joint *joint, enum pose_part part, struct gltf_curve *curve)
{
    *curve = (struct gltf_curve){.components = 3, .values = (float *)rest_value(joint, part)};
    gltf_curve_collapse(curve);
}

/* The offset of a joint whose node does not inherit its parent's scale. */
static bool put_scaled_offset(struct gltf_writing *writing, uint32_t row, uint32_t parent_row, bool is_last)
{
    const struct gltf_joint *joint = gltf_writing_joint(writing, row),
                            *parent = gltf_writing_joint(writing, parent_row);
    bool moves = gltf_writing_driver(writing, row, POSE_TRANSLATION),
         scales = gltf_writing_driver(writing, parent_row, POSE_SCALE);
    struct gltf_curve offset, scale, curve = {.arena = &writing->arena};
    float rest[3], *room;
    if (!moves && !scales)
        return true;
    room = ARENA_NEW(&writing->arena, float, (size_t)writing->longest * 3);
    if (!room)
        return false;
    make_rest_curve(joint, POSE_TRANSLATION, &offset);
    make_rest_curve(parent, POSE_SCALE, &scale);
    if ((moves && !gltf_keys_curve(writing, row, POSE_TRANSLATION, writing->room, &offset)) ||
        (scales && !gltf_keys_curve(writing, parent_row, POSE_SCALE, room, &scale)) ||
        !gltf_curve_product(&curve, &offset, &scale, fmaxf(GLTF_POSITION_TOLERANCE / 16, FINEST_LENGTH)))
        return false;
    for (unsigned i = 0; i < 3; i++)
        rest[i] = joint->rest[i] * parent->rest[SCALE_PLACE + i];
    return put_curve(writing, joint->node, POSE_TRANSLATION, rest, &curve, is_last, NULL);
}

static bool put_part(struct gltf_writing *writing, uint32_t row, enum pose_part part, bool is_last)
{
    const struct gltf_joint *joint = gltf_writing_joint(writing, row);
    const struct pose_channel *channel = gltf_writing_driver(writing, row, part);
    int32_t parent = writing->clip->sampler.rows[row].parent;
    struct gltf_curve curve;
    if (part == POSE_TRANSLATION && parent >= 0 &&
        gltf_joint_is_split(gltf_writing_joint(writing, (uint32_t)parent)))
        return put_scaled_offset(writing, row, (uint32_t)parent, is_last);
    if (!channel)
        return true;
    if (!gltf_keys_curve(writing, row, part, writing->room, &curve))
        return false;
    bool is_split = part == POSE_SCALE && gltf_joint_is_split(joint);
    /* Several keys in a clip without duration: only the first is ever shown. */
    bool is_hidden = channel->count > 1 && !(gltf_writing_clip(writing)->duration > 0);
    return put_curve(writing, is_split ? joint->holder : joint->node, part, rest_value(joint, part), &curve,
                     is_last, is_split || is_hidden ? NULL : kept_of(writing, channel, part));
}

/* ------------------------------------------------------------------------------------------- all of them -- */

/* The row and part whose keys end last, preferably a moving one: 3 * row + part; -1 if nothing is driven. */
static int64_t find_last(const struct gltf_writing *writing)
{
    int64_t found = -1;
    float latest = -1;
    for (uint32_t row = 0; row < writing->clip->sampler.row_count; row++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
            const struct pose_channel *channel = gltf_writing_driver(writing, row, part);
            const struct key_source source = {.channel = channel, .part = part, .row = row};
            if (!channel)
                continue;
            float last =
                key_source_is_constant(&source) ? -0.5f : gltf_last_time(gltf_writing_clip(writing), channel);
            if (last <= latest)
                continue;
            latest = last;
            found = 3 * (int64_t)row + (int64_t)part;
        }
    }
    return found;
}

/* An animation needs a channel: if nothing is driven, the first joint gets one at rest. */
static void put_rest_channel(struct gltf_writing *writing)
{
    const struct gltf_joints *joints = writing->animation->joints;
    const struct gltf_joint *joint = joints->count ? joints->joints : NULL;
    float *times = ARENA_NEW(&writing->arena, float, 2), *values = ARENA_NEW(&writing->arena, float, 6);
    if (!times || !values)
        return;
    for (unsigned i = 0; joint && i < 6; i++)
        values[i] = joint->rest[i % 3];
    times[1] = writing->end;
    struct gltf_curve curve = {
        .components = 3, .count = writing->end > 0 ? 2 : 1, .times = times, .values = values};
    add_channel(writing, joint ? joint->node : joints->frame_node, POSE_TRANSLATION, &curve);
}

bool gltf_channels_put(struct gltf_writing *writing)
{
    int64_t last = find_last(writing);
    for (uint32_t row = 0; row < writing->clip->sampler.row_count; row++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
            if (!put_part(writing, row, part, 3 * (int64_t)row + (int64_t)part == last))
                return false;
        }
    }
    if (!gltf_weights_put(writing))
        return false;
    if (!writing->animation->channel_count)
        put_rest_channel(writing);
    return true;
}
