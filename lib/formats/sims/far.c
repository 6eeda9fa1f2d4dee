/*
 * FAR archives: far1a (The Sims 1), far1b and far3 (The Sims Online). Little-endian.
 *
 *     0   8 bytes "FAR!byAZ"
 *     8   u32 version, 1 or 3
 *     12  u32 offset of the table: u32 count, then the rows
 *
 *     row of 1a:  u32 size, u32 stored size, u32 offset, u32 name length, name
 *     row of 1b:  the same with a u16 name length
 *     row of 3:   u32 size, u24 stored size, u8 data type, u32 offset, u8 flag, u8 access number, u16 name length,
 *                 u32 type id, u32 file id, name
 *
 * 1a and 1b both have version 1: the layout under which the whole table is consistent is the right one. In
 * version 3 the two sources disagree on which byte means "compressed"; the data itself decides. No real archive
 * is public: the facts come from two independent descriptions and from a second program that reads the archives
 * we write (see far.md).
 */
#include "lib/formats/sims/far.h"
#include "lib/formats/pages.h"

#include "lib/core/text.h"
#include "lib/packing/refpack.h"

#include <string.h>

enum {
    MIN_ARCHIVE = 20,
};

enum layout {
    LAYOUT_1A,
    LAYOUT_1B,
    LAYOUT_3,
    LAYOUT_COUNT,
};

/* The games ignore case in a FAR; only unpacking an entry shows how it is packed. */
#define FAR_FORMAT(row_id, row_title, row_extensions)                                                        \
    {                                                                                                        \
        .id = row_id, .title = row_title, .extensions = row_extensions,                                      \
        .media_type = "application/octet-stream", .kinds = "archive", .can_read = true, .can_write = true,   \
        .ignores_case = true, .warns_late = true,                                                            \
    }

static const struct pose_format formats[] = {
    [LAYOUT_1A] = FAR_FORMAT("far1a", "FAR archive of The Sims", ".far"),
    [LAYOUT_1B] = FAR_FORMAT("far1b", "FAR archive of The Sims Online, version 1", ".far .dat"),
    [LAYOUT_3] = FAR_FORMAT("far3", "FAR archive of The Sims Online, version 3", ".dat .far"),
    [LAYOUT_COUNT] = {.id = NULL},
};

const struct far_type far_types[] = {
    {5, ".skel", "tso-skel", "skeleton"},
    {7, ".anim", "tso-anim", "clip"},
    {9, ".mesh", "tso-mesh", "mesh"},
    {11, ".bnd", "tso-bnd", "character"},
    {12, ".apr", "tso-apr", "character"},
    {13, ".oft", "tso-oft", "character"},
    {0, NULL, NULL, NULL},
};

/* Bytes of a row without its name. */
static const unsigned row_sizes[LAYOUT_COUNT] = {16, 14, 24};

struct far_row {
    uint64_t at; /* of the row in the file */
    uint32_t size, stored, offset;
    uint32_t type, file;
    uint8_t data_type, flag;
    bool packed; /* RefPack after a header of 18 bytes */
    uint16_t name_length;
    const uint8_t *name;
};

/* The result of reading the table with one layout. */
struct walk {
    uint64_t failed_at; /* where it becomes inconsistent; UINT64_MAX: nowhere */
    uint64_t doubt_at;  /* the first row whose data lies outside the file; UINT64_MAX: none */
    struct pose_error error;
};

static enum probe_result far_probe(const struct pose_source *source)
{
    if (source->bytes.size >= 8 && !memcmp(source->bytes.data, FAR_MAGIC, 8))
        return PROBE_SURE;
    return source->name && text_has_extension(source->name, ".far") ? PROBE_NAME : PROBE_NO;
}

/* -------------------------------------------------------------------------------------------- the table -- */

static bool read_header(struct reader *reader, uint32_t *version, uint32_t *count)
{
    size_t size = reader_left(reader);
    size_t magic = size < 8 ? size : 8;
    if (memcmp(reader->at, FAR_MAGIC, magic) != 0 || !magic)
        return reader_fail_at(reader, 0, "magic", "bad_magic", "not " FAR_MAGIC);
    if (size < MIN_ARCHIVE)
        return reader_fail_at(reader, 0, NULL, "truncated", "%zu bytes, the smallest archive has %d", size,
                              MIN_ARCHIVE);
    reader_skip(reader, 8, "magic");
    *version = reader_u32le(reader, "version");
    if (*version != 1 && *version != 3)
        return reader_fail(reader, "bad_version", "%u, only 1 and 3 are supported", *version);
    uint32_t offset = reader_u32le(reader, "table_offset");
    if (offset > size - 4)
        return reader_fail(reader, "bad_table_offset", "the table would start at %u, the file ends at %zu",
                           offset, size);
    reader_seek(reader, offset, "table_offset");
    *count = reader_u32le(reader, "entry_count");
    return reader_count(reader, *count, row_sizes[*version == 3 ? LAYOUT_3 : LAYOUT_1B], "entries",
                        "count_too_large");
}

