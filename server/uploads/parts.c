#include "server/uploads/parts.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

enum { LOCAL_SIZE = 30, RECORD_SIZE = 46, END_SIZE = 22, MAX_NAME = 1024 };

/* A path that is too long keeps its end, since the extension says what the file may be: whole steps of it, so that no
 * half of one looks like a root or a step upwards; of a last step that is too long itself whole characters. */
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

static uint8_t *put16(uint8_t *at, uint32_t value)
{
    *at++ = (uint8_t)value;
    *at++ = (uint8_t)(value >> 8);
    return at;
}

static uint8_t *put32(uint8_t *at, uint64_t value)
{
    return put16(put16(at, (uint32_t)value & 0xffff), (uint32_t)(value >> 16) & 0xffff);
}

/* What local header and directory have in common: from "version needed" to the length of the extra field. */
static uint8_t *put_common(uint8_t *at, const struct part *part, uint32_t crc)
{
    enum { VERSION = 20, UTF8 = 0x800, STORED = 0, DOS_TIME = 0, DOS_DATE = 0x21 };
    at = put16(at, VERSION);
    at = put16(at, UTF8);
    at = put16(at, STORED);
    at = put16(at, DOS_TIME);
    at = put16(at, DOS_DATE);
    at = put32(at, crc);
    at = put32(at, part->bytes.size);
    at = put32(at, part->bytes.size);
    at = put16(at, (uint32_t)strlen(part->name));
    return put16(at, 0);
}

static bool write_files(const struct parts *parts, uint32_t *crcs, parts_sink *sink, void *user)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        const struct part *part = &parts->items[i];
        uint8_t head[LOCAL_SIZE];
        crcs[i] = libdeflate_crc32(0, part->bytes.data, part->bytes.size);
        put_common(put32(head, 0x04034b50), part, crcs[i]);
        if (!sink(user, head, sizeof head) || !sink(user, part->name, strlen(part->name)) ||
            (part->bytes.size && !sink(user, part->bytes.data, part->bytes.size)))
            return false;
    }
    return true;
}

static bool write_directory(const struct parts *parts, const uint32_t *crcs, parts_sink *sink, void *user)
{
    enum { MADE_BY = 20 };
    uint64_t offset = 0, size = 0;
    for (uint32_t i = 0; i < parts->count; i++) {
        const struct part *part = &parts->items[i];
        uint8_t row[RECORD_SIZE] = {0};
        uint8_t *at = put_common(put16(put32(row, 0x02014b50), MADE_BY), part, crcs[i]);
        put32(at + 10, offset); /* after comment, disk and attributes, which are 0 */
        if (!sink(user, row, sizeof row) || !sink(user, part->name, strlen(part->name)))
            return false;
        size += sizeof row + strlen(part->name);
        offset += LOCAL_SIZE + strlen(part->name) + part->bytes.size;
    }
    uint8_t end[END_SIZE] = {0};
    uint8_t *at = put32(put32(end, 0x06054b50), 0);
    uint32_t count = parts->count < 0xffff ? parts->count : 0xffff;
    at = put16(put16(at, count), count);
    put32(put32(at, size), offset);
    return sink(user, end, sizeof end);
}

bool parts_write(const struct parts *parts, parts_sink *sink, void *user)
{
    uint32_t *crcs = try_alloc(parts->count, sizeof *crcs);
    bool done = crcs && write_files(parts, crcs, sink, user) && write_directory(parts, crcs, sink, user);
    free(crcs);
    return done;
}
