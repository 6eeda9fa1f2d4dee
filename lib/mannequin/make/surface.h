/* Triangles of the left half of the mannequin's surface; what lies on x = 0 is its rim. */
#ifndef POSE_MANNEQUIN_MAKE_SURFACE_H
#define POSE_MANNEQUIN_MAKE_SURFACE_H

#include "lib/mannequin/make/shape.h"

#include <stdbool.h>
#include <stddef.h>

struct surface {
    size_t vertex_count, face_count, vertex_room, face_room;
    double (*vertices)[3];
    uint32_t (*faces)[3]; /* counter-clockwise seen from outside */
};

/* Finely, with one vertex in every cell of a grid of that step that the surface runs through. False if out of
 * memory. */
bool surface_make(const struct shape *shape, double step, struct surface *surface);
/* Whether every edge has two faces, or lies on the rim. Not so where a cell holds two sheets of the surface. */
bool surface_is_closed(const struct surface *surface);
/* Merges vertices where that changes the form least, until so many faces are left. False if out of memory. */
bool surface_reduce(struct surface *surface, size_t face_count);
void surface_free(struct surface *surface);

#endif
