/* The keys of a channel, either the clip's own or sampled at a frame rate, and their tolerance. */
#include "lib/formats/gltf/write/channels.h"

#include "lib/model/build.h"

#include <math.h>
#include <string.h>

static const float ANGLE_TOLERANCE = 1e-4f; /* in model space, for all joints together */
static const float FINEST_ANGLE = 1e-6f;    /* the limit of single precision */

/* -------------------------------------------------------------------------------------------- tolerances -- */

static float length_of(const float v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The approximate distance of the joint from its parent. */
static float find_offset(const struct gltf_writing *writing, uint32_t row)
{
    const struct pose_channel *channel = gltf_writing_driver(writing, row, POSE_TRANSLATION);
    float longest = length_of(gltf_writing_joint(writing, row)->rest), value[3];
    for (uint32_t k = 0; channel && k < channel->count; k += 1 + channel->count / 16) {
        memcpy(value, channel->values + 3 * (size_t)k, sizeof value);
        pose_convert_axes(POSE_TRANSLATION, value, 1, gltf_writing_clip(writing)->axes, POSE_AXES_GLTF);
        longest = fmaxf(longest, length_of(value));
    }
    return longest;
}

/*
 * Errors of joints accumulate along a chain, and grow with distance from the joint. Each rotating joint gets an
 * equal share of the tolerance at the end of the longest chain through it.
 */
static bool share_tolerance(struct gltf_writing *writing)
{
    uint32_t count = writing->clip->sampler.row_count;
    const struct pose_row *rows = writing->clip->sampler.rows;
    float *reach = ARENA_NEW(&writing->arena, float, count),
          *offsets = ARENA_NEW(&writing->arena, float, count);
    uint32_t *above = ARENA_NEW(&writing->arena, uint32_t, count),
             *below = ARENA_NEW(&writing->arena, uint32_t, count);
    writing->tolerances = ARENA_NEW(&writing->arena, float, count);
    if (!reach || !offsets || !above || !below || !writing->tolerances)
        return false;
    for (uint32_t row = 0; row < count; row++) {
        const struct pose_channel *channel = gltf_writing_driver(writing, row, POSE_ROTATION);
        above[row] = (channel && channel->count > 1) + (rows[row].parent < 0 ? 0 : above[rows[row].parent]);
        offsets[row] = rows[row].parent < 0 ? 0 : find_offset(writing, row);
        below[row] = above[row];
    }
    for (uint32_t row = count; row-- > 0;) {
        int32_t parent = rows[row].parent;
        if (parent < 0)
            continue;
        reach[parent] = fmaxf(reach[parent], reach[row] + offsets[row]);
        below[parent] = below[row] > below[parent] ? below[row] : below[parent];
    }
    for (uint32_t row = 0; row < count; row++) {
        float share = 1 / (float)(below[row] ? below[row] : 1);
        float angle =
            fminf(ANGLE_TOLERANCE, GLTF_POSITION_TOLERANCE / fmaxf(reach[row], 1e-3f)) * share * 0.5f;
        writing->tolerances[row] = angle > FINEST_ANGLE ? angle : FINEST_ANGLE;
    }
    return true;
}

/* ----------------------------------------------------------------------------------------- original keys -- */

/* Key times of a channel: the file's own, or computed once for all channels with that many keys. */
static const float *times_of(struct gltf_writing *writing, const struct pose_channel *channel)
{
    const struct pose_clip *clip = gltf_writing_clip(writing);
    if (rules_are_keyed(clip->rules))
        return channel->times;
    if (writing->made_count != channel->count) {
        writing->made_times = ARENA_NEW(&writing->arena, float, channel->count);
        writing->made_count = writing->made_times ? channel->count : 0;
        if (writing->made_times)
            gltf_key_times(clip, channel, writing->made_times);
    }
    return writing->made_times;
}

/* A curve through the clip's own keys. False if out of memory. */
static bool make_curve(struct gltf_writing *writing, uint32_t row, enum pose_part part, float *room,
                       struct gltf_curve *curve)
{
    const struct pose_clip *clip = gltf_writing_clip(writing);
    const struct pose_channel *channel = gltf_writing_driver(writing, row, part);
    struct pose_channel keys = *channel;
    struct key_source source = {.channel = channel, .part = part, .row = row};
    bool still = key_source_is_constant(&source) || !(clip->duration > 0);
    keys.count = still ? 1 : channel->count;
    source.channel = &keys;
    key_source_values(&writing->clip->sampler, &source, room);
    *curve = (struct gltf_curve){.arena = &writing->arena,
                                 .components = part_components(part),
                                 .values = room,
                                 .spare = writing->spare,
                                 .spare_count = writing->spare_count};
    if (still) {
        gltf_curve_collapse(curve);
        if (part == POSE_ROTATION)
            gltf_make_unit(room);
        return true;
    }
    const float *times = times_of(writing, channel);
    if (!times)
        return false;
    if (part == POSE_ROTATION)
        return gltf_curve_rotations(curve, clip, times, room, keys.count, writing->tolerances[row]);
    return gltf_curve_vectors(curve, clip, times, room, keys.count);
}

/* -------------------------------------------------------------------------------------------- resampling -- */

/* The minimum size in bytes of that many frames: everything that moves is written in each. */
static size_t size_of_frames(const struct gltf_writing *writing, uint32_t count)
{
    size_t floats = 1;
    for (uint32_t row = 0; row < writing->clip->sampler.row_count; row++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
            const struct key_source source = {
                .channel = gltf_writing_driver(writing, row, part), .part = part, .row = row};
            if (source.channel && source.channel->count && !key_source_is_constant(&source))
                floats += part_components(part);
        }
    }
    return floats * count * sizeof(float);
}

