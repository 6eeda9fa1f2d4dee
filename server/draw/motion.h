/* An animated WebP from frames that are drawn by cairo. */
#ifndef POSED_SERVER_DRAW_MOTION_H
#define POSED_SERVER_DRAW_MOTION_H

#include "pose.h"

#include <cairo.h>

enum { MAX_PICTURE_MOTION = 240 }; /* frames */

/* Draws the moment t on an empty surface of the picture's size. */
typedef void motion_frame(void *user, cairo_t *cairo, double t);

/*
 * Writes a picture that plays duration seconds for ever, at fps (0: unknown) or as many frames a second as the bounds
 * on frames and pixels allow. False when memory is out, or when stop (NULL: nobody)
 * does not want the next frame.
 */
bool motion_write(unsigned width, unsigned height, double duration, double fps, motion_frame *draw,
                  void *user, const struct pose_stop *stop, struct pose_buffer *out);

#endif