/* Checks and reads a name; only version 3 allows empty ones. */
static bool read_name(struct reader *reader, enum layout layout, uint32_t length, struct far_row *row)
{
    uint64_t length_at = row->at + (layout == LAYOUT_3 ? 14 : 12);
    if (length > FAR_LONGEST_NAME || length > reader_left(reader))
        return reader_fail_at(reader, length_at, "name_length", "bad_name", "%u bytes, %s", length,
                              length > FAR_LONGEST_NAME ? "more than 4096" : "past the end of the file");
    if (!length && layout != LAYOUT_3)
        return reader_fail_at(reader, length_at, "name_length", "bad_name", "an empty name");
    row->name_length = (uint16_t)length;
    row->name = reader->at;
    if (layout != LAYOUT_3 && (row->name[0] < 0x20 || memchr(row->name, 0, length)))
        return reader_fail_at(reader, reader_offset(reader), "name", "bad_name", "a control character");
    return reader_skip(reader, length, "name");
}

static bool read_row(struct reader *reader, enum layout layout, struct far_row *row)
{
    row->at = reader_offset(reader);
    row->size = reader_u32le(reader, "size");
    row->stored =
        layout == LAYOUT_3 ? reader_u24le(reader, "stored_size") : reader_u32le(reader, "stored_size");
    row->data_type = layout == LAYOUT_3 ? reader_u8(reader, "data_type") : 0;
    row->offset = reader_u32le(reader, "offset");
    if (layout == LAYOUT_3) {
        row->flag = reader_u8(reader, "flag");
        reader_u8(reader, "access_number");
        uint32_t length = reader_u16le(reader, "name_length");
        row->type = reader_u32le(reader, "type_id");
        row->file = reader_u32le(reader, "file_id");
        return !reader->failed && read_name(reader, layout, length, row);
    }
    uint32_t length =
        layout == LAYOUT_1A ? reader_u32le(reader, "name_length") : reader_u16le(reader, "name_length");
    return !reader->failed && read_name(reader, layout, length, row);
}

/* The bytes an entry occupies in the file. In version 3 the stored size is meaningless for uncompressed data. */
static uint32_t taken_size(const struct far_row *row, enum layout layout)
{
    return layout == LAYOUT_3 && !row->packed ? row->size : row->stored;
}

static bool is_inside(const struct far_row *row, enum layout layout, uint64_t file_size)
{
    return row->offset <= file_size && taken_size(row, layout) <= file_size - row->offset;
}

/* Walks the rows at the reader's position; fills them in unless rows is NULL. */
static void walk_table(const struct reader *at, enum layout layout, uint32_t count, struct far_row *rows,
                       struct walk *walk)
{
    struct reader reader = *at;
    size_t file_size = (size_t)(reader.end - reader.start);
    *walk = (struct walk){.failed_at = UINT64_MAX, .doubt_at = UINT64_MAX};
    pose_error_init(&walk->error);
    reader.error = &walk->error;
    bool sound = reader_count(&reader, count, row_sizes[layout], "entries", "count_too_large");
    for (uint32_t i = 0; sound && i < count; i++) {
        struct far_row row = {0};
        reader_enter(&reader, "entries", i);
        sound = read_row(&reader, layout, &row);
        reader_leave(&reader);
        if (layout != LAYOUT_3 && walk->doubt_at == UINT64_MAX && !is_inside(&row, layout, file_size))
            walk->doubt_at = row.at;
        if (rows)
            rows[i] = row;
    }
    if (!sound)
        walk->failed_at = walk->error.offset;
}

/* For version 1: 1a if it fits from end to end, else 1b, else the one that gets further. */
static enum layout choose_layout(const struct reader *reader, uint32_t count)
{
    struct walk first, second;
    walk_table(reader, LAYOUT_1A, count, NULL, &first);
    if (first.failed_at == UINT64_MAX && first.doubt_at == UINT64_MAX)
        return LAYOUT_1A;
    walk_table(reader, LAYOUT_1B, count, NULL, &second);
    bool further = second.failed_at != first.failed_at ? second.failed_at > first.failed_at
                                                       : second.doubt_at > first.doubt_at;
    return further ? LAYOUT_1B : LAYOUT_1A;
}

