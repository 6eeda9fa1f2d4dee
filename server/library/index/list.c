/*
 * The first step of indexing: listing. Every folder is walked and every container opened; each entry gets a slot
 * with its name, and a task if nothing is known about it yet. Unchanged files are taken over from an earlier
 * index.
 */
#include "server/ops/clock.h"

#include "lib/core/error.h"
#include "server/library/index/nested.h"
#include "server/library/index/work.h"
#include "server/library/index/refusal.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ the lists -- */

static bool no_memory(struct pose_error *error)
{
    pose_error_init(error);
    return error_no_memory(error);
}

bool list_archive(struct indexing *work, struct index_archive *archive, uint32_t at)
{
    struct index_result *result = work->result;
    struct index_archive **larger =
        reallocarray(result->archives, (size_t)result->count + 1, sizeof *result->archives);
    if (!larger)
        return false;
    result->archives = larger;
    memmove(result->archives + at + 1, result->archives + at,
            (result->count - at) * sizeof *result->archives);
    result->archives[at] = archive;
    result->count++;
    return true;
}

/* The same at the end of the list; on failure returns false with error and releases the archive. */
static bool list_last(struct indexing *work, struct index_archive *archive, struct pose_error *error)
{
    if (list_archive(work, archive, work->result->count))
        return true;
    index_archive_unref(archive);
    return no_memory(error);
}

void list_task(struct indexing *work, struct index_archive *archive, uint32_t entry)
{
    if (work->task_count == work->task_capacity) {
        size_t capacity = work->task_capacity ? work->task_capacity * 2 : 64;
        struct task *larger = reallocarray(work->tasks, capacity, sizeof *larger);
        if (!larger) {
            archive_no_memory(archive);
            return;
        }
        work->tasks = larger;
        work->task_capacity = capacity;
    }
    work->tasks[work->task_count++] = (struct task){.archive = archive, .entry = entry};
}

static const struct index_archive *archive_before(const struct indexing *work, const char *path)
{
    for (uint32_t i = 0; work->before && i < work->before->count; i++) {
        if (!strcmp(work->before->archives[i]->path, path))
            return work->before->archives[i];
    }
    return NULL;
}

