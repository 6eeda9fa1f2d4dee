#include "tests/support/sims3/clip_files.h"

#include "lib/core/numbers/float_bits.h"
#include "tests/support/codecs.h"

#include <check.h>
#include <string.h>

/* clang-format off */
const uint8_t sims3_example[340] = {
    0xf3, 0xc4, 0x20, 0x6b, 0x00, 0x00, 0x00, 0x00, 0xd1, 0x00, 0x00, 0x00, 0x2c, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0xf8, 0x00, 0x00, 0x00, 0xf8, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x01, 0x00, 0x00, 0x00, 0x20, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x5f, 0x70, 0x69, 0x6c, 0x43, 0x33, 0x53, 0x5f,
    0x02, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x89, 0x88, 0x08, 0x3d, 0x02, 0x00, 0x00, 0x00,
    0x04, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x30, 0x00, 0x00, 0x00, 0x91, 0x00, 0x00, 0x00,
    0x80, 0x00, 0x00, 0x00, 0x89, 0x00, 0x00, 0x00, 0x9d, 0x00, 0x00, 0x00, 0x1b, 0xb2, 0x97, 0x0f,
    0x00, 0x00, 0x00, 0x3f, 0x00, 0x00, 0x80, 0x3e, 0x01, 0x00, 0x12, 0x01, 0xa5, 0x00, 0x00, 0x00,
    0x1b, 0xb2, 0x97, 0x0f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x3f, 0x02, 0x00, 0x14, 0x02,
    0xbd, 0x00, 0x00, 0x00, 0x81, 0x69, 0xae, 0xfe, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x3f,
    0x02, 0x00, 0x03, 0x01, 0xd1, 0x00, 0x00, 0x00, 0x1a, 0x18, 0x6b, 0x55, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x0b, 0x01, 0x61, 0x5f, 0x64, 0x65, 0x6d, 0x6f, 0x5f, 0x78,
    0x00, 0x64, 0x65, 0x6d, 0x6f, 0x2e, 0x6d, 0x61, 0x00, 0x00, 0x00, 0x80, 0x3e, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0xc0, 0x3f, 0x00, 0x00, 0x02, 0x00, 0xff, 0x57, 0x05, 0x20, 0x00, 0x00, 0x04,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x50, 0x0b, 0x50, 0x0b, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0xff, 0x0f, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00, 0x02, 0x00, 0x01,
    0x00, 0x00, 0x00, 0x02, 0x00, 0x01, 0x00, 0x00, 0x00, 0x7e, 0x7e, 0x7e, 0x78, 0x00, 0x7e, 0x7e,
    0x3d, 0x43, 0x45, 0x3d, 0x03, 0x01, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x20, 0x00, 0x00, 0x00,
    0x04, 0x00, 0x00, 0x00, 0x04, 0x00, 0xe4, 0xc1, 0x65, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x80, 0xbf, 0x00, 0x00, 0x80, 0xbf, 0x07, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00,
    0x67, 0x6f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x80, 0x3f,
};
/* clang-format on */

void sims3_put(struct sims3_made *made, const void *bytes, size_t size)
{
    ck_assert(pose_buffer_append(&made->bytes, bytes, size));
}

void sims3_put_u16(struct sims3_made *made, unsigned value)
{
    sims3_put(made, (uint8_t[]){(uint8_t)value, (uint8_t)(value >> 8)}, 2);
}

void sims3_put_u32(struct sims3_made *made, uint32_t value)
{
    sims3_put_u16(made, value & 0xffff);
    sims3_put_u16(made, value >> 16);
}

void sims3_put_f32(struct sims3_made *made, float value)
{
    sims3_put_u32(made, bits_of_float(value));
}

void sims3_set_u32(struct sims3_made *made, size_t offset, uint32_t value)
{
    ck_assert_uint_le(offset + 4, made->bytes.size);
    for (unsigned i = 0; i < 4; i++)
        made->bytes.data[offset + i] = (uint8_t)(value >> 8 * i);
}

void sims3_set_f32(struct sims3_made *made, size_t offset, float value)
{
    sims3_set_u32(made, offset, bits_of_float(value));
}

