/*
 * Pictures of a clip: one moment or a sheet of them as SVG or PNG, the motion as an animated WebP.
 *
 * Everything is drawn in memory and bounded by the sizes below; several threads may draw at once.
 */
#ifndef POSED_SERVER_DRAW_PICTURE_H
#define POSED_SERVER_DRAW_PICTURE_H

#include "server/draw/color.h"
#include "server/draw/figure.h"

enum {
    PICTURE_SIZE = 320,      /* without a wish */
    MIN_PICTURE_SIZE = 16,   /* of width and height */
    MAX_PICTURE_SIZE = 2048, /* the same */
    MAX_PICTURE_FRAMES = 64, /* of a sheet */
};

enum picture_type { PICTURE_SVG, PICTURE_PNG, PICTURE_WEBP };

struct picture_options {
    enum picture_type type;
    unsigned width, height;
    enum view_angle angle;
    double t; /* seconds; of a still */
    unsigned
        frames; /* more than 1: that many moments of the clip in one sheet of width x height; not for WebP */
    struct color background;
    const struct pose_stop *stop; /* asked between frames; may be NULL */
};

/*
 * Draws into out (empty before). False when memory is out, a writer fails or it was stopped: error says so. Widths, heights and frames
 * are as the bounds above want them.
 */
bool picture_draw(const struct figure_source *source, const struct picture_options *options,
                  struct pose_buffer *out, struct pose_error *error);

#endif
