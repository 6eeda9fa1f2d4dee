/*
 * DBPF 2.0 and 2.1, the packages of The Sims 3 and 4. Little-endian.
 *
 *     0   4 bytes "DBPF"       36  u32 number of entries             64  u64 offset of the index
 *     4   u32 major, 2         40  u32 offset of the index, used     72  24 reserved bytes
 *     8   u32 minor, 0 or 1        only when the 64-bit one is 0
 *                              44  u32 size of the index
 *
 *     index:  u32 flags, then the constant value of every field whose bit is set, then per entry the others:
 *             0 type, 1 group, 2 and 3 instance (high, low), 4 offset, 5 stored size and bit 31 "extended",
 *             6 size in memory, 7 u16 compression and u16 committed
 *
 * Field 7 is complete if the record is marked "extended", as all real ones are; otherwise readers disagree about
 * its length, so the length under which the index is consistent is used. dbpf.md distinguishes what was seen in
 * real packages from what is only documented.
 */
#include "lib/formats/sims3/dbpf.h"
#include "lib/formats/pages.h"

#include "lib/core/text.h"
#include "lib/packing/refpack.h"

#include <libdeflate.h>
#include <stdio.h>
#include <string.h>

enum {
    FIELDS = 8,
    FIELD_POSITION = 4,
    FIELD_STORED = 5,
    FIELD_MEMORY = 6,
    FIELD_COMPRESSION = 7,
    MAX_DEFLATE_RATIO = 1032, /* output bytes per input byte */
};

static const uint32_t extended_bit = 0x80000000u;

static const struct pose_format formats[] = {
    ARCHIVE_FORMAT("dbpf", "Package of The Sims 3", ".package .dbc", "application/octet-stream"),
    {.id = NULL},
};

static enum probe_result dbpf_probe(const struct pose_source *source)
{
    const uint8_t *p = source->bytes.data;
    if (source->bytes.size >= 4 && (!memcmp(p, "DBPF", 4) || !memcmp(p, "DBPP", 4)))
        return PROBE_SURE;
    return source->name && text_has_extension(source->name, ".package") ? PROBE_NAME : PROBE_NO;
}

/* ------------------------------------------------------------------------------------------- the header -- */

static bool read_header(struct reader *reader, uint32_t *count, uint64_t *index_at, uint32_t *index_size)
{
    size_t size = reader_left(reader);
    const uint8_t *magic = reader_bytes(reader, 4, "magic");
    if (magic && !memcmp(magic, "DBPP", 4)) {
        error_set(reader->error, POSE_UNSUPPORTED, "encrypted_package",
                  "magic at byte 0: DBPP, an encrypted package");
        reader->error->offset = 0;
        return false;
    }
    if (magic && memcmp(magic, "DBPF", 4) != 0)
        return reader_fail(reader, "bad_magic", "not DBPF");
    if (size < DBPF_HEADER)
        return reader_fail_at(reader, size, NULL, "truncated", "%zu bytes, the header has %d", size,
                              DBPF_HEADER);
    uint32_t major = reader_u32le(reader, "major");
    if (major != 2)
        return reader_fail(reader, "bad_version", "%u, only version 2 is supported", major);
    reader_seek(reader, 36, "entry_count");
    *count = reader_u32le(reader, "entry_count");
    uint32_t old_index_at = reader_u32le(reader, "old_index_position");
    uint64_t old_offset = reader_last_offset(reader);
    *index_size = reader_u32le(reader, "index_size");
    reader_seek(reader, 64, "index_position");
    *index_at = reader_u64le(reader, "index_position");
    uint64_t offset = *index_at ? reader_last_offset(reader) : old_offset;
    *index_at = *index_at ? *index_at : old_index_at;
    if (*count && (*index_at < DBPF_HEADER || *index_at > size || *index_size > size - *index_at))
        return reader_fail_at(reader, offset, "index_position", "index_range",
                              "%u bytes at %llu are not between the header and the end of the file at %zu",
                              *index_size, (unsigned long long)*index_at, size);
    return !reader->failed;
}

/* -------------------------------------------------------------------------------------------- the index -- */

