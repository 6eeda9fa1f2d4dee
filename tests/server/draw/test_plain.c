/* Pixels of cairo as PNG: what is seen of each differs by a step of 255 at most, and nothing at all of what is solid. */
#include "server/draw/png.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

enum { SIDE = 96 };

static struct pose_buffer file;
static size_t at;

static cairo_status_t take(void *user, unsigned char *data, unsigned size)
{
    (void)user;
    if (file.size - at < size)
        return CAIRO_STATUS_READ_ERROR;
    memcpy(data, file.data + at, size);
    at += size;
    return CAIRO_STATUS_SUCCESS;
}

static uint32_t *pixels_of(cairo_surface_t *surface)
{
    return (uint32_t *)(void *)cairo_image_surface_get_data(surface);
}

/* Half of them see-through to a degree, in runs. */
static void paint(uint32_t *pixels)
{
    uint32_t random = 1;
    for (int i = 0; i < SIDE * SIDE; i++) {
        random = random * 1664525 + 1013904223;
        const uint32_t alpha = i / 16 % 4 == 0   ? 0
                               : i / 16 % 4 == 1 ? 255
                                                 : (uint32_t)(i / SIDE) * 255 / SIDE;
        pixels[i] = alpha << 24;
        for (int shift = 0; shift < 24; shift += 8)
            pixels[i] |= (random >> (shift / 2) & 255) % (alpha + 1) << shift;
    }
}

static bool is_near(uint32_t a, uint32_t b)
{
    for (int shift = 0; shift < 32; shift += 8) {
        if (abs((int)(a >> shift & 255) - (int)(b >> shift & 255)) > (shift < 24 && b >> 24 < 255))
            return false;
    }
    return true;
}

TEST(what_is_seen_stays)
{
    static uint32_t pixels[SIDE * SIDE];
    cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, SIDE, SIDE);
    paint(pixels);
    memcpy(pixels_of(surface), pixels, sizeof pixels);
    cairo_surface_mark_dirty(surface);
    ck_assert(png_write(surface, &file, NULL));
    cairo_surface_destroy(surface);
    cairo_surface_t *again = cairo_image_surface_create_from_png_stream(take, NULL);
    ck_assert_int_eq(cairo_surface_status(again), CAIRO_STATUS_SUCCESS);
    for (int i = 0; i < SIDE * SIDE; i++)
        ck_assert(is_near(pixels_of(again)[i], pixels[i]));
    cairo_surface_destroy(again);
    pose_buffer_free(&file);
}