static const char *far_identify(const struct pose_source *source)
{
    struct reader reader;
    uint32_t version = 0, count = 0;
    reader_init(&reader, source->bytes, NULL);
    bool sound = read_header(&reader, &version, &count);
    return formats[version == 3 ? LAYOUT_3 : sound ? choose_layout(&reader, count) : LAYOUT_1A].id;
}

/* The layout forced by the caller, LAYOUT_COUNT if none. */
static enum layout forced_layout(const struct pose_source *source)
{
    enum layout layout = LAYOUT_1A;
    while (layout < LAYOUT_COUNT && (!source->format || strcmp(source->format, formats[layout].id) != 0))
        layout++;
    return layout;
}

static struct far_row *read_rows(struct pose_archive *archive, const struct pose_source *source,
                                 enum layout *layout, uint32_t *count, struct pose_error *error)
{
    struct reader reader;
    struct walk walk;
    uint32_t version = 0;
    reader_init(&reader, source->bytes, error);
    if (!read_header(&reader, &version, count) || !archive_check_count(archive, *count, error))
        return NULL;
    enum layout forced = forced_layout(source);
    if (forced != LAYOUT_COUNT && (forced == LAYOUT_3) != (version == 3)) {
        reader_fail_at(&reader, 8, "version", "bad_version", "%u is not that of %s", version, source->format);
        return NULL;
    }
    *layout = version == 3 ? LAYOUT_3 : forced != LAYOUT_COUNT ? forced : choose_layout(&reader, *count);
    struct far_row *rows = ARENA_NEW(&archive->arena, struct far_row, *count);
    if (!rows)
        return NULL;
    walk_table(&reader, *layout, *count, rows, &walk);
    if (walk.failed_at != UINT64_MAX)
        *error = walk.error;
    return walk.failed_at != UINT64_MAX ? NULL : rows;
}

/* ---------------------------------------------------------------------------------------------- entries -- */

/* A reader whose errors are located in entries[i], with its own error struct: the archive stays usable. */
static struct reader reader_of_entry(const struct pose_archive *archive, uint32_t index,
                                     struct pose_error *error)
{
    struct reader reader;
    pose_error_init(error);
    reader_init(&reader, archive->bytes, error);
    reader_enter(&reader, "entries", index);
    return reader;
}

/* True if the entry's data begins with the header of a packed body: 1, …, 10 FB. */
static bool has_packed_header(const struct pose_archive *archive, const struct far_row *row)
{
    if (row->offset > archive->bytes.size || archive->bytes.size - row->offset < 15)
        return false;
    const uint8_t *p = archive->bytes.data + row->offset;
    return p[0] == 1 && p[13] == 0x10 && p[14] == 0xfb;
}

/* Compares the sizes in the header of a packed body with the row. Warnings go to the archive. */
static bool check_packed_header(struct pose_archive *archive, const struct far_row *row, uint32_t index,
                                struct reader *reader)
{
    struct reader header;
    if (row->stored < FAR_BODY_HEADER)
        return reader_fail_at(reader, row->at, "stored_size", "truncated",
                              "%u bytes, the header of a compressed body has %d", row->stored,
                              FAR_BODY_HEADER);
    if (!reader_part(reader, &header, row->offset, row->stored, "data"))
        return false;
    reader_enter(&header, "data", READER_NO_INDEX);
    reader_u8(&header, "kind");
    uint32_t size = reader_u32le(&header, "size");
    if (size != row->size)
        return reader_fail(&header, "size_mismatch", "%u, the entry says %u", size, row->size);
    uint64_t sizes_at = reader_offset(&header);
    uint32_t first = reader_u32le(&header, "stored_size"), second = reader_u32le(&header, "stored_size");
    if (first != row->stored - 9 || second != row->stored - 9)
        warning_add(&archive->warnings, POSE_WARNING, "persist_size_mismatch", sizes_at,
                    "entries[%u]: stored sizes %u and %u, both should be %u", index, first, second,
                    row->stored - 9);
    reader_u16le(&header, "signature");
    const uint8_t *p = reader_bytes(&header, 3, "refpack_size");
    uint32_t unpacked = (uint32_t)(p[0] << 16 | p[1] << 8 | p[2]); /* in bounds: the part has 18 bytes */
    if (unpacked != row->size)
        return reader_fail(&header, "size_mismatch", "%u, the entry says %u", unpacked, row->size);
    return !header.failed;
}