struct dbpf_index {
    uint32_t flags;
    uint32_t constants[FIELDS];
    uint64_t at;
    unsigned fixed_size; /* of a record, without field 7 */
    bool unextended;     /* some record is not marked "extended" */
    bool plausible;      /* every record lies in the file and has a known compression */
};

static const char *const field_names[FIELDS] = {"type",     "group",       "instance_high", "instance_low",
                                                "position", "stored_size", "memory_size",   "compression"};

static bool is_constant(const struct dbpf_index *index, unsigned field)
{
    return index->flags >> field & 1;
}

/* The position of a field of a record: constant ones once after the flags, the others in each record. */
static uint64_t field_offset(const struct dbpf_index *index, const struct dbpf_row *row, unsigned field)
{
    bool constant = is_constant(index, field);
    uint64_t at = constant ? index->at + 4 : row->at;
    for (unsigned i = 0; i < field; i++)
        at += is_constant(index, i) == constant ? 4 : 0;
    return at;
}

static bool read_flags(struct reader *reader, struct dbpf_index *index)
{
    index->at = reader_offset(reader);
    index->flags = reader_u32le(reader, "index.flags");
    if (index->flags > 0xff)
        return reader_fail(reader, "bad_index_flags", "0x%x, only bits 0 to 7 are supported", index->flags);
    for (unsigned i = 0; i < FIELDS; i++) {
        if (is_constant(index, i))
            index->constants[i] = reader_u32le(reader, field_names[i]);
        else if (i != FIELD_COMPRESSION)
            index->fixed_size += 4;
    }
    return !reader->failed;
}

/* The minimum size of a record. */
static unsigned smallest_record(const struct dbpf_index *index)
{
    bool extended = is_constant(index, FIELD_STORED) && index->constants[FIELD_STORED] & extended_bit;
    return index->fixed_size + (extended && !is_constant(index, FIELD_COMPRESSION) ? 4 : 0);
}

/* Field 7 of a record: 4 bytes, 2 (only committed) or none. Without a compression code a resource is
 * uncompressed. */
static uint16_t read_compression(struct reader *reader, const struct dbpf_index *index, unsigned length)
{
    if (is_constant(index, FIELD_COMPRESSION))
        return (uint16_t)index->constants[FIELD_COMPRESSION];
    uint16_t compression = length == 4 ? reader_u16le(reader, "compression") : DBPF_STORED;
    if (length)
        reader_u16le(reader, "committed");
    return compression;
}

static bool is_known(uint16_t compression)
{
    return compression == DBPF_STORED || compression == DBPF_REFPACK || compression == DBPF_REFPACK_STREAM ||
           compression == DBPF_ZLIB || compression == DBPF_DELETED;
}

static bool is_inside(const struct dbpf_row *row, size_t file_size)
{
    return row->offset <= file_size && row->stored <= file_size - row->offset;
}

static bool read_row(struct reader *reader, struct dbpf_index *index, unsigned length, struct dbpf_row *row)
{
    uint32_t values[FIELDS];
    row->at = reader_offset(reader);
    for (unsigned i = 0; i < FIELD_COMPRESSION; i++)
        values[i] = is_constant(index, i) ? index->constants[i] : reader_u32le(reader, field_names[i]);
    bool extended = values[FIELD_STORED] & extended_bit;
    index->unextended |= !extended;
    row->type = values[0];
    row->group = values[1];
    row->instance = (uint64_t)values[2] << 32 | values[3];
    row->offset = values[4];
    row->stored = values[FIELD_STORED] & ~extended_bit;
    row->size = values[6];
    row->compression = read_compression(reader, index, extended ? 4 : length);
    return !reader->failed;
}

/* Reads the records at the reader's position; length is that of field 7 in records not marked extended. */
static bool read_rows(const struct reader *at, struct dbpf_index *index, unsigned length, size_t file_size,
                      struct dbpf_row *rows, uint32_t count, struct pose_error *error)
{
    struct reader reader = *at;
    reader.error = error;
    index->unextended = false;
    index->plausible = true;
    for (uint32_t i = 0; i < count; i++) {
        reader_enter(&reader, "entries", i);
        if (!read_row(&reader, index, length, &rows[i]))
            return false;
        reader_leave(&reader);
        index->plausible &= is_known(rows[i].compression) && is_inside(&rows[i], file_size);
    }
    index->plausible &= reader_left(&reader) == 0;
    return true;
}

