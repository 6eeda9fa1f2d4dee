#include "server/library/index/folder.h"

#include "server/library/entry/entry.h"
#include "server/library/index/making.h"
#include "server/library/index/name_slots.h"
#include "server/library/index/refusal.h"
#include "server/library/names.h"

#include <stdlib.h>
#include <string.h>

enum { GROUP = 256 };

/* Consecutive slots, shared by versions in which they are the same. */
struct folder_group {
    atomic_uint references;
    uint32_t count;
    struct index_entry *entries[];
};

/* Shared by versions that hold the same files. */
struct folder_order {
    atomic_uint references;
    uint32_t count, slot_count;
    struct name_slot *names; /* [count] */
    uint32_t *slots;         /* [count] in the order of names; NULL: slots are in that order */
    uint32_t *positions;     /* [slot_count] */
};

/* An empty slot. */
static struct index_entry nothing = {.name = "", .kind = "other"};

static bool is_empty(const struct index_entry *entry)
{
    return entry == &nothing;
}

/* --------------------------------------------------------------------------------------------------- groups -- */

static void drop_group(struct folder_group *group, uint32_t *freed)
{
    if (!group || atomic_fetch_sub_explicit(&group->references, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < group->count; i++) {
        if (!is_empty(group->entries[i]))
            index_entry_unref(group->entries[i]);
    }
    *freed += group->count;
    free(group);
}

static uint32_t groups_of(uint32_t slots)
{
    return slots / GROUP + (slots % GROUP != 0);
}

/* The group of the version before, if all of its slots are the same here. */
static struct folder_group *same_group(const struct index_archive *archive, uint32_t at, uint32_t count)
{
    const struct index_archive *parent = archive->folder->parent;
    struct folder_group *group =
        parent && at < parent->folder->group_count ? parent->folder->groups[at] : NULL;
    return group && group->count == count &&
                   !memcmp(group->entries, archive->entries + (size_t)at * GROUP,
                           count * sizeof(struct index_entry *))
               ? group
               : NULL;
}

/* A group of entries that are referenced for it: further ones, or (of a first version) those of the archive itself. */
static struct folder_group *new_group(const struct index_archive *archive, uint32_t at, uint32_t count)
{
    struct folder_group *group = try_alloc(1, sizeof *group + (size_t)count * sizeof(struct index_entry *));
    if (!group)
        return NULL;
    atomic_init(&group->references, 1);
    group->count = count;
    memcpy(group->entries, archive->entries + (size_t)at * GROUP, count * sizeof(struct index_entry *));
    for (uint32_t i = 0; i < count; i++) {
        if (!is_empty(group->entries[i]))
            index_entry_ref(group->entries[i]);
    }
    return group;
}

static void drop_groups(struct folder_group **groups, uint32_t count, uint32_t *freed)
{
    for (uint32_t i = 0; groups && i < count; i++)
        drop_group(groups[i], freed);
    free(groups);
}

static struct folder_group **make_groups(const struct index_archive *archive, uint32_t count)
{
    struct folder_group **groups = try_alloc(count, sizeof(struct folder_group *));
    for (uint32_t i = 0; groups && i < count; i++) {
        const uint32_t first = i * GROUP, left = archive->entry_count - first;
        const uint32_t size = left < GROUP ? left : GROUP;
        groups[i] = same_group(archive, i, size);
        if (groups[i])
            atomic_fetch_add_explicit(&groups[i]->references, 1, memory_order_relaxed);
        else
            groups[i] = new_group(archive, i, size);
        if (!groups[i]) {
            uint32_t ignored = 0;
            drop_groups(groups, i, &ignored);
            return NULL;
        }
    }
    return groups;
}

/* The archive lets go of entries that only itself has referenced. */
static void drop_own(struct index_archive *archive)
{
    struct index_folder *folder = archive->folder;
    for (uint32_t i = 0; folder->parent && i < folder->touched_count; i++) {
        struct index_entry *entry = archive->entries[folder->touched[i]];
        if (entry && !is_empty(entry))
            index_entry_unref(entry);
    }
    for (uint32_t i = 0; !folder->parent && i < archive->entry_count; i++) {
        if (archive->entries[i])
            index_entry_unref(archive->entries[i]);
    }
}

/* --------------------------------------------------------------------------------------------------- order -- */

static void drop_order(struct folder_order *order)
{
    if (!order || atomic_fetch_sub_explicit(&order->references, 1, memory_order_acq_rel) != 1)
        return;
    free(order->names);
    free(order->slots);
    free(order->positions);
    free(order);
}

static struct folder_order *new_order(uint32_t count, uint32_t slot_count, bool is_sorted)
{
    struct folder_order *order = try_alloc(1, sizeof *order);
    if (!order)
        return NULL;
    atomic_init(&order->references, 1);
    order->count = count;
    order->slot_count = slot_count;
    order->names = try_alloc(count, sizeof *order->names);
    if (!is_sorted) {
        order->slots = try_alloc(count, sizeof *order->slots);
        order->positions = try_alloc(slot_count, sizeof *order->positions);
    }
    if (order->names && (is_sorted || (order->slots && order->positions)))
        return order;
    drop_order(order);
    return NULL;
}

static void set_order(struct index_archive *archive, struct folder_order *order)
{
    drop_order(archive->folder->order);
    archive->folder->order = order;
    archive->folder->present = order->count;
    archive->names = order->names;
    archive->name_count = order->count;
}

bool folder_sort_names(struct index_archive *archive)
{
    struct folder_order *order = new_order(archive->entry_count, archive->entry_count, true);
    if (!order)
        return false;
    name_slots_fill(archive, order->names);
    set_order(archive, order);
    return true;
}

uint32_t index_slot(const struct index_archive *archive, uint32_t position)
{
    const struct folder_order *order = archive->folder ? archive->folder->order : NULL;
    return order && order->slots ? order->slots[position] : position;
}

uint32_t index_position(const struct index_archive *archive, uint32_t slot)
{
    const struct folder_order *order = archive->folder ? archive->folder->order : NULL;
    return order && order->positions ? order->positions[slot] : slot;
}

uint32_t index_present(const struct index_archive *archive)
{
    return archive->folder ? archive->folder->present : archive->entry_count;
}

uint32_t folder_lower_bound(const struct index_archive *archive, const char *name)
{
    uint32_t low = 0, high = index_present(archive);
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp(archive->entries[index_slot(archive, middle)]->name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int64_t folder_find(const struct index_archive *archive, const char *name)
{
    const uint32_t at = folder_lower_bound(archive, name);
    if (at == index_present(archive))
        return -1;
    const uint32_t slot = index_slot(archive, at);
    return strcmp(archive->entries[slot]->name, name) ? -1 : (int64_t)slot;
}

/* A slot, and before which position of the order before its name belongs. */
struct addition {
    uint32_t slot, position;
};

struct rearranging {
    bool *is_removed; /* [slots of the order before] */
    uint32_t removed_count, added_count;
    struct addition *added;  /* by name */
    struct name_slot *names; /* [added_count] by hash */
};

static void merge_names(const struct folder_order *from, const struct rearranging *change,
                        struct folder_order *to)
{
    uint32_t count = 0, next = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        while (next < change->added_count && name_slots_compare(&change->names[next], &from->names[i]) < 0)
            to->names[count++] = change->names[next++];
        if (!change->is_removed[from->names[i].entry])
            to->names[count++] = from->names[i];
    }
    while (next < change->added_count)
        to->names[count++] = change->names[next++];
}

static void merge_slots(const struct folder_order *from, const struct rearranging *change,
                        struct folder_order *to)
{
    uint32_t count = 0, next = 0;
    for (uint32_t i = 0; i <= from->count; i++) {
        while (next < change->added_count && change->added[next].position == i)
            to->slots[count++] = change->added[next++].slot;
        const uint32_t slot = i == from->count ? 0 : from->slots ? from->slots[i] : i;
        if (i < from->count && !change->is_removed[slot])
            to->slots[count++] = slot;
    }
    for (uint32_t i = 0; i < count; i++)
        to->positions[to->slots[i]] = i;
}

static bool rearrange(struct index_archive *archive, const struct rearranging *change)
{
    const struct folder_order *from = archive->folder->order;
    if (!change->removed_count && !change->added_count)
        return true;
    struct folder_order *to =
        new_order(from->count - change->removed_count + change->added_count, archive->entry_count, false);
    if (!to)
        return false;
    merge_names(from, change, to);
    merge_slots(from, change, to);
    set_order(archive, to);
    return true;
}

static int compare_added(const void *a, const void *b, void *entries)
{
    struct index_entry *const *all = entries;
    const struct addition *x = a, *y = b;
    return strcmp(all[x->slot]->name, all[y->slot]->name);
}

static bool arrange_changes(struct index_archive *archive, const struct index_archive *parent,
                            const struct folder_change *changes, uint32_t count)
{
    struct rearranging change = {.is_removed = try_alloc(archive->entry_count, sizeof(bool)),
                                 .added = try_alloc(count, sizeof(struct addition)),
                                 .names = try_alloc(count, sizeof(struct name_slot))};
    bool done = change.is_removed && change.added && change.names;
    for (uint32_t i = 0; done && i < count; i++) {
        const uint32_t slot = (uint32_t)changes[i].slot;
        if (changes[i].is_gone) {
            change.is_removed[slot] = true;
            change.removed_count++;
        } else if (slot >= parent->entry_count || is_empty(parent->entries[slot])) {
            change.added[change.added_count] =
                (struct addition){slot, folder_lower_bound(parent, changes[i].name)};
            change.names[change.added_count++] = name_slot_of(archive, slot);
        }
    }
    if (done && change.added_count) {
        qsort_r(change.added, change.added_count, sizeof *change.added, compare_added, archive->entries);
        name_slots_sort(change.names, change.added_count);
    }
    done = done && rearrange(archive, &change);
    free(change.is_removed);
    free(change.added);
    free(change.names);
    return done;
}

void folder_settle(struct index_archive *archive)
{
    const struct index_folder *folder = archive->folder;
    struct rearranging change = {.is_removed = try_alloc(archive->entry_count, sizeof(bool))};
    for (uint32_t i = 0; i < folder->touched_count; i++) {
        struct index_entry **place = &archive->entries[folder->touched[i]];
        if (*place)
            continue;
        *place = &nothing;
        if (change.is_removed) {
            change.is_removed[folder->touched[i]] = true;
            change.removed_count++;
        }
    }
    if (!change.is_removed || !rearrange(archive, &change))
        archive_no_memory(archive);
    free(change.is_removed);
}

/* ------------------------------------------------------------------------------------------------- versions -- */

static atomic_uint_fast64_t lines;

bool folder_begin(struct index_archive *archive)
{
    archive->folder = try_alloc(1, sizeof *archive->folder);
    if (archive->folder)
        archive->folder->line = atomic_fetch_add(&lines, 1) + 1;
    return archive->folder;
}

/* The slot of a new file: an empty one, or the next. */
static uint32_t take_slot(struct index_archive *archive, const struct index_archive *parent, uint32_t *look)
{
    const bool has_empty = parent->folder->present < parent->entry_count;
    /* One that becomes empty now is still needed to tell what was there. */
    while (has_empty && *look < parent->entry_count &&
           !(is_empty(archive->entries[*look]) && is_empty(parent->entries[*look])))
        ++*look;
    if (has_empty && *look < parent->entry_count)
        return (*look)++;
    return archive->entry_count++;
}

struct index_archive *folder_next(struct index_archive *parent, struct folder_change *changes, uint32_t count)
{
    struct index_archive *archive = archive_of_folder(parent->path, parent->entry_count + count);
    struct index_folder *folder = archive->entries && !archive->error ? try_alloc(1, sizeof *folder) : NULL;
    uint32_t *touched = folder ? try_alloc(count, sizeof *touched) : NULL;
    if (!touched) {
        free(folder);
        archive->entry_count = 0;
        index_archive_unref(archive);
        return NULL;
    }
    *folder = *parent->folder;
    folder->groups = NULL;
    folder->group_count = 0;
    folder->touched = touched;
    folder->touched_count = 0;
    folder->parent = parent;
    index_archive_ref(parent);
    atomic_fetch_add_explicit(&folder->order->references, 1, memory_order_relaxed);
    archive->folder = folder;
    archive->ordinal = parent->ordinal;
    archive->linked = parent->linked;
    archive->names = parent->names;
    archive->name_count = parent->name_count;
    archive->entry_count = parent->entry_count;
    memcpy(archive->entries, parent->entries, parent->entry_count * sizeof(struct index_entry *));
    uint32_t look = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct folder_change *change = &changes[i];
        if (change->slot < 0)
            change->slot = take_slot(archive, parent, &look);
        const struct entry_facts facts = {
            .name = change->name, .size = change->stamp.size, .stamp = change->stamp};
        archive->entries[change->slot] = change->is_gone ? &nothing : index_entry_plain(&facts);
        touched[folder->touched_count++] = (uint32_t)change->slot;
    }
    if (arrange_changes(archive, parent, changes, count))
        return archive;
    index_archive_unref(archive);
    return NULL;
}

/* --------------------------------------------------------------------------------------------------- sealing -- */

static void add_to(uint64_t sums[2], const struct asset_id *digest, bool is_added)
{
    uint64_t parts[2];
    memcpy(parts, digest->bytes, sizeof parts);
    for (int i = 0; i < 2; i++)
        sums[i] += is_added ? parts[i] : 0 - parts[i];
}

void folder_count_listed(struct index_archive *archive, const char *name, const struct file_stamp *stamp,
                         bool is_added)
{
    const uint64_t parts[3] = {stamp->size, (uint64_t)stamp->modified_ns, stamp->inode};
    struct asset_id digest = id_quick(NULL, name, strlen(name));
    digest = id_quick(&digest, parts, sizeof parts);
    add_to(archive->folder->listing, &digest, is_added);
}

/* Adds an entry to what lists show of the folder, or takes it away. */
static void count_entry(struct index_folder *folder, const struct index_entry *entry, bool is_added)
{
    if (is_empty(entry))
        return;
    struct asset_id digest = id_quick(NULL, entry->name, strlen(entry->name));
    digest = id_quick(&digest, &entry->content, sizeof entry->content);
    if (entry->error)
        digest = id_quick(&digest, entry->error->detail, strlen(entry->error->detail));
    add_to(folder->content, &digest, is_added);
    folder->bytes += is_added ? entry->size : 0 - entry->size;
    folder->wanting += entry->wants_companions ? (is_added ? 1u : -1u) : 0;
}

static int64_t newest_of(const struct index_archive *archive)
{
    int64_t newest = 0;
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        const int64_t modified_ns = archive->entries[i]->stamp.modified_ns;
        newest = modified_ns > newest ? modified_ns : newest;
    }
    return newest;
}

