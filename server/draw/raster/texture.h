/* An image for drawing: smaller copies of it are made when they are needed, so that what is far away does not
 * shimmer. */
#ifndef POSED_SERVER_DRAW_RASTER_TEXTURE_H
#define POSED_SERVER_DRAW_RASTER_TEXTURE_H

#include "pose.h"

enum {
    TEXTURE_LEVELS = 16,
    TEXTURE_FAR = 10000, /* farther away than that there is no image, since whole numbers of pixels end */
};

struct texture_level {
    uint32_t width, height;
    const uint8_t (*pixels)[4]; /* red, green, blue, alpha, not premultiplied */
};

/* Not shared between threads: reading it may make a level. */
struct texture {
    uint32_t count; /* of levels made; 0: nothing to draw */
    struct texture_level levels[TEXTURE_LEVELS];
    void *owned[TEXTURE_LEVELS];
    bool clamps;
};

/* The image's pixels are borrowed. An image without pixels gives a texture without levels. */
void texture_init(struct texture *texture, const struct pose_image *image);
void texture_release(struct texture *texture);
/* The level in which a step of so many pixels of the image is at most two; the smallest one there is when out of
 * memory. */
const struct texture_level *texture_level_for(struct texture *texture, double step);
/* Of texture_sample, which is called for every sample of a picture. */
static inline int texture_wrapped(int at, int size)
{
    if (at >= 0 && at < size)
        return at;
    at %= size;
    return at < 0 ? at + size : at;
}

static inline int texture_held(int at, int size)
{
    return at < 0 ? 0 : at < size ? at : size - 1;
}

/* The two neighbours of a place along one side, and the share of the second, of 256. */
static inline int texture_neighbours(float place, uint32_t size, bool clamps, uint32_t at[2])
{
    float x = place * (float)size - 0.5f;
    int first = (int)x, count = (int)size;
    first -= x < (float)first;
    if (clamps) {
        at[0] = (uint32_t)texture_held(first, count);
        at[1] = (uint32_t)texture_held(first + 1, count);
    } else {
        at[0] = (uint32_t)texture_wrapped(first, count);
        at[1] = (uint32_t)texture_wrapped(first + 1, count);
    }
    return (int)((x - (float)first) * 256);
}

/* Four numbers that are worked on together: red, green, blue, alpha. */
typedef float texture_four __attribute__((vector_size(16)));
typedef int32_t texture_whole __attribute__((vector_size(16)));

/* The channels of a pixel in 16 bits each: red, blue, green, alpha, from the lowest. */
static inline uint64_t texture_spread(const uint8_t pixel[4])
{
    uint64_t packed =
        pixel[0] | (uint32_t)pixel[1] << 8 | (uint32_t)pixel[2] << 16 | (uint32_t)pixel[3] << 24;
    return (packed | packed << 24) & 0x00ff00ff00ff00ff;
}

/* Between two pairs of channels in 32 bits each, of up to 16 bits: as 8 bits, rounded. */
static inline uint64_t texture_between(uint64_t above, uint64_t below, unsigned down)
{
    const uint64_t pairs = 0x0000ffff0000ffff, half = 0x0000800000008000;
    return ((above & pairs) * (256 - down) + (below & pairs) * down + half) >> 16;
}

/* The colour at u, v (within TEXTURE_FAR of 0; v = 0 is the first row), bilinear, whole numbers from 0 to 255. */
static inline texture_four texture_sample(const struct texture_level *level, bool clamps, float u, float v)
{
    uint32_t x[2], y[2];
    unsigned right = (unsigned)texture_neighbours(u, level->width, clamps, x),
             down = (unsigned)texture_neighbours(v, level->height, clamps, y);
    const uint8_t(*first)[4] = level->pixels + (size_t)y[0] * level->width,
          (*second)[4] = level->pixels + (size_t)y[1] * level->width;
    uint64_t above = texture_spread(first[x[0]]) * (256 - right) + texture_spread(first[x[1]]) * right,
             below = texture_spread(second[x[0]]) * (256 - right) + texture_spread(second[x[1]]) * right;
    uint64_t red_green = texture_between(above, below, down),
             blue_alpha = texture_between(above >> 16, below >> 16, down);
    const texture_whole whole = {(int32_t)(red_green & 255), (int32_t)(red_green >> 32 & 255),
                                 (int32_t)(blue_alpha & 255), (int32_t)(blue_alpha >> 32 & 255)};
    return __builtin_convertvector(whole, texture_four);
}

#endif
