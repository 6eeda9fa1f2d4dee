/* Pixels as WebP codes them: known colours, sides that are odd, and what is not seen. */
#include "server/draw/yuv.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 7 };

static uint32_t pixels[SIDE * SIDE];

/* Of the first two by two of a picture of that size. */
static void take(int width, int height, uint8_t found[4])
{
    uint8_t *memory = malloc(yuv_size(width, height));
    ck_assert_ptr_nonnull(memory);
    const struct yuv_planes planes = yuv_lay(memory, width, height);
    yuv_take(pixels, SIDE, width, height, &planes);
    memcpy(found, (uint8_t[]){planes.y[0], planes.u[0], planes.v[0], planes.a[0]}, 4);
    for (int i = 0; i < width * height; i++)
        ck_assert_uint_eq(planes.a[i], pixels[i / width * SIDE + i % width] >> 24);
    free(memory);
}

/* ITU-R BT.601, in its narrow range. */
TEST(known_colours)
{
    static const struct {
        uint32_t pixel;
        uint8_t yuv[3];
    } known[] = {{0xffffffff, {235, 128, 128}}, {0xff000000, {16, 128, 128}}, {0xffff0000, {82, 90, 240}},
                 {0xff00ff00, {145, 54, 34}},   {0xff0000ff, {41, 240, 110}}, {0x80808080, {126, 128, 128}}};
    for (int i = 0; i < COUNT(known); i++) {
        for (int k = 0; k < SIDE * SIDE; k++)
            pixels[k] = known[i].pixel;
        for (int size = 1; size <= SIDE; size++) {
            uint8_t found[4];
            take(size, SIDE + 1 - size, found);
            for (int k = 0; k < 3; k++)
                ck_assert_int_le(abs(found[k] - known[i].yuv[k]), 1);
        }
    }
}

TEST(what_is_not_seen_has_no_colour)
{
    uint8_t found[4];
    memset(pixels, 0, sizeof pixels);
    pixels[0] = 0xffff0000;
    take(SIDE, SIDE, found);
    ck_assert_int_le(abs(found[1] - 90), 1);
    ck_assert_int_le(abs(found[2] - 240), 1);
    pixels[0] = 0;
    take(SIDE, SIDE, found);
    ck_assert_mem_eq(found, ((uint8_t[]){16, 128, 128, 0}), 4);
}
