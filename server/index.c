/*
 * Indexing PATHs, in steps, so that companions are found whatever the order:
 *   1. list: every folder is walked, every container opened; each entry gets a place with its name;
 *   2. decode: all entries, on all threads; a file of a folder that turns out to be a container is opened, and its
 *      entries decoded in a second round, which also repeats entries that missed a companion in the first.
 */
#include "server/index.h"

#include "server/clock.h"
#include "server/index_archive.h"
#include "server/index_nested.h"
#include "server/index_recall.h"
#include "server/parallel.h"
#include "server/prime_sets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What unpacks to less is no bomb, whatever its ratio. */
enum { FREE_OF_RATIO = 1024 * 1024 };

/* An entry that is to be decoded. */
struct task {
    struct index_archive *archive;
    uint32_t entry;
    struct index_entry *decoded;
    struct index_archive *container; /* what a folder's file turned out to be */
    struct index_nested *nested;     /* what a container's entry turned out to be */
};

struct indexing {
    const struct index_options *options;
    const struct index_result *before;
    struct index_result *result;
    const struct index_neighbours *neighbours; /* NULL: what is indexed itself */
    struct index_cache *cache;                 /* of files on the machine; NULL: none, and for uploads */
    struct asset_id context;                   /* of the cache, see index_recall.h */
    struct task *tasks;
    size_t task_count, task_capacity;
    bool bounded;                  /* one archive, an upload: see fits_bounds */
    atomic_uint_fast64_t unpacked; /* bytes of entries so far */
    atomic_bool late;              /* the deadline is over */
};

/* ---------------------------------------------------------------------------------------------- listing -- */

static void add_archive(struct indexing *work, struct index_archive *archive, uint32_t at)
{
    struct index_result *result = work->result;
    result->archives = must_grow(result->archives, (size_t)result->count + 1, sizeof *result->archives);
    memmove(result->archives + at + 1, result->archives + at,
            (result->count - at) * sizeof *result->archives);
    result->archives[at] = archive;
    result->count++;
}

static void add_task(struct indexing *work, struct index_archive *archive, uint32_t entry)
{
    if (work->task_count == work->task_capacity) {
        work->task_capacity = work->task_capacity ? work->task_capacity * 2 : 64;
        work->tasks = must_grow(work->tasks, work->task_capacity, sizeof *work->tasks);
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

/* The entry of that name of an earlier index, NULL when there was none. */
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

/* The container of an earlier index at that path, when the file did not change. */
static struct index_archive *container_before(const struct indexing *work, const char *path,
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

/* A file that somebody may still be writing. */
static bool is_fresh(const struct file_stamp *stamp)
{
    int64_t age = clock_wall_ns() - stamp->modified_ns;
    return age >= 0 && age < (int64_t)INDEX_SETTLE_MS * 1000000;
}

/* A file that may still be written is as it was before, if it was, until it is whole. */
static struct index_entry *keep_unsettled(struct indexing *work, const char *path, struct index_entry *old)
{
    struct index_archive *container = (struct index_archive *)(uintptr_t)archive_before(work, path);
    work->result->unsettled = true;
    if (old) {
        index_entry_ref(old);
    } else if (container && container->map.bytes.data) {
        index_archive_ref(container);
        add_archive(work, container, work->result->count);
    }
    return old;
}

/* What is known of a file before it is looked at: NULL when it is passed over, for now. */
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
    /* What it found beside itself may have changed. */
    if (!same || old->wants_companions)
        return index_entry_plain(&facts);
    index_entry_ref(old);
    return old;
}

static void list_folder(struct indexing *work, const char *path, const struct walked_folder *folder)
{
    struct index_archive *archive = archive_of_folder(path, folder->file_count);
    const struct index_archive *before = archive_before(work, path);
    add_archive(work, archive, work->result->count);
    for (uint32_t i = 0; i < folder->file_count; i++)
        archive->entries[i] = list_entry(work, before, path, &folder->files[i]);
    archive_finish(archive);
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        if (atomic_load(&archive->entries[i]->references) == 1)
            add_task(work, archive, i);
    }
}

static void list_directories(struct index_result *result, struct walked_folder *folder)
{
    uint32_t count = result->directory_count + folder->directory_count;
    result->directories = must_grow(result->directories, count, sizeof *result->directories);
    for (uint32_t i = 0; i < folder->directory_count; i++) {
        result->directories[result->directory_count++] = folder->directories[i];
        folder->directories[i] = NULL;
    }
}

/*
 * The id of the archive type that the bytes are of, NULL when they are no container. Containers begin with a magic
 * number; the whole of a large file is not searched for what else it may be.
 */
static const char *container_format(const char *name, struct pose_bytes bytes)
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
    add_task(work, archive, entry);
}

