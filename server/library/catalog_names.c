#include "server/library/catalog_names.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>

/* Names come from strangers: without a secret they could choose ones that all fall on one slot. */
static struct asset_id secret;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_secret(void)
{
    if (getrandom(&secret, sizeof secret, 0) != sizeof secret)
        memset(&secret, 0x5a, sizeof secret);
}

void catalog_names_init(struct catalog_names *names, struct region *region, uint32_t most)
{
    pthread_once(&once, make_secret);
    *names = (struct catalog_names){.slot_count = 16};
    while (names->slot_count < most * 2 && names->slot_count < UINT32_MAX / 4)
        names->slot_count *= 2;
    names->items = REGION_NEW(region, struct catalog_named, most);
    names->slots = REGION_NEW(region, struct catalog_name_slot, names->slot_count);
}

/* The slot of that name, or the empty one where it belongs. */
static struct catalog_name_slot *find_slot(const struct catalog_names *names, const char *name)
{
    struct asset_id hash = id_quick(&secret, name, strlen(name));
    uint32_t slot;
    memcpy(&slot, hash.bytes, sizeof slot);
    for (slot &= names->slot_count - 1;; slot = (slot + 1) & (names->slot_count - 1)) {
        const struct catalog_name_slot *found = &names->slots[slot];
        if (!found->first || !strcmp(names->items[found->first - 1].asset->name, name))
            return &names->slots[slot];
    }
}

void catalog_names_add(struct catalog_names *names, const struct index_asset *asset, uint32_t archive,
                       uint32_t entry)
{
    struct catalog_name_slot *slot = find_slot(names, asset->name);
    names->items[names->count++] = (struct catalog_named){asset, archive, entry, 0};
    if (slot->first)
        names->items[slot->last - 1].next = names->count;
    else
        slot->first = names->count;
    slot->last = names->count;
}

const struct catalog_named *catalog_names_first(const struct catalog_names *names, const char *name)
{
    uint32_t first = find_slot(names, name)->first;
    return first ? &names->items[first - 1] : NULL;
}

const struct catalog_named *catalog_names_next(const struct catalog_names *names,
                                               const struct catalog_named *item)
{
    return item->next ? &names->items[item->next - 1] : NULL;
}
