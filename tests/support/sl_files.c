#include "tests/support/sl_files.h"

#include "lib/core/numbers/float_bits.h"

#include <stdlib.h>
#include <string.h>

const uint8_t sl_example[97] = {
    0x01, 0x00, 0x00, 0x00,                         /* version 1.0 */
    0x06, 0x00, 0x00, 0x00,                         /* base priority 6 */
    0xab, 0xaa, 0x2a, 0x3d,                         /* duration 0.041666668 */
    0x00,                                           /* emote "" */
    0x00, 0x00, 0x00, 0x00, 0xab, 0xaa, 0x2a, 0x3d, /* loop 0 .. 0.041666668 */
    0x01, 0x00, 0x00, 0x00,                         /* loop yes */
    0xcd, 0xcc, 0x4c, 0x3f, 0xcd, 0xcc, 0x4c, 0x3f, /* ease 0.8 0.8 */
    0x00, 0x00, 0x00, 0x00,                         /* hand pose 0 */
    0x01, 0x00, 0x00, 0x00,                         /* one joint */
    0x6d, 0x50, 0x65, 0x6c, 0x76, 0x69, 0x73, 0x00, /* "mPelvis" */
    0x06, 0x00, 0x00, 0x00,                         /* joint priority 6 */
    0x02, 0x00, 0x00, 0x00,                         /* two rotation keys */
    0x00, 0x00, 0xff, 0x7f, 0xff, 0x7f, 0xff, 0x7f, /* t=0 (0,0,0) */
    0xff, 0xff, 0xff, 0x7f, 0xff, 0x7f, 0xff, 0x7f, /* t=end */
    0x02, 0x00, 0x00, 0x00,                         /* two position keys */
    0x00, 0x00, 0xff, 0x7f, 0xff, 0x7f, 0x5d, 0x7f, /* t=0 (0,0,-0.024796009) */
    0xff, 0xff, 0xff, 0x7f, 0xff, 0x7f, 0x5d, 0x7f, /* t=end */
    0x00, 0x00, 0x00, 0x00,                         /* no constraints */
};

void sl_put(struct sl_file *file, const void *bytes, size_t size)
{
    if (!pose_buffer_append(&file->bytes, bytes, size))
        abort(); /* the samples are made with it, too, outside of any test */
}

void sl_put_u8(struct sl_file *file, unsigned value)
{
    sl_put(file, &(uint8_t){(uint8_t)value}, 1);
}

void sl_put_u16(struct sl_file *file, unsigned value)
{
    sl_put_u8(file, value);
    sl_put_u8(file, value >> 8);
}

void sl_put_u32(struct sl_file *file, uint32_t value)
{
    sl_put_u16(file, value);
    sl_put_u16(file, value >> 16);
}

void sl_put_f32(struct sl_file *file, float value)
{
    sl_put_u32(file, bits_of_float(value));
}

void sl_put_text(struct sl_file *file, const char *text)
{
    sl_put(file, text, strlen(text) + 1);
}

void sl_put_head(struct sl_file *file, float duration, uint32_t joint_count)
{
    sl_put_u16(file, !file->is_old);
    sl_put_u16(file, file->is_old);
    sl_put_u32(file, 3);
    sl_put_f32(file, duration);
    sl_put_text(file, "");
    sl_put_f32(file, 0);
    sl_put_f32(file, duration);
    sl_put_u32(file, 1);
    sl_put_f32(file, 0.5f);
    sl_put_f32(file, 0.25f);
    sl_put_u32(file, 1);
    sl_put_u32(file, joint_count);
}

static void put_keys(struct sl_file *file, const uint16_t (*keys)[4], uint32_t count)
{
    uint8_t *bytes = malloc((size_t)count * 8 + 1), *to = bytes;
    if (!bytes)
        abort();
    for (uint32_t k = 0; k < count; k++) {
        for (int i = 0; i < 4; i++) {
            *to++ = (uint8_t)keys[k][i];
            *to++ = (uint8_t)(keys[k][i] >> 8);
        }
    }
    sl_put_u32(file, count);
    sl_put(file, bytes, (size_t)count * 8);
    free(bytes);
}

void sl_put_joint(struct sl_file *file, const char *name, const uint16_t (*rotations)[4],
                  uint32_t rotation_count, const uint16_t (*positions)[4], uint32_t position_count)
{
    sl_put_text(file, name);
    sl_put_u32(file, 3);
    put_keys(file, rotations, rotation_count);
    put_keys(file, positions, position_count);
}

void sl_put_constraint(struct sl_file *file, unsigned chain_length)
{
    sl_put_u8(file, chain_length);
    sl_put_u8(file, 1);
    sl_put(file, "L_HAND\0\0\0\0\0\0\0\0\0\0", 16);
    for (int i = 1; i <= 3; i++)
        sl_put_f32(file, (float)i);
    sl_put(file, "GROUND\0\0\0\0\0\0\0\0\0\0", 16);
    for (int i = 4; i <= 13; i++)
        sl_put_f32(file, (float)i);
}

void sl_put_example(struct sl_file *file, bool with_constraint)
{
    sl_put(file, sl_example, sizeof sl_example);
    if (!with_constraint)
        return;
    sl_set_u32(file, SL_AT_NUM_CONSTRAINTS, 1);
    sl_put_constraint(file, 0);
}

void sl_set_u32(struct sl_file *file, size_t offset, uint32_t value)
{
    if (offset + 4 > file->bytes.size)
        abort();
    for (int i = 0; i < 4; i++)
        file->bytes.data[offset + (size_t)i] = (uint8_t)(value >> 8 * i);
}

void sl_set_f32(struct sl_file *file, size_t offset, float value)
{
    sl_set_u32(file, offset, bits_of_float(value));
}
