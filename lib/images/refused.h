/* The pictures that proved broken when they were decoded: which bytes, so that nobody pays for them twice. Thread-safe. */
#ifndef POSE_IMAGES_REFUSED_H
#define POSE_IMAGES_REFUSED_H

#include "pose.h"

/* The last so many are remembered, by size and hash. */
enum { REFUSED_COUNT = 256 };

void refused_add(struct pose_bytes bytes);
/* Costs a hash of the bytes only if one of that size was refused. */
bool refused_has(struct pose_bytes bytes);

#endif
