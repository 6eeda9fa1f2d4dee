/*
 * Paks of Metroid Prime 1 and 2. Big-endian.
 *
 *     u32 0x00030005, u32 0
 *     u32 count, then named resources: char[4] type, u32 id, u32 length, name
 *     u32 count, then resources: u32 compressed, char[4] type, u32 id, u32 size, u32 offset
 *     the data, each padded with 0xFF to 32 bytes, which its size includes
 *
 * Compressed data is u32 size, then in the first game a zlib stream, in the second segments: s16 length and
 * LZO1X of 0x4000 bytes, or a negative length and plain bytes. The first bytes show which it is, and thereby the
 * game. Paks of the third game have another layout, version 2: recognised and refused. No public pak exists; see
 * prime-pak.md for the sources.
 */
#include "lib/formats/prime/pak.h"
#include "lib/formats/pages.h"

#include "lib/core/text.h"
#include "lib/packing/lzo1x.h"

#include <libdeflate.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_ROW = 12,            /* bytes of a named resource without its name */
    MAX_DEFLATE_RATIO = 1032, /* output bytes per input byte; LZO1X at most 255 */
    MIN_PACKED = 6,           /* the size, and the bytes that distinguish zlib from segments */
};

static const struct pose_format formats[] = {
    ARCHIVE_FORMAT("prime-pak", "Pak of Metroid Prime 1 and 2", ".pak", "application/octet-stream"),
    {.id = NULL},
};

static const struct pak_type {
    uint32_t type;
    const char *kind, *format;
} types[] = {
    {PRIME_TYPE('A', 'N', 'I', 'M'), "clip", "prime-anim"},
    {PRIME_TYPE('C', 'I', 'N', 'F'), "skeleton", "prime-cinf"},
    {PRIME_TYPE('E', 'V', 'N', 'T'), "events", "prime-evnt"},
    {PRIME_TYPE('A', 'N', 'C', 'S'), "character", "prime-ancs"},
    {PRIME_TYPE('C', 'S', 'K', 'R'), "mesh", "prime-cskr"},
    {PRIME_TYPE('C', 'M', 'D', 'L'), "mesh", "prime-cmdl"},
    {PRIME_TYPE('T', 'X', 'T', 'R'), "image", "prime-txtr"},
};

struct pak_row {
    uint64_t at; /* of the row in the file */
    uint32_t compressed, type, id, size, offset;
};

/* A name of the name table. */
struct pak_name {
    uint32_t type, id, order;
    const char *text;
};

