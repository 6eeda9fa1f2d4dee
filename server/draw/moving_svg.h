/* The bones of a figure as an animated SVG: lines that a browser moves by itself, without a script. */
#ifndef POSED_SERVER_DRAW_MOVING_SVG_H
#define POSED_SERVER_DRAW_MOVING_SVG_H

#include "server/draw/color.h"
#include "server/draw/figure/figure.h"

struct moving_svg {
    struct figure *figure; /* with lines */
    struct view_frame frame;
    unsigned width, height;
    struct color background;
    double seconds, fps;
    const char *title; /* NULL: none */
};

enum { MAX_SVG_MOTION = 240 }; /* moments */

/* Appends the picture. False if out of memory, or if stop (may be NULL) cancels. */
bool moving_svg_write(const struct moving_svg *moving, const struct pose_stop *stop, struct pose_buffer *out);

#endif
