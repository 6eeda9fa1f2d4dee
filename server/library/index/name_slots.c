#include "server/library/index/name_slots.h"

#include "server/library/entry/entry.h"
#include "server/library/names.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static uint64_t name_hash(const char *name)
{
    return known_name(POSE_AXES_SIMS, name);
}

int name_slots_compare(const void *a, const void *b)
{
    const struct name_slot *x = a, *y = b;
    if (x->hash != y->hash)
        return x->hash < y->hash ? -1 : 1;
    return x->entry < y->entry ? -1 : x->entry > y->entry;
}

struct name_slot name_slot_of(const struct index_archive *archive, uint32_t entry)
{
    return (struct name_slot){name_hash(name_base(archive->entries[entry]->name)), entry};
}

void name_slots_sort(struct name_slot *names, uint32_t count)
{
    qsort(names, count, sizeof *names, name_slots_compare);
}

void name_slots_fill(const struct index_archive *archive, struct name_slot *names)
{
    for (uint32_t i = 0; i < archive->entry_count; i++)
        names[i] = name_slot_of(archive, i);
    if (archive->entry_count)
        name_slots_sort(names, archive->entry_count);
}

int64_t name_slots_find(const struct index_archive *archive, const char *name, const char *beside,
                        int64_t asking)
{
    uint64_t hash = name_hash(name_base(name));
    uint32_t low = 0, high = archive->name_count;
    int64_t best = -1;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (archive->names[middle].hash < hash)
            low = middle + 1;
        else
            high = middle;
    }
    size_t folder = beside ? (size_t)(name_base(beside) - beside) : 0;
    bool is_path = strchr(name, '/') != NULL;
    for (; low < archive->name_count && archive->names[low].hash == hash; low++) {
        uint32_t entry = archive->names[low].entry;
        if (entry == asking || !archive->entries[entry])
            continue;
        const char *candidate = archive->entries[entry]->name;
        if (is_path && beside && !strncmp(candidate, beside, folder) && !strcasecmp(candidate + folder, name))
            return entry;
        if (is_path || strcasecmp(name_base(candidate), name))
            continue;
        if (beside && (size_t)(name_base(candidate) - candidate) == folder &&
            !strncmp(candidate, beside, folder))
            return entry;
        if (best < 0)
            best = entry;
    }
    return best;
}