static uint32_t peek_u32(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static enum probe_result pak_probe(const struct pose_source *source)
{
    const struct pose_bytes *bytes = &source->bytes;
    bool named = source->name && text_has_extension(source->name, ".pak");
    if (bytes->size >= 8 && peek_u32(bytes->data) == PRIME_VERSION && peek_u32(bytes->data + 4) == 0)
        return PROBE_SURE;
    if (bytes->size >= 64 && peek_u32(bytes->data) == 2 && peek_u32(bytes->data + 4) == 64)
        return PROBE_SURE; /* of the third game */
    return named ? PROBE_NAME : PROBE_NO;
}

/* ------------------------------------------------------------------------------------------- the tables -- */

static bool read_version(struct reader *reader)
{
    uint32_t version = reader_u32be(reader, "version");
    if (!reader->failed && version == 2) {
        error_set(reader->error, POSE_UNSUPPORTED, "prime3_pak",
                  "version at byte 0: 2, a pak of Metroid Prime 3 or Donkey Kong Country Returns");
        reader->error->offset = 0;
        return false;
    }
    if (!reader->failed && version != PRIME_VERSION)
        return reader_fail(reader, "bad_version", "0x%08x, only 0x%08x is supported", version, PRIME_VERSION);
    reader_u32be(reader, "unknown_4");
    return !reader->failed;
}

static bool read_names(struct pose_archive *archive, struct reader *reader, struct pak_name **names,
                       uint32_t *count)
{
    *count = reader_u32be(reader, "name_count");
    if (!reader_count(reader, *count, NAME_ROW, "names", "count_too_large") ||
        !archive_check_count(archive, *count, reader->error))
        return false;
    *names = ARENA_NEW(&archive->arena, struct pak_name, *count);
    for (uint32_t i = 0; *names && i < *count; i++) {
        struct pak_name *name = &(*names)[i];
        reader_enter(reader, "names", i);
        name->order = i;
        name->type = reader_u32be(reader, "type");
        name->id = reader_u32be(reader, "id");
        uint32_t length = reader_u32be(reader, "length");
        const uint8_t *text = reader_bytes(reader, length, "name");
        if (!text)
            return false;
        name->text = text_from_utf8(&archive->arena, text, length);
        reader_leave(reader);
    }
    return *names && !archive->arena.failed;
}

static bool read_rows(struct pose_archive *archive, struct reader *reader, struct pak_row **rows,
                      uint32_t *count)
{
    *count = reader_u32be(reader, "resource_count");
    if (!reader_count(reader, *count, PRIME_ROW, "resources", "count_too_large") ||
        !archive_check_count(archive, *count, reader->error))
        return false;
    *rows = ARENA_NEW(&archive->arena, struct pak_row, *count);
    for (uint32_t i = 0; *rows && i < *count; i++) {
        struct pak_row *row = &(*rows)[i];
        row->at = reader_offset(reader);
        row->compressed = reader_u32be(reader, "compressed");
        row->type = reader_u32be(reader, "type");
        row->id = reader_u32be(reader, "id");
        row->size = reader_u32be(reader, "size");
        row->offset = reader_u32be(reader, "offset");
    }
    return *rows && !reader->failed;
}

/* ----------------------------------------------------------------------------------------------- names -- */

static int compare_names(const void *a, const void *b)
{
    const struct pak_name *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return x->order < y->order ? -1 : x->order > y->order;
}

/* The names of all ids: the first if there are several. */
static void publish_names(struct pose_archive *archive, const struct pak_name *names, uint32_t count)
{
    struct pose_name *public_names = ARENA_NEW(&archive->arena, struct pose_name, count);
    if (!public_names)
        return;
    for (uint32_t i = 0; i < count; i++) {
        if (!i || names[i].id != names[i - 1].id)
            public_names[archive->name_count++] = (struct pose_name){names[i].id, names[i].text};
    }
    archive->names = public_names;
}

static const char *find_name(const struct pak_name *names, uint32_t count, const struct pak_row *row)
{
    const struct pak_name wanted = {.type = row->type, .id = row->id};
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_names(&names[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && names[low].id == row->id && names[low].type == row->type ? names[low].text : NULL;
}

/* A type for use in a file name: four letters or digits, else 8 hex digits. */
static void write_type(uint32_t type, char *text)
{
    bool plain = true;
    for (int i = 0; i < 4; i++) {
        char c = (char)(type >> (24 - 8 * i));
        text[i] = c;
        plain &= (text_lower(c) >= 'a' && text_lower(c) <= 'z') || (c >= '0' && c <= '9');
    }
    text[4] = 0;
    if (!plain)
        snprintf(text, PRIME_ID + 1, "%08X", type);
}

/* "IIIIIIII.TYPE", or "IIIIIIII_NAME.TYPE" if it has a name. Slashes in the name become "_", as it is not a
 * path. */
static const char *entry_name(struct pose_archive *archive, const struct pak_row *row, const char *label)
{
    size_t length = label ? strlen(label) : 0;
    char type[PRIME_ID + 1],
        *name = arena_alloc(&archive->arena, PRIME_ID + 1 + length + 1 + PRIME_ID + 1, 1);
    if (!name)
        return NULL;
    write_type(row->type, type);
    char *p = name + snprintf(name, PRIME_ID + 2, label ? "%08X_" : "%08X", row->id);
    for (size_t i = 0; i < length; i++)
        *p++ = label[i] == '/' || label[i] == '\\' ? '_' : label[i];
    snprintf(p, PRIME_ID + 2, ".%s", type);
    return name;
}

/* ---------------------------------------------------------------------------------------------- entries -- */

static bool is_zlib(const uint8_t *p)
{
    return (p[0] == 0x48 || p[0] == 0x58 || p[0] == 0x68 || p[0] == 0x78) && (p[0] << 8 | p[1]) % 31 == 0;
}

/* Reports errors visible in the row and the first bytes, otherwise finds the entry's size. */
static void check_row(struct pose_archive *archive, const struct pak_row *row, uint32_t index,
                      uint64_t header_end)
{
    struct pose_error error;
    struct reader reader;
    struct pose_entry *entry = &archive->entries[index];
    size_t file_size = archive->bytes.size;
    pose_error_init(&error);
    reader_init(&reader, archive->bytes, &error);
    reader_enter(&reader, "resources", index);
    if (row->compressed > 1)
        reader_fail_at(&reader, row->at, "compressed", "bad_flag", "%u, only 0 and 1 are valid",
                       row->compressed);
    else if (row->offset > file_size || row->size > file_size - row->offset)
        reader_fail_at(&reader, row->at + 12, "offset", "entry_range",
                       "%u bytes at %u lie outside of the file, which ends at %zu", row->size, row->offset,
                       file_size);
    else if (row->offset < header_end && row->size)
        reader_fail_at(&reader, row->at + 16, "offset", "in_header", "%u, the tables end at %llu",
                       row->offset, (unsigned long long)header_end);
    else if (row->compressed && row->size < MIN_PACKED)
        reader_fail_at(&reader, row->at + 12, "size", "truncated", "%u bytes of compressed data", row->size);
    else
        entry->size = row->compressed ? peek_u32(archive->bytes.data + row->offset) : row->size;
    /* Refused here, so that it does not count against the limit of the whole archive. */
    if (entry->size / MAX_DEFLATE_RATIO > row->size)
        reader_fail_at(&reader, row->offset, "uncompressed_size", "output_short",
                       "%u bytes cannot unpack to %llu", row->size, (unsigned long long)entry->size);
    if (error.status != POSE_OK)
        archive_reject(archive, index, &error);
}

/* Character sets distinguish the games: u16 1, u16 1, u32 count, u32 id, u16 version of the first character. */
static const char *game_of_ancs(const uint8_t *data, uint32_t size)
{
    static const uint8_t start[] = {0, 1, 0, 1};
    if (size < 14 || memcmp(data, start, sizeof start) != 0 || !peek_u32(data + 4))
        return NULL;
    unsigned version = (unsigned)(data[12] << 8 | data[13]);
    return version == 10 ? "mp2" : version == 5 || version == 6 ? "mp1" : NULL;
}

/* The game by the storage of most compressed resources, otherwise by a character set; NULL if neither tells. */
static const char *find_game(const struct pose_archive *archive, const struct pak_row *rows, uint32_t count)
{
    uint32_t zlib = 0, segments = 0;
    const char *of_sets = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (archive->entries[i].error)
            continue;
        const uint8_t *data = archive->bytes.data + rows[i].offset;
        if (rows[i].compressed && is_zlib(data + 4))
            zlib++;
        else if (rows[i].compressed)
            segments++;
        else if (!of_sets && rows[i].type == PRIME_TYPE('A', 'N', 'C', 'S'))
            of_sets = game_of_ancs(data, rows[i].size);
    }
    if (zlib != segments)
        return zlib > segments ? "mp1" : "mp2";
    return of_sets;
}

static void set_kind(struct pose_entry *entry, uint32_t type)
{
    entry->kind = "other";
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type == type) {
            entry->kind = types[i].kind;
            entry->format = types[i].format;
        }
    }
}

