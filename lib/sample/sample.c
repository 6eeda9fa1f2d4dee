/* Samplers for users of the library, and sampling a pose. */
#include "lib/sample/sampler.h"

#include <float.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ samplers -- */

static bool build_sampler(struct pose_sampler *sampler, const struct pose_options *options,
                          struct pose_error *error)
{
    struct arena scratch;
    arena_init(&scratch, sampler->arena.allocator, options ? options->limits.memory : 0, error);
    const struct row_drivers *drivers = sampler_make_rows(sampler, &scratch);
    bool done = drivers && sampler_compile(sampler, drivers, &scratch);
    arena_release(&scratch);
    return done;
}

struct pose_sampler *pose_sampler_new(const struct pose_clip *clip, const struct pose_skeleton *skeleton,
                                      enum pose_axes axes, const struct pose_options *options,
                                      struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    pose_error_init(error);
    struct arena arena;
    arena_init(&arena, options ? options->allocator : NULL, options ? options->limits.memory : 0, error);
    struct pose_sampler *sampler = ARENA_NEW(&arena, struct pose_sampler, 1);
    if (!sampler)
        return NULL;
    *sampler = (struct pose_sampler){.arena = arena, .clip = clip, .skeleton = skeleton, .axes = axes};
    sampler->kernels = sample_kernels_here(clip->rules);
    bool done = build_sampler(sampler, options, error);
    sampler->arena.error = NULL;
    if (!done) {
        pose_sampler_free(sampler);
        return NULL;
    }
    return sampler;
}

void pose_sampler_free(struct pose_sampler *sampler)
{
    if (!sampler)
        return;
    struct arena arena = sampler->arena;
    arena_release(&arena);
}

size_t pose_sampler_size(const struct pose_sampler *sampler)
{
    return sampler->arena.held;
}

uint32_t pose_sampler_row_count(const struct pose_sampler *sampler)
{
    return sampler->row_count;
}

const struct pose_row *pose_sampler_rows(const struct pose_sampler *sampler)
{
    return sampler->rows;
}

uint32_t pose_sampler_morph_count(const struct pose_sampler *sampler)
{
    return sampler->morph_count;
}

const struct pose_morph *pose_sampler_morphs(const struct pose_sampler *sampler)
{
    return sampler->morphs;
}

uint32_t pose_sampler_unmatched_count(const struct pose_sampler *sampler)
{
    return sampler->unmatched_count;
}

const uint32_t *pose_sampler_unmatched(const struct pose_sampler *sampler)
{
    return sampler->unmatched;
}

/* ------------------------------------------------------------------------------------------------ sampling -- */

static void sample_grid(const struct pose_sampler *sampler, const struct channel_grid *grid,
                        const struct clock *clock, float *rows)
{
    struct key_place place = timeline_find(grid->timeline, clock);
    double fractions[LANES];
    for (unsigned lane = 0; lane < LANES; lane++)
        fractions[lane] = place.fraction;
    size_t rotation = (size_t)grid->rotation_blocks * 4 * LANES,
           vector = (size_t)grid->vector_blocks * 3 * LANES;
    if (rotation)
        sampler->kernels.rotations(grid->rotation_blocks, grid->rotations + place.at * rotation,
                                   grid->rotations + place.next * rotation, fractions, grid->rotation_places,
                                   rows);
    if (vector)
        sampler->kernels.vectors(grid->vector_blocks, grid->vectors + place.at * vector,
                                 grid->vectors + place.next * vector, fractions, grid->vector_places, rows);
}

/* Eight loose channels, gathered into a block for a kernel. */
struct lanes {
    float from[4 * LANES], to[4 * LANES];
    double fractions[LANES];
    uint32_t places[LANES];
};

