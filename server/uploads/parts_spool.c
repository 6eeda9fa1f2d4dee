#include "server/uploads/parts_spool.h"

#include <libdeflate.h>
#include <string.h>
#include <sys/mman.h>

void parts_spool_init(struct parts_spool *spool, struct draft *draft)
{
    memset(spool, 0, offsetof(struct parts_spool, buffer));
    spool->draft = draft;
}

void parts_spool_release(struct parts_spool *spool)
{
    parts_release(&spool->parts);
}

static bool flush(struct parts_spool *spool)
{
    size_t size = spool->buffered;
    spool->buffered = 0;
    return draft_append(spool->draft, spool->buffer, size, &spool->error);
}

/* Small pieces are collected: a form may have many tiny files. */
static bool put(void *user, const void *data, size_t size)
{
    struct parts_spool *spool = user;
    if (size > sizeof spool->buffer - spool->buffered && !flush(spool))
        return false;
    if (size > sizeof spool->buffer)
        return draft_append(spool->draft, data, size, &spool->error);
    memcpy(spool->buffer + spool->buffered, data, size);
    spool->buffered += size;
    return true;
}

static uint64_t written(const struct parts_spool *spool)
{
    return spool->draft->size + spool->buffered;
}

static bool has_room(struct parts_spool *spool, size_t size)
{
    spool->is_too_large |= size > PARTS_MOST_BYTES || written(spool) > PARTS_MOST_BYTES - size;
    return !spool->is_too_large;
}

bool parts_spool_begin(struct parts_spool *spool, const char *name)
{
    if (!has_room(spool, ZIP_LOCAL_SIZE))
        return true;
    if (!parts_add(&spool->parts, name, (struct pose_bytes){0}))
        return store_fail(&spool->error, STORE_DOWN, "out of memory");
    struct part *part = &spool->parts.items[spool->parts.count - 1];
    part->offset = (uint32_t)written(spool);
    const struct zip_file file = part_record(part, true);
    return zip_write_local(&file, put, spool);
}

bool parts_spool_add(struct parts_spool *spool, const void *data, size_t size)
{
    if (!has_room(spool, size))
        return true;
    struct part *part = &spool->parts.items[spool->parts.count - 1];
    part->crc = libdeflate_crc32(part->crc, data, size);
    part->bytes.size += size;
    return put(spool, data, size);
}

bool parts_spool_end(struct parts_spool *spool)
{
    uint8_t record[ZIP_AFTER_SIZE];
    if (!has_room(spool, sizeof record))
        return true;
    struct zip_file file = part_record(&spool->parts.items[spool->parts.count - 1], true);
    zip_put_after(record, &file);
    return put(spool, record, sizeof record);
}

static void point(struct parts *parts, const uint8_t *zip)
{
    for (uint32_t i = 0; i < parts->count; i++) {
        struct part *part = &parts->items[i];
        part->bytes.data = part->bytes.size ? zip + part->offset + ZIP_LOCAL_SIZE + strlen(part->name) : NULL;
    }
}

/* Parts of the same name are sorted by their bytes, which are in the file. */
static bool sort(struct parts_spool *spool)
{
    size_t size = (size_t)spool->draft->size;
    void *zip = size ? mmap(NULL, size, PROT_READ, MAP_SHARED, spool->draft->fd, 0) : NULL;
    if (zip == MAP_FAILED)
        return store_fail_errno(&spool->error, "reading an upload");
    point(&spool->parts, zip);
    parts_sort(&spool->parts);
    if (zip)
        munmap(zip, size);
    return true;
}

bool parts_spool_finish(struct parts_spool *spool)
{
    if (!flush(spool) || !sort(spool) ||
        !parts_write_directory(&spool->parts, spool->draft->size, true, put, spool) || !flush(spool) ||
        !draft_finish(spool->draft, &spool->error))
        return false;
    point(&spool->parts, spool->draft->data);
    return true;
}
