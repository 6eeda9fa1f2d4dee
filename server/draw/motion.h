/* An animated WebP from frames drawn with cairo. */
#ifndef POSED_SERVER_DRAW_MOTION_H
#define POSED_SERVER_DRAW_MOTION_H

#include "pose.h"

#include <cairo.h>

enum { MAX_PICTURE_MOTION = 240 }; /* frames */

/* What is drawn on surfaces of the picture's size. */
struct motion_drawing {
    void *user;
    void (*ground)(void *user, cairo_t *cairo);           /* what does not move, on an empty surface */
    void (*moment)(void *user, cairo_t *cairo, double t); /* the pose at time t, on the ground */
    bool is_cut_out; /* over an unknown background: transparency is reduced to a few steps */
};

/*
 * Writes a picture that loops forever over duration seconds, with fps frames each, or as many as the limits on frames
 * and pixels allow. False if out of memory, or if stop (may be NULL) cancels before the next frame.
 */
bool motion_write(unsigned width, unsigned height, double duration, double fps,
                  const struct motion_drawing *drawing, const struct pose_stop *stop,
                  struct pose_buffer *out);

#endif
