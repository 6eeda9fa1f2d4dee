/*
 * The internals of a sampler. A clip is compiled into rows that never change (rest, constant channels), which are
 * copied, and channels that are then sampled into them:
 *
 *   grids   channels that share a timeline, in blocks of eight, with keys stored by frame, then by component, so
 *           that one search serves them all and a pose reads contiguous memory;
 *   loose   channels with a timeline (almost) to themselves; gathered eight at a time for the same kernels.
 */
#ifndef POSE_SAMPLE_SAMPLER_H
#define POSE_SAMPLE_SAMPLER_H

#include "lib/sample/timeline.h"

enum { ROW_FLOATS = 10, ROTATION_PLACE = 3, SCALE_PLACE = 7, LANES = 8 };

/* Where a part begins in a row. */
static inline unsigned part_place(enum pose_part part)
{
    return part == POSE_TRANSLATION ? 0 : part == POSE_ROTATION ? ROTATION_PLACE : SCALE_PLACE;
}

/*
 * A kernel blends blocks of eight channels from key to key and writes the results into rows. from and to:
 * [blocks][components][LANES]; places: [blocks][LANES], the index in rows of a result's first float, equal ones
 * only where the values are equal; fractions serve every block.
 */
typedef void lane_kernel(uint32_t blocks, const float *from, const float *to, const double fractions[LANES],
                         const uint32_t *places, float *rows);

struct sample_kernels {
    lane_kernel *rotations; /* 4 components */
    lane_kernel *vectors;   /* 3 */
};

/* In double precision, rounded once: the reference. */
struct sample_kernels sample_kernels_scalar(enum pose_rules rules);
/* The same within 1e-6. Returns false if the processor does not have AVX2. */
bool sample_kernels_avx2(enum pose_rules rules, struct sample_kernels *kernels);
/* The floats of the above, without AVX2. */
struct sample_kernels sample_kernels_single(enum pose_rules rules);
/* The fastest here; in WebAssembly those that give the floats of a server with AVX2. */
struct sample_kernels sample_kernels_here(enum pose_rules rules);

struct channel_grid {
    const struct timeline *timeline;
    uint32_t rotation_blocks, vector_blocks;
    const float *rotations; /* [timeline->count][rotation_blocks][4][LANES] */
    const float *vectors;   /* [timeline->count][vector_blocks][3][LANES] */
    const uint32_t *rotation_places;
    const uint32_t *vector_places;
};

struct loose_channel {
    const struct timeline *timeline;
    const float *keys; /* [timeline->count][4 | 3 | 1] */
    uint32_t place;
};

/* Translations and scales are vectors. */
struct channel_set {
    uint32_t grid_count, loose_rotation_count, loose_vector_count;
    struct channel_grid *grids;
    struct loose_channel *loose_rotations;
    struct loose_channel *loose_vectors;
};

/* Replaces sampling of a sampler's own keys, for a clip retargeted from another figure. */
typedef void carry_sample(const void *carried, double t, enum pose_wrap wrap, unsigned flags, float *rows);

struct pose_sampler {
    struct arena arena;  /* holds all of it, itself included */
    carry_sample *carry; /* NULL: use its own keys */
    const void *carried;
    const struct pose_clip *clip;
    const struct pose_skeleton *skeleton;
    enum pose_axes axes;
    uint32_t row_count, morph_count, unmatched_count;
    struct pose_row *rows;
    struct pose_morph *morphs;
    uint32_t *unmatched;
    float *still; /* [row_count][ROW_FLOATS] */
    struct channel_set channels;
    struct channel_set motion;            /* only for POSE_MOTION: Prime's root */
    struct loose_channel *morph_channels; /* [morph_count]; place is the morph */
    bool travels;                         /* only for POSE_MOTION: The Sims' distance */
    uint32_t travel_place;
    float travel[3]; /* per run of the clip */
    struct sample_kernels kernels;
};

/* The channels that drive a row, by part; NULL where there is none. */
struct row_drivers {
    const struct pose_channel *channels[3];
};

/*
 * Fills in rows, morphs, unmatched and still (rest or identity), and returns the drivers of each row, in scratch
 * memory. Returns NULL if out of memory.
 */
struct row_drivers *sampler_make_rows(struct pose_sampler *sampler, struct arena *scratch);

/*
 * The row that Prime's root channel drives, which moves the actor and is not part of the pose
 * (prime-skeleton.md, 2); -1 when there is none.
 */
int64_t sampler_motion_row(const struct pose_sampler *sampler);

/* Compiles the drivers. Returns false if out of memory. */
bool sampler_compile(struct pose_sampler *sampler, const struct row_drivers *drivers, struct arena *scratch);

#endif
