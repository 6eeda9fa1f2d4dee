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

/* The colour at u, v (within TEXTURE_FAR of 0; v = 0 is the first row), bilinear, 0 to 255 each. */
static inline void texture_sample(const struct texture_level *level, bool clamps, float u, float v,
                                  int out[4])
{
    uint32_t x[2], y[2];
    int right = texture_neighbours(u, level->width, clamps, x),
        down = texture_neighbours(v, level->height, clamps, y);
    const uint8_t *a = level->pixels[(size_t)y[0] * level->width + x[0]],
                  *b = level->pixels[(size_t)y[0] * level->width + x[1]],
                  *c = level->pixels[(size_t)y[1] * level->width + x[0]],
                  *d = level->pixels[(size_t)y[1] * level->width + x[1]];
    for (int k = 0; k < 4; k++) {
        int above = a[k] * (256 - right) + b[k] * right, below = c[k] * (256 - right) + d[k] * right;
        out[k] = (above * (256 - down) + below * down + 32768) >> 16;
    }
}

#endif