static void gather(const struct loose_channel *channel, const struct clock *clock, uint32_t components,
                   unsigned lane, struct lanes *lanes)
{
    struct key_place place = timeline_find(channel->timeline, clock);
    const float *from = channel->keys + (size_t)place.at * components;
    const float *to = channel->keys + (size_t)place.next * components;
    for (uint32_t i = 0; i < components; i++) {
        lanes->from[i * LANES + lane] = from[i];
        lanes->to[i * LANES + lane] = to[i];
    }
    lanes->fractions[lane] = place.fraction;
    lanes->places[lane] = channel->place;
}

static void repeat_lane(unsigned from, unsigned to, uint32_t components, struct lanes *lanes)
{
    for (unsigned i = 0; i < components; i++) {
        lanes->from[i * LANES + to] = lanes->from[i * LANES + from];
        lanes->to[i * LANES + to] = lanes->to[i * LANES + from];
    }
    lanes->fractions[to] = lanes->fractions[from];
    lanes->places[to] = lanes->places[from];
}

static void sample_loose(const struct loose_channel *channels, uint32_t count, uint32_t components,
                         lane_kernel *kernel, const struct clock *clock, float *rows)
{
    struct lanes lanes;
    for (uint32_t start = 0; start < count; start += LANES) {
        unsigned used = count - start < LANES ? count - start : LANES;
        for (unsigned lane = 0; lane < used; lane++)
            gather(&channels[start + lane], clock, components, lane, &lanes);
        for (unsigned lane = used; lane < LANES; lane++)
            repeat_lane(used - 1, lane, components, &lanes);
        kernel(1, lanes.from, lanes.to, lanes.fractions, lanes.places, rows);
    }
}

static void sample_set(const struct pose_sampler *sampler, const struct channel_set *set,
                       const struct clock *clock, float *rows)
{
    for (uint32_t i = 0; i < set->grid_count; i++)
        sample_grid(sampler, &set->grids[i], clock, rows);
    sample_loose(set->loose_rotations, set->loose_rotation_count, 4, sampler->kernels.rotations, clock, rows);
    sample_loose(set->loose_vectors, set->loose_vector_count, 3, sampler->kernels.vectors, clock, rows);
}

static void sample_morphs(const struct pose_sampler *sampler, const struct clock *clock, float *morphs)
{
    for (uint32_t i = 0; i < sampler->morph_count; i++) {
        const struct loose_channel *channel = &sampler->morph_channels[i];
        struct key_place place = timeline_find(channel->timeline, clock);
        double from = (double)channel->keys[place.at], to = (double)channel->keys[place.next];
        morphs[channel->place] = (float)(from * (1 - place.fraction) + to * place.fraction);
    }
}

/* runs: how many times the clip has been played, including fractions. */
static void add_travel(const struct pose_sampler *sampler, double runs, float *rows)
{
    for (unsigned i = 0; i < 3; i++) {
        float *to = rows + sampler->travel_place + i;
        double sum = (double)*to + (double)sampler->travel[i] * runs;
        double bound = (double)FLT_MAX;
        *to = (float)(sum > bound ? bound : sum < -bound ? -bound : sum);
    }
}

void pose_sample(const struct pose_sampler *sampler, double t, enum pose_wrap wrap, unsigned flags,
                 float *rows, float *morphs)
{
    if (sampler->carry) {
        sampler->carry(sampler->carried, t, wrap, flags, rows);
        return;
    }
    const struct clock clock = clock_read(sampler->clip, t, wrap);
    if (sampler->row_count)
        memcpy(rows, sampler->still, (size_t)sampler->row_count * ROW_FLOATS * sizeof *rows);
    sample_set(sampler, &sampler->channels, &clock, rows);
    if (flags & POSE_MOTION) {
        sample_set(sampler, &sampler->motion, &clock, rows);
        double duration = (double)sampler->clip->duration;
        /* A walk that loops keeps moving forward. */
        if (sampler->travels && duration > 0)
            add_travel(sampler, wrap == POSE_WRAP ? t / duration : clock.phase, rows);
    }
    if (morphs)
        sample_morphs(sampler, &clock, morphs);
}
