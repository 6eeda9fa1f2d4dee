#include "server/draw/raster/texture.h"

#include <stdlib.h>

void texture_init(struct texture *texture, const struct pose_image *image)
{
    *texture = (struct texture){.clamps = image->clamps};
    if (!image->pixels || !image->width || !image->height)
        return;
    texture->levels[0] = (struct texture_level){image->width, image->height, image->pixels};
    texture->count = 1;
}

void texture_release(struct texture *texture)
{
    for (uint32_t i = 0; i < texture->count; i++)
        free(texture->owned[i]);
    *texture = (struct texture){0};
}

/* The mean of four pixels; the colours of those that are not seen do not count. */
static void mean(const uint8_t *const from[4], uint8_t to[4])
{
    unsigned alpha = 0, sums[3] = {0}, plain[3] = {0};
    for (int i = 0; i < 4; i++) {
        alpha += from[i][3];
        for (int k = 0; k < 3; k++) {
            sums[k] += from[i][k] * (unsigned)from[i][3];
            plain[k] += from[i][k];
        }
    }
    for (int k = 0; k < 3; k++)
        to[k] = (uint8_t)(alpha ? (sums[k] + alpha / 2) / alpha : plain[k] / 4);
    to[3] = (uint8_t)((alpha + 2) / 4);
}

/* The same of two pixels and those below, sooner: false if one of them is not opaque. */
static bool mean_of_opaque(const uint8_t *top, const uint8_t *bottom, uint8_t to[4])
{
    const uint64_t every_second = 0x00ff00ff00ff00ff;
    uint64_t above, below;
    if ((top[3] & top[7] & bottom[3] & bottom[7]) != 255)
        return false;
    memcpy(&above, top, sizeof above);
    memcpy(&below, bottom, sizeof below);
    const uint64_t even = (above & every_second) + (below & every_second),
                   odd = (above >> 8 & every_second) + (below >> 8 & every_second);
    const uint32_t low = (uint32_t)even + (uint32_t)(even >> 32) + 0x20002,
                   high = (uint32_t)odd + (uint32_t)(odd >> 32) + 0x20002;
    const uint32_t pixel = (low >> 2 & 0xff00ff) | (high >> 2 & 0xff00ff) << 8;
    memcpy(to, &pixel, sizeof pixel);
    return true;
}

static bool is_row_opaque(const uint8_t (*pixels)[4], uint32_t width)
{
    unsigned all = 255;
    for (uint32_t x = 0; x < width; x++)
        all &= pixels[x][3];
    return all == 255;
}

bool texture_is_opaque(struct texture *texture)
{
    const struct texture_level *level = &texture->levels[0];
    if (texture->kind == TEXTURE_NOT_LOOKED_AT) {
        texture->kind = TEXTURE_OPAQUE;
        for (uint32_t y = 0; y < level->height && texture->kind == TEXTURE_OPAQUE; y++) {
            if (!is_row_opaque(level->pixels + (size_t)y * level->width, level->width))
                texture->kind = TEXTURE_SEE_THROUGH;
        }
    }
    return texture->kind == TEXTURE_OPAQUE;
}

static bool add_level(struct texture *texture)
{
    const struct texture_level *from = &texture->levels[texture->count - 1];
    uint32_t width = from->width > 1 ? from->width / 2 : 1, height = from->height > 1 ? from->height / 2 : 1;
    uint8_t(*pixels)[4] = malloc((size_t)width * height * sizeof *pixels);
    if (!pixels)
        return false;
    for (uint32_t y = 0; y < height; y++) {
        uint32_t top = from->height > 1 ? 2 * y : 0, bottom = from->height > 1 ? 2 * y + 1 : 0;
        for (uint32_t x = 0; x < width; x++) {
            uint32_t left = from->width > 1 ? 2 * x : 0, right = from->width > 1 ? 2 * x + 1 : 0;
            if (right > left && mean_of_opaque(from->pixels[(size_t)top * from->width + left],
                                               from->pixels[(size_t)bottom * from->width + left],
                                               pixels[(size_t)y * width + x]))
                continue;
            const uint8_t *const four[4] = {from->pixels[(size_t)top * from->width + left],
                                            from->pixels[(size_t)top * from->width + right],
                                            from->pixels[(size_t)bottom * from->width + left],
                                            from->pixels[(size_t)bottom * from->width + right]};
            mean(four, pixels[(size_t)y * width + x]);
        }
    }
    texture->owned[texture->count] = pixels;
    texture->levels[texture->count++] =
        (struct texture_level){width, height, (const uint8_t(*)[4])(const void *)pixels};
    return true;
}

const struct texture_level *texture_make_level(struct texture *texture, uint32_t wanted)
{
    while (texture->count <= wanted) {
        const struct texture_level *last = &texture->levels[texture->count - 1];
        if ((last->width == 1 && last->height == 1) || !add_level(texture))
            break;
    }
    return &texture->levels[wanted < texture->count ? wanted : texture->count - 1];
}