/* The entry of that name in an earlier index, or NULL. */
static struct index_entry *entry_before(const struct index_archive *before, const char *name)
{
    /* Entries of a folder are sorted by name. */
    uint32_t low = 0, high = before ? before->entry_count : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(before->entries[middle]->name, name);
        if (!order)
            return before->entries[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

struct index_archive *container_before(const struct indexing *work, const char *path,
                                       const struct file_stamp *stamp)
{
    for (uint32_t i = 0; work->before && i < work->before->count; i++) {
        struct index_archive *archive = work->before->archives[i];
        if (archive->map.bytes.data && stamp_equal(&archive->stamp, stamp) && !strcmp(archive->path, path)) {
            for (uint32_t e = 0; e < archive->entry_count; e++) {
                if (archive->entries[e]->wants_companions)
                    return NULL;
            }
            index_archive_ref(archive);
            return archive;
        }
    }
    return NULL;
}

/* Whether a file may still be being written. */
static bool is_fresh(const struct file_stamp *stamp)
{
    int64_t age = clock_wall_ns() - stamp->modified_ns;
    return age >= 0 && age < (int64_t)INDEX_SETTLE_MS * 1000000;
}

/* Keeps the earlier state of a file, if any, while it may still be being written. */
static struct index_entry *keep_unsettled(struct indexing *work, const char *path, struct index_entry *old)
{
    struct index_archive *container = (struct index_archive *)(uintptr_t)archive_before(work, path);
    work->result->unsettled = true;
    if (old) {
        index_entry_ref(old);
    } else if (container && container->map.bytes.data && list_archive(work, container, work->result->count)) {
        index_archive_ref(container);
    }
    return old;
}

/* The entry for a file before it is read; NULL if it is skipped for now. */
static struct index_entry *list_entry(struct indexing *work, const struct index_archive *before,
                                      const char *folder, const struct walked_file *file)
{
    struct entry_facts facts = {.name = file->path, .size = file->stamp.size, .stamp = file->stamp};
    struct index_entry *old = entry_before(before, file->path);
    bool same = old && stamp_equal(&old->stamp, &file->stamp);
    if (work->before && !same && is_fresh(&file->stamp)) {
        char *path = path_join(folder, file->path);
        const struct index_archive *container = archive_before(work, path);
        bool known = container && stamp_equal(&container->stamp, &file->stamp);
        struct index_entry *kept = known ? NULL : keep_unsettled(work, path, old);
        free(path);
        return known ? index_entry_plain(&facts) : kept;
    }
    /* The files beside it may have changed. */
    if (!same || old->wants_companions)
        return index_entry_plain(&facts);
    index_entry_ref(old);
    return old;
}

static bool list_folder(struct indexing *work, const char *path, const struct walked_folder *folder,
                        struct pose_error *error)
{
    struct index_archive *archive = archive_of_folder(path, folder->file_count);
    const struct index_archive *before = archive_before(work, path);
    if (!list_last(work, archive, error))
        return false;
    for (uint32_t i = 0; i < archive->entry_count; i++)
        archive->entries[i] = list_entry(work, before, path, &folder->files[i]);
    archive_finish(archive);
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        if (atomic_load(&archive->entries[i]->references) == 1)
            list_task(work, archive, i);
    }
    return true;
}

static bool list_directories(struct index_result *result, struct walked_folder *folder,
                             struct pose_error *error)
{
    size_t count = (size_t)result->directory_count + folder->directory_count;
    char **larger = reallocarray(result->directories, count + 1, sizeof *result->directories);
    if (!larger)
        return no_memory(error);
    result->directories = larger;
    for (uint32_t i = 0; i < folder->directory_count; i++) {
        result->directories[result->directory_count++] = folder->directories[i];
        folder->directories[i] = NULL;
    }
    return true;
}

/* Containers begin with a magic number, so large files are not searched completely for other formats. */
const char *container_format(const char *name, struct pose_bytes bytes)
{
    enum { HEAD = 1024 * 1024, LARGE = 16 * HEAD };
    if (bytes.size > LARGE)
        bytes.size = HEAD;
    struct pose_source source = {.name = name, .bytes = bytes};
    const char *id = pose_detect(&source);
    const struct pose_format *format = id ? pose_format_find(id) : NULL;
    return format && !strcmp(format->kinds, "archive") ? id : NULL;
}

static void want_entry(struct indexing *work, struct index_archive *archive, uint32_t entry, uint64_t size)
{
    uint64_t *sum = &archive->wanted_bytes;
    *sum = size > UINT64_MAX - *sum ? UINT64_MAX : *sum + size;
    list_task(work, archive, entry);
}

void list_container(struct indexing *work, struct index_archive *archive)
{
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        struct entry_facts facts = container_facts(archive, i);
        archive->entries[i] = index_entry_plain(&facts);
        if (archive->entries[i]->region.failed)
            archive_no_memory(archive);
        if (container_wants_decoding(&facts))
            want_entry(work, archive, i, facts.size);
    }
    archive_finish(archive);
}

void list_nested(struct indexing *work, struct index_archive *archive, struct index_nested *nested)
{
    uint32_t most = work->options->max_entries, first = archive->entry_count;
    if (most && nested->count > most - (first < most ? first : most)) {
        archive_over_limit(archive, "max-entries", "it and the archives in it hold more than %u entries",
                           most);
        nested_free(nested);
        return;
    }
    if (!nested_attach(archive, nested)) {
        archive_no_memory(archive);
        nested_free(nested);
        return;
    }
    for (uint32_t i = first; i < archive->entry_count; i++) {
        struct entry_facts facts = container_facts(archive, i);
        if (container_wants_decoding(&facts))
            want_entry(work, archive, i, facts.size);
    }
    archive_finish(archive);
}

