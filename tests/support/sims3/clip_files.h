/* Sims 3 clips, put together field by field. */
#ifndef TESTS_SUPPORT_SIMS3_CLIP_FILES_H
#define TESTS_SUPPORT_SIMS3_CLIP_FILES_H

#include "tests/support/little_file.h"

/* Decodes the file as a clip, which must succeed, and frees it. */
struct pose_document *sims3_decode(struct little_file *made);

/* The worked example of the format's spec, section 9. Offsets of its fields: */
extern const uint8_t sims3_example[340];
enum {
    SIMS3_AT_SECTION_SIZE = 0x08,
    SIMS3_AT_SECTION_OFFSET = 0x0c,
    SIMS3_AT_IK_TABLE = 0x10,
    SIMS3_AT_ACTOR_NAME = 0x14,
    SIMS3_AT_EVENT_TABLE = 0x18,
    SIMS3_AT_END_DATA = 0x24,
    SIMS3_AT_MAGIC = 0x38,
    SIMS3_AT_VERSION = 0x40,
    SIMS3_AT_FRAME_DURATION = 0x48,
    SIMS3_AT_TICKS = 0x4c,
    SIMS3_AT_CHANNEL_COUNT = 0x50,
    SIMS3_AT_PALETTE_SIZE = 0x54,
    SIMS3_AT_CHANNEL_TABLE = 0x58,
    SIMS3_AT_PALETTE_OFFSET = 0x5c,
    SIMS3_AT_NAME_OFFSET = 0x60,
    SIMS3_AT_CHANNEL =
        0x68, /* the first row: +4 key, +8 offset, +12 scale, +16 count, +18 type, +19 sub-type */
    SIMS3_AT_NAME = 0xb8,
    SIMS3_AT_PALETTE = 0xc9,
    SIMS3_AT_PALETTE_KEYS = 0x109, /* the keys of b__ROOT__ */
    SIMS3_AT_ACTOR = 0x10c,
    SIMS3_AT_EVENTS = 0x110,
    SIMS3_AT_EVENT = 0x124,
    SIMS3_AT_END = 0x144,
};
void sims3_make_example(struct little_file *made);

/* A channel with its keys as they lie in the file. kind is sub-type * 256 + type. */
struct sims3_channel_made {
    uint32_t key;
    uint16_t kind;
    uint16_t key_count;
    float offset, scale;
    const void *keys;
    size_t key_size; /* of all of them */
};

struct sims3_section_made {
    float frame_duration;
    uint16_t tick_count;
    size_t channel_count, palette_count;
    const struct sims3_channel_made *channels;
    const float *palette;
};

/* A clip with nothing but its section. */
void sims3_make(struct little_file *made, const struct sims3_section_made *section);
/* Fills up to a multiple of 4 and lets the head lead here; returns where that is. */
size_t sims3_begin_block(struct little_file *made, size_t head_offset);

/* The head of a table of events; returns where it is. */
size_t sims3_begin_events(struct little_file *made, uint32_t count);
/* One event without its payload: id 7, the floats -1, the number 3. */
void sims3_put_event(struct little_file *made, unsigned type, float time, const char *name);
/* Fills in the size. */
void sims3_end_events(struct little_file *made, size_t at);

#endif
