#include "server/access/quotas.h"

#include "server/ops/region.h"

#include <stdlib.h>
#include <string.h>

struct holder {
    char *name;
    int64_t bytes;
};

/* As many as there are names in the token file, and those that were. */
struct quotas {
    size_t count, capacity;
    struct holder *holders;
};

struct quotas *quotas_new(void)
{
    return must_alloc(1, sizeof(struct quotas));
}

void quotas_free(struct quotas *quotas)
{
    if (!quotas)
        return;
    for (size_t i = 0; i < quotas->count; i++)
        free(quotas->holders[i].name);
    free(quotas->holders);
    free(quotas);
}

static struct holder *find(const struct quotas *quotas, const char *name)
{
    for (size_t i = 0; i < quotas->count; i++) {
        if (!strcmp(quotas->holders[i].name, name))
            return &quotas->holders[i];
    }
    return NULL;
}

void quotas_add(struct quotas *quotas, const char *name, int64_t bytes)
{
    struct holder *holder = name ? find(quotas, name) : NULL;
    if (name && !holder) {
        if (quotas->count == quotas->capacity) {
            size_t capacity = quotas->capacity ? quotas->capacity * 2 : 16;
            quotas->holders = must_grow(quotas->holders, capacity, sizeof *quotas->holders);
            quotas->capacity = capacity;
        }
        holder = &quotas->holders[quotas->count++];
        *holder = (struct holder){.name = must_alloc(strlen(name) + 1, 1)};
        strcpy(holder->name, name);
    }
    if (holder)
        holder->bytes += bytes;
}

uint64_t quotas_of(const struct quotas *quotas, const char *name)
{
    const struct holder *holder = find(quotas, name);
    return holder && holder->bytes > 0 ? (uint64_t)holder->bytes : 0;
}
