/*
 * Interface between the parts that write an animation: keys.c (the curve of a row and part), channels.c (curves
 * onto nodes), weights.c (of morph targets); clips.c combines them.
 */
#ifndef POSE_FORMATS_GLTF_WRITE_CHANNELS_H
#define POSE_FORMATS_GLTF_WRITE_CHANNELS_H

#include "lib/formats/gltf/write/animation.h"
#include "lib/formats/gltf/write/curve.h"
#include "lib/formats/gltf/write/meshes.h"
#include "lib/formats/gltf/write/times.h"

/* Metres in model space, for all joints together. */
#define GLTF_POSITION_TOLERANCE 1e-4f

struct gltf_writing {
    struct gltf_animation *animation;
    const struct gltf_clip *clip; /* the animation's */
    const struct gltf_mesh_list *meshes;
    struct gltf_file *file;
    struct arena arena;      /* released with it */
    struct gltf_times times; /* input accessors by their content */
    float end;               /* the clip's, seconds */

    struct pose_sampler *resampler; /* NULL: original keys */
    uint32_t frame_count;
    float *frame_times; /* [frame_count] */
    float *frames;      /* [frame_count][row_count][ROW_FLOATS] */
    float *tolerances;  /* [row_count], radians */
    uint32_t longest;   /* keys of the longest channel */
    float *room;        /* for its values */
    float *spare;       /* room for that many rotations plus those likely to be added */
    uint32_t spare_count;
    float *
        made_times; /* [made_count] times computed for a channel whose times follow from its number of keys */
    uint32_t made_count;
};

static inline const struct pose_clip *gltf_writing_clip(const struct gltf_writing *writing)
{
    return writing->clip->clip;
}

static inline const struct gltf_joint *gltf_writing_joint(const struct gltf_writing *writing, uint32_t row)
{
    return &writing->animation->joints->joints[writing->clip->joints[row]];
}

/* The channel that drives a part of a row in the pose, NULL if there is none. */
static inline const struct pose_channel *gltf_writing_driver(const struct gltf_writing *writing, uint32_t row,
                                                             enum pose_part part)
{
    const struct gltf_clip *clip = writing->clip;
    return (int64_t)row == clip->motion_row ? NULL : clip->drivers[row].channels[part];
}

/* ------------------------------------------------------------------------------------- keys.c -- */

/* Prepares tolerances, room, and the frames if fps is not 0. False on failure. */
bool gltf_keys_init(struct gltf_writing *writing, float fps);
/* The curve of a driven part, as in the pose; its values are in room and are overwritten by the next call. False
 * if out of memory. */
bool gltf_keys_curve(struct gltf_writing *writing, uint32_t row, enum pose_part part, float *room,
                     struct gltf_curve *curve);

/* --------------------------------------------------------------------------------- channels.c -- */

/* Marks all parts as inline until a channel holds them. */
bool gltf_kept_init(struct gltf_writing *writing);
/* Writes all channels of the animation, at least one. False on failure. */
bool gltf_channels_put(struct gltf_writing *writing);
/* Adds a channel of weights: times[count], values[count][targets]. */
void gltf_channel_put_weights(struct gltf_writing *writing, uint32_t node, const float *times, uint32_t count,
                              const float *values, uint32_t targets);

/* ---------------------------------------------------------------------------------- weights.c -- */

/* Adds channels for meshes whose targets the clip drives. False on failure. */
bool gltf_weights_put(struct gltf_writing *writing);

#endif
