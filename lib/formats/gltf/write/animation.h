/* One animation of the file: how the keys of a clip are found again, and what is said of that in its extras. */
#ifndef POSE_FORMATS_GLTF_WRITE_ANIMATION_H
#define POSE_FORMATS_GLTF_WRITE_ANIMATION_H

#include "lib/formats/gltf/write/joints.h"

/* How the keys of one part of a track are found again. */
enum gltf_keeping {
    GLTF_NOT_DRIVEN,
    GLTF_INLINE,  /* in the extras themselves */
    GLTF_STILL,   /* one value at the times of a timeline */
    GLTF_PLAYED,  /* in a channel, but for those that were added */
    GLTF_SAMPLED, /* in a channel, sampled anew */
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

/* One animation that is being written. */
struct gltf_animation {
    const struct gltf_joints *joints;
    const struct gltf_clip *clip;
    float fps;                                 /* samples a second; 0: the original keys */
    struct gltf_kept (*kept)[POSE_PART_COUNT]; /* [track_count] */
    uint32_t *track_nodes;                     /* [track_count], UINT32_MAX: none */
    uint32_t channel_count, channel_capacity;
    struct gltf_channel *channels;
};

/* An object: what "posed" is in the extras of an animation (extras.c). */
void gltf_put_record(const struct gltf_animation *animation, const char *key, struct gltf_file *file);

#endif