static void count_all(struct index_archive *archive)
{
    for (uint32_t i = 0; i < archive->entry_count; i++)
        count_entry(archive->folder, archive->entries[i], true);
    archive->folder->newest_ns = newest_of(archive);
}

static void count_touched(struct index_archive *archive)
{
    struct index_folder *folder = archive->folder;
    const struct index_archive *parent = folder->parent;
    bool was_newest = false;
    for (uint32_t i = 0; i < folder->touched_count; i++) {
        const uint32_t slot = folder->touched[i];
        const struct index_entry *new = archive->entries[slot];
        const struct index_entry *old = slot < parent->entry_count ? parent->entries[slot] : &nothing;
        count_entry(folder, old, false);
        count_entry(folder, new, true);
        was_newest |= !is_empty(old) && old->stamp.modified_ns == parent->folder->newest_ns;
        if (new->stamp.modified_ns > folder->newest_ns)
            folder->newest_ns = new->stamp.modified_ns;
    }
    if (was_newest && folder->newest_ns == parent->folder->newest_ns)
        folder->newest_ns = newest_of(archive);
}

bool folder_seal(struct index_archive *archive)
{
    struct index_folder *folder = archive->folder;
    const uint32_t count = groups_of(archive->entry_count);
    struct folder_group **groups = make_groups(archive, count);
    if (!groups)
        return archive_no_memory(archive);
    if (folder->parent)
        count_touched(archive);
    else
        count_all(archive);
    drop_own(archive);
    folder->groups = groups;
    folder->group_count = count;
    index_archive_unref(folder->parent);
    folder->parent = NULL;
    free(folder->touched);
    folder->touched = NULL;
    folder->touched_count = 0;
    return true;
}

uint32_t folder_release(struct index_archive *archive)
{
    struct index_folder *folder = archive->folder;
    uint32_t freed = 0;
    if (folder->groups)
        drop_groups(folder->groups, folder->group_count, &freed);
    else
        drop_own(archive);
    drop_order(folder->order);
    index_archive_unref(folder->parent);
    free(folder->touched);
    free(folder);
    return freed;
}

bool folder_same_slot(const struct index_archive *a, const struct index_archive *b, uint32_t slot)
{
    return slot < a->entry_count && slot < b->entry_count && a->entries[slot] == b->entries[slot];
}

bool folder_same_line(const struct index_archive *a, const struct index_archive *b)
{
    return a->folder && b->folder && a->folder->line == b->folder->line;
}