/* The first length of field 7 under which the whole index is consistent, otherwise the full length. */
static bool choose_length(const struct reader *reader, struct dbpf_index *index, size_t file_size,
                          struct dbpf_row *rows, uint32_t count, struct pose_error *error)
{
    struct pose_error trial;
    for (unsigned length = 4; length <= 4; length -= 2) { /* 4, 2, 0; then it wraps */
        pose_error_init(&trial);
        bool done = read_rows(reader, index, length, file_size, rows, count, &trial);
        if (done && (index->plausible || !index->unextended))
            return true;
    }
    return read_rows(reader, index, 4, file_size, rows, count, error);
}

static bool read_index(struct pose_archive *archive, struct reader *file, uint64_t at, uint32_t size,
                       uint32_t count, struct dbpf_index *index, struct dbpf_row **rows,
                       struct pose_error *error)
{
    struct reader reader;
    if (!reader_part(file, &reader, at, size, "index") || !read_flags(&reader, index))
        return false;
    unsigned smallest = smallest_record(index);
    if (!smallest && count > 1)
        return reader_fail_at(&reader, 36, "entry_count", "count_too_large", "%u entries of 0 bytes", count);
    if (smallest > reader_left(&reader) / count)
        return reader_fail_at(&reader, 36, "entry_count", "count_too_large",
                              "%u entries of %u bytes promised, %zu bytes left", count, smallest,
                              reader_left(&reader));
    if (!archive_check_count(archive, count, error))
        return false;
    *rows = ARENA_NEW(&archive->arena, struct dbpf_row, count);
    return *rows && choose_length(&reader, index, archive->bytes.size, *rows, count, error);
}

/* ---------------------------------------------------------------------------------------------- entries -- */

static void set_kind(struct pose_entry *entry, uint32_t type)
{
    static const struct {
        uint32_t type;
        const char *kind, *format;
    } known[] = {
        {DBPF_CLIP, "clip", "sims3-clip"},      {DBPF_RIG, "skeleton", "sims3-rig"},
        {DBPF_GEOM, "mesh", "sims3-geom"},      {DBPF_VPXY, "character", "sims3-vpxy"},
        {DBPF_CASP, "character", "sims3-casp"}, {DBPF_MODL, "mesh", "sims3-modl"},
        {DBPF_MLOD, "mesh", "sims3-mlod"},      {DBPF_TEXTURE, "image", "sims3-dds"},
    };
    entry->kind = "other";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (known[i].type == type) {
            entry->kind = known[i].kind;
            entry->format = known[i].format;
        }
    }
}

/* The two bytes that RefPack and zlib begin with; NULL: they are not in the file. */
static const uint8_t *signature_of(const struct pose_archive *archive, const struct dbpf_row *row)
{
    bool has_one = is_inside(row, archive->bytes.size) && row->stored >= 2;
    return has_one ? archive->bytes.data + row->offset : NULL;
}

/*
 * Games go by the sizes, whatever the mark says: equal ones are stored, different ones packed as their bytes begin, and 1
 * with 0xffffffff is deleted. What begins like nothing packed is what its mark says.
 */
static void settle_compression(const struct pose_archive *archive, struct dbpf_row *row)
{
    if (row->stored == 1 && row->size == UINT32_MAX)
        row->compression = DBPF_DELETED;
    if (row->compression == DBPF_DELETED || !is_known(row->compression))
        return;
    const uint8_t *p = signature_of(archive, row);
    if (row->stored == row->size)
        row->compression = DBPF_STORED;
    else if (p && p[1] == 0xfb)
        row->compression = DBPF_REFPACK;
    else if (p && (p[0] & 15) == 8 && (p[0] * 256 + p[1]) % 31 == 0)
        row->compression = DBPF_ZLIB;
}

