/*
 * The clip section of a Sims 3 clip: its head, its table of channels and its palette. All offsets count from the
 * start of the section.
 *
 *     0x00  "_pilC3S_"   u32 version = 2, flags   f32 frame_duration   u16 tick_count, unused
 *     0x18  u32 channel_count, palette_count   u32 offsets of the channels, the palette, clip_name, source_name
 *     channels: u32 key_offset, key   f32 offset, scale   u16 key_count   u8 type, sub_type
 */
#ifndef POSE_FORMATS_SIMS3_CLIP_SECTION_H
#define POSE_FORMATS_SIMS3_CLIP_SECTION_H

#include "lib/formats/sims3/file.h"

#define SIMS3_MAGIC "_pilC3S_"
#define SIMS3_FRAME_DURATION_LIMIT 10.0f /* seconds */

enum {
    SIMS3_VERSION = 2,
    SIMS3_SECTION_HEAD = 48,
    SIMS3_CHANNEL_SIZE = 20,
    SIMS3_CHANNEL_AT_KEY = 4,
    SIMS3_CHANNEL_AT_COUNT = 16,
    SIMS3_TICK_LAST = 65535,
    /* positions in the head of offsets */
    SIMS3_SECTION_AT_CHANNELS = 0x20,
    SIMS3_SECTION_AT_PALETTE = 0x24,
    SIMS3_SECTION_AT_CLIP_NAME = 0x28,
    SIMS3_SECTION_AT_SOURCE_NAME = 0x2c,
};

/* What a channel drives: its sub-type. */
enum {
    SIMS3_TRANSLATION = 1,
    SIMS3_ORIENTATION = 2,
    SIMS3_SCALE = 3,
    SIMS3_MORPH = 7,
};

/* A channel's packing: its type. Types not named here are only known by number. */
enum {
    SIMS3_F1 = 0x01,
    SIMS3_F3 = 0x03,
    SIMS3_F4 = 0x04,
    SIMS3_F1_NORMALIZED = 0x05,
    SIMS3_F1_ZERO = 0x09,
    SIMS3_F3_ZERO = 0x0b,
    SIMS3_F3_PACKED = 0x12,
    SIMS3_F4_PACKED = 0x14,
};

enum sims3_packing_kind {
    SIMS3_UNKNOWN,
    SIMS3_PALETTE,  /* u16 palette indices */
    SIMS3_WORD,     /* u16 / 65535 */
    SIMS3_TEN_BITS, /* u32: 10 bits each, / 1023 */
    SIMS3_WORDS,    /* u16 each, the low 12 bits / 4095 */
    SIMS3_ZERO,     /* constants, without keys */
    SIMS3_ONE,
    SIMS3_IDENTITY,
};

struct sims3_packing {
    enum sims3_packing_kind kind;
    uint8_t components;
    uint8_t key_size;        /* bytes per key with its tick and flags; 0 if there are no keys */
    uint8_t padded_key_size; /* the same with the payload padded to a multiple of 4 */
};

/* Works for any type; kind SIMS3_UNKNOWN if nothing is known about it. */
const struct sims3_packing *sims3_packing_of(uint8_t type);
bool sims3_is_constant(const struct sims3_packing *packing);
/* The part that a sub-type drives, -1 if the model has no such part. */
int sims3_part_of(uint8_t sub_type);

struct sims3_channel {
    uint64_t at; /* of its row, in the file */
    uint32_t key_offset;
    uint32_t key;
    float offset, scale;
    uint16_t key_count;
    uint8_t type, sub_type;
    uint8_t key_size; /* determined by the rule of sims3-clip.md, 3; 0 if there are no readable keys */
};

struct sims3_section {
    uint64_t start, size;
    const uint8_t *bytes;
    uint32_t version, flags;
    float frame_duration;
    uint16_t tick_count;
    uint32_t channel_count, palette_count;
    struct sims3_channel *channels;
    float *palette;
    const char *clip_name, *source_name; /* "" if missing */
};

/* False on the first error, also above the limit of keys. Reads of the keys only what determines their size. */
bool sims3_section_read(struct sims3_file *file, uint64_t start, uint64_t size,
                        struct sims3_section *section);

#endif