/* A resource by its key. */
struct keyed_row {
    uint32_t id, type, index;
};

static int compare_keys(const void *a, const void *b)
{
    const struct keyed_row *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static bool same_key(const struct keyed_row *a, const struct keyed_row *b)
{
    return a->id == b->id && a->type == b->type;
}

/* The disc repeats resources to place them near the areas that need them: the first valid one represents all. */
static void mark_copies(struct pose_archive *archive, const struct pak_row *rows, uint32_t count)
{
    struct keyed_row *keys = ARENA_NEW(&archive->arena, struct keyed_row, count);
    if (!keys || !count)
        return;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (struct keyed_row){rows[i].id, rows[i].type, i};
    qsort(keys, count, sizeof *keys, compare_keys);
    bool found = false;
    for (uint32_t i = 0; i < count; i++) {
        struct pose_entry *entry = &archive->entries[keys[i].index];
        found = found && same_key(&keys[i], &keys[i - 1]);
        entry->is_copy = found && !entry->error;
        found |= !entry->error;
    }
}

static bool pak_open(struct pose_archive *archive, const struct pose_source *source, struct pose_error *error)
{
    struct reader reader;
    struct pak_name *names = NULL;
    struct pak_row *rows = NULL;
    uint32_t name_count = 0, count = 0;
    reader_init(&reader, source->bytes, error);
    if (!read_version(&reader))
        return false;
    /* A demo disc has a pak with only the header. */
    if (reader_left(&reader) &&
        (!read_names(archive, &reader, &names, &name_count) || !read_rows(archive, &reader, &rows, &count)))
        return false;
    archive->entries = ARENA_NEW(&archive->arena, struct pose_entry, count);
    if (!archive->entries)
        return false;
    if (name_count)
        qsort(names, name_count, sizeof *names, compare_names);
    publish_names(archive, names, name_count);
    for (uint32_t i = 0; i < count; i++) {
        struct pose_entry *entry = &archive->entries[i];
        *entry = (struct pose_entry){.has_id = true, .type = rows[i].type, .id = rows[i].id};
        entry->label = find_name(names, name_count, &rows[i]);
        entry->name = entry_name(archive, &rows[i], entry->label);
        set_kind(entry, rows[i].type);
        check_row(archive, &rows[i], i, reader_offset(&reader));
    }
    mark_copies(archive, rows, count);
    const char *game = source->game ? source->game : find_game(archive, rows, count);
    for (uint32_t i = 0; i < count; i++)
        archive->entries[i].game = game;
    archive->entry_count = count;
    archive->rows = rows;
    return !archive->arena.failed;
}

/* --------------------------------------------------------------------------------------------- reading -- */

/* Inflates one zlib stream into at most room bytes; *made is their number. Leaves the reader after it. */
static bool inflate_stream(struct reader *data, uint8_t *out, size_t room, size_t *made)
{
    size_t taken;
    struct libdeflate_decompressor *decompressor = libdeflate_alloc_decompressor();
    if (!decompressor)
        return error_no_memory(data->error);
    enum libdeflate_result result =
        libdeflate_zlib_decompress_ex(decompressor, data->at, reader_left(data), out, room, &taken, made);
    libdeflate_free_decompressor(decompressor);
    if (result != LIBDEFLATE_SUCCESS)
        return reader_fail_at(data, reader_offset(data), "zlib", "bad_zlib", "%s",
                              result == LIBDEFLATE_INSUFFICIENT_SPACE ? "the output is longer than declared"
                                                                      : "the stream is broken");
    return true;
}

static bool read_zlib(struct reader *data, uint8_t *out, size_t size)
{
    uint64_t at = reader_offset(data);
    size_t made;
    if (!inflate_stream(data, out, size, &made))
        return false;
    return made == size || reader_fail_at(data, at, "zlib", "output_short", "%zu of %zu bytes", made, size);
}

static bool begins_zlib(const struct reader *segment)
{
    if (reader_left(segment) < 2 || segment->at[0] != 0x78)
        return false;
    return segment->at[1] == 0xda || segment->at[1] == 0x9c || segment->at[1] == 0x01;
}

/* Reads one segment, after its length, into at most room bytes. */
static bool read_segment(struct reader *segment, bool plain, uint8_t *out, size_t room, size_t *made)
{
    if (!plain && begins_zlib(segment))
        return inflate_stream(segment, out, room, made);
    if (!plain)
        return lzo1x_decode(segment, out, room, made);
    *made = reader_left(segment);
    if (*made > room)
        return reader_fail_at(segment, reader_offset(segment), NULL, "output_overflow",
                              "%zu plain bytes, but %zu are missing", *made, room);
    memcpy(out, segment->at, *made);
    return true;
}

static bool read_segments(struct reader *data, uint8_t *out, size_t size)
{
    size_t written = 0;
    for (uint64_t i = 0; written < size; i++) {
        struct reader segment;
        size_t made;
        int length = (int16_t)reader_u16be(data, "segment_length");
        if (data->failed)
            return false;
        if (!length)
            return reader_fail(data, "bad_segment", "an empty segment");
        uint64_t at = reader_offset(data);
        uint64_t stored = (uint64_t)(length < 0 ? -length : length);
        if (!reader_skip(data, stored, "segment") || !reader_part(data, &segment, at, stored, "segment"))
            return false;
        reader_enter(&segment, "segments", i);
        if (!read_segment(&segment, length < 0, out + written, size - written, &made))
            return false;
        written += made;
    }
    return true;
}

static bool pak_read(struct read_job *job)
{
    const struct pak_row *row = &((const struct pak_row *)job->archive->rows)[job->index];
    if (!row->compressed)
        return read_plain(job, row->offset, row->size);
    struct reader file, data;
    reader_init(&file, job->archive->bytes, job->error);
    reader_enter(&file, "resources", job->index);
    if (!reader_part(&file, &data, row->offset, row->size, "data"))
        return false;
    uint32_t size = reader_u32be(&data, "uncompressed_size");
    if (!archive_check_size(job->archive, size, row->size, job->error)) {
        if (job->error)
            job->error->offset = reader_last_offset(&data);
        return false;
    }
    if (size / MAX_DEFLATE_RATIO > row->size)
        return reader_fail(&data, "output_short", "%u bytes cannot unpack to %u", row->size, size);
    uint8_t *out = read_reserve(job, size);
    return out && (is_zlib(data.at) ? read_zlib(&data, out, size) : read_segments(&data, out, size));
}

const struct archive_type prime_pak_archive = {
    .formats = formats,
    .probe = pak_probe,
    .open = pak_open,
    .read = pak_read,
    .pack = NOT_IN_PAGES(prime_pak_pack),
};
