/* Arrays of floats in files: conversion in bulk, and a check for NaN and infinity. */
#ifndef POSE_CORE_NUMBERS_FLOATS_H
#define POSE_CORE_NUMBERS_FLOATS_H

#include <stddef.h>
#include <stdint.h>

/* count little-endian floats at from (any alignment). */
void floats_from_le(float *to, const uint8_t *from, size_t count);
/* The reverse. */
void floats_to_le(uint8_t *to, const float *from, size_t count);
/* The nearest half floats (IEEE 754 binary16, ties to even), little-endian, 2 * count bytes: within 2^-11 of a value
 * from 2^-14 on, within 2^-25 below. What is too large becomes 65504; NaN stays one. */
void floats_to_halves_le(uint8_t *to, const float *from, size_t count);
/* The index of the first NaN or infinity, count when there is none. */
size_t floats_find_non_finite(const float *values, size_t count);

#endif