static void list_container(struct indexing *work, struct index_archive *archive)
{
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        struct entry_facts facts = container_facts(archive, i);
        archive->entries[i] = index_entry_plain(&facts);
        if (container_wants_decoding(&facts))
            want_entry(work, archive, i, facts.size);
    }
    archive_finish(archive);
}

/* A container of the machine; its id, a hash over all of it, is remembered. */
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
    if (same) {
        add_archive(work, same, work->result->count);
    } else if (format) {
        struct index_archive *archive = map_container(work, path, name, format, &map);
        add_archive(work, archive, work->result->count);
        list_container(work, archive);
    } else {
        struct index_archive *archive = archive_of_file(path, &map.stamp);
        struct entry_facts facts = {.name = archive->name, .size = map.stamp.size, .stamp = map.stamp};
        struct id_hash *hash = id_begin();
        id_text_part(hash, "file");
        id_part(hash, map.bytes.data, map.bytes.size);
        archive->id = id_end(hash);
        archive->entries[0] = index_entry_plain(&facts);
        archive_finish(archive);
        add_archive(work, archive, work->result->count);
        add_task(work, archive, 0);
    }
    file_release(&map);
    free(name);
    return true;
}

static bool list_path(struct indexing *work, const char *path, struct pose_error *error)
{
    struct file_stamp stamp;
    bool is_directory;
    if (!file_stat(path, &stamp, &is_directory) || !is_directory)
        return list_file(work, path, error);
    struct walked_folder folder;
    if (!folder_walk(path, work->options->max_entries, &folder, error))
        return false;
    list_folder(work, path, &folder);
    list_directories(work->result, &folder);
    folder_release(&folder);
    return true;
}

/* --------------------------------------------------------------------------------------------- decoding -- */

static struct entry_facts facts_of(const struct task *task)
{
    if (task->archive->archive && task->entry >= nested_own_count(task->archive))
        return nested_facts(task->archive, task->entry);
    if (task->archive->archive)
        return container_facts(task->archive, task->entry);
    const struct index_entry *entry = task->archive->entries[task->entry];
    return (struct entry_facts){.name = entry->name, .size = entry->size, .stamp = entry->stamp};
}

static struct index_archive *open_container(const struct indexing *work, const struct index_archive *folder,
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
        container->root = region_text(&container->region, folder->path);
    }
    file_release(&map);
    return container;
}

/* A file that is no container and too large to be read into memory before it is known to be of use. */
static bool is_useless(const struct indexing *work, const char *path, const struct entry_facts *facts,
                       struct pose_error *error)
{
    struct file_bytes map;
    pose_error_init(error);
    if (facts->size > work->options->pose.limits.unpacked && work->options->pose.limits.unpacked) {
        error->status = POSE_OVER_LIMIT;
        strcpy(error->code, "over_limit");
        strcpy(error->limit, "max-unpacked");
        strcpy(error->detail, "the file is larger than max-unpacked");
        return true;
    }
    if (!file_map(path, &map, error))
        return true;
    struct pose_source source = {.name = facts->name, .bytes = map.bytes};
    bool is_known = pose_detect(&source) != NULL;
    file_release(&map);
    return !is_known;
}

