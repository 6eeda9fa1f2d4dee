/* Files of Metroid Prime, put together field by field, apart from libpose's own writers. */
#ifndef TESTS_SUPPORT_PRIME_FILES_H
#define TESTS_SUPPORT_PRIME_FILES_H

#include "pose.h"

/* A file that is being made; free bytes with pose_buffer_free. */
struct prime_made {
    struct pose_buffer bytes;
    uint64_t bits; /* that wait for their word */
    unsigned bit_count;
};

void made_put(struct prime_made *made, const void *bytes, size_t size);
void made_put_u8(struct prime_made *made, unsigned value);
void made_put_u16(struct prime_made *made, unsigned value);
void made_put_u32(struct prime_made *made, uint32_t value);
void made_put_f32(struct prime_made *made, float value);
void made_put_floats(struct prime_made *made, const float *values, size_t count);
/* With its NUL. */
void made_put_text(struct prime_made *made, const char *text);
/* The lowest bits, the first of them lowest; words are written when they are full. */
void made_put_bits(struct prime_made *made, uint32_t value, unsigned width);
/* Writes the last word. */
void made_end_bits(struct prime_made *made);
/* Pads with 0xFF to a multiple of 32. */
void made_pad(struct prime_made *made);
/* Overwrites what was put before. */
void made_set_u8(struct prime_made *made, size_t offset, unsigned value);
void made_set_u16(struct prime_made *made, size_t offset, unsigned value);
void made_set_u32(struct prime_made *made, size_t offset, uint32_t value);
void made_set_f32(struct prime_made *made, size_t offset, float value);

/* Clips of version 2. */
struct prime_made_part {
    unsigned keys; /* 0: the part is not there */
    int16_t first[3];
    uint8_t widths[3];
};

struct prime_made_channel {
    uint32_t id;
    struct prime_made_part rotation, translation, scale;
};

struct prime_made_clip {
    const char *game; /* "mp1", "mp2", "mp2demo" */
    uint32_t evnt;
    float duration, interval;
    uint32_t root, looping, divisor;
    float translation_multiplier, scale_multiplier;
    uint32_t bits;
    const uint32_t *bitmap;
    uint32_t channel_count;
    const struct prime_made_channel *channels;
};

/* Everything before the stream. The scratch size is left 0. */
void made_put_clip(struct prime_made *made, const struct prime_made_clip *clip);

/*
 * Made clips. Two bones of the first game with frames 0, 1 and 3 as keys; the same in the layout of the second game's
 * demo; three bones of the second game, one of them empty.
 */
#define PRIME_MADE_FRAME (1.0f / 30)
#define PRIME_MADE_DURATION (3 * (1.0f / 30))
struct prime_made_clip prime_mp1_clip(void);
void prime_make_mp1(struct prime_made *made);
void prime_make_demo(struct prime_made *made);
void prime_make_mp2(struct prime_made *made);
/* Version 0: three frames of bones 3 and 5, which have channels 1 and 0; channel 1 has the first translations, and in
 * the second game channel 0 the scales. The bone table begins at PRIME_FRAMES_TABLE. */
enum { PRIME_FRAMES_TABLE = 32 };
void prime_make_frames_mp1(struct prime_made *made);
void prime_make_frames_mp2(struct prime_made *made);

/*
 * What belongs together, of one game: a skeleton of three bones (the first game's 3, 4, 5, the second's 0, 1, 2) of
 * which the last comes first in the file, the events of a clip, a character set of two characters, a skin.
 */
enum {
    PRIME_ANIM_WALK = 0xa1, /* prime_make_mp1, prime_make_mp2 */
    PRIME_ANIM_STEP = 0xa2, /* prime_make_frames_mp1, prime_make_frames_mp2 */
    PRIME_CINF = 0xc1,
    PRIME_CSKR = 0xc2,
    PRIME_CMDL = 0xc3,
    PRIME_ANCS = 0xc0,
    /* of the skeleton */
    PRIME_BONE_MP1 = 28,
    PRIME_BONE_MP2 = 60,
};
#define PRIME_EVNT 0xabcd1234u
void prime_make_cinf_mp1(struct prime_made *made);
void prime_make_cinf_mp2(struct prime_made *made);
void prime_make_evnt_mp1(struct prime_made *made);
void prime_make_evnt_mp2(struct prime_made *made);
void prime_make_ancs_mp1(struct prime_made *made);
void prime_make_ancs_mp2(struct prime_made *made);
void prime_make_cskr_mp1(struct prime_made *made);
void prime_make_cskr_mp2(struct prime_made *made);
/* The lists before the animation set of a character set, with no characters. */
void made_put_empty_set(struct prime_made *made);
/* u32 type 0, id, index, name, time. */
void made_put_play(struct prime_made *made, uint32_t anim, const char *name);

/* Where fields of a clip of version 2 are, by game. */
struct prime_clip_places {
    size_t constant, duration, interval, root, looping, divisor, translation_multiplier, scale_multiplier,
        channels, bits, bitmap;
};
extern const struct prime_clip_places prime_mp1_places, prime_mp2_places, prime_demo_places;

#endif
