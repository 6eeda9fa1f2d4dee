/* Drawings as bytes. The SVG depends only on what is drawn. */
#ifndef POSED_SERVER_DRAW_SVG_H
#define POSED_SERVER_DRAW_SVG_H

#include "pose.h"

#include <cairo.h>

/* A surface of width x height pixels that writes to out. */
cairo_surface_t *svg_open(double width, double height, struct pose_buffer *out);
/* Puts an image surface over the closed drawing, as large as that. False with error. */
bool svg_add_image(cairo_surface_t *image, double width, double height, struct pose_buffer *out,
                   struct pose_error *error);
/* Finishes and destroys the surface. CAIRO_STATUS_SUCCESS: out holds the drawing. */
cairo_status_t svg_close(cairo_surface_t *surface, struct pose_buffer *out);

#endif
