#include "server/uploads/parts.h"

#include "lib/core/bytes/zip_records.h"

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
    parts->items[parts->count++] = (struct part){copy, bytes};
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

static bool write_files(const struct parts *parts, struct zip_file *files, parts_sink *sink, void *user)
{
    uint64_t offset = 0;
    for (uint32_t i = 0; i < parts->count; i++) {
        const struct part *part = &parts->items[i];
        uint32_t size = (uint32_t)part->bytes.size;
        uint8_t record[ZIP_LOCAL_SIZE];
        files[i] = (struct zip_file){.name_length = strlen(part->name),
                                     .crc = libdeflate_crc32(0, part->bytes.data, size),
                                     .packed = size,
                                     .size = size,
                                     .offset = (uint32_t)offset};
        zip_put_local(record, &files[i]);
        if (!sink(user, record, sizeof record) || !sink(user, part->name, files[i].name_length) ||
            (size && !sink(user, part->bytes.data, size)))
            return false;
        offset += sizeof record + files[i].name_length + size;
    }
    return true;
}

static bool write_directory(const struct parts *parts, const struct zip_file *files, parts_sink *sink,
                            void *user)
{
    uint64_t offset = 0, size = 0;
    for (uint32_t i = 0; i < parts->count; i++) {
        uint8_t row[ZIP_ROW_SIZE];
        zip_put_row(row, &files[i]);
        if (!sink(user, row, sizeof row) || !sink(user, parts->items[i].name, files[i].name_length))
            return false;
        size += sizeof row + files[i].name_length;
        offset += ZIP_LOCAL_SIZE + files[i].name_length + files[i].size;
    }
    uint8_t end[ZIP_MAX_END];
    return sink(user, end, zip_put_end(end, parts->count, size, offset));
}

bool parts_write(const struct parts *parts, parts_sink *sink, void *user)
{
    struct zip_file *files = try_alloc(parts->count, sizeof *files);
    bool done = files && write_files(parts, files, sink, user) && write_directory(parts, files, sink, user);
    free(files);
    return done;
}