void sims3_make_example(struct sims3_made *made)
{
    *made = (struct sims3_made){0};
    sims3_put(made, sims3_example, sizeof sims3_example);
}

/* Everything before the channels: the head of the file and that of the section. */
static void put_heads(struct sims3_made *made, const struct sims3_section_made *section, size_t key_size)
{
    size_t names = 48 + section->channel_count * 20, palette = names + 2;
    const uint32_t head[14] = {0x6b20c4f3, 0, (uint32_t)(palette + section->palette_count * 4 + key_size),
                               0x2c};
    for (int i = 0; i < 14; i++)
        sims3_put_u32(made, head[i]);
    sims3_put(made, "_pilC3S_", 8);
    sims3_put_u32(made, 2);
    sims3_put_u32(made, 0);
    sims3_put_f32(made, section->frame_duration);
    sims3_put_u16(made, section->tick_count);
    sims3_put_u16(made, 0);
    sims3_put_u32(made, (uint32_t)section->channel_count);
    sims3_put_u32(made, (uint32_t)section->palette_count);
    sims3_put_u32(made, 48);
    sims3_put_u32(made, (uint32_t)palette);
    sims3_put_u32(made, (uint32_t)names);
    sims3_put_u32(made, (uint32_t)names + 1);
}

static void put_channel(struct sims3_made *made, const struct sims3_channel_made *channel, size_t keys_at)
{
    sims3_put_u32(made, (uint32_t)keys_at);
    sims3_put_u32(made, channel->key);
    sims3_put_f32(made, channel->offset);
    sims3_put_f32(made, channel->scale);
    sims3_put_u16(made, channel->key_count);
    sims3_put_u16(made, channel->kind);
}

void sims3_make(struct sims3_made *made, const struct sims3_section_made *section)
{
    size_t key_size = 0, keys_at = 48 + section->channel_count * 20 + 2 + section->palette_count * 4;
    *made = (struct sims3_made){0};
    for (size_t i = 0; i < section->channel_count; i++)
        key_size += section->channels[i].key_size;
    put_heads(made, section, key_size);
    for (size_t i = 0; i < section->channel_count; i++) {
        put_channel(made, &section->channels[i], keys_at);
        keys_at += section->channels[i].key_size;
    }
    sims3_put(made, "\0", 2); /* both names */
    for (size_t i = 0; i < section->palette_count; i++)
        sims3_put_f32(made, section->palette[i]);
    for (size_t i = 0; i < section->channel_count; i++)
        sims3_put(made, section->channels[i].keys, section->channels[i].key_size);
}

size_t sims3_begin_block(struct sims3_made *made, size_t head_offset)
{
    while (made->bytes.size % 4)
        sims3_put(made, "~", 1);
    sims3_set_u32(made, head_offset, (uint32_t)(made->bytes.size - head_offset));
    return made->bytes.size;
}

void sims3_put_event(struct sims3_made *made, unsigned type, float time, const char *name)
{
    size_t length = strlen(name);
    sims3_put_u16(made, type);
    sims3_put_u16(made, 0xc1e4);
    sims3_put_u32(made, 7);
    sims3_put_f32(made, time);
    sims3_put_f32(made, -1);
    sims3_put_f32(made, -1);
    sims3_put_u32(made, 3);
    sims3_put_u32(made, (uint32_t)length);
    sims3_put(made, name, length);
    sims3_put(made, (uint8_t[4]){0}, (length + 4) / 4 * 4 - length);
}

size_t sims3_begin_events(struct sims3_made *made, uint32_t count)
{
    size_t at = sims3_begin_block(made, SIMS3_AT_EVENT_TABLE);
    sims3_put(made, "=CE=", 4);
    sims3_put_u32(made, 0x103);
    sims3_put_u32(made, count);
    sims3_put_u32(made, 0);
    sims3_put_u32(made, count ? 4 : 0);
    return at;
}

void sims3_end_events(struct sims3_made *made, size_t at)
{
    sims3_set_u32(made, at + 12, (uint32_t)(made->bytes.size - at - 20));
}

struct pose_document *sims3_decode(struct sims3_made *made)
{
    struct pose_document *document = codec_must_decode("sims3-clip", made->bytes.data, made->bytes.size);
    pose_buffer_free(&made->bytes);
    return document;
}
