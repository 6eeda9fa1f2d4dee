/*
 * ZIP by its central directory (APPNOTE.TXT of PKWARE, 6.3): the end of the file tells where every entry is, so
 * that one can be read without scanning the others. Little-endian.
 *
 *     end record     u32 "PK\5\6", u16 disk, u16 disk of the directory, u16 entries on it, u16 entries, u32 size
 *                    and u32 offset of the directory, u16 comment length, comment. With zip64 it is preceded by a
 *                    locator ("PK\6\7", u32 disk, u64 offset of the zip64 record, u32 disks), and a record "PK\6\6"
 *                    with 64-bit fields.
 *     directory      per entry 46 bytes, name, extra fields, comment
 *     local header   30 bytes, name, extra fields; then the data
 *
 * Self-extracting programs have a prefix that the offsets do not include: the directory ends at the end record,
 * and the difference between its actual and its stated start is added to every offset.
 */
#include "lib/formats/zip/zip.h"

#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

enum {
    END_SIZE = 22,
    LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    RECORD_SIZE = 46,
    LOCAL_SIZE = 30,
    MAX_COMMENT = 65535,
    MAX_DEFLATE_RATIO = 1032, /* output bytes per input byte */
    METHOD_STORED = 0,
    METHOD_DEFLATE = 8,
    FLAG_ENCRYPTED = 1,
    MADE_BY_UNIX = 3,
};

static const uint32_t end_signature = 0x06054b50, end64_signature = 0x06064b50,
                      locator_signature = 0x07064b50, record_signature = 0x02014b50,
                      local_signature = 0x04034b50;

/* The position of the directory. */
struct directory {
    uint64_t start, end, prefix;
};

/* A row of the directory. */
struct record {
    uint16_t made_by, flags, method;
    uint32_t crc, attributes;
    uint64_t packed, size, offset;
    const uint8_t *name, *extra;
    uint16_t name_length, extra_length;
};

static uint32_t peek_u32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* End records near the end of the file: those whose comment ends with it, otherwise the last one whose comment
 * fits. */
struct ends {
    uint64_t at; /* UINT64_MAX: none */
    unsigned exact;
};

static struct ends find_ends(struct pose_bytes bytes)
{
    struct ends ends = {.at = UINT64_MAX};
    if (bytes.size < END_SIZE)
        return ends;
    size_t last = bytes.size - END_SIZE;
    size_t first = last > MAX_COMMENT ? last - MAX_COMMENT : 0;
    for (size_t at = last + 1; at-- > first;) {
        const uint8_t *p = bytes.data + at;
        if (p[0] != 'P' || peek_u32(p) != end_signature)
            continue;
        size_t end = at + END_SIZE + (p[20] | (size_t)p[21] << 8);
        if (end == bytes.size ? !ends.exact : end < bytes.size && ends.at == UINT64_MAX)
            ends.at = at;
        ends.exact += end == bytes.size;
    }
    return ends;
}

/* If two records end with the file, one is in the other's comment; programs differ in which one they use. */
static bool find_end(struct reader *file, struct pose_bytes bytes, uint64_t *at)
{
    const struct ends ends = find_ends(bytes);
    *at = ends.at;
    if (ends.at == UINT64_MAX)
        return reader_fail_at(file, bytes.size, "end", "no_directory", "the end of the directory is missing");
    return ends.exact < 2 ||
           reader_fail_at(file, ends.at, "end", "two_directories",
                          "%u records of the directory's end end with the file", ends.exact);
}

/* The 64-bit fields, if a locator precedes the end record. */
static bool read_end64(struct reader *file, uint64_t end_at, uint64_t *size, uint64_t *offset,
                       uint64_t *records_end)
{
    struct reader reader;
    if (end_at < LOCATOR_SIZE || peek_u32(file->start + end_at - LOCATOR_SIZE) != locator_signature)
        return true;
    reader_part(file, &reader, end_at - LOCATOR_SIZE, LOCATOR_SIZE, "locator");
    reader_skip(&reader, 8, "locator");
    uint64_t at = reader_u64le(&reader, "locator.offset");
    /* Offsets do not include a prefix here either; the record is then right before the locator. */
    uint64_t before = end_at - LOCATOR_SIZE >= END64_SIZE ? end_at - LOCATOR_SIZE - END64_SIZE : 0;
    if (at > before || peek_u32(file->start + at) != end64_signature)
        at = before;
    if (!reader_part(file, &reader, at, END64_SIZE, "end64"))
        return false;
    if (reader_u32le(&reader, "end64.signature") != end64_signature)
        return reader_fail_at(file, at, "end64", "bad_directory", "the declared zip64 record is missing");
    reader_skip(&reader, 36, "end64");
    *size = reader_u64le(&reader, "end64.directory_size");
    *offset = reader_u64le(&reader, "end64.directory_offset");
    *records_end = at;
    return true;
}

