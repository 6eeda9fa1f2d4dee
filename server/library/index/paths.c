/*
 * Indexes PATHs in two steps, so that companions are found whatever the order of the files:
 *   1. list (list.c): walks every folder and opens every container; each entry gets a slot with its name;
 *   2. decode (task.c): all entries, on all threads; a file of a folder that turns out to be a container is opened,
 *      and its entries are decoded in a second round, which also repeats entries that missed a companion in the first.
 */
#include "server/library/index/index.h"

#include "lib/core/error.h"
#include "server/library/index/folder.h"
#include "server/library/index/making.h"
#include "server/library/index/nested.h"
#include "server/library/index/recall.h"
#include "server/library/index/work.h"
#include "server/ops/work/effort.h"
#include "server/ops/parallel.h"
#include "server/library/index/link.h"
#include "server/library/index/refusal.h"

#include <malloc.h>
#include <stdlib.h>
#include <string.h>

/* After the folder and those of its containers whose paths come before. */
static uint32_t place_after(const struct index_result *result, const struct index_archive *folder,
                            const struct index_archive *container)
{
    uint32_t at = 0;
    while (result->archives[at] != folder)
        at++;
    do
        at++;
    while (at < result->count && result->archives[at]->map.bytes.data &&
           !strcmp(result->archives[at]->root, folder->path) &&
           strcmp(result->archives[at]->path, container->path) < 0);
    return at;
}

/* Removes tasks whose results are known from earlier runs. */
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

/* A file of a folder that there was no memory to read is looked at again soon. If it is lost from the list as well the walk
 * over everything finds it. */
static void look_again(struct indexing *work, const struct task *task)
{
    const struct index_archive *folder = task->archive;
    if (work->bounded || folder->archive || strcmp(folder->format, "folder") != 0 ||
        !index_is_passing(task->container ? task->container->error
                          : task->decoded ? task->decoded->error
                                          : NULL))
        return;
    char *path = path_join(folder->path, folder->entries[task->entry]->name);
    index_changes_add(&work->result->unsettled, path);
    free(path);
}

/* Stores the results; containers become archives of their own, whose entries are the next tasks. */
static void settle(struct indexing *work)
{
    struct task *tasks = work->tasks;
    size_t count = work->task_count;
    work->tasks = NULL;
    work->task_count = work->task_capacity = 0;
    for (size_t i = 0; i < count; i++) {
        struct index_entry **place = &tasks[i].archive->entries[tasks[i].entry];
        look_again(work, &tasks[i]);
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
        if (!list_archive(work, container, place_after(work->result, folder, container))) {
            archive_no_memory(folder);
            index_archive_unref(container);
            continue;
        }
        index_entry_unref(folder->entries[tasks[i].entry]);
        folder->entries[tasks[i].entry] = NULL;
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
            list_task(work, archive, tasks[i].entry);
    }
    free(tasks);
}

static bool archive_is_late(struct index_archive *archive, const struct index_options *options)
{
    struct pose_error error;
    pose_error_init(&error);
    error_stopped(&error);
    if (options->effort)
        effort_explain(options->effort, &error);
    archive_set_error(archive, &error);
    return false;
}

/* Checks an upload's total bytes and time, even if its entries overlap. On failure sets the archive's
 * error and returns false. */
static bool fits_bounds(struct indexing *work)
{
    struct index_archive *archive = work->result->archives[0];
    const struct pose_limits *limits = &work->options->pose.limits;
    uint64_t sum = archive->wanted_bytes;
    if (archive->error)
        return false;
    if (work_is_over_ratio(work))
        return archive_over_limit(archive, "max-ratio", "%llu bytes unpack to more than %u times as many",
                                  (unsigned long long)archive->bytes, limits->ratio);
    if (work_is_late(work))
        return archive_is_late(archive, work->options);
    if (limits->unpacked && sum > limits->unpacked)
        return archive_over_limit(archive, "max-unpacked",
                                  "its entries are %llu bytes, and max-unpacked allows %llu",
                                  (unsigned long long)sum, (unsigned long long)limits->unpacked);
    return true;
}

/* Whether an archive that goes on an earlier one has new entries that are linked with others. */
static bool has_new_links(const struct index_archive *archive)
{
    const struct index_folder *folder = archive->folder;
    bool any = false;
    for (uint32_t i = 0; i < folder->touched_count && !any; i++) {
        const struct index_entry *entry = archive->entries[folder->touched[i]];
        const struct pose_format *format = entry->format ? pose_format_find(entry->format) : NULL;
        any = format && format->is_linked;
    }
    return any;
}

/* The last steps of an archive that was made in this run. */
static void finish(const struct indexing *work, struct index_archive *archive)
{
    if (archive->folder && archive->folder->parent) {
        folder_settle(archive);
        archive->linked = !has_new_links(archive);
    } else if (!archive->archive && !archive->map.bytes.data) {
        archive_finish(archive); /* not containers, even broken ones */
    }
    nested_close(archive);
    index_link(archive);
    if (!work->bounded)
        archive_seal(archive);
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
        if (!archive_is_sealed(work->result->archives[i]))
            finish(work, work->result->archives[i]);
    }
}