/* A container of a folder becomes an archive of its own; a large file of no known format is listed unread. */
static bool settle_unread(const struct indexing *work, struct task *task, const struct entry_facts *facts)
{
    enum { LARGE = 16 * 1024 * 1024 };
    struct pose_error error;
    char *path = path_join(task->archive->path, facts->name);
    task->container = container_before(work, path, &facts->stamp);
    if (!task->container && facts->size > LARGE) {
        task->container = open_container(work, task->archive, path, facts->name);
        if (!task->container && is_useless(work, path, facts, &error)) {
            struct entry_facts told = *facts;
            told.error = error.status != POSE_OK ? &error : NULL;
            task->decoded = index_entry_plain(&told);
        }
    }
    free(path);
    return task->container || task->decoded;
}

/* Whether a container's entry is a container itself, whose archive did not say what it is. Too deep, or broken: the
 * entry is listed with the error. */
static bool settle_nested(const struct indexing *work, struct task *task, const struct entry_facts *facts,
                          struct pose_buffer *bytes)
{
    struct pose_bytes view = {bytes->data, bytes->size};
    struct pose_error error;
    struct entry_facts told = *facts;
    if (!task->archive->archive || facts->format || facts->kind ||
        !(told.format = container_format(facts->name, view)))
        return false;
    if (task->entry < nested_own_count(task->archive)) {
        task->nested = nested_open(task->entry, facts->name, bytes, &work->options->pose, &error);
    } else {
        pose_error_init(&error);
        error.status = POSE_UNSUPPORTED;
        strcpy(error.code, "nested_too_deep");
        strcpy(error.detail, "an archive in an archive is opened, one in that is not");
    }
    if (!task->nested)
        told.error = &error;
    task->decoded = index_entry_plain(&told);
    return true;
}

static bool is_late(struct indexing *work)
{
    double deadline = work->options->deadline;
    if (deadline <= 0)
        return false;
    if (clock_seconds() > deadline)
        atomic_store_explicit(&work->late, true, memory_order_relaxed);
    return atomic_load_explicit(&work->late, memory_order_relaxed);
}

/* Each entry keeps the ratio by itself, or it is not unpacked; together they may not: then they lie over each other. */
static bool is_over_ratio(struct indexing *work)
{
    uint64_t ratio = work->options->pose.limits.ratio,
             sum = atomic_load_explicit(&work->unpacked, memory_order_relaxed);
    return work->bounded && ratio && sum > FREE_OF_RATIO && sum / ratio > work->result->archives[0]->bytes;
}

static void decode_task(void *user, size_t item)
{
    struct indexing *work = user;
    struct task *task = &work->tasks[item];
    if (is_late(work) || is_over_ratio(work))
        return;
    struct entry_facts facts = facts_of(task);
    bool in_folder = !task->archive->archive && !strcmp(task->archive->format, "folder");
    struct pose_buffer bytes;
    struct pose_error error;
    if (in_folder && settle_unread(work, task, &facts))
        return;
    if (!index_read(task->archive, task->entry, &bytes, &error)) {
        facts.error = &error;
        task->decoded = index_entry_plain(&facts);
        return;
    }
    struct pose_bytes view = {bytes.data, bytes.size};
    atomic_fetch_add_explicit(&work->unpacked, bytes.size, memory_order_relaxed);
    if (in_folder && container_format(facts.name, view)) {
        char *path = path_join(task->archive->path, facts.name);
        task->container = open_container(work, task->archive, path, facts.name);
        free(path);
    }
    if (!task->container && !settle_nested(work, task, &facts, &bytes)) {
        const struct index_neighbours *neighbours = work->neighbours;
        struct companion_finder finder = {
            .own = task->archive,
            .entry = task->entry,
            .others = neighbours ? neighbours->archives : work->result->archives,
            .other_count = neighbours ? neighbours->count : work->result->count};
        task->decoded = index_entry_decode(&facts, view, &finder, &work->options->pose);
        finder_release(&finder);
        /* Its name comes from a character set beside it: never an earlier index's. */
        if (in_folder && task->decoded->format && !strcmp(task->decoded->format, "prime-anim"))
            task->decoded->wants_companions = true;
    }
    pose_buffer_free(&bytes);
}