/* Opens a container file; its id, a hash over all bytes, is cached. */
static struct index_archive *map_container(const struct indexing *work, const char *path, const char *name,
                                           const char *format, struct file_bytes *map)
{
    struct index_cache *cache = work->cache;
    struct asset_id id;
    struct index_hints hints = {0};
    if (cache && index_cache_find_id(cache, path, &map->stamp, &id))
        hints.id = &id;
    struct index_archive *archive =
        archive_of_container(path, name, format, &hints, map, &work->options->pose);
    if (cache && !hints.id)
        index_cache_keep_id(cache, path, &archive->stamp, &archive->id);
    return archive;
}

static bool list_file(struct indexing *work, const char *path, struct pose_error *error)
{
    struct file_bytes map;
    if (!file_map(path, &map, error))
        return false;
    char *name = path_base_name(path);
    const char *format = container_format(name, map.bytes);
    struct index_archive *same = container_before(work, path, &map.stamp);
    bool done;
    if (same) {
        done = list_last(work, same, error);
    } else if (format) {
        struct index_archive *archive = map_container(work, path, name, format, &map);
        done = list_last(work, archive, error);
        if (done)
            list_container(work, archive);
    } else {
        struct index_archive *archive = archive_of_file(path, &map.stamp, map.bytes, NULL);
        struct entry_facts facts = {.name = archive->name, .size = map.stamp.size, .stamp = map.stamp};
        archive->entries[0] = index_entry_plain(&facts);
        archive_finish(archive);
        done = list_last(work, archive, error);
        if (done)
            list_task(work, archive, 0);
    }
    file_release(&map);
    free(name);
    return done;
}

/* What an earlier index has for a folder. */
struct known_files {
    const struct indexing *work;
    const struct index_archive *folder;
    const char *path;
};

static bool is_known(void *user, const char *name)
{
    const struct known_files *known = user;
    if (entry_before(known->folder, name))
        return true;
    char *path = path_join(known->path, name);
    bool is_container = archive_before(known->work, path);
    free(path);
    return is_container;
}

/* The number of files listed for a folder: its entries, and containers below it. */
static uint32_t count_known(const struct known_files *known)
{
    const struct index_result *before = known->work->before;
    uint32_t count = known->folder->entry_count;
    for (uint32_t i = 0; i < before->count; i++)
        count += before->archives[i] != known->folder && !strcmp(before->archives[i]->root, known->path);
    return count;
}

/* A folder with too many files keeps those already listed. They are only looked up individually if the
 * limit may be reached. */
static bool walk_folder(struct indexing *work, const char *path, struct walked_folder *folder,
                        struct pose_error *error)
{
    struct known_files known = {work, archive_before(work, path), path};
    const uint32_t most = work->options->max_entries ? work->options->max_entries : UINT32_MAX;
    const uint32_t count = known.folder ? count_known(&known) : 0;
    struct walk_bound bound = {.others = most};
    if (count > most / 2)
        bound = (struct walk_bound){count < most ? most - count : 0, is_known, &known};
    if (!folder_walk(path, &bound, folder, error))
        return false;
    work->result->over_count += folder->is_over;
    return true;
}

bool list_path(struct indexing *work, const char *path, struct pose_error *error)
{
    struct file_stamp stamp;
    bool is_directory;
    if (!file_stat(path, &stamp, &is_directory) || !is_directory)
        return list_file(work, path, error);
    struct walked_folder folder;
    if (!walk_folder(work, path, &folder, error))
        return false;
    bool done = list_folder(work, path, &folder, error) && list_directories(work->result, &folder, error);
    folder_release(&folder);
    return done;
}

struct index_archive *container_open(const struct indexing *work, const struct index_archive *folder,
                                     const char *path, const char *name)
{
    struct pose_error error;
    struct file_bytes map;
    if (!file_map(path, &map, &error))
        return NULL;
    const char *format = container_format(name, map.bytes);
    struct index_archive *container = NULL;
    if (format) {
        container = map_container(work, path, name, format, &map);
        const char *root = region_text(&container->region, folder->path);
        container->root = root ? root : container->root;
    }
    file_release(&map);
    return container;
}
