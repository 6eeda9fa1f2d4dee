#include "server/draw/png.h"

#include "lib/core/error.h"

#include <stdlib.h>
#include <string.h>

uint32_t pixel_plain(uint32_t pixel)
{
    uint32_t alpha = pixel >> 24, out = alpha << 24;
    if (alpha == 255 || !alpha)
        return alpha ? pixel : 0;
    for (int shift = 0; shift < 24; shift += 8) {
        uint32_t channel = ((pixel >> shift & 255) * 255 + alpha / 2) / alpha;
        out |= (channel < 255 ? channel : 255) << shift;
    }
    return out;
}

/* The plain channel that is nearest to a neighbour's among those that come within a step of a premultiplied one. */
static uint32_t nearest_channel(uint32_t neighbour, uint32_t alpha, uint32_t premultiplied)
{
    const uint32_t product = neighbour * alpha, wanted = premultiplied * 255;
    if (product + 255 < wanted)
        return (wanted - 255 + alpha - 1) / alpha;
    if (product > wanted + 255)
        return (wanted + 255) / alpha;
    return neighbour;
}

/* Pixels that let much through have few steps, which a plain colour makes large: it stays with its neighbour's as long as
 * what is seen of it differs by a step at most. The floor would be noise otherwise, and half of the file. */
static uint32_t plain_beside(uint32_t pixel, uint32_t neighbour)
{
    const uint32_t alpha = pixel >> 24;
    uint32_t out = alpha << 24;
    for (int shift = 0; shift < 24; shift += 8)
        out |= nearest_channel(neighbour >> shift & 255, alpha, pixel >> shift & 255) << shift;
    return out;
}

/* Plain colours in the order of bytes that a file has. */
static void turn_row(uint32_t *row, int width)
{
    uint32_t plain = 0;
    for (int x = 0; x < width; x++) {
        const uint32_t pixel = row[x], alpha = pixel >> 24;
        if (!alpha) { /* most of them */
            row[x] = plain = 0;
            while (x + 4 < width && !(row[x + 1] | row[x + 2] | row[x + 3] | row[x + 4]))
                x += 4;
            continue;
        }
        if (alpha == 255)
            plain = pixel;
        else
            plain = plain ? plain_beside(pixel, plain) : pixel_plain(pixel);
        const uint8_t bytes[4] = {(uint8_t)(plain >> 16), (uint8_t)(plain >> 8), (uint8_t)plain,
                                  (uint8_t)alpha};
        memcpy(&row[x], bytes, sizeof bytes);
    }
}

bool png_write(cairo_surface_t *surface, struct pose_buffer *out, struct pose_error *error)
{
    cairo_surface_flush(surface);
    const int width = cairo_image_surface_get_width(surface),
              height = cairo_image_surface_get_height(surface);
    unsigned char *data = cairo_image_surface_get_data(surface);
    if (!data || cairo_image_surface_get_stride(surface) != width * (int)sizeof(uint32_t))
        return error_no_memory(error);
    uint32_t *pixels = (uint32_t *)(void *)data;
    for (int y = 0; y < height; y++)
        turn_row(pixels + (ptrdiff_t)y * width, width);
    const struct pose_image image = {.width = (uint32_t)width,
                                     .height = (uint32_t)height,
                                     .pixels = (const uint8_t(*)[4])(const void *)data,
                                     .has_alpha = true};
    return pose_image_png_quick(&image, out, error);
}
