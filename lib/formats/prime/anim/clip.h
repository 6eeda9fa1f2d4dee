/* Inside the reader of Metroid Prime's clips: a walk over a file that finds its layout, and building a clip from it. */
#ifndef POSE_FORMATS_PRIME_ANIM_CLIP_H
#define POSE_FORMATS_PRIME_ANIM_CLIP_H

#include "lib/core/value.h"
#include "lib/formats/prime/prime.h"

enum {
    PRIME_ANIM_FRAMES = 0, /* versions: every frame a key, as floats */
    PRIME_ANIM_PACKED = 2, /* keys as differences in a stream of bits */
};

/* Frames that a float tells apart. */
enum { PRIME_FRAME_LIMIT = 1 << 24 };

/* One pass over a file, allocating nothing: to find out its game with no error and no warnings, and once more. */
struct prime_walk {
    struct reader reader;
    enum prime_game game;
    struct warning_list *warnings; /* NULL: only counted */
    unsigned warning_count;
    uint64_t reached; /* that far all fields are there, whatever they lead to */
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
    uint32_t last_frame, keys;         /* that are played: frames and keys after frame 0 up to the end */
    uint32_t channel_count, part_count;
    uint64_t descriptors; /* offset of the first */
    uint32_t stored_keys; /* in the stream */
    uint64_t bits_per_key;
    const uint8_t *stream;
    uint64_t stream_words;
};

/* One part of a channel, as its descriptor says and then as the stream goes on. */
struct prime_part {
    enum pose_part part;
    uint32_t keys; /* in the stream; 0: the part is not there */
    int16_t values[3];
    uint8_t widths[3];
    unsigned bits; /* of a key: the widths and the sign of a rotation */
    float *out;    /* where the next key goes */
};

/* The stream's keys that are played, of part_count parts: stored numbers as floats, of a rotation with the sign of w behind
 * them. The parts are in file order, and their out has room for them. */
void prime_packed_read(const struct prime_packed *file, struct prime_part *parts);

bool prime_packed_walk(struct prime_walk *walk, struct prime_packed *file);
/* The clip of a file that was walked, with its extras. */
bool prime_packed_build(struct decode_job *job, const struct prime_walk *walk,
                        const struct prime_packed *file, struct pose_clip *clip);

/* An array of signed bytes, negative: none. */
struct prime_table {
    const uint8_t *bytes;
    uint32_t count;
    uint64_t offset;
};

/* Keys of all channels, channel after channel. */
struct prime_keys {
    const uint8_t *bytes;
    uint32_t count;
    uint64_t offset; /* of the count */
};

/* A file of version 0. A table that the layout lacks has no bytes. */
struct prime_frames {
    float duration, interval;
    uint32_t duration_kind, interval_kind;
    uint32_t frame_count, root_bone_id, evnt;
    struct prime_table bones, tables[3]; /* by part: translation, rotation, scale */
    struct prime_keys keys[3];
    uint32_t part_count; /* parts of bones that have keys */
};

bool prime_frames_walk(struct prime_walk *walk, struct prime_frames *file);
bool prime_frames_build(struct decode_job *job, const struct prime_walk *walk,
                        const struct prime_frames *file, struct pose_clip *clip);

/* Refuses keys of so many parts, which all have that many. */
bool prime_check_keys(struct decode_job *job, uint64_t parts, uint64_t keys, uint64_t offset);
/* key * interval of each frame, in the arena; frames NULL: 0, 1, ... */
float *prime_key_times(struct arena *arena, const uint32_t *frames, uint32_t count, float interval);
/* What both versions say alike. */
void prime_put_head(struct value_list *extras, enum prime_game game, uint32_t version, uint32_t evnt,
                    uint32_t root_bone_id, float interval);

#endif
