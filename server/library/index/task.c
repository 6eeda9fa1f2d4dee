/*
 * The second step of indexing: one entry, on any thread. It is decoded, turns out to be a container, or is listed
 * with the reason why it is not read.
 */
#include "server/ops/work/effort.h"
#include "server/library/index/nested.h"
#include "server/library/index/work.h"

#include <stdlib.h>
#include <string.h>

/* Entries that unpack to less are not treated as bombs, whatever their ratio. */
enum { FREE_OF_RATIO = 1024 * 1024 };

static struct entry_facts facts_of(const struct task *task)
{
    if (task->archive->archive)
        return container_facts(task->archive, task->entry);
    const struct index_entry *entry = task->archive->entries[task->entry];
    return (struct entry_facts){.name = entry->name, .size = entry->size, .stamp = entry->stamp};
}

/* A file that is not a container and too large to read into memory without knowing its format. */
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

/* A container in a folder becomes an archive of its own; a large file of unknown format is listed unread. */
static bool settle_unread(const struct indexing *work, struct task *task, const struct entry_facts *facts)
{
    enum { LARGE = 16 * 1024 * 1024 };
    struct pose_error error;
    char *path = path_join(task->archive->path, facts->name);
    task->container = container_before(work, path, &facts->stamp);
    if (!task->container && facts->size > LARGE) {
        task->container = container_open(work, task->archive, path, facts->name);
        if (!task->container && is_useless(work, path, facts, &error)) {
            struct entry_facts told = *facts;
            told.error = error.status != POSE_OK ? &error : NULL;
            task->decoded = index_entry_plain(&told);
        }
    }
    free(path);
    return task->container || task->decoded;
}

/* Whether an entry is itself a container, which its archive did not say. If it is nested too deep or
 * broken, the entry is listed with the error. */
static bool settle_nested(const struct indexing *work, struct task *task, const struct entry_facts *facts,
                          struct pose_buffer *bytes)
{
    struct pose_bytes view = {bytes->data, bytes->size};
    struct pose_error error;
    struct entry_facts told = *facts;
    if (!task->archive->archive || facts->format || facts->kind ||
        !(told.format = container_format(facts->name, view)))
        return false;
    if (nested_may_open(task->archive, task->entry)) {
        task->nested = nested_open(task->entry, facts->name, bytes, &work->options->pose, &error);
    } else {
        pose_error_init(&error);
        error.status = POSE_UNSUPPORTED;
        strcpy(error.code, "nested_too_deep");
        strcpy(error.detail,
               "an archive in an archive is opened, one in that only if it is in a pack of a game");
    }
    if (!task->nested)
        told.error = &error;
    task->decoded = index_entry_plain(&told);
    return true;
}

bool work_is_late(struct indexing *work)
{
    struct effort *effort = work->options->effort;
    if (!effort)
        return false;
    if (effort_is_over(effort))
        atomic_store_explicit(&work->late, true, memory_order_relaxed);
    return atomic_load_explicit(&work->late, memory_order_relaxed);
}

/* Each entry is checked against the ratio before it is unpacked; entries that exceed it together must
 * overlap. */
bool work_is_over_ratio(struct indexing *work)
{
    uint64_t ratio = work->options->pose.limits.ratio,
             sum = atomic_load_explicit(&work->unpacked, memory_order_relaxed);
    return work->bounded && ratio && sum > FREE_OF_RATIO && sum / ratio > work->result->archives[0]->bytes;
}

static void decode_entry(const struct indexing *work, struct task *task, const struct entry_facts *facts,
                         struct pose_bytes bytes)
{
    const struct index_neighbours *neighbours = work->neighbours;
    struct companion_finder finder = {.own = task->archive,
                                      .entry = task->entry,
                                      .others = neighbours ? neighbours->archives : work->result->archives,
                                      .other_count = neighbours ? neighbours->count : work->result->count};
    task->decoded = index_entry_decode(facts, bytes, &finder, work->options);
    finder_release(&finder);
}

static void decode_one(struct indexing *work, size_t item)
{
    struct task *task = &work->tasks[item];
    if (work_is_late(work) || work_is_over_ratio(work))
        return;
    struct entry_facts facts = facts_of(task);
    bool in_folder = !task->archive->archive && !strcmp(task->archive->format, "folder");
    struct pose_buffer bytes;
    struct pose_error error;
    if (in_folder && settle_unread(work, task, &facts))
        return;
    if (!index_read_until(task->archive, task->entry, work->options->pose.stop, &bytes, &error)) {
        facts.error = &error;
        task->decoded = index_entry_plain(&facts);
        return;
    }
    struct pose_bytes view = {bytes.data, bytes.size};
    atomic_fetch_add_explicit(&work->unpacked, bytes.size, memory_order_relaxed);
    if (in_folder && container_format(facts.name, view)) {
        char *path = path_join(task->archive->path, facts.name);
        task->container = container_open(work, task->archive, path, facts.name);
        free(path);
    }
    if (!task->container && !settle_nested(work, task, &facts, &bytes)) {
        decode_entry(work, task, &facts, view);
        /* Name and skeleton are found by linking: never reuse an earlier index's. */
        const struct pose_format *format =
            task->decoded->format ? pose_format_find(task->decoded->format) : NULL;
        if (in_folder && format && format->is_linked)
            task->decoded->wants_companions = true;
    }
    pose_buffer_free(&bytes);
}

void decode_task(void *user, size_t item)
{
    struct indexing *work = user;
    const bool has_entered = work->options->effort && effort_enter(work->options->effort);
    decode_one(work, item);
    if (has_entered)
        effort_leave();
}
