/* The pictures that proved broken when they were decoded, by size and hash, least recently used out first. Thread-safe. */
#ifndef POSED_SERVER_LIBRARY_REFUSED_H
#define POSED_SERVER_LIBRARY_REFUSED_H

#include "pose.h"

enum { REFUSED_COUNT = 256 };

struct refused;

struct refused *refused_new(void);
/* NULL is allowed. */
void refused_free(struct refused *refused);
/* For struct pose_options; borrowed. A picture is hashed only if one of its size was refused. */
const struct pose_refusals *refused_get(const struct refused *refused);

#endif
