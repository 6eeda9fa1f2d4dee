/* The form of the mannequin: how far a point is from its surface. Used when the library is built. */
#ifndef POSE_MANNEQUIN_MAKE_SHAPE_H
#define POSE_MANNEQUIN_MAKE_SHAPE_H

#include "lib/mannequin/bones.h"

struct shape {
    struct mannequin_segment bones[MANNEQUIN_SIDES + MANNEQUIN_SIDE_COUNT];
};

void shape_init(struct shape *shape);
/* About the distance to the surface, negative inside; metres. The left half: x >= 0 counts. */
double shape_distance(const struct shape *shape, const double point[3]);
/* The bones that move a point of the left half, by nearness: weights of all, sum 1. */
void shape_weights(const struct shape *shape, const double point[3],
                   double weights[MANNEQUIN_SIDES + MANNEQUIN_SIDE_COUNT]);

#endif
