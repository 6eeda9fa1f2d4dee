#include "tests/support/exercise/watched_memory.h"

#include <malloc.h>
#include <stdlib.h>

static void *watched_alloc(void *user, size_t size)
{
    struct watched_memory *memory = user;
    if (++memory->count == memory->refuse) {
        memory->refused = true;
        return NULL;
    }
    void *block = malloc(size);
    if (!block)
        return NULL;
    memory->blocks++;
    memory->held += malloc_usable_size(block);
    if (memory->held > memory->peak)
        memory->peak = memory->held;
    return block;
}

static void watched_free(void *user, void *block)
{
    struct watched_memory *memory = user;
    if (!block)
        return;
    memory->blocks--;
    memory->held -= malloc_usable_size(block);
    free(block);
}

void watched_memory_init(struct watched_memory *memory)
{
    *memory =
        (struct watched_memory){.allocator = {.alloc = watched_alloc, .free = watched_free, .user = memory}};
}

void watched_memory_rewind(struct watched_memory *memory, uint64_t refuse)
{
    memory->count = 0;
    memory->refuse = refuse;
    memory->refused = false;
    memory->peak = memory->held;
}
