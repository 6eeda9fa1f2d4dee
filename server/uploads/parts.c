#include "server/uploads/parts.h"

#include "lib/core/bytes/reader.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 1024 };

/* Truncates a path that is too long at its start, since the extension indicates the format. It is cut
 * between components, so that no partial component looks like a root or "..", or, in a last component that
 * is itself too long, between characters. */
static const char *keep_end(const char *path)
{
    size_t length = strlen(path);
    if (length <= MAX_NAME)
        return path;
    path += length - MAX_NAME;
    const char *slash = strchr(path, '/');
    if (slash && slash[1])
        return slash + 1;
    while ((*path & 0xc0) == 0x80)
        path++;
    return path;
}

bool parts_add(struct parts *parts, const char *name, struct pose_bytes bytes)
{
    if (parts->count == parts->capacity) {
        uint32_t capacity = parts->capacity ? parts->capacity * 2 : 8;
        struct part *larger = reallocarray(parts->items, capacity, sizeof *larger);
        if (!larger)
            return false;
        parts->items = larger;
        parts->capacity = capacity;
    }
    parts->names.may_fail = true;
    const char *copy = region_text(&parts->names, keep_end(name));
    if (!copy)
        return false;
    parts->items[parts->count++] = (struct part){.name = copy, .bytes = bytes};
    return true;
}

void parts_release(struct parts *parts)
{
    free(parts->items);
    region_release(&parts->names);
    *parts = (struct parts){0};
}

static int compare(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    int order = strcmp(x->name, y->name);
    if (order)
        return order;
    size_t least = x->bytes.size < y->bytes.size ? x->bytes.size : y->bytes.size;
    order = least ? memcmp(x->bytes.data, y->bytes.data, least) : 0;
    return order ? order : x->bytes.size < y->bytes.size ? -1 : x->bytes.size > y->bytes.size;
}

void parts_sort(struct parts *parts)
{
    if (parts->count)
        qsort(parts->items, parts->count, sizeof *parts->items, compare);
}

struct asset_id parts_id(const struct parts *parts)
{
    struct id_hash *hash = id_begin();
    for (uint32_t i = 0; i < parts->count; i++) {
        id_text_part(hash, parts->items[i].name);
        id_part(hash, parts->items[i].bytes.data, parts->items[i].bytes.size);
    }
    return id_end(hash);
}

uint64_t parts_bytes(const struct parts *parts)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < parts->count; i++)
        sum += parts->items[i].bytes.size;
    return sum;
}

/* ------------------------------------------------------------------------------------------------ writing -- */

struct zip_file part_record(const struct part *part, bool is_streamed)
{
    struct zip_file file = zip_stored(part->name, part->crc, (uint32_t)part->bytes.size, part->offset);
    file.is_streamed = is_streamed;
    return file;
}

bool parts_write_directory(const struct parts *parts, uint64_t at, bool is_streamed, zip_sink *sink,
                           void *user)
{
    struct zip_directory directory = {.sink = sink, .user = user};
    for (uint32_t i = 0; i < parts->count; i++) {
        const struct zip_file file = part_record(&parts->items[i], is_streamed);
        if (!zip_directory_add(&directory, &file))
            return false;
    }
    return zip_directory_end(&directory, at);
}

bool parts_write(struct parts *parts, zip_sink *sink, void *user)
{
    uint64_t at = 0;
    for (uint32_t i = 0; i < parts->count; i++) {
        struct part *part = &parts->items[i];
        part->offset = (uint32_t)at;
        part->crc = libdeflate_crc32(0, part->bytes.data, part->bytes.size);
        const struct zip_file file = part_record(part, false);
        if (!zip_write_local(&file, sink, user) || (file.size && !sink(user, part->bytes.data, file.size)))
            return false;
        at += ZIP_LOCAL_SIZE + file.name_length + file.size;
    }
    return parts_write_directory(parts, at, false, sink, user);
}

/* ------------------------------------------------------------------------------------------------ reading -- */

/* As parts_write wrote it: one record at the start, one row, and the end. */
bool parts_only(struct pose_bytes zip, struct pose_bytes *file)
{
    enum { END = 22, COUNT_AT = 10, SIZE_AT = 24 };
    struct reader whole, end, row;
    reader_init(&whole, zip, NULL);
    if (zip.size < END || !reader_part(&whole, &end, zip.size - END, END, "end"))
        return false;
    reader_skip(&end, COUNT_AT, "end");
    if (reader_u16le(&end, "count") != 1)
        return false;
    uint64_t row_size = reader_u32le(&end, "size"), row_at = reader_u32le(&end, "offset");
    if (!reader_part(&whole, &row, row_at, row_size, "row"))
        return false;
    reader_skip(&row, SIZE_AT, "row");
    uint32_t size = reader_u32le(&row, "size");
    uint32_t name_length = reader_u16le(&row, "name");
    if (row.failed || ZIP_LOCAL_SIZE + (uint64_t)name_length + size > row_at)
        return false;
    *file = (struct pose_bytes){zip.data + ZIP_LOCAL_SIZE + name_length, size};
    return true;
}
