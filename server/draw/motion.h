/* An animated WebP from frames drawn with cairo. */
#ifndef POSED_SERVER_DRAW_MOTION_H
#define POSED_SERVER_DRAW_MOTION_H

#include "pose.h"

#include <cairo.h>

enum { MAX_PICTURE_MOTION = 240 }; /* frames */

/* Draws the pose at time t on an empty surface of the picture's size. */
typedef void motion_frame(void *user, cairo_t *cairo, double t);

/*
 * Writes a picture that loops forever over duration seconds, at fps (0: unknown) or as many frames per second as
 * the limits on frames and pixels allow. False if out of memory, or if stop (may be NULL) cancels before the next
 * frame.
 */
bool motion_write(unsigned width, unsigned height, double duration, double fps, motion_frame *draw,
                  void *user, const struct pose_stop *stop, struct pose_buffer *out);

#endif
