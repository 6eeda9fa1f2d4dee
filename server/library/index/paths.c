/*
 * Indexes PATHs in two steps, so that companions are found whatever the order of the files:
 *   1. list (list.c): walks every folder and opens every container; each entry gets a slot with its name;
 *   2. decode (task.c): all entries, on all threads; a file of a folder that turns out to be a container is opened,
 *      and its entries are decoded in a second round, which also repeats entries that missed a companion in the first.
 */
#include "server/library/index/index.h"

#include "server/library/index/nested.h"
#include "server/library/index/recall.h"
#include "server/library/index/work.h"
#include "server/ops/parallel.h"
#include "server/library/index/link.h"
#include "server/library/index/refusal.h"

#include <stdlib.h>
#include <string.h>

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

/* Stores the results; containers become archives of their own, whose entries are the next tasks. */
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
        if (!list_archive(work, container, place_after(work->result, folder))) {
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

static bool archive_is_late(struct index_archive *archive)
{
    return archive_over_limit(archive, "max-time", "it takes longer to read than max-time allows");
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
        return archive_is_late(archive);
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
        /* Not containers, even broken ones: they may belong to an earlier index that other threads read. */
        if (!archive->archive && !archive->map.bytes.data)
            archive_finish(archive);
        nested_close(archive);
        index_link(archive);
        if (!work->bounded)
            archive_seal(archive);
    }
}

bool index_paths(const char *const *paths, size_t count, const struct index_options *options,
                 const struct index_result *before, struct index_result *result, struct pose_error *error)
{
    *result = (struct index_result){0};
    struct index_options own = *options;
    own.max_entries = own.pose.limits.entries = options->max_path_entries;
    struct indexing work = {.options = &own, .before = before, .result = result, .cache = options->cache};
    for (size_t i = 0; i < count; i++) {
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
        archive_is_late(archive);
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
    for (uint32_t i = 0; i < result->directory_count; i++)
        free(result->directories[i]);
    free(result->archives);
    free(result->directories);
    *result = (struct index_result){0};
}
