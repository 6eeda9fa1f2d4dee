#include "tests/support/allocators.h"

#include <stdlib.h>

static void *count_down(void *user, size_t size)
{
    unsigned *left = user;
    if (!*left)
        return NULL;
    --*left;
    return malloc(size);
}

static void *refuse_large(void *user, size_t size)
{
    return size > *(const size_t *)user ? NULL : malloc(size);
}

static void release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

struct pose_allocator allocator_of_some(unsigned *left)
{
    return (struct pose_allocator){count_down, release, left};
}

struct pose_allocator allocator_of_small(size_t *most)
{
    return (struct pose_allocator){refuse_large, release, most};
}
