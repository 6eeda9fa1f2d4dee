/* PNG of both efforts, with alpha and without, of sizes that vectors do not divide: read back they are the same pixels. */
#include "lib/images/picture.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

enum { MOST = 67 };

static uint8_t pixels[MOST * MOST][4];

/* Gradients, noise and nothing. */
static void paint(uint32_t width, uint32_t height, bool see_through)
{
    uint32_t random = width * 31 + height;
    for (uint32_t i = 0; i < width * height; i++) {
        random = random * 1664525 + 1013904223;
        const uint32_t x = i % width, y = i / width, kind = (x / 9 + y / 7) % 3;
        for (uint32_t k = 0; k < 4; k++)
            pixels[i][k] = (uint8_t)(kind == 0 ? 0 : kind == 1 ? 3 * x + 5 * y + 40 * k : random >> (8 + k));
        if (!see_through)
            pixels[i][3] = 255;
    }
}

TEST_EACH(it_is_read_back, 4)
{
    const bool see_through = _i & 1;
    const enum picture_effort effort = _i & 2 ? PICTURE_QUICK : PICTURE_SMALL;
    for (uint32_t width = 1; width <= MOST; width += width < 20 ? 1 : 13) {
        const uint32_t height = MOST - width + 1;
        paint(width, height, see_through);
        const struct picture picture = {width, height, pixels[0], see_through};
        struct pose_buffer out = {0};
        struct picture again;
        ck_assert(picture_write_png(&picture, effort, &out));
        ck_assert(picture_read((struct pose_bytes){out.data, out.size}, NULL, NULL, &again, NULL));
        ck_assert_uint_eq(again.width, width);
        ck_assert_uint_eq(again.height, height);
        ck_assert_mem_eq(again.pixels, pixels, (size_t)width * height * 4);
        picture_free(&again);
        pose_buffer_free(&out);
    }
}