/* Determines how an entry is stored and whether it can be read. */
static void check_entry(struct pose_archive *archive, enum layout layout, struct far_row *row, uint32_t index)
{
    struct pose_error error;
    struct reader reader = reader_of_entry(archive, index, &error);
    bool flagged = layout == LAYOUT_3 ? (row->data_type & 0x80) || row->flag == 1 : row->stored != row->size;
    row->packed = flagged && has_packed_header(archive, row);
    if (!is_inside(row, layout, archive->bytes.size))
        reader_fail_at(&reader, row->at, "offset", "entry_range",
                       "%u bytes at %u lie outside of the file, which ends at %zu", taken_size(row, layout),
                       row->offset, archive->bytes.size);
    else if (row->packed)
        check_packed_header(archive, row, index, &reader);
    else if (flagged && layout != LAYOUT_3)
        reader_fail_at(&reader, row->offset, "data", "bad_compression",
                       "%u bytes are stored as %u, but not compressed", row->size, row->stored);
    else if (flagged && row->flag != 1)
        warning_add(&archive->warnings, POSE_WARNING, "flagged_but_stored", row->offset,
                    "entries[%u] is marked as compressed but is not", index);
    if (error.status != POSE_OK)
        archive_reject(archive, index, &error);
}

/* Version 3 type ids with a certain meaning; a name with another extension makes it uncertain. */
static void set_kind(struct pose_entry *entry, const struct far_row *row)
{
    entry->has_id = true;
    entry->type = row->type;
    entry->id = row->file;
    for (const struct far_type *type = far_types; type->extension; type++) {
        if (type->id != row->type || (row->name_length && !text_has_extension(entry->name, type->extension)))
            continue;
        entry->format = type->format;
        entry->kind = type->kind;
    }
}

static const char *entry_name(struct pose_archive *archive, const struct far_row *row)
{
    const char *name = archive_name_windows1252(&archive->arena, row->name, row->name_length);
    if (!name || *name)
        return name;
    return arena_format(&archive->arena, "%08X-%08X", row->type, row->file);
}

static bool far_open(struct pose_archive *archive, const struct pose_source *source, struct pose_error *error)
{
    enum layout layout = LAYOUT_1A;
    uint32_t count = 0;
    struct far_row *rows = read_rows(archive, source, &layout, &count, error);
    if (!rows)
        return false;
    archive->format = formats[layout].id;
    archive->entries = ARENA_NEW(&archive->arena, struct pose_entry, count);
    if (!archive->entries)
        return false;
    for (uint32_t i = 0; i < count && !archive->arena.failed; i++) {
        struct far_row *row = &rows[i];
        archive->entries[i] = (struct pose_entry){.name = entry_name(archive, row), .size = row->size};
        check_entry(archive, layout, row, i);
        if (layout == LAYOUT_3 && archive->entries[i].name)
            set_kind(&archive->entries[i], row);
    }
    if (archive->arena.failed)
        return false;
    archive->entry_count = count;
    archive->rows = rows;
    archive_warn_duplicates(archive);
    return true;
}

static bool far_read(struct read_job *job)
{
    const struct far_row *row = &((const struct far_row *)job->archive->rows)[job->index];
    if (!row->packed)
        return read_plain(job, row->offset, row->size);
    struct reader reader = reader_of_entry(job->archive, job->index, job->error), body;
    reader_part(&reader, &body, (uint64_t)row->offset + FAR_BODY_HEADER, row->stored - FAR_BODY_HEADER,
                "data");
    reader_enter(&body, "data", READER_NO_INDEX);
    if (!archive_check_size(job->archive, row->size, row->stored, job->error))
        return false;
    uint8_t *out = read_reserve(job, row->size);
    bool stopped;
    if (!out || !refpack_decode(&body, out, row->size, &stopped))
        return false;
    if (!stopped)
        read_warn(job, "no_stop_code", reader_offset(&body), "the compressed data has no stop code");
    else if (reader_left(&body))
        read_warn(job, "trailing_bytes", reader_offset(&body), "%zu bytes follow the stop code",
                  reader_left(&body));
    return true;
}

const struct archive_type far_archive = {
    .formats = formats,
    .probe = far_probe,
    .identify = far_identify,
    .open = far_open,
    .read = far_read,
    .pack = NOT_IN_PAGES(far_pack),
};
