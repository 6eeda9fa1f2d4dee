/*
 * A small software rasteriser: textured, lit triangles with a depth buffer, four samples a pixel, or two of them,
 * across, where the edges will have one step only. The projection is parallel, so everything is linear over a triangle.
 *
 * Corners may be anywhere, or not finite: what does not lie in the canvas costs little, and what cannot be drawn is
 * left out. The buffers take at most RASTER_SAMPLES samples; larger pictures are drawn in bands.
 */
#ifndef POSED_SERVER_DRAW_RASTER_RASTER_H
#define POSED_SERVER_DRAW_RASTER_RASTER_H

#include "server/draw/raster/shade.h"

enum {
    RASTER_FINE = 2, /* rows of samples a pixel */
    RASTER_SAMPLES = 1 << 16,
};

/* Pixels to draw on, premultiplied, 0xAARRGGBB, and the part of them to draw on. */
struct raster_target {
    uint32_t *pixels;
    size_t stride; /* pixels from row to row */
    int left, top, right, bottom;
    bool is_coarse; /* two samples a pixel */
};

struct raster {
    struct raster_target target;
    int top, bottom; /* of the band */
    int across;      /* samples of a pixel in a row */
    int width;       /* samples a row */
    uint32_t *colors;
    float *depths;
    uint64_t work; /* samples visited */
    /* What is drawn with, as long as it does not change, and samples of it that have no colour yet, by level. */
    struct raster_paint paint;
    bool has_paint, is_solid;
    const struct texture_level *levels[TEXTURE_LEVELS];
    struct shade_batch batches[TEXTURE_LEVELS];
};

struct raster_corner {
    double x, y; /* pixels, y down */
    float depth; /* larger is nearer */
    float u, v;  /* 0, 0 is the image's upper left corner */
    float light; /* cosine between normal and light, for the front side */
};

/* False if out of memory. An empty target is no error. Must be released. */
bool raster_open(struct raster *raster, const struct raster_target *target);
void raster_release(struct raster *raster);
/* Goes to the next band of the target, cleared; false after the last. Call it before the first triangle. */
bool raster_next(struct raster *raster);
/* Corners are counter-clockwise as seen from the front. */
void raster_triangle(struct raster *raster, const struct raster_corner corners[3],
                     const struct raster_paint *paint);
/* Puts the band over the target's pixels. */
void raster_finish(struct raster *raster);

#endif
