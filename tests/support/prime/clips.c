#include "tests/support/prime/files.h"

#include <string.h>

/* --------------------------------------------------------------------------------------- version 2, keys packed -- */

/*
 * Two bones, frames 0, 1, 3 of 4 keys. The stream, counted by hand: bone 3 has a sign and 4 + 5 + 6 bits of rotation,
 * bone 4 a sign and 1 + 0 + 2 bits, and 3 x 3 of translation: 16 + 4 + 9 = 29 bits a key.
 */
static const uint32_t keys_0_1_3 = 0xb;

static const struct prime_made_channel mp1_channels[2] = {
    {3, {2, {100, -200, 300}, {4, 5, 6}}, {0}, {0}},
    {4, {2, {0, 16384, -1}, {1, 0, 2}}, {2, {10, 20, -30}, {3, 3, 3}}, {0}},
};

struct prime_made_clip prime_mp1_clip(void)
{
    return (struct prime_made_clip){.game = "mp1",
                                    .evnt = 0xabcd1234,
                                    .duration = PRIME_MADE_DURATION,
                                    .interval = PRIME_MADE_FRAME,
                                    .root = 3,
                                    .looping = 1,
                                    .divisor = 32767,
                                    .translation_multiplier = 0.125f,
                                    .bits = 4,
                                    .bitmap = &keys_0_1_3,
                                    .channel_count = 2,
                                    .channels = mp1_channels};
}

static void put_mp1_stream(struct prime_made *made)
{
    /* 1, -3, 7, -20, as in the bit reader's test: 0xb0fb, then bone 4: 0, -1 (1 bit), -, 1 (2 bits); 3, -4, 1. */
    made_put_bits(made, 0xb0fb, 16);
    made_put_bits(made, 0x6 | 3 << 4 | 4 << 7 | 1 << 10, 13);
    made_put_bits(made, 0, 1);
    made_put_bits(made, (uint32_t)-8, 4);
    made_put_bits(made, 15, 5);
    made_put_bits(made, 31, 6);
    made_put_bits(made, 1, 1);
    made_put_bits(made, 0, 3);
    made_put_bits(made, 0x1ff, 9);
    made_end_bits(made);
}

void prime_make_mp1(struct prime_made *made)
{
    *made = (struct prime_made){0};
    struct prime_made_clip clip = prime_mp1_clip();
    made_put_clip(made, &clip);
    put_mp1_stream(made);
    made_pad(made);
}

static const struct prime_made_channel mp2_channels[3] = {
    {0, {2, {0, 0, 0}, {1, 1, 1}}, {2, {1, 2, 3}, {2, 2, 2}}, {2, {100, 100, 200}, {1, 2, 3}}},
    {1, {0}, {0}, {0}},
    {255, {0}, {0}, {2, {-100, 0, 0}, {0, 0, 0}}},
};

void prime_make_mp2(struct prime_made *made)
{
    struct prime_made_clip clip = prime_mp1_clip();
    clip.game = "mp2";
    clip.root = 0;
    clip.looping = 0;
    clip.scale_multiplier = 0.01f;
    clip.channel_count = 3;
    clip.channels = mp2_channels;
    *made = (struct prime_made){0};
    made_put_clip(made, &clip);
    for (int k = 0; k < 2; k++) {
        made_put_bits(made, 1, 4); /* sign and 0, 0, 0 */
        made_put_bits(made, 1, 2);
        made_put_bits(made, 0, 2);
        made_put_bits(made, 3, 2);
        made_put_bits(made, 1, 1);
        made_put_bits(made, 1, 2);
        made_put_bits(made, 3, 3);
    }
    made_end_bits(made);
}

void prime_make_demo(struct prime_made *made)
{
    struct prime_made_clip clip = prime_mp1_clip();
    clip.game = "mp2demo";
    *made = (struct prime_made){0};
    made_put_clip(made, &clip);
    put_mp1_stream(made);
}

/* ----------------------------------------------------------------------------------- version 0, every frame a key -- */

enum { BONES = 100 };

static void put_table(struct prime_made *made, unsigned count, const uint8_t *entries, unsigned set)
{
    made_put_u32(made, count);
    for (unsigned i = 0; i < count; i++)
        made_put_u8(made, i < set ? entries[i] : 0xff);
}

/* Three frames; bones 3 and 5 have channels 1 and 0, channel 1 has the first translations. */
static const uint8_t bone_table[6] = {0xff, 0xff, 0xff, 1, 0x80, 0};
static const uint8_t translation_table[2] = {0xff, 0};

static void put_frames_head(struct prime_made *made)
{
    *made = (struct prime_made){0};
    made_put_u32(made, 0);
    made_put_f32(made, 1);
    made_put_u32(made, 0);
    made_put_f32(made, 0.5f);
    made_put_u32(made, 0);
    made_put_u32(made, 3);
    made_put_u32(made, 3);
    put_table(made, BONES, bone_table, 6);
}

static void put_row(struct prime_made *made, unsigned numbers, float first)
{
    for (unsigned i = 0; i < 3 * numbers; i++)
        made_put_f32(made, first + (float)i);
}

void prime_make_frames_mp1(struct prime_made *made)
{
    put_frames_head(made);
    put_table(made, BONES, translation_table, 2);
    made_put_u32(made, 6);
    put_row(made, 4, 0);
    put_row(made, 4, 100);
    made_put_u32(made, 3);
    put_row(made, 3, 200);
    made_put_u32(made, 0xffffffff);
}

void prime_make_frames_mp2(struct prime_made *made)
{
    static const uint8_t rotations[2] = {0xff, 0}, scales[2] = {0, 0xff};
    put_frames_head(made);
    put_table(made, BONES, rotations, 2);
    put_table(made, BONES, translation_table, 2);
    put_table(made, BONES, scales, 2);
    made_put_u32(made, 3);
    put_row(made, 3, 300);
    made_put_u32(made, 3);
    put_row(made, 4, 0);
    made_put_u32(made, 3);
    put_row(made, 3, 200);
}
