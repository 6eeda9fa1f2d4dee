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
/* The colour at u, v (within TEXTURE_FAR of 0; v = 0 is the first row), bilinear, 0 to 255 each. */
void texture_sample(const struct texture_level *level, bool clamps, float u, float v, int out[4]);

#endif
