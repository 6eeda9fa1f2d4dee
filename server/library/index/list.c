/*
 * The first step of indexing: listing. Every folder is walked and every container opened; each entry gets a slot
 * with its name, and a task if nothing is known about it yet. Unchanged files are taken over from an earlier
 * index.
 */
#include "server/ops/clock.h"

#include "lib/core/error.h"
#include "server/library/index/folder.h"
#include "server/library/index/making.h"
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
    if (archive->ordinal != work->ordinal && !archive_is_sealed(archive))
        archive->ordinal = work->ordinal;
    result->count++;
    return true;
}

bool list_last(struct indexing *work, struct index_archive *archive, struct pose_error *error)
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

/* What the earlier index has for that path; NULL: nothing. */
static struct index_archive *archive_before(const struct indexing *work, const char *path)
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
    const int64_t slot = before ? folder_find(before, name) : -1;
    return slot < 0 ? NULL : before->entries[slot];
}

struct index_archive *container_before(const struct indexing *work, const char *path,
                                       const struct file_stamp *stamp)
{
    for (uint32_t i = 0; work->before && i < work->before->count; i++) {
        struct index_archive *archive = work->before->archives[i];
        if (archive->map.bytes.data && stamp_equal(&archive->stamp, stamp) && !strcmp(archive->path, path)) {
            if (archive->has_wanting || index_is_passing(archive->error))
                return NULL;
            index_archive_ref(archive);
            return archive;
        }
    }
    return NULL;
}

bool is_fresh(const struct file_stamp *stamp)
{
    int64_t age = clock_wall_ns() - stamp->modified_ns;
    return age >= 0 && age < (int64_t)INDEX_SETTLE_MS * 1000000;
}

/* Keeps the earlier state of a file, if any, while it may still be being written. */
static struct index_entry *keep_unsettled(struct indexing *work, const char *path, struct index_entry *old)
{
    struct index_archive *container = archive_before(work, path);
    index_changes_add(&work->result->unsettled, path);
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

/* Everything below a folder is listed anew. */
static bool list_folder(struct indexing *work, const char *path, const struct walked_folder *folder,
                        struct pose_error *error)
{
    struct index_archive *archive = archive_of_folder(path, folder->file_count);
    const struct index_archive *before = archive_before(work, path);
    if (!folder_begin(archive)) {
        archive->entry_count = 0;
        index_archive_unref(archive);
        return no_memory(error);
    }
    if (!list_last(work, archive, error))
        return false;
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        folder_count_listed(archive, folder->files[i].path, &folder->files[i].stamp, true);
        archive->entries[i] = list_entry(work, before, path, &folder->files[i]);
    }
    archive_finish(archive);
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        if (atomic_load(&archive->entries[i]->references) == 1)
            list_task(work, archive, i);
    }
    return true;
}

/* Whether a path is that of a folder or below it. */
static bool is_below(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

/* The result gets directories of its own: those of the earlier index, if not everything is listed anew. */
static bool own_directories(struct indexing *work)
{
    struct index_result *result = work->result;
    const struct index_directories *before = work->changes ? work->before->directories : NULL;
    const uint32_t count = before ? before->count : 0;
    if (work->has_directories)
        return true;
    struct index_directories *made = try_alloc(1, sizeof *made);
    if (!made)
        return false;
    atomic_init(&made->references, 1);
    made->paths = try_alloc(count, sizeof *made->paths);
    for (uint32_t i = 0; made->paths && i < count; i++) {
        made->paths[i] = strdup(before->paths[i]);
        if (!made->paths[i])
            break;
        made->count++;
    }
    index_directories_unref(result->directories);
    result->directories = made;
    work->has_directories = true;
    return made->paths && made->count == count;
}

bool list_directories(struct indexing *work, const char *without, struct walked_folder *folder,
                      struct pose_error *error)
{
    if (!own_directories(work))
        return no_memory(error);
    struct index_directories *own = work->result->directories;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < own->count; i++) {
        if (without && is_below(own->paths[i], without))
            free(own->paths[i]);
        else
            own->paths[kept++] = own->paths[i];
    }
    own->count = kept;
    char **larger = reallocarray(own->paths, (size_t)kept + folder->directory_count + 1, sizeof *own->paths);
    if (!larger)
        return no_memory(error);
    own->paths = larger;
    for (uint32_t i = 0; i < folder->directory_count; i++) {
        own->paths[own->count++] = folder->directories[i];
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
    uint32_t count = index_present(known->folder);
    for (uint32_t i = 0; i < before->count; i++)
        count += before->archives[i] != known->folder && !strcmp(before->archives[i]->root, known->path);
    return count;
}

/* A folder with too many files keeps those already listed. They are only looked up individually if the
 * limit may be reached. */
bool walk_folder(struct indexing *work, const char *path, struct walked_folder *folder,
                 struct pose_error *error)
{
    struct known_files known = {work, archive_before(work, path), path};
    const uint32_t most = work->options->max_entries ? work->options->max_entries : UINT32_MAX;
    const uint32_t count = known.folder && known.folder->folder ? count_known(&known) : 0;
    struct walk_bound bound = {.others = most};
    if (count > most / 2)
        bound = (struct walk_bound){count < most ? most - count : 0, is_known, &known};
    if (!folder_walk(path, &bound, folder, error))
        return false;
    work->result->over_count += folder->is_over;
    return true;
}

/* Whether the next version of a folder can be made of that one: not where an entry is linked with others. */
static bool may_go_on(const struct index_archive *before)
{
    return before && before->folder && before->folder->groups && !before->resource_count && !before->error;
}

/* What is not a folder, if it is not among what has changed; false if it is to be listed anew. */
static bool list_unchanged(struct indexing *work, const char *path)
{
    struct index_archive *before = work->changes ? archive_before(work, path) : NULL;
    if (!before || before->folder || before->has_wanting || !archive_is_sealed(before) ||
        !list_archive(work, before, work->result->count))
        return false;
    index_archive_ref(before);
    return true;
}

bool list_path(struct indexing *work, const char *path, struct pose_error *error)
{
    struct file_stamp stamp;
    bool is_directory;
    struct index_archive *before = archive_before(work, path);
    if (list_unchanged(work, path))
        return true;
    if (!file_stat(path, &stamp, &is_directory) || !is_directory)
        return list_file(work, path, error);
    if (may_go_on(before))
        return list_changed_folder(work, before, error);
    struct walked_folder folder;
    if (!walk_folder(work, path, &folder, error))
        return false;
    bool done = list_folder(work, path, &folder, error) && list_directories(work, path, &folder, error);
    walked_release(&folder);
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
        container->ordinal = folder->ordinal;
    }
    file_release(&map);
    return container;
}
