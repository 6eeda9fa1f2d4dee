/* Internals of the Metroid Prime clip reader: a walk over a file that finds its layout, and building a clip from
 * it. */
#ifndef POSE_FORMATS_PRIME_ANIM_CLIP_H
#define POSE_FORMATS_PRIME_ANIM_CLIP_H

#include "lib/core/value.h"
#include "lib/formats/prime/prime.h"

enum {
    PRIME_ANIM_FRAMES = 0, /* versions: every frame is a key, as floats */
    PRIME_ANIM_PACKED = 2, /* keys as differences in a bitstream */
};

/* Frame numbers that a float represents exactly. */
enum { PRIME_FRAME_LIMIT = 1 << 24 };

/* One pass over a file, without allocating: first without error and warnings to find its game, then again to
 * report. */
struct prime_walk {
    struct reader reader;
    enum prime_game game;
    struct warning_list *warnings; /* NULL: only counted */
    unsigned warning_count;
    uint64_t reached; /* all fields up to here are present, whatever they refer to */
};

void prime_walk_warn(struct prime_walk *walk, uint64_t offset, const char *code, const char *format, ...)
    POSE_PRINTF(4, 5);
/* A duration or an interval. */
float prime_walk_duration(struct prime_walk *walk);
float prime_walk_interval(struct prime_walk *walk);

/* A file of version 2. */
struct prime_packed {
    uint32_t scratch_size, evnt;
    float duration, interval;
    uint32_t root_bone_id, looping, divisor;
    float translation_multiplier, scale_multiplier;
    const uint8_t *bitmap;
    uint32_t bitmap_bits, bitmap_keys; /* keys: without frame 0 */
    uint32_t last_frame, keys;         /* played frames and keys after frame 0 */
    uint32_t channel_count, part_count;
    uint64_t descriptors; /* offset of the first */
    uint32_t stored_keys; /* in the stream */
    uint64_t bits_per_key;
    const uint8_t *stream;
    uint64_t stream_words;
};

/* One part of a channel: first from its descriptor, then updated from the stream. */
struct prime_part {
    enum pose_part part;
    uint32_t keys; /* in the stream; 0: no such part */
    int16_t values[3];
    uint8_t widths[3];
    unsigned bits; /* of a key: the widths plus a rotation's sign */
    float scale;   /* what stored numbers are multiplied by */
    float *out;    /* where the next key goes */
};

bool prime_packed_walk(struct prime_walk *walk, struct prime_packed *file);
/* Builds the clip of a walked file, with its extras. */
bool prime_packed_build(struct decode_job *job, const struct prime_walk *walk,
                        const struct prime_packed *file, struct pose_clip *clip);

/* An array of signed bytes; negative means none. */
struct prime_table {
    const uint8_t *bytes;
    uint32_t count;
    uint64_t offset;
};

/* Keys of all channels, channel by channel. */
struct prime_keys {
    const uint8_t *bytes;
    uint32_t count;
    uint64_t offset; /* of the count */
};

/* A file of version 0. A table missing in the layout has no bytes. */
struct prime_frames {
    float duration, interval;
    uint32_t duration_kind, interval_kind;
    uint32_t frame_count, root_bone_id, evnt;
    struct prime_table bones, tables[3]; /* by part: translation, rotation, scale */
    struct prime_keys keys[3];
    uint32_t part_count; /* parts of bones with keys */
};

bool prime_frames_walk(struct prime_walk *walk, struct prime_frames *file);
bool prime_frames_build(struct decode_job *job, const struct prime_walk *walk,
                        const struct prime_frames *file, struct pose_clip *clip);

/* Refuses too many keys: that many parts with that many keys each. */
bool prime_check_keys(struct decode_job *job, uint64_t parts, uint64_t keys, uint64_t offset);
/* key * interval of each frame, in the arena; frames NULL: 0, 1, ... */
float *prime_key_times(struct arena *arena, const uint32_t *frames, uint32_t count, float interval);
/* Extras common to both versions. */
void prime_put_head(struct value_list *extras, enum prime_game game, uint32_t version, uint32_t evnt,
                    uint32_t root_bone_id, float interval);

#endif
