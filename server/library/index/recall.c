#include "server/library/index/recall.h"

#include "server/library/index/folder.h"
#include "server/library/index/nested.h"

#include <stdio.h>
#include <string.h>

static struct asset_id add_stamp(struct asset_id digest, const struct file_stamp *stamp)
{
    const uint64_t parts[3] = {stamp->size, (uint64_t)stamp->modified_ns, stamp->inode};
    return id_quick(&digest, parts, sizeof parts);
}

struct asset_id recall_context(struct index_archive *const *archives, uint32_t count)
{
    struct asset_id digest = id_quick(NULL, "listing", 7);
    for (uint32_t a = 0; a < count; a++) {
        const struct index_archive *archive = archives[a];
        /* A container of a folder counts as one of its files. */
        if (strcmp(archive->root, archive->path) != 0)
            continue;
        digest = id_quick(&digest, archive->path, strlen(archive->path));
        if (archive->folder)
            digest = id_quick(&digest, archive->folder->listing, sizeof archive->folder->listing);
        else
            digest = add_stamp(digest, &archive->stamp);
    }
    return digest;
}

/* The cache key of an entry. */
struct row_key {
    const char *name;
    const struct file_stamp *stamp;
    char number[16];
};

/* False for an entry that is not a file of its own: one in a nested container. */
static bool make_key(const struct index_archive *archive, uint32_t entry, struct row_key *key)
{
    if (archive->archive) {
        snprintf(key->number, sizeof key->number, "#%u", entry);
        key->name = key->number;
        key->stamp = &archive->stamp;
        return entry < nested_own_count(archive);
    }
    bool is_folder = !strcmp(archive->format, "folder");
    key->name = is_folder ? archive->entries[entry]->name : "file";
    key->stamp = is_folder ? &archive->entries[entry]->stamp : &archive->stamp;
    return true;
}

bool recall_entry(struct index_cache *cache, struct index_archive *archive, uint32_t entry,
                  const struct asset_id *context)
{
    struct row_key key;
    if (!make_key(archive, entry, &key))
        return false;
    struct index_entry *found = index_cache_find(cache, archive->path, key.name, key.stamp, context);
    if (!found)
        return false;
    found->stamp = archive->entries[entry]->stamp;
    index_entry_unref(archive->entries[entry]);
    archive->entries[entry] = found;
    return true;
}

void remember_entry(struct index_cache *cache, const struct index_archive *archive, uint32_t entry,
                    const struct asset_id *context)
{
    struct row_key key;
    /* The context of rows does not cover files beside a loose file. */
    bool is_loose = !strcmp(archive->format, "file");
    if (!(is_loose && archive->entries[entry]->wants_companions) && make_key(archive, entry, &key))
        index_cache_keep(cache, archive->path, key.name, key.stamp, context, archive->entries[entry]);
}

static void spare_rows(struct index_cache *cache, const struct index_archive *archive)
{
    struct row_key key;
    index_cache_spare_id(cache, archive->path);
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        if (make_key(archive, i, &key))
            index_cache_spare(cache, archive->path, key.name);
    }
}

void forget_gone(struct index_cache *cache, struct index_archive *const *archives, uint32_t count)
{
    uint64_t most = count; /* upper bound on the rows in use */
    for (uint32_t i = 0; i < count; i++)
        most += archives[i]->entry_count;
    if (index_cache_count(cache) <= 2 * most || !index_cache_prune(cache))
        return;
    for (uint32_t i = 0; i < count; i++)
        spare_rows(cache, archives[i]);
    index_cache_pruned(cache);
}
