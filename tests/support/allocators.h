/* Memory that runs out. */
#ifndef TESTS_SUPPORT_ALLOCATORS_H
#define TESTS_SUPPORT_ALLOCATORS_H

#include "pose.h"

/* Grants *left allocations, which are counted down, and none after them. */
struct pose_allocator allocator_of_some(unsigned *left);
/* Grants no allocation of more than *most bytes. */
struct pose_allocator allocator_of_small(size_t *most);

#endif
