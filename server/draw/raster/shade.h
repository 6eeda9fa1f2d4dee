/* The colour of samples: texture, light and glow of a material, of many samples of one material together. */
#ifndef POSED_SERVER_DRAW_RASTER_SHADE_H
#define POSED_SERVER_DRAW_RASTER_SHADE_H

#include "server/draw/raster/texture.h"

struct raster_paint {
    float color[4];          /* multiplied with the texture's */
    float glow[3];           /* added, not lit */
    struct texture *texture; /* NULL, or without levels: none */
    enum pose_alpha alpha;
    float cutoff;
    bool two_sided;
    const struct pose_material *covers; /* on whose ground the texture lies; NULL: none */
};

enum { SHADE_DEPTH, SHADE_LIGHT, SHADE_U, SHADE_V, SHADE_VALUES };
enum { SHADE_BATCH = 32, SHADE_LANES = 8 };

/* Samples of one level of a paint's texture. */
struct shade_batch {
    unsigned count;
    texture_four values[SHADE_BATCH]; /* in the order of SHADE_VALUES */
    uint32_t at[SHADE_BATCH];         /* where they belong */
};

/* Whether no sample of it lets anything through, so that it does not matter when it is coloured. */
bool shade_is_solid(const struct raster_paint *paint);

/* Puts the colour of one sample over what is there; false if its alpha leaves it out. level: NULL: no texture. */
bool shade_one(const struct raster_paint *paint, const struct texture_level *level, texture_four values,
               uint32_t *color);

/* The colours of all samples of a batch, of a paint that is solid. */
void shade_all(const struct raster_paint *paint, const struct texture_level *level,
               const struct shade_batch *batch, uint32_t colors[SHADE_BATCH]);

/* The same with AVX2, to the last bit: how many it coloured, which is 0 where that cannot be had. */
unsigned shade_all_avx2(const struct raster_paint *paint, const struct texture_level *level,
                        const struct shade_batch *batch, uint32_t colors[SHADE_BATCH]);

/* Source over, of premultiplied pixels. */
uint32_t shade_over(uint32_t above, uint32_t below);

/* How bright a surface is: half-Lambert, so that what is turned away keeps its form. */
#define SHADE_DARK 0.5f
#define SHADE_BRIGHT 0.62f

#endif
