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

bool png_write(cairo_surface_t *surface, struct pose_buffer *out, struct pose_error *error)
{
    cairo_surface_flush(surface);
    int width = cairo_image_surface_get_width(surface), height = cairo_image_surface_get_height(surface);
    ptrdiff_t stride = cairo_image_surface_get_stride(surface);
    const unsigned char *data = cairo_image_surface_get_data(surface);
    uint8_t(*pixels)[4] = calloc((size_t)width * (size_t)height, sizeof *pixels);
    if (!pixels || !data) {
        free(pixels);
        return error_no_memory(error);
    }
    uint8_t(*to)[4] = pixels;
    for (int y = 0; y < height; y++) {
        const uint32_t *from = (const uint32_t *)(const void *)(data + y * stride);
        for (int x = 0; x < width; x++, to++) {
            if (!(from[x] >> 24)) /* most of them */
                continue;
            uint32_t pixel = from[x] >> 24 == 255 ? from[x] : pixel_plain(from[x]);
            (*to)[0] = (uint8_t)(pixel >> 16);
            (*to)[1] = (uint8_t)(pixel >> 8);
            (*to)[2] = (uint8_t)pixel;
            (*to)[3] = (uint8_t)(pixel >> 24);
        }
    }
    const struct pose_image image = {.width = (uint32_t)width,
                                     .height = (uint32_t)height,
                                     .pixels = (const uint8_t(*)[4])(const void *)pixels,
                                     .has_alpha = true};
    bool written = pose_image_png_quick(&image, out, error);
    free(pixels);
    return written;
}