/* Places after the archive and after the containers that already follow it. */
static uint32_t place_after(const struct index_result *result, const struct index_archive *folder)
{
    uint32_t at = 0;
    while (result->archives[at] != folder)
        at++;
    do
        at++;
    while (at < result->count && result->archives[at]->map.bytes.data &&
           !strcmp(result->archives[at]->root, folder->path));
    return at;
}

/* The entries of a nested container, as far as the limits of its archive allow. */
static void list_nested(struct indexing *work, struct index_archive *archive, struct index_nested *nested)
{
    uint32_t most = work->options->max_entries, first = archive->entry_count;
    if (most && nested->count > most - (first < most ? first : most)) {
        archive_over_limit(archive, "max-entries", "it and the archives in it hold more than %u entries",
                           most);
        nested_free(nested);
        return;
    }
    nested_attach(archive, nested);
    for (uint32_t i = first; i < archive->entry_count; i++) {
        struct entry_facts facts = nested_facts(archive, i);
        if (container_wants_decoding(&facts))
            want_entry(work, archive, i, facts.size);
    }
    archive_finish(archive);
}

/* Takes what earlier runs found out off the list of what is to be decoded. */
static void recall(struct indexing *work)
{
    struct index_cache *cache = work->cache;
    size_t kept = 0;
    for (size_t i = 0; cache && i < work->task_count; i++) {
        if (!recall_entry(cache, work->tasks[i].archive, work->tasks[i].entry, &work->context))
            work->tasks[kept++] = work->tasks[i];
    }
    work->task_count = cache ? kept : work->task_count;
}

/* Puts what was decoded in its place; containers become archives of their own, whose entries are the next tasks. */
static void settle(struct indexing *work)
{
    struct task *tasks = work->tasks;
    size_t count = work->task_count;
    work->tasks = NULL;
    work->task_count = work->task_capacity = 0;
    for (size_t i = 0; i < count; i++) {
        struct index_entry **place = &tasks[i].archive->entries[tasks[i].entry];
        if (tasks[i].decoded) {
            index_entry_unref(*place);
            *place = tasks[i].decoded;
            if (work->cache && !tasks[i].nested)
                remember_entry(work->cache, tasks[i].archive, tasks[i].entry, &work->context);
        }
    }
    for (size_t i = 0; i < count; i++) {
        struct index_archive *folder = tasks[i].archive, *container = tasks[i].container;
        if (!container)
            continue;
        index_entry_unref(folder->entries[tasks[i].entry]);
        folder->entries[tasks[i].entry] = NULL;
        add_archive(work, container, place_after(work->result, folder));
        if (!container->names)
            list_container(work, container);
    }
    for (size_t i = 0; i < count; i++) {
        if (tasks[i].nested)
            list_nested(work, tasks[i].archive, tasks[i].nested);
    }
    bool more = work->task_count > 0;
    recall(work);
    for (size_t i = 0; i < count; i++) {
        struct index_archive *archive = tasks[i].archive;
        struct index_entry *entry = archive->entries[tasks[i].entry];
        if (more && entry && entry->wants_companions)
            add_task(work, archive, tasks[i].entry);
    }
    free(tasks);
}

/* One upload is worth so many bytes and so much time, however often its entries lie over each other. False, and the
 * archive has the error, when it is not. */
static bool fits_bounds(struct indexing *work)
{
    struct index_archive *archive = work->result->archives[0];
    const struct pose_limits *limits = &work->options->pose.limits;
    uint64_t sum = archive->wanted_bytes;
    if (archive->error)
        return false;
    if (is_over_ratio(work))
        return archive_over_limit(archive, "max-ratio", "%llu bytes unpack to more than %u times as many",
                                  (unsigned long long)archive->bytes, limits->ratio);
    if (is_late(work))
        return archive_over_limit(archive, "max-time", "it takes longer to read than max-time allows");
    if (limits->unpacked && sum > limits->unpacked)
        return archive_over_limit(archive, "max-unpacked",
                                  "its entries are %llu bytes, and max-unpacked allows %llu",
                                  (unsigned long long)sum, (unsigned long long)limits->unpacked);
    return true;
}

