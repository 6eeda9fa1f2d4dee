/*
 * Pictures of a clip: one moment or a sheet of them as SVG or PNG, the motion as an animated WebP.
 *
 * Drawing is done in memory and bounded by the limits below. Thread-safe.
 */
#ifndef POSED_SERVER_DRAW_PICTURE_H
#define POSED_SERVER_DRAW_PICTURE_H

#include "server/draw/color.h"
#include "server/draw/figure/figure.h"

enum {
    PICTURE_SIZE = 320,      /* default */
    MIN_PICTURE_SIZE = 16,   /* width and height */
    MAX_PICTURE_SIZE = 2048, /* the same */
    MAX_PICTURE_FRAMES = 64, /* of a sheet */
    PICTURE_FPS = 10,        /* of a motion, unless it is said otherwise */
    PICTURE_SECONDS = 3,     /* the same */
    MAX_PICTURE_FPS = 25,
    MAX_PICTURE_SECONDS = 60,
    PICTURE_REVISION = 4, /* raised when the same request is drawn otherwise, as pictures are kept */
};

enum picture_type { PICTURE_SVG, PICTURE_PNG, PICTURE_WEBP };

struct picture_options {
    enum picture_type type;
    unsigned width, height;
    enum view_angle angle;
    double t;          /* seconds; for a still */
    unsigned frames;   /* if more than 1, the picture is a sheet of that many moments; not for WebP */
    bool strip;        /* a sheet in one row, for pages that show one part after the other */
    bool is_moving;    /* SVG: the bones as lines that move; a clip without a hierarchy stands still */
    const char *title; /* of a moving SVG; NULL: none */
    double fps;        /* of a motion; 0: the clip's own, at most PICTURE_FPS */
    double seconds;    /* of a motion, from the clip's beginning; 0: at most PICTURE_SECONDS */
    struct color background;
    const struct pose_stop *stop; /* checked between frames; may be NULL */
};

/*
 * Draws into out (which must be empty). False with error if out of memory, if a writer fails or if stopped.
 * Widths, heights and frames must be within the limits above.
 */
bool picture_draw(const struct figure_source *source, const struct picture_options *options,
                  struct pose_buffer *out, struct pose_error *error);

#endif
