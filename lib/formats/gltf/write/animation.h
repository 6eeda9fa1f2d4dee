/* One animation of the file: where the reader finds the keys of a clip, as recorded in its extras. */
#ifndef POSE_FORMATS_GLTF_WRITE_ANIMATION_H
#define POSE_FORMATS_GLTF_WRITE_ANIMATION_H

#include "lib/formats/gltf/write/joints.h"

/* Where the keys of one part of a track are kept. */
enum gltf_keeping {
    GLTF_NOT_DRIVEN,
    GLTF_INLINE,  /* in the extras themselves */
    GLTF_STILL,   /* one value at the times of a timeline */
    GLTF_PLAYED,  /* in a channel, except for added ones */
    GLTF_SAMPLED, /* in a channel, resampled */
};

struct gltf_kept {
    enum gltf_keeping keeping;
    uint32_t count; /* of the channel's keys */
    uint32_t added_count;
    const uint32_t *added;
};

/* A channel of the animation. */
struct gltf_channel {
    uint32_t node, input, output;
    enum pose_part part;
};

/* The animation being written. */
struct gltf_animation {
    const struct gltf_joints *joints;
    const struct gltf_clip *clip;
    float fps;                                 /* samples per second; 0: the original keys */
    struct gltf_kept (*kept)[POSE_PART_COUNT]; /* [track_count] */
    uint32_t *track_nodes;                     /* [track_count], UINT32_MAX: none */
    bool plays_morphs;                         /* a channel holds weights */
    uint32_t channel_count, channel_capacity;
    struct gltf_channel *channels;
};

/* Writes the object "posed" for the extras of an animation (extras.c). */
void gltf_put_record(const struct gltf_animation *animation, const char *key, struct gltf_file *file);

#endif
