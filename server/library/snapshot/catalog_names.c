#include "server/library/snapshot/catalog_names.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>

/* Names are untrusted: without a secret, an attacker could choose names that all hash to one slot. */
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
    while (names->slot_count < most + most / 3 + 1 && names->slot_count < UINT32_MAX / 4)
        names->slot_count *= 2;
    names->items = REGION_NEW(region, struct catalog_named, most);
    names->slots = REGION_NEW(region, struct catalog_name_slot, names->slot_count);
}

/* The slot of that name, or the empty slot for it. Names beyond the count belong to others. */
static struct catalog_name_slot *find_slot(const struct catalog_names *names, uint64_t hash)
{
    for (uint32_t slot = (uint32_t)hash & (names->slot_count - 1);;
         slot = (slot + 1) & (names->slot_count - 1)) {
        struct catalog_name_slot *found = &names->slots[slot];
        const uint32_t first = atomic_load_explicit(&found->first, memory_order_acquire);
        if (!first || (first <= names->count && found->hash == hash))
            return found;
    }
}

static uint64_t name_hash(const char *name)
{
    const struct asset_id hash = id_quick(&secret, name, strlen(name));
    uint64_t bits;
    memcpy(&bits, hash.bytes, sizeof bits);
    return bits;
}

void catalog_names_add(struct catalog_names *names, const char *name, const struct asset_id *id,
                       uint32_t archive, uint32_t entry)
{
    const uint64_t hash = name_hash(name);
    struct catalog_name_slot *slot = find_slot(names, hash);
    struct catalog_named *item = &names->items[names->count++];
    item->name = name;
    item->id = id;
    item->archive = archive;
    item->entry = entry;
    if (atomic_load_explicit(&slot->first, memory_order_relaxed)) {
        atomic_store_explicit(&names->items[slot->last - 1].next, names->count, memory_order_release);
    } else {
        slot->hash = hash;
        atomic_store_explicit(&slot->first, names->count, memory_order_release);
    }
    slot->last = names->count;
}

static const struct catalog_named *item_of(const struct catalog_names *names, uint32_t number)
{
    return number && number <= names->count ? &names->items[number - 1] : NULL;
}

const struct catalog_named *catalog_names_first(const struct catalog_names *names, const char *name)
{
    return item_of(names,
                   atomic_load_explicit(&find_slot(names, name_hash(name))->first, memory_order_acquire));
}

const struct catalog_named *catalog_names_next(const struct catalog_names *names,
                                               const struct catalog_named *item)
{
    return item_of(names, atomic_load_explicit(&item->next, memory_order_acquire));
}

void catalog_names_remove(const struct catalog_names *names, const char *name, uint32_t archive,
                          uint32_t entry, uint64_t generation)
{
    const uint32_t first =
        atomic_load_explicit(&find_slot(names, name_hash(name))->first, memory_order_acquire);
    for (uint32_t number = first; number && number <= names->count;) {
        struct catalog_named *item = &names->items[number - 1];
        if (item->archive == archive && item->entry == entry && !atomic_load(&item->gone))
            atomic_store_explicit(&item->gone, generation, memory_order_release);
        number = atomic_load_explicit(&item->next, memory_order_acquire);
    }
}

void catalog_names_put_back(const struct catalog_names *names, uint64_t generation)
{
    for (uint32_t i = 0; i < names->count; i++) {
        if (atomic_load(&names->items[i].gone) == generation)
            atomic_store_explicit(&names->items[i].gone, 0, memory_order_release);
    }
}
