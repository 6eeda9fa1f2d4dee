/* The soft shadow of a figure on the floor: darkest where the figure touches it. */
#ifndef POSED_SERVER_DRAW_RASTER_SHADOW_H
#define POSED_SERVER_DRAW_RASTER_SHADOW_H

#include "server/draw/raster/raster.h"
#include "server/draw/view.h"

enum { SHADOW_CELLS = 96 }; /* along each side */

struct shadow {
    float floor;           /* height */
    double least[2], side; /* the square of the floor, x and z, that it covers */
    double scale;          /* cells for a unit */
    float cells[SHADOW_CELLS][SHADOW_CELLS], rows[SHADOW_CELLS][SHADOW_CELLS];
};

/* A shadow of nothing, on the square around what lies between the corners in model space. False if there is no
 * such square. */
bool shadow_open(struct shadow *shadow, float floor, const float least[3], const float most[3]);
/* Places in model space as shadow_add takes them: in cells, and above the floor. From and to may be the same. */
void shadow_place(const struct shadow *shadow, const float (*from)[3], size_t count, float (*to)[3]);
/* Corners in any order. */
void shadow_add(struct shadow *shadow, const float a[3], const float b[3], const float c[3]);
/* Softens it. Call it once, after the last triangle. */
void shadow_blur(struct shadow *shadow);
void shadow_paint(const struct shadow *shadow, const struct view *view, const struct view_frame *frame,
                  const struct raster_target *target);

#endif
