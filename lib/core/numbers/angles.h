/*
 * Sines, cosines and arc cosines for what is decoded and sampled: the same bits on every machine, which C libraries do not
 * promise each other. Within one unit in the last place.
 */
#ifndef POSE_CORE_NUMBERS_ANGLES_H
#define POSE_CORE_NUMBERS_ANGLES_H

/* Radians; NaN of what is not finite. */
double angle_sine(double x);
double angle_cosine(double x);
/* 0 to pi; NaN beyond -1 and 1. */
double angle_arc_cosine(double x);

#endif
