/* Paints a scene on a cairo surface: floor, shadow, triangles from back to front, lines, labels. */
#ifndef POSED_SERVER_DRAW_PAINT_H
#define POSED_SERVER_DRAW_PAINT_H

#include "pose.h"
#include "server/draw/color.h"
#include "server/draw/scene.h"
#include "server/draw/view.h"

#include <cairo.h>

struct paint_floor {
    bool is_there;
    float height;    /* in model space */
    float middle[3]; /* of the disc, in model space */
    float radius;
};

/* Fills width x height pixels from the origin. */
void paint_background(cairo_t *cairo, struct color color, double width, double height);
void paint_floor(cairo_t *cairo, const struct view *view, const struct view_frame *frame,
                 const struct paint_floor *floor);
/* All triangles as one shape, half transparent. Returns early, as paint_scene does, when stop asks for it (NULL: never). */
void paint_shadow(cairo_t *cairo, const struct view_frame *frame, const struct scene *shadow,
                  const struct pose_stop *stop);
/* Sorts the scene. unit: 1/320 of the picture, in pixels. */
void paint_scene(cairo_t *cairo, const struct view_frame *frame, struct scene *scene, double unit,
                 const struct pose_stop *stop);

#endif
