/*
 * The layout of a Second Life animation: one pass over the file that checks every count and value, and leaves
 * the keys in place.
 */
#ifndef POSE_FORMATS_SL_LAYOUT_H
#define POSE_FORMATS_SL_LAYOUT_H

#include "lib/core/bytes/reader.h"

#define SL_DURATION_LIMIT 60.0f /* seconds */

enum {
    SL_TRACK_LIMIT = 216,
    SL_MAX_PRIORITY = 6,   /* the viewer treats higher ones as this */
    SL_MAX_HAND_POSE = 14, /* the viewer accepts 14, though its hand poses end at 13 */
};

/* A joint's two kinds of keys, in file order. */
enum { SL_ROTATION, SL_POSITION, SL_KEY_KINDS };

/* POSE_ROTATION or POSE_TRANSLATION. */
static inline enum pose_part sl_part_of(int kind)
{
    return kind == SL_ROTATION ? POSE_ROTATION : POSE_TRANSLATION;
}

/* A joint as stored in the file. */
struct sl_joint {
    const char *name; /* not yet checked to be UTF-8; ends with a NUL */
    size_t name_length;
    uint64_t name_offset;
    int32_t priority;
    uint32_t counts[SL_KEY_KINDS];
    const uint8_t *keys[SL_KEY_KINDS];
    uint64_t key_offsets[SL_KEY_KINDS];
};

struct sl_head {
    bool is_old;
    int32_t base_priority;
    float duration;
    const char *emote;
    size_t emote_length;
    uint64_t emote_offset;
    float loop_in, loop_out;
    bool loop;
    float ease_in, ease_out;
    uint32_t hand_pose;
    uint32_t joint_count;
};

struct sl_layout {
    struct sl_head head;
    uint64_t key_counts[SL_KEY_KINDS];
    struct sl_joint joints[SL_TRACK_LIMIT];
};

/*
 * Reads everything up to the constraints; the reader is then at their count. False on the first error, with the
 * code of sl-anim.md, 6, its offset and its path; also above the limits of joints and keys.
 */
bool sl_layout_read(struct reader *reader, const struct pose_limits *limits, struct sl_layout *layout);

/* Whether bytes are an animation that ends exactly at their end, one except for its version, or neither. */
enum sl_layout_fit { SL_LAYOUT_OTHER, SL_LAYOUT_UNKNOWN_VERSION, SL_LAYOUT_EXACT };

/* Ignores all other values: a file with bad values is still an animation. */
enum sl_layout_fit sl_layout_fit(struct pose_bytes bytes);

#endif
