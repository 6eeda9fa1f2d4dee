/* Curves of one joint over the time of its clip, as SVG: axes with units, a legend, event marks. */
#ifndef POSED_SERVER_DRAW_PLOT_H
#define POSED_SERVER_DRAW_PLOT_H

#include "pose.h"

enum { PLOT_WIDTH = 640, PLOT_HEIGHT = 400, MIN_PLOT_SIZE = 160, MAX_PLOT_SIZE = 2048 };

struct plot_source {
    const struct pose_clip *clip;
    const struct pose_sampler *sampler; /* source of the values and their axes */
    uint32_t row;                       /* the joint's row */
    const char *length_unit;            /* "m", or NULL: the file's own */
};

/* Draws into out (which must be empty); sizes are within the limits above. False with error if out of
 * memory. */
bool plot_draw(const struct plot_source *source, unsigned width, unsigned height, struct pose_buffer *out,
               struct pose_error *error);

#endif
