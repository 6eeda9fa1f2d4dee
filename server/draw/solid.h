/* Draws the meshes of a figure: textured and lit, with their shadow on the floor. */
#ifndef POSED_SERVER_DRAW_SOLID_H
#define POSED_SERVER_DRAW_SOLID_H

#include "server/draw/figure/figure.h"
#include "server/draw/raster/raster.h"

struct solid;

/* The figure must outlive it. NULL if out of memory. */
struct solid *solid_new(struct figure *figure);
/* Leaves the shadow on the floor out of all further moments. */
void solid_drop_shadow(struct solid *solid);
void solid_free(struct solid *solid);

/* Draws the moment t. frame is in pixels of the target. False if out of memory; if stop (may be NULL) asks to stop,
 * the picture is left unfinished. */
bool solid_draw(struct solid *solid, double t, const struct view *view, const struct view_frame *frame,
                const struct raster_target *target, const struct pose_stop *stop);

#endif
