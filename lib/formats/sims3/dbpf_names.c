/*
 * Name maps of DBPF packages: u32 version 1, u32 count, then per name u64 instance, u32 length, bytes (dbpf.md).
 * They name resources of this package and of others, so all names are kept.
 */
#include "lib/formats/sims3/dbpf.h"

#include "lib/core/text.h"

#include <stdlib.h>

enum {
    NAME_SIZE = 12,               /* bytes of a name without its text */
    MAX_BYTES = 16 * 1024 * 1024, /* of all name maps together, unpacked: real ones have a few kilobytes */
};

/* A name in the order of the maps. */
struct name_row {
    uint64_t id;
    uint32_t order;
    const char *text;
};

struct name_list {
    struct pose_archive *archive;
    struct name_row *rows;
    uint32_t count, capacity;
    uint64_t bytes_left;
};

static bool add_name(struct name_list *list, uint64_t id, const uint8_t *text, uint32_t length)
{
    struct arena *arena = &list->archive->arena;
    struct name_row *rows = arena_grow(arena, list->rows, list->count, &list->capacity, sizeof *rows);
    char *copy = rows ? text_from_utf8(arena, text, length) : NULL;
    if (!copy)
        return false;
    list->rows = rows;
    list->rows[list->count] = (struct name_row){id, list->count, copy};
    list->count++;
    return true;
}

static void parse_map(struct name_list *list, struct reader *reader)
{
    uint32_t version = reader_u32le(reader, "version");
    if (!reader->failed && version != 1) {
        reader_fail(reader, "bad_version", "%u, only 1 is supported", version);
        return;
    }
    uint32_t count = reader_u32le(reader, "count");
    if (!reader_count(reader, count, NAME_SIZE, "names", "count_too_large"))
        return;
    if (count > list->archive->limits.entries - list->count) {
        reader_fail(reader, "too_many_names", "more than %u names", list->archive->limits.entries);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        reader_enter(reader, "names", i);
        uint64_t id = reader_u64le(reader, "instance");
        uint32_t length = reader_u32le(reader, "length");
        const uint8_t *text = reader_bytes(reader, length, "text");
        reader_leave(reader);
        if (!text || !add_name(list, id, text, length))
            return;
    }
}

/* Reads one map; errors become warnings. */
static void read_map(struct name_list *list, const struct dbpf_row *row, uint32_t index)
{
    struct pose_archive *archive = list->archive;
    struct pose_buffer bytes = {.allocator = archive->allocator};
    struct pose_error error;
    pose_error_init(&error);
    struct read_job job = {.archive = archive, .index = index, .out = &bytes, .error = &error};
    bool done = archive_check_entry(archive, index, &error);
    if (done && row->size > list->bytes_left)
        done = error_limit(&error, "max-unpacked", "%u bytes, more than the limit for name maps", row->size);
    if (done) {
        list->bytes_left -= row->size; /* even if it is unreadable: many maps may share the same bytes */
        done = dbpf_read_row(&job, row);
    }
    if (done) {
        struct reader reader;
        reader_init(&reader, (struct pose_bytes){bytes.data, bytes.size}, &error);
        parse_map(list, &reader);
    }
    if (error.status != POSE_OK)
        warning_add(&archive->warnings, POSE_WARNING, "bad_name_map", row->at, "entries[%u], a name map: %s",
                    index, error.detail);
    pose_buffer_free(&bytes);
}

static int compare_rows(const void *a, const void *b)
{
    const struct name_row *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

void dbpf_read_names(struct pose_archive *archive, const struct dbpf_row *rows, uint32_t count)
{
    struct name_list list = {.archive = archive, .bytes_left = MAX_BYTES};
    for (uint32_t i = 0; i < count; i++) {
        if (rows[i].type == DBPF_NAME_MAP && !archive->entries[i].skipped)
            read_map(&list, &rows[i], i);
    }
    struct pose_name *names = ARENA_NEW(&archive->arena, struct pose_name, list.count);
    if (!list.count || !names)
        return;
    qsort(list.rows, list.count, sizeof *list.rows, compare_rows);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list.count; i++) {
        if (i + 1 == list.count || list.rows[i + 1].id != list.rows[i].id)
            names[kept++] = (struct pose_name){list.rows[i].id, list.rows[i].text};
    }
    archive->names = names;
    archive->name_count = kept;
}