/* Whether so few bytes can unpack to so many. */
static bool can_unpack(const struct dbpf_row *row)
{
    if (row->compression == DBPF_STORED)
        return row->stored == row->size;
    return row->compression == DBPF_ZLIB ? row->size / MAX_DEFLATE_RATIO <= row->stored
                                         : row->size <= refpack_bound(row->stored);
}

/* Checks an entry as far as its record shows errors. A size that cannot be true would count against the limit of the
 * whole package. */
static void check_row(struct pose_archive *archive, const struct dbpf_index *layout, uint32_t index)
{
    const struct dbpf_row *row = &((const struct dbpf_row *)archive->rows)[index];
    struct pose_error error;
    struct reader reader;
    pose_error_init(&error);
    reader_init(&reader, archive->bytes, &error);
    reader_enter(&reader, "entries", index);
    if (row->compression == DBPF_DELETED)
        archive->entries[index].skipped = "deleted";
    else if (!is_inside(row, archive->bytes.size))
        reader_fail_at(&reader, field_offset(layout, row, FIELD_POSITION), "position", "entry_range",
                       "%u bytes at %u lie outside of the file, which ends at %zu", row->stored, row->offset,
                       archive->bytes.size);
    else if (!is_known(row->compression))
        reader_fail_at(&reader, field_offset(layout, row, FIELD_COMPRESSION), "compression",
                       "unknown_compression", "0x%04x", row->compression);
    else if (!can_unpack(row))
        reader_fail_at(&reader, field_offset(layout, row, FIELD_MEMORY), "memory_size", "size_mismatch",
                       row->compression == DBPF_STORED ? "%u, but %u bytes are stored uncompressed"
                                                       : "%u, but %u bytes cannot unpack to that many",
                       row->size, row->stored);
    if (error.status != POSE_OK)
        archive_reject(archive, index, &error);
}

