/* An image for drawing: smaller copies of it are made when they are needed, so that what is far away does not
 * shimmer. */
#ifndef POSED_SERVER_DRAW_RASTER_TEXTURE_H
#define POSED_SERVER_DRAW_RASTER_TEXTURE_H

#include "pose.h"

#include <string.h>

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
    enum { TEXTURE_NOT_LOOKED_AT, TEXTURE_OPAQUE, TEXTURE_SEE_THROUGH } kind;
};

/* The image's pixels are borrowed. An image without pixels gives a texture without levels. */
void texture_init(struct texture *texture, const struct pose_image *image);
void texture_release(struct texture *texture);
/* Whether no pixel of the image lets anything through; of one with levels. */
bool texture_is_opaque(struct texture *texture);
/* Makes levels up to that one, as far as there are smaller ones and memory; the last there is. */
const struct texture_level *texture_make_level(struct texture *texture, uint32_t wanted);

/* The level in which a step of so many pixels of the image (finite) is at most two. Called for every triangle. */
static inline const struct texture_level *texture_level_for(struct texture *texture, double step)
{
    uint32_t wanted = 0;
    if (step > 2) { /* how often it is halved: the exponent of what is a little smaller */
        uint64_t bits;
        memcpy(&bits, &step, sizeof bits);
        wanted = (uint32_t)((bits - 1) >> 52) - 1023;
    }
    wanted = wanted < TEXTURE_LEVELS ? wanted : TEXTURE_LEVELS - 1;
    return wanted < texture->count ? &texture->levels[wanted] : texture_make_level(texture, wanted);
}

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

/* Numbers that are worked on together: red, green, blue, alpha; or a place along both sides. */
typedef float texture_four __attribute__((vector_size(16)));
typedef int32_t texture_whole __attribute__((vector_size(16)));

/* A pixel and its neighbour along one side. */
static inline void texture_neighbours(int first, uint32_t size, bool clamps, uint32_t at[2])
{
    at[0] = (uint32_t)(clamps ? texture_held(first, (int)size) : texture_wrapped(first, (int)size));
    at[1] = (uint32_t)(clamps ? texture_held(first + 1, (int)size) : texture_wrapped(first + 1, (int)size));
}

/* The channels of a pixel in 16 bits each: red, blue, green, alpha, from the lowest. */
static inline uint64_t texture_spread(const uint8_t pixel[4])
{
    uint64_t packed =
        pixel[0] | (uint32_t)pixel[1] << 8 | (uint32_t)pixel[2] << 16 | (uint32_t)pixel[3] << 24;
    return (packed | packed << 24) & 0x00ff00ff00ff00ff;
}

static inline texture_four texture_channels(uint64_t spread)
{
    const texture_whole whole = {(int32_t)(spread & 0xffff), (int32_t)(spread >> 32 & 0xffff),
                                 (int32_t)(spread >> 16 & 0xffff), (int32_t)(spread >> 48)};
    return __builtin_convertvector(whole, texture_four);
}

/* The colour at u, v (within TEXTURE_FAR of 0; v = 0 is the first row), bilinear, whole numbers from 0 to 255. */
static inline texture_four texture_sample(const struct texture_level *level, bool clamps, float u, float v)
{
    const texture_four place = {u * (float)level->width - 0.5f, v * (float)level->height - 0.5f, 0, 0};
    texture_whole first = __builtin_convertvector(place, texture_whole);
    first += place < __builtin_convertvector(first, texture_four); /* -1 where it is */
    /* The share of the second neighbour, of 256. */
    const texture_whole share =
        __builtin_convertvector((place - __builtin_convertvector(first, texture_four)) * 256, texture_whole);
    uint32_t x[2] = {(uint32_t)first[0], (uint32_t)first[0] + 1},
             y[2] = {(uint32_t)first[1], (uint32_t)first[1] + 1};
    if (x[0] >= level->width - 1 || y[0] >= level->height - 1) {
        texture_neighbours(first[0], level->width, clamps, x);
        texture_neighbours(first[1], level->height, clamps, y);
    }
    const uint32_t right = (uint32_t)share[0], left = 256 - right;
    const uint8_t(*top)[4] = level->pixels + (size_t)y[0] * level->width,
          (*bottom)[4] = level->pixels + (size_t)y[1] * level->width;
    const uint64_t above = texture_spread(top[x[0]]) * left + texture_spread(top[x[1]]) * right,
                   below = texture_spread(bottom[x[0]]) * left + texture_spread(bottom[x[1]]) * right;
    /* Whole numbers below 2^24, which floats hold exactly. */
    const float down = (float)share[1];
    const texture_four sum = texture_channels(above) * (256 - down) + texture_channels(below) * down + 32768;
    return __builtin_convertvector(__builtin_convertvector(sum * 0x1p-16f, texture_whole), texture_four);
}

#endif