static bool find_directory(struct reader *file, struct pose_bytes bytes, struct directory *directory)
{
    uint64_t end_at;
    struct reader end;
    if (!find_end(file, bytes, &end_at))
        return false;
    reader_part(file, &end, end_at, END_SIZE, "end");
    reader_skip(&end, 4, "end.signature");
    if (reader_u16le(&end, "end.disk") != 0 || reader_u16le(&end, "end.directory_disk") != 0)
        return reader_fail_at(file, end_at + 4, "end.disk", "several_disks",
                              "multi-part archives are not supported");
    reader_skip(&end, 4, "end.entries");
    uint64_t size = reader_u32le(&end, "end.directory_size");
    uint64_t offset = reader_u32le(&end, "end.directory_offset");
    directory->end = end_at;
    if (!read_end64(file, end_at, &size, &offset, &directory->end))
        return false;
    if (size > directory->end || offset > directory->end - size)
        return reader_fail_at(file, end_at + 12, "end.directory_offset", "bad_directory",
                              "%llu bytes at %llu do not lie before it", (unsigned long long)size,
                              (unsigned long long)offset);
    directory->start = directory->end - size;
    directory->prefix = directory->start - offset;
    return true;
}

/* Fields whose bits are all 1 are stored in the zip64 extra field 1, in this order. */
static bool read_zip64(struct reader *reader, struct record *record)
{
    struct reader extra;
    struct pose_bytes bytes = {record->extra, record->extra_length};
    reader_init(&extra, bytes, NULL);
    while (reader_left(&extra) >= 4) {
        uint16_t id = reader_u16le(&extra, "id"), size = reader_u16le(&extra, "size");
        if (size > reader_left(&extra))
            break;
        struct reader field;
        reader_part(&extra, &field, reader_offset(&extra), size, "field");
        reader_skip(&extra, size, "field");
        if (id != 1)
            continue;
        uint64_t *const values[] = {&record->size, &record->packed, &record->offset};
        for (int i = 0; i < 3; i++) {
            if (*values[i] == UINT32_MAX)
                *values[i] = reader_u64le(&field, "value");
        }
        return !field.failed ||
               reader_fail(reader, "bad_directory", "a zip64 field of %u bytes is too short", size);
    }
    return true;
}

static bool read_record(struct reader *reader, struct record *record)
{
    if (reader_u32le(reader, "signature") != record_signature)
        return reader_fail(reader, "bad_directory", "not a directory record");
    record->made_by = reader_u16le(reader, "made_by");
    reader_skip(reader, 2, "version");
    record->flags = reader_u16le(reader, "flags");
    record->method = reader_u16le(reader, "method");
    reader_skip(reader, 4, "time");
    record->crc = reader_u32le(reader, "crc");
    record->packed = reader_u32le(reader, "packed_size");
    record->size = reader_u32le(reader, "size");
    record->name_length = reader_u16le(reader, "name_length");
    record->extra_length = reader_u16le(reader, "extra_length");
    uint16_t comment_length = reader_u16le(reader, "comment_length");
    reader_skip(reader, 4, "disk");
    record->attributes = reader_u32le(reader, "attributes");
    record->offset = reader_u32le(reader, "offset");
    record->name = reader_bytes(reader, record->name_length, "name");
    record->extra = reader_bytes(reader, record->extra_length, "extra");
    reader_skip(reader, comment_length, "comment");
    return !reader->failed && read_zip64(reader, record);
}

/* By the mode stored by Unix systems; others have no links or devices in a ZIP. */
static const char *skipped_reason(const struct record *record)
{
    if (record->made_by >> 8 != MADE_BY_UNIX)
        return NULL;
    switch (record->attributes >> 28) {
    case 0xa:
        return "link";
    case 0x1: /* a pipe */
    case 0x2:
    case 0x6:
    case 0xc:
        return "device";
    default:
        return NULL;
    }
}

static bool is_folder(const struct record *record)
{
    uint8_t last = record->name_length ? record->name[record->name_length - 1] : 0;
    return (last == '/' || last == '\\') && record->size == 0;
}

/* Makes room for one more entry in the archive's two arrays. */
static bool grow(struct pose_archive *archive, struct zip_row **rows, uint32_t *capacity)
{
    uint32_t before = *capacity;
    struct pose_entry *entries =
        arena_grow(&archive->arena, archive->entries, archive->entry_count, capacity, sizeof *entries);
    struct zip_row *more = arena_grow(&archive->arena, *rows, archive->entry_count, &before, sizeof *more);
    if (!entries || !more)
        return false;
    archive->entries = entries;
    *rows = more;
    return true;
}