bool index_changes_add(struct index_changes *changes, const char *path)
{
    char **larger = reallocarray(changes->paths, changes->count + 1, sizeof *changes->paths);
    char *copy = larger ? strdup(path) : NULL;
    changes->paths = larger ? larger : changes->paths;
    if (copy)
        larger[changes->count++] = copy;
    return copy;
}

void index_changes_release(struct index_changes *changes)
{
    for (size_t i = 0; i < changes->count; i++)
        free(changes->paths[i]);
    free(changes->paths);
    *changes = (struct index_changes){0};
}

void index_directories_unref(struct index_directories *directories)
{
    if (!directories || atomic_fetch_sub_explicit(&directories->references, 1, memory_order_acq_rel) != 1)
        return;
    for (uint32_t i = 0; i < directories->count; i++)
        free(directories->paths[i]);
    free(directories->paths);
    free(directories);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_directories(const struct indexing *work)
{
    struct index_directories *own = work->result->directories;
    if (work->has_directories && own->count)
        qsort(own->paths, own->count, sizeof *own->paths, compare_texts);
}

enum { WORTH_TRIMMING = 10000 };

static uint64_t count_listed(const struct index_result *result)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < result->count; i++)
        count += result->archives[i]->entry_count;
    return count;
}

bool index_paths(const char *const *paths, size_t count, const struct index_options *options,
                 const struct index_result *before, struct index_result *result, struct pose_error *error)
{
    return index_paths_changed(paths, count, options, before, NULL, result, error);
}

bool index_paths_changed(const char *const *paths, size_t count, const struct index_options *options,
                         const struct index_result *before, const struct index_changes *changes,
                         struct index_result *result, struct pose_error *error)
{
    *result = (struct index_result){0};
    struct index_options own = *options;
    own.spills = true;
    own.max_entries = own.pose.limits.entries = options->max_path_entries;
    /* Of what was lost, or is not all listed, nobody tells. */
    const bool is_known = changes && before && !before->lost_count && !before->over_count;
    struct indexing work = {.options = &own,
                            .before = before,
                            .changes = is_known ? changes : NULL,
                            .result = result,
                            .cache = options->cache};
    if (is_known && before->directories) {
        result->directories = before->directories;
        atomic_fetch_add(&before->directories->references, 1);
    }
    for (size_t i = 0; i < count; i++) {
        work.ordinal = (uint32_t)i;
        if (list_path(&work, paths[i], error))
            continue;
        /* A PATH that disappears while being served does not affect the others. */
        if (before && strcmp(error->code, "no_memory")) {
            result->lost_count++;
            continue;
        }
        free(work.tasks);
        index_release(result);
        return false;
    }
    sort_directories(&work);
    if (options->cache) {
        result->context = work.context = recall_context(result->archives, result->count);
        index_cache_begin(options->cache);
    }
    decode_all(&work);
    free(work.tasks); /* when all of them were recalled */
    if (options->cache && !before)
        forget_gone(options->cache, result->archives, result->count);
    if (options->cache)
        index_cache_end(options->cache);
    /* A walk leaves many small blocks behind. */
    if (!work.changes && count_listed(result) > WORTH_TRIMMING)
        malloc_trim(0);
    return true;
}

/* Decodes the single entry of a loose file in memory. */
static void decode_single(struct index_archive *archive, const struct entry_facts *facts,
                          const struct index_neighbours *neighbours, const struct index_options *options)
{
    archive->entries[0] = index_entry_plain(facts);
    archive_finish(archive);
    struct companion_finder finder = {
        .own = archive, .others = neighbours->archives, .other_count = neighbours->count};
    struct index_entry *decoded = index_entry_decode(facts, archive->map.bytes, &finder, options);
    finder_release(&finder);
    index_entry_unref(archive->entries[0]);
    archive->entries[0] = decoded;
    if (decoded->error && decoded->error->status == POSE_STOPPED)
        archive_is_late(archive, options);
}

/* The archive type that the client forces or that is detected; NULL: a single file. */
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
        if (archive->error && options->effort && effort_is_over(options->effort))
            archive_is_late(archive, options);
        if (!list_archive(&work, archive, 0)) {
            archive_no_memory(archive);
        } else {
            list_container(&work, archive);
            if (fits_bounds(&work))
                decode_all(&work);
        }
        free(work.tasks);
        free(result.archives);
    } else {
        struct file_stamp stamp = {.size = bytes.size};
        archive = archive_of_file(name, &stamp, bytes, NULL);
        archive->map = map;
        struct entry_facts facts = {.name = name, .size = bytes.size, .format = format, .game = game};
        decode_single(archive, &facts, neighbours ? neighbours : &nobody, options);
    }
    archive->source = "upload";
    return archive;
}

void index_release(struct index_result *result)
{
    for (uint32_t i = 0; i < result->count; i++)
        index_archive_unref(result->archives[i]);
    free(result->archives);
    index_directories_unref(result->directories);
    index_changes_release(&result->unsettled);
    *result = (struct index_result){0};
}