/* The name that a name map gives to the instance, NULL if none does. */
static const char *find_name(const struct pose_archive *archive, uint64_t id)
{
    uint32_t low = 0, high = archive->name_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (archive->names[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < archive->name_count && archive->names[low].id == id ? archive->names[low].text : NULL;
}

/* The key as text, plus "_name" if it has a name. Slashes in the name become "_", as it is not a path. */
static const char *entry_name(struct pose_archive *archive, const struct dbpf_row *row, const char *label)
{
    size_t length = label ? strlen(label) + 1 : 0;
    char *name = arena_alloc(&archive->arena, DBPF_KEY + length + 1, 1);
    if (!name)
        return NULL;
    snprintf(name, DBPF_KEY + 1, "%08X-%08X-%016llX", row->type, row->group,
             (unsigned long long)row->instance);
    if (!label)
        return name;
    name[DBPF_KEY] = '_';
    for (size_t i = 0; label[i]; i++)
        name[DBPF_KEY + 1 + i] = label[i] == '/' || label[i] == '\\' ? '_' : label[i];
    return name;
}

static bool dbpf_open(struct pose_archive *archive, const struct pose_source *source,
                      struct pose_error *error)
{
    struct reader reader;
    uint32_t count = 0, index_size = 0;
    uint64_t index_at = 0;
    struct dbpf_index index = {0};
    struct dbpf_row *rows = NULL;
    reader_init(&reader, source->bytes, error);
    if (!read_header(&reader, &count, &index_at, &index_size))
        return false;
    if (count && !read_index(archive, &reader, index_at, index_size, count, &index, &rows, error))
        return false;
    archive->entries = ARENA_NEW(&archive->arena, struct pose_entry, count);
    if (!archive->entries)
        return false;
    archive->entry_count = count;
    archive->rows = rows;
    for (uint32_t i = 0; i < count; i++) {
        settle_compression(archive, &rows[i]);
        archive->entries[i] = (struct pose_entry){.size = rows[i].size,
                                                  .has_id = true,
                                                  .type = rows[i].type,
                                                  .group = rows[i].group,
                                                  .id = rows[i].instance};
        set_kind(&archive->entries[i], rows[i].type);
        check_row(archive, &index, i);
    }
    dbpf_read_names(archive, rows, count);
    for (uint32_t i = 0; i < count; i++) {
        archive->entries[i].label = find_name(archive, rows[i].instance);
        archive->entries[i].name = entry_name(archive, &rows[i], archive->entries[i].label);
    }
    return !archive->arena.failed;
}

/* --------------------------------------------------------------------------------------------- reading -- */

/* The header of a RefPack body: flags, 0xFB, sizes of 3 or 4 bytes, big-endian. */
static bool read_refpack_header(struct reader *data, uint32_t expected)
{
    enum { LARGE = 0x80, HAS_STORED_SIZE = 0x01, ALWAYS = 0x10, NEVER = 0x2e };
    uint8_t flags = reader_u8(data, "signature");
    uint8_t signature = reader_u8(data, "signature");
    if (!data->failed && (signature != 0xfb || !(flags & ALWAYS) || (flags & NEVER)))
        return reader_fail_at(data, reader_last_offset(data) - 1, "signature", "bad_signature",
                              "%02X %02X is not the signature of RefPack", flags, signature);
    unsigned length = flags & LARGE ? 4 : 3;
    if (flags & HAS_STORED_SIZE)
        reader_skip(data, length, "compressed_size");
    const uint8_t *p = reader_bytes(data, length, "size");
    uint32_t size = 0;
    for (unsigned i = 0; p && i < length; i++)
        size = size << 8 | p[i];
    if (p && size != expected)
        return reader_fail(data, "size_mismatch", "%u, the index says %u", size, expected);
    return !data->failed;
}

static bool read_refpack(struct read_job *job, struct reader *data, const struct dbpf_row *row)
{
    bool stopped;
    if (!read_refpack_header(data, row->size))
        return false;
    if (refpack_bound(reader_left(data)) < row->size)
        return reader_fail_at(data, reader_offset(data), "opcodes", "output_short",
                              "%zu bytes cannot unpack to %u", reader_left(data), row->size);
    uint8_t *out = read_reserve(job, row->size);
    return out && refpack_decode(data, out, row->size, &stopped);
}

static bool read_zlib(struct read_job *job, struct reader *data, const struct dbpf_row *row)
{
    uint64_t at = reader_offset(data);
    if (row->size / MAX_DEFLATE_RATIO > row->stored)
        return reader_fail_at(data, at, NULL, "size_mismatch", "%u bytes cannot unpack to %u", row->stored,
                              row->size);
    uint8_t *out = read_reserve(job, row->size);
    if (!out)
        return false;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (!decompressor)
        return error_no_memory(job->error);
    size_t taken;
    enum libdeflate_result result = libdeflate_zlib_decompress_ex(decompressor, data->at, reader_left(data),
                                                                  out, row->size, &taken, NULL);
    libdeflate_free_decompressor(decompressor);
    return result == LIBDEFLATE_SUCCESS ||
           reader_fail_at(data, at, NULL, "bad_zlib", "they do not unpack to %u bytes", row->size);
}

bool dbpf_read_row(struct read_job *job, const struct dbpf_row *row)
{
    struct reader file, data;
    reader_init(&file, job->archive->bytes, job->error);
    reader_enter(&file, "entries", job->index);
    if (!reader_part(&file, &data, row->offset, row->stored, "data") ||
        !archive_check_size(job->archive, row->size, row->stored, job->error))
        return false;
    reader_enter(&data, "data", READER_NO_INDEX);
    switch (row->compression) {
    case DBPF_STORED:
        return read_plain(job, row->offset, row->size);
    case DBPF_ZLIB:
        return read_zlib(job, &data, row);
    default:
        return read_refpack(job, &data, row);
    }
}

static bool dbpf_read(struct read_job *job)
{
    return dbpf_read_row(job, &((const struct dbpf_row *)job->archive->rows)[job->index]);
}

const struct archive_type dbpf_archive = {
    .formats = formats,
    .probe = dbpf_probe,
    .open = dbpf_open,
    .read = dbpf_read,
    .pack = NOT_IN_PAGES(dbpf_pack),
};
