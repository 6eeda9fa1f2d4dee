/* Pixels as WebP codes them: luminance, and colour and its like of each two by two. */
#ifndef POSED_SERVER_DRAW_YUV_H
#define POSED_SERVER_DRAW_YUV_H

#include <stddef.h>
#include <stdint.h>

/* Planes of width x height, and of half of both, rounded up. */
struct yuv_planes {
    uint8_t *y, *u, *v, *a;
};

/* How many bytes the planes take together. */
size_t yuv_size(int width, int height);
/* Planes in memory of that size. */
struct yuv_planes yuv_lay(uint8_t *memory, int width, int height);
/* Of pixels 0xAARRGGBB, not premultiplied; what is not seen counts for no colour. */
void yuv_take(const uint32_t *pixels, size_t stride, int width, int height, const struct yuv_planes *to);

#endif