static void decode_all(struct indexing *work)
{
    recall(work);
    while (work->task_count) {
        parallel_for(work->task_count, work->options->threads, decode_task, work);
        settle(work);
        if (work->bounded && !fits_bounds(work))
            break;
    }
    for (uint32_t i = 0; i < work->result->count; i++) {
        struct index_archive *archive = work->result->archives[i];
        /* Not containers, broken ones included: they may be an earlier index's, which others are reading. */
        if (!archive->archive && !archive->map.bytes.data)
            archive_finish(archive);
        nested_close(archive);
        prime_link(archive);
    }
}

bool index_paths(const char *const *paths, size_t count, const struct index_options *options,
                 const struct index_result *before, struct index_result *result, struct pose_error *error)
{
    *result = (struct index_result){0};
    struct indexing work = {.options = options, .before = before, .result = result, .cache = options->cache};
    for (size_t i = 0; i < count; i++) {
        if (list_path(&work, paths[i], error))
            continue;
        /* A PATH that went away while it was served takes only itself along. */
        if (before && strcmp(error->code, "over_limit")) {
            result->lost_count++;
            continue;
        }
        free(work.tasks);
        index_release(result);
        return false;
    }
    if (options->cache) {
        work.context = recall_context(result->archives, result->count);
        index_cache_begin(options->cache);
    }
    decode_all(&work);
    if (options->cache)
        index_cache_end(options->cache);
    return true;
}

/* The one entry of a loose file in memory. */
static void decode_single(struct index_archive *archive, const struct entry_facts *facts,
                          const struct index_neighbours *neighbours, const struct pose_options *options)
{
    archive->entries[0] = index_entry_plain(facts);
    archive_finish(archive);
    struct companion_finder finder = {
        .own = archive, .others = neighbours->archives, .other_count = neighbours->count};
    struct index_entry *decoded = index_entry_decode(facts, archive->map.bytes, &finder, options);
    finder_release(&finder);
    index_entry_unref(archive->entries[0]);
    archive->entries[0] = decoded;
}

/* The archive type that the client names or the bytes are of; NULL: one file. */
static const char *forced_container(const char *name, struct pose_bytes bytes, const char *format)
{
    if (!format)
        return container_format(name, bytes);
    const struct pose_format *forced = pose_format_find(format);
    return forced && !strcmp(forced->kinds, "archive") ? forced->id : NULL;
}

struct index_archive *index_bytes(const char *name, struct pose_bytes bytes, const char *format,
                                  const char *game, const struct index_neighbours *neighbours,
                                  const struct index_options *options)
{
    static const struct index_neighbours nobody = {0};
    struct index_result result = {0};
    struct indexing work = {.options = options,
                            .result = &result,
                            .neighbours = neighbours ? neighbours : &nobody,
                            .bounded = true};
    struct file_bytes map = {.bytes = bytes};
    struct index_hints hints = {.format = format, .game = game};
    const char *container = forced_container(name, bytes, format);
    struct index_archive *archive;
    if (container) {
        archive = archive_of_container("", name, container, &hints, &map, &options->pose);
        add_archive(&work, archive, 0);
        list_container(&work, archive);
        if (fits_bounds(&work))
            decode_all(&work);
        free(work.tasks);
        free(result.archives);
    } else {
        struct file_stamp stamp = {.size = bytes.size};
        archive = archive_of_file(name, &stamp);
        archive->map = map;
        struct id_hash *hash = id_begin();
        id_text_part(hash, "file");
        id_part(hash, bytes.data, bytes.size);
        archive->id = id_end(hash);
        struct entry_facts facts = {.name = name, .size = bytes.size, .format = format, .game = game};
        decode_single(archive, &facts, neighbours ? neighbours : &nobody, &options->pose);
    }
    archive->source = "upload";
    return archive;
}

void index_release(struct index_result *result)
{
    for (uint32_t i = 0; i < result->count; i++)
        index_archive_unref(result->archives[i]);
    for (uint32_t i = 0; i < result->directory_count; i++)
        free(result->directories[i]);
    free(result->archives);
    free(result->directories);
    *result = (struct index_result){0};
}
