#include "lib/core/bytes/zip_records.h"

#include <string.h>

enum {
    VERSION = 20,
    VERSION_64 = 45,
    FLAG_STREAMED = 8,
    FLAG_UTF8 = 0x800,
    DOS_DATE = 0x21, /* the first of January 1980 */
    ROW_SIZE = 46,   /* before the name of a file in the directory */
    MAX_END = 98,
};

static uint8_t *put16(uint8_t *at, uint32_t value)
{
    *at++ = (uint8_t)value;
    *at++ = (uint8_t)(value >> 8);
    return at;
}

static uint8_t *put32(uint8_t *at, uint32_t value)
{
    return put16(put16(at, value & 0xffff), value >> 16);
}

static uint8_t *put64(uint8_t *at, uint64_t value)
{
    return put32(put32(at, (uint32_t)value), (uint32_t)(value >> 32));
}

/* The fields that both records share: from "version needed" to the length of the extra field. */
static uint8_t *put_common(uint8_t *at, const struct zip_file *file)
{
    at = put16(at, VERSION);
    at = put16(at, file->is_streamed ? FLAG_UTF8 | FLAG_STREAMED : FLAG_UTF8);
    at = put16(at, file->method);
    at = put16(at, 0); /* the time */
    at = put16(at, DOS_DATE);
    at = put32(at, file->crc);
    at = put32(at, file->packed);
    at = put32(at, file->size);
    at = put16(at, (uint32_t)file->name_length);
    return put16(at, 0);
}

struct zip_file zip_stored(const char *name, uint32_t crc, uint32_t size, uint32_t offset)
{
    return (struct zip_file){.name = name,
                             .name_length = strlen(name),
                             .method = ZIP_STORED,
                             .crc = crc,
                             .packed = size,
                             .size = size,
                             .offset = offset};
}

void zip_put_local(uint8_t record[ZIP_LOCAL_SIZE], const struct zip_file *file)
{
    struct zip_file known = *file;
    if (file->is_streamed)
        known.crc = known.packed = known.size = 0;
    put_common(put32(record, 0x04034b50), &known);
}

void zip_put_after(uint8_t record[ZIP_AFTER_SIZE], const struct zip_file *file)
{
    put32(put32(put32(put32(record, 0x08074b50), file->crc), file->packed), file->size);
}

bool zip_write_local(const struct zip_file *file, zip_sink *sink, void *user)
{
    uint8_t record[ZIP_LOCAL_SIZE];
    zip_put_local(record, file);
    return sink(user, record, sizeof record) && sink(user, file->name, file->name_length);
}

bool zip_directory_add(struct zip_directory *directory, const struct zip_file *file)
{
    enum { COMMENT_DISK_ATTRIBUTES = 10 };
    uint8_t row[ROW_SIZE];
    uint8_t *at = put_common(put16(put32(row, 0x02014b50), VERSION), file);
    memset(at, 0, COMMENT_DISK_ATTRIBUTES);
    put32(at + COMMENT_DISK_ATTRIBUTES, file->offset);
    directory->count++;
    directory->size += sizeof row + file->name_length;
    return directory->sink(directory->user, row, sizeof row) &&
           directory->sink(directory->user, file->name, file->name_length);
}

/* The record of zip64, and the locator that says where it is: at `at` of the file. */
static uint8_t *put_end64(uint8_t *record, uint32_t count, uint64_t size, uint64_t offset)
{
    enum { REST_OF_RECORD = 44 };
    uint8_t *at = put64(put32(record, 0x06064b50), REST_OF_RECORD);
    at = put32(put16(put16(at, VERSION_64), VERSION_64), 0);
    at = put64(put64(put32(at, 0), count), count);
    at = put64(put64(at, size), offset);
    at = put64(put32(put32(at, 0x07064b50), 0), offset + size);
    return put32(at, 1);
}

bool zip_directory_end(const struct zip_directory *directory, uint64_t offset)
{
    uint8_t record[MAX_END];
    uint32_t count = directory->count, shown = count < 0xffff ? count : 0xffff;
    uint8_t *at = count < 0xffff ? record : put_end64(record, count, directory->size, offset);
    at = put32(put32(at, 0x06054b50), 0);
    at = put16(put16(at, shown), shown);
    at = put32(put32(at, (uint32_t)directory->size), (uint32_t)offset);
    return directory->sink(directory->user, record, (size_t)(put16(at, 0) - record));
}