/* Times k / fps within the clip, then its end. */
static bool sample_frames(struct gltf_writing *writing, float fps)
{
    const struct pose_clip *clip = gltf_writing_clip(writing);
    double duration = clip->duration > 0 ? (double)clip->duration : 0, last = floor(duration * (double)fps);
    uint32_t rows = writing->clip->sampler.row_count;
    if (last > 1e6)
        return error_set(writing->file->job->error, POSE_OVER_LIMIT, "too_many_frames",
                         "%g seconds at %g frames per second exceed a million frames", duration, (double)fps);
    uint32_t count = (uint32_t)last + 1;
    if (!writer_expect(&writing->file->bin, size_of_frames(writing, count)))
        return false;
    writing->frame_times = ARENA_NEW(&writing->arena, float, count + 1);
    const struct pose_options options = {.allocator = writing->arena.allocator,
                                         .limits.memory = writing->arena.limit};
    writing->resampler = pose_sampler_new(clip, writing->clip->sampler.skeleton, POSE_AXES_GLTF, &options,
                                          writing->file->job->error);
    if (!writing->frame_times || !writing->resampler)
        return false;
    for (uint32_t k = 0; k < count; k++)
        writing->frame_times[k] = (float)(k / (double)fps);
    if (writing->frame_times[count - 1] < clip->duration * (1 - 1e-6f))
        writing->frame_times[count++] = clip->duration;
    writing->frame_count = count;
    writing->frames = arena_alloc(&writing->arena, (size_t)count * rows, ROW_FLOATS * sizeof(float));
    for (uint32_t k = 0; writing->frames && k < count && arena_step(&writing->arena); k++)
        pose_sample(writing->resampler, (double)writing->frame_times[k], POSE_CLAMP, POSE_IN_PLACE,
                    writing->frames + (size_t)k * rows * ROW_FLOATS, NULL);
    return writing->frames && !writing->arena.failed;
}

/* The same from the sampled frames. */
static void make_sampled_curve(struct gltf_writing *writing, uint32_t row, enum pose_part part, float *values,
                               struct gltf_curve *curve)
{
    unsigned components = part_components(part);
    uint32_t rows = writing->clip->sampler.row_count;
    const float *from = writing->frames + (size_t)row * ROW_FLOATS + part_place(part);
    for (uint32_t k = 0; k < writing->frame_count; k++, from += (size_t)rows * ROW_FLOATS) {
        float *to = values + (size_t)k * components;
        memcpy(to, from, components * sizeof *to);
        if (part == POSE_ROTATION && k)
            gltf_turn_near(to - 4, to);
    }
    *curve = (struct gltf_curve){.arena = &writing->arena,
                                 .components = components,
                                 .count = writing->frame_count,
                                 .capacity = writing->frame_count,
                                 .times = writing->frame_times,
                                 .values = values};
}

/* ------------------------------------------------------------------------------------------- any of them -- */

/* The number of keys of the longest channel. */
static uint32_t find_longest(const struct gltf_writing *writing)
{
    uint32_t longest = writing->frame_count;
    for (uint32_t row = 0; row < writing->clip->sampler.row_count; row++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
            const struct pose_channel *channel = gltf_writing_driver(writing, row, part);
            longest = channel && channel->count > longest ? channel->count : longest;
        }
    }
    return longest;
}

bool gltf_keys_init(struct gltf_writing *writing, float fps)
{
    if (!share_tolerance(writing) || (fps > 0 && !sample_frames(writing, fps)))
        return false;
    writing->longest = find_longest(writing);
    writing->spare_count = writing->longest + writing->longest / 2 + 16;
    writing->room = ARENA_NEW(&writing->arena, float, (size_t)writing->longest * 4);
    writing->spare = ARENA_NEW(&writing->arena, float, (size_t)writing->spare_count * 4);
    return writing->room && writing->spare;
}

bool gltf_keys_curve(struct gltf_writing *writing, uint32_t row, enum pose_part part, float *room,
                     struct gltf_curve *curve)
{
    if (!writing->resampler)
        return make_curve(writing, row, part, room, curve);
    make_sampled_curve(writing, row, part, room, curve);
    return true;
}
