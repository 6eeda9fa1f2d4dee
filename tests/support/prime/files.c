#include "tests/support/prime/files.h"

#include <stdlib.h>
#include <string.h>

const struct prime_clip_places prime_mp1_places = {12, 16, 20, 24, 28, 32, 36, 0, 40, 48, 52},
                               prime_mp2_places = {8, 10, 14, 18, 22, 26, 30, 34, 38, 46, 50},
                               prime_demo_places = {8, 12, 16, 20, 24, 28, 32, 0, 36, 44, 48};

void made_put(struct prime_made *made, const void *bytes, size_t size)
{
    if (!pose_buffer_append(&made->bytes, bytes, size))
        abort();
}

void made_put_u8(struct prime_made *made, unsigned value)
{
    made_put(made, (uint8_t[]){(uint8_t)value}, 1);
}

void made_put_u16(struct prime_made *made, unsigned value)
{
    made_put(made, (uint8_t[]){(uint8_t)(value >> 8), (uint8_t)value}, 2);
}

void made_put_u32(struct prime_made *made, uint32_t value)
{
    made_put_u16(made, value >> 16);
    made_put_u16(made, value & 0xffff);
}

void made_put_f32(struct prime_made *made, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    made_put_u32(made, bits);
}

void made_put_floats(struct prime_made *made, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        made_put_f32(made, values[i]);
}

void made_put_text(struct prime_made *made, const char *text)
{
    made_put(made, text, strlen(text) + 1);
}

void made_put_bits(struct prime_made *made, uint32_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++) {
        made->bits |= (uint64_t)(value >> i & 1) << made->bit_count++;
        if (made->bit_count == 32)
            made_end_bits(made);
    }
}

void made_end_bits(struct prime_made *made)
{
    if (made->bit_count)
        made_put_u32(made, (uint32_t)made->bits);
    made->bits = 0;
    made->bit_count = 0;
}

void made_pad(struct prime_made *made)
{
    while (made->bytes.size % 32)
        made_put_u8(made, 0xff);
}

void made_set_u8(struct prime_made *made, size_t offset, unsigned value)
{
    made->bytes.data[offset] = (uint8_t)value;
}

void made_set_u16(struct prime_made *made, size_t offset, unsigned value)
{
    made_set_u8(made, offset, value >> 8);
    made_set_u8(made, offset + 1, value);
}

void made_set_u32(struct prime_made *made, size_t offset, uint32_t value)
{
    made_set_u16(made, offset, value >> 16);
    made_set_u16(made, offset + 2, value);
}

void made_set_f32(struct prime_made *made, size_t offset, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    made_set_u32(made, offset, bits);
}

static void put_part(struct prime_made *made, const struct prime_made_part *part)
{
    made_put_u16(made, part->keys);
    for (int i = 0; i < 3 && part->keys; i++) {
        made_put_u16(made, (uint16_t)part->first[i]);
        made_put_u8(made, part->widths[i]);
    }
}

void made_put_clip(struct prime_made *made, const struct prime_made_clip *clip)
{
    bool mp1 = !strcmp(clip->game, "mp1"), mp2 = !strcmp(clip->game, "mp2");
    made_put_u32(made, 2);
    made_put_u32(made, 0);
    if (mp1)
        made_put_u32(made, clip->evnt);
    if (mp2)
        made_put_u16(made, 0x0101);
    else
        made_put_u32(made, 1);
    made_put_f32(made, clip->duration);
    made_put_f32(made, clip->interval);
    made_put_u32(made, clip->root);
    made_put_u32(made, clip->looping);
    made_put_u32(made, clip->divisor);
    made_put_f32(made, clip->translation_multiplier);
    if (mp2)
        made_put_f32(made, clip->scale_multiplier);
    made_put_u32(made, clip->channel_count);
    made_put_u32(made, 1);
    made_put_u32(made, clip->bits);
    for (uint32_t i = 0; i < (clip->bits + 31) / 32; i++)
        made_put_u32(made, clip->bitmap[i]);
    for (int i = 0; i < (mp2 ? 1 : 2); i++)
        made_put_u32(made, clip->channel_count);
    for (uint32_t i = 0; i < clip->channel_count; i++) {
        const struct prime_made_channel *channel = &clip->channels[i];
        if (mp2)
            made_put_u8(made, channel->id);
        else
            made_put_u32(made, channel->id);
        put_part(made, &channel->rotation);
        put_part(made, &channel->translation);
        if (mp2)
            put_part(made, &channel->scale);
    }
}
