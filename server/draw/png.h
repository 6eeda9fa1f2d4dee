/* Pixels of cairo as PNG. */
#ifndef POSED_SERVER_DRAW_PNG_H
#define POSED_SERVER_DRAW_PNG_H

#include "pose.h"

#include <cairo.h>

/* A pixel 0xAARRGGBB, premultiplied as cairo has it, with its plain colours. */
uint32_t pixel_plain(uint32_t pixel);
/* Appends an image surface (ARGB32), whose pixels are spent afterwards. False with error. */
bool png_write(cairo_surface_t *surface, struct pose_buffer *out, struct pose_error *error);

#endif