static void add_entry(struct pose_archive *archive, const struct record *record, uint64_t prefix, uint64_t at,
                      struct zip_row *row)
{
    uint32_t index = archive->entry_count++;
    struct pose_entry *entry = &archive->entries[index];
    *row = (struct zip_row){
        .start = record->offset + prefix,
        .way = record->method == METHOD_STORED || record->method == METHOD_DEFLATE ? ZIP_DIRECT : ZIP_STREAM,
        .method = record->method,
        .crc = record->crc,
        .packed = record->packed};
    *entry = (struct pose_entry){.size = record->size, .skipped = skipped_reason(record)};
    zip_set_name(archive, index, archive_name(&archive->arena, record->name, record->name_length), at);
    if (entry->error)
        return;
    uint64_t size = archive->bytes.size;
    if (record->flags & FLAG_ENCRYPTED)
        zip_reject(archive, index, POSE_UNSUPPORTED, "encrypted", at, "the entry is encrypted");
    else if (record->offset > size - prefix || LOCAL_SIZE > size - row->start ||
             record->packed > size - row->start - LOCAL_SIZE)
        zip_reject(archive, index, POSE_BAD_DATA, "entry_range", at, "the entry is outside the file");
    else if (record->method == METHOD_STORED && record->packed != record->size)
        zip_reject(archive, index, POSE_BAD_DATA, "size_mismatch", at,
                   "stored uncompressed, but with another size");
}

/* An entry by the start of its header. */
struct placed {
    uint64_t start, end;
    uint32_t index;
};

static int compare_places(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    if (x->start != y->start)
        return x->start < y->start ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Entries of legitimate ZIPs never share data; in a zip bomb a thousand may share the same few kilobytes. */
static void reject_overlaps(struct pose_archive *archive, const struct zip_row *rows)
{
    struct placed *places = ARENA_NEW(&archive->arena, struct placed, archive->entry_count);
    uint32_t count = 0;
    for (uint32_t i = 0; places && i < archive->entry_count; i++) {
        if (!archive->entries[i].error)
            places[count++] = (struct placed){rows[i].start, rows[i].start + LOCAL_SIZE + rows[i].packed, i};
    }
    if (count)
        qsort(places, count, sizeof *places, compare_places);
    uint64_t end = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (places[i].start < end)
            zip_reject(archive, places[i].index, POSE_BAD_DATA, "overlap", places[i].start,
                       "the entry overlaps another one");
        end = places[i].end > end ? places[i].end : end;
    }
}

bool zip_directory_open(struct pose_archive *archive, struct pose_error *error)
{
    struct reader file, reader;
    struct directory directory = {0};
    struct zip_row *rows = NULL;
    uint32_t capacity = 0;
    reader_init(&file, archive->bytes, error);
    if (!find_directory(&file, archive->bytes, &directory))
        return false;
    reader_part(&file, &reader, directory.start, directory.end - directory.start, "directory");
    for (uint32_t i = 0; reader_left(&reader); i++) {
        struct record record = {0};
        uint64_t at = reader_offset(&reader);
        reader_enter(&reader, "directory", i);
        if (!read_record(&reader, &record))
            return false;
        reader_leave(&reader);
        if (is_folder(&record))
            continue;
        if (!archive_check_count(archive, (uint64_t)archive->entry_count + 1, error) ||
            !grow(archive, &rows, &capacity))
            return false;
        add_entry(archive, &record, directory.prefix, at, &rows[archive->entry_count]);
    }
    reject_overlaps(archive, rows);
    archive->rows = rows;
    return !archive->arena.failed;
}

/* --------------------------------------------------------------------------------------------- reading -- */

/* The position of the data: after the local header, whose name and extra fields may differ from the directory's. */
static bool find_data(const struct read_job *job, const struct zip_row *row, struct reader *data)
{
    struct reader file, header;
    reader_init(&file, job->archive->bytes, job->error);
    reader_enter(&file, "entries", job->index);
    if (!reader_part(&file, &header, row->start, LOCAL_SIZE, "header"))
        return false;
    if (reader_u32le(&header, "header.signature") != local_signature)
        return reader_fail(&header, "bad_header", "not the header of an entry");
    reader_skip(&header, 22, "header");
    uint32_t name_length = reader_u16le(&header, "header.name_length");
    uint32_t extra_length = reader_u16le(&header, "header.extra_length");
    return reader_part(&file, data, row->start + LOCAL_SIZE + name_length + extra_length, row->packed,
                       "data");
}

bool zip_directory_read(struct read_job *job, const struct zip_row *row)
{
    uint64_t size = job->archive->entries[job->index].size;
    struct reader data;
    if (!find_data(job, row, &data) || !archive_check_size(job->archive, size, row->packed, job->error))
        return false;
    uint64_t at = reader_offset(&data);
    if (row->method == METHOD_STORED) {
        read_plain(job, at, (size_t)size);
    } else {
        if (size / MAX_DEFLATE_RATIO > row->packed)
            return reader_fail_at(&data, at, "data", "size_mismatch", "%llu bytes cannot unpack to %llu",
                                  (unsigned long long)row->packed, (unsigned long long)size);
        if (!zip_inflate(job, data.at, reader_left(&data), (size_t)size))
            return reader_fail_at(&data, at, "data", "bad_deflate", "they do not unpack to %llu bytes",
                                  (unsigned long long)size);
    }
    uint32_t crc = libdeflate_crc32(0, job->out->data, job->out->size);
    return crc == row->crc ||
           reader_fail_at(&data, at, "data", "bad_crc", "the checksum is %08x, not %08x", crc, row->crc);
}
