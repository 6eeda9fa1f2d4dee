#include "tests/support/sl_files.h"

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

void sl_put_head(struct little_file *file, float duration, uint32_t joint_count)
{
    little_put_u32(file, 1); /* version 1.0 */
    little_put_u32(file, 3);
    little_put_f32(file, duration);
    little_put_text(file, "");
    little_put_f32(file, 0);
    little_put_f32(file, duration);
    little_put_u32(file, 1);
    little_put_f32(file, 0.5f);
    little_put_f32(file, 0.25f);
    little_put_u32(file, 1);
    little_put_u32(file, joint_count);
}

static void put_keys(struct little_file *file, const uint16_t (*keys)[4], uint32_t count)
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
    little_put_u32(file, count);
    little_put(file, bytes, (size_t)count * 8);
    free(bytes);
}

void sl_put_joint(struct little_file *file, const char *name, const uint16_t (*rotations)[4],
                  uint32_t rotation_count, const uint16_t (*positions)[4], uint32_t position_count)
{
    little_put_text(file, name);
    little_put_u32(file, 3);
    put_keys(file, rotations, rotation_count);
    put_keys(file, positions, position_count);
}

void sl_put_constraint(struct little_file *file, unsigned chain_length)
{
    little_put_u8(file, chain_length);
    little_put_u8(file, 1);
    little_put(file, "L_HAND\0\0\0\0\0\0\0\0\0\0", 16);
    for (int i = 1; i <= 3; i++)
        little_put_f32(file, (float)i);
    little_put(file, "GROUND\0\0\0\0\0\0\0\0\0\0", 16);
    for (int i = 4; i <= 13; i++)
        little_put_f32(file, (float)i);
}

void sl_put_example(struct little_file *file, bool with_constraint)
{
    little_put(file, sl_example, sizeof sl_example);
    if (!with_constraint)
        return;
    little_set_u32(file, SL_AT_NUM_CONSTRAINTS, 1);
    sl_put_constraint(file, 0);
}
