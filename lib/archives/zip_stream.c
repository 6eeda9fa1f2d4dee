/*
 * Containers by libarchive, from memory, in one direction.
 *
 * What keeps hostile ones in bounds:
 * - only formats and filters that run inside of this process; a filter holds a TAR and nothing else, and there is one
 *   filter at the most (a gzip of a gzip could unpack a million to one before anything is seen);
 * - libarchive passes an entry by unpacking it, in one call: so the sizes in the headers are added up and checked
 *   against the limits before the next header is asked for;
 * - an entry's bytes grow as they come, whatever its header says.
 * Listing has thus shown what a later reading can cost.
 */
#include "lib/archives/zip.h"

#include <archive.h>
#include <archive_entry.h>
#include <locale.h>
#include <string.h>

enum {
    HEADER_SIZE = 512, /* what an entry counts at least when sizes are added up */
};

/* An open container. */
struct stream {
    struct archive *archive;
    struct archive_entry *entry;    /* of the last header */
    uint64_t start;                 /* offset in the file of its first byte */
    int filter;                     /* libarchive's code */
    locale_t locale, locale_before; /* names are converted to the thread's locale: make that UTF-8 */
    struct pose_error *error;
};

static const struct {
    struct zip_magic magic;
    int code;
} filters[] = {
    {{0, 3, "\x1f\x8b\x08"}, ARCHIVE_FILTER_GZIP},
    {{0, 3, "BZh"}, ARCHIVE_FILTER_BZIP2},
    {{0, 6,
      "\xfd"
      "7zXZ\0"},
     ARCHIVE_FILTER_XZ},
    {{0, 4, "\x28\xb5\x2f\xfd"}, ARCHIVE_FILTER_ZSTD},
};

static int filter_of(struct pose_bytes bytes)
{
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        if (zip_has_magic(bytes, &filters[i].magic))
            return filters[i].code;
    }
    return ARCHIVE_FILTER_NONE;
}

bool zip_is_filtered(struct pose_bytes bytes)
{
    return filter_of(bytes) != ARCHIVE_FILTER_NONE;
}

/* Appended, a filter is used without asking which others might follow it. One that is not part of the library would
 * be run as a program: it answers with a warning. */
static bool support_filtered(struct archive *archive, int filter)
{
    return archive_read_support_format_tar(archive) == ARCHIVE_OK &&
           archive_read_append_filter(archive, filter) == ARCHIVE_OK;
}

static bool support_plain(struct archive *archive)
{
    return archive_read_support_format_zip_streamable(archive) == ARCHIVE_OK &&
           archive_read_support_format_7zip(archive) == ARCHIVE_OK &&
           archive_read_support_format_rar(archive) == ARCHIVE_OK &&
           archive_read_support_format_rar5(archive) == ARCHIVE_OK &&
           archive_read_support_format_tar(archive) == ARCHIVE_OK &&
           archive_read_support_format_cab(archive) == ARCHIVE_OK &&
           archive_read_support_format_cpio(archive) == ARCHIVE_OK;
}

/* A failure at the last header. Behind a filter no offset of the file is known, and its beginning stands for it. */
static bool fail_at_header(struct stream *stream, const char *code, const char *format, ...)
    POSE_PRINTF(3, 4);
static bool fail_at_header(struct stream *stream, const char *code, const char *format, ...)
{
    struct pose_error *error = stream->error;
    bool first = !error_is_set(error);
    va_list arguments;
    va_start(arguments, format);
    error_vset(error, POSE_BAD_DATA, code, format, arguments);
    va_end(arguments);
    if (!first)
        return false;
    la_int64_t at = stream->entry ? archive_read_header_position(stream->archive) : 0;
    error->offset =
        stream->filter == ARCHIVE_FILTER_NONE && at > 0 ? stream->start + (uint64_t)at : stream->start;
    return false;
}

/* libarchive's reason behind ours. */
static bool fail(struct stream *stream, const char *code, const char *reason)
{
    const char *text = archive_error_string(stream->archive);
    return fail_at_header(stream, code, "%s%s%s", reason, text ? ": " : "", text ? text : "");
}

static void close_stream(struct stream *stream)
{
    if (stream->archive)
        archive_read_free(stream->archive);
    if (stream->locale) {
        uselocale(stream->locale_before);
        freelocale(stream->locale);
    }
}

/* Opens the bytes from that offset on. Close it whatever this returns. */
static bool open_stream(struct stream *stream, struct pose_bytes bytes, uint64_t start,
                        struct pose_error *error)
{
    *stream = (struct stream){
        .error = error, .start = start, .filter = start ? ARCHIVE_FILTER_NONE : filter_of(bytes)};
    stream->archive = archive_read_new();
    if (!stream->archive)
        return error_no_memory(error);
    bool filtered = stream->filter != ARCHIVE_FILTER_NONE;
    if (!(filtered ? support_filtered(stream->archive, stream->filter) : support_plain(stream->archive)))
        return error_set(error, POSE_UNSUPPORTED, "unsupported_container",
                         "the system's libarchive does not read this by itself");
    stream->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (stream->locale)
        stream->locale_before = uselocale(stream->locale);
    if (archive_read_open_memory(stream->archive, bytes.data + start, bytes.size - (size_t)start) ==
        ARCHIVE_OK)
        return true;
    if (filtered)
        return error_set(error, POSE_UNKNOWN_FORMAT, "unknown_format",
                         "a compressed stream without a TAR archive");
    return fail(stream, "damaged", "the archive cannot be opened");
}

/* The next header: 1, or 0 at the end, or -1 (reported) where nothing can be read on. */
static int next_header(struct stream *stream)
{
    int result = archive_read_next_header(stream->archive, &stream->entry);
    if (result == ARCHIVE_EOF)
        return 0;
    if (result == ARCHIVE_OK || result == ARCHIVE_WARN)
        return 1;
    fail(stream, "damaged", "the archive breaks off");
    return -1;
}

/* ---------------------------------------------------------------------------------------------- listing -- */

static char *name_of(struct stream *stream, struct arena *arena)
{
    const char *name = archive_entry_pathname_utf8(stream->entry);
    if (!name)
        name = archive_entry_pathname(stream->entry);
    return archive_name(arena, (const uint8_t *)(name ? name : ""), name ? strlen(name) : 0);
}

static const char *skipped_reason(struct archive_entry *entry)
{
    if (archive_entry_hardlink(entry))
        return "link";
    switch (archive_entry_filetype(entry)) {
    case 0:
    case AE_IFREG:
        return NULL;
    case AE_IFLNK:
        return "link";
    default:
        return "device";
    }
}

/* What unpacks as one stream counts as one, since passing an entry costs as much as reading it. */
struct listing {
    struct pose_archive *archive;
    struct stream *stream;
    struct zip_row *rows;
    uint32_t capacity;
    uint32_t header; /* number of headers so far */
    uint64_t unpacked;
    bool from_headers; /* an entry can be read from its own header on */
};

/* Unpacks an entry whose size no header tells, to no avail but its size. */
static bool measure(struct listing *listing, uint64_t *size)
{
    *size = 0;
    const void *block;
    size_t length;
    la_int64_t offset;
    while (archive_read_data_block(listing->stream->archive, &block, &length, &offset) == ARCHIVE_OK) {
        *size = (uint64_t)offset + length;
        if (!archive_check_size(listing->archive, listing->unpacked + *size, listing->archive->bytes.size,
                                listing->stream->error))
            return false;
    }
    return true;
}

static bool add_size(struct listing *listing, uint64_t *size)
{
    struct archive_entry *entry = listing->stream->entry;
    struct pose_error *error = listing->stream->error;
    bool known = archive_entry_size_is_set(entry);
    if (known && archive_entry_size(entry) < 0)
        return fail_at_header(listing->stream, "damaged", "an entry of a negative size");
    *size = known ? (uint64_t)archive_entry_size(entry) : 0;
    if (!known && !measure(listing, size))
        return false;
    if (known && listing->from_headers)
        return true;
    if (__builtin_add_overflow(listing->unpacked, *size + HEADER_SIZE, &listing->unpacked))
        listing->unpacked = UINT64_MAX;
    return archive_check_size(listing->archive, listing->unpacked, listing->archive->bytes.size, error);
}

static bool add_entry(struct listing *listing)
{
    struct pose_archive *archive = listing->archive;
    struct archive_entry *from = listing->stream->entry;
    uint32_t before = listing->capacity, index = archive->entry_count;
    uint64_t size = 0;
    if (!add_size(listing, &size))
        return false;
    if (archive_entry_filetype(from) == AE_IFDIR)
        return true;
    if (!archive_check_count(archive, (uint64_t)index + 1, listing->stream->error))
        return false;
    archive->entries =
        arena_grow(&archive->arena, archive->entries, index, &listing->capacity, sizeof *archive->entries);
    listing->rows = arena_grow(&archive->arena, listing->rows, index, &before, sizeof *listing->rows);
    if (!archive->entries || !listing->rows)
        return false;
    archive->entry_count++;
    archive->entries[index] = (struct pose_entry){.size = size, .skipped = skipped_reason(from)};
    listing->rows[index] = (struct zip_row){.skip = listing->header};
    if (listing->from_headers) {
        listing->rows[index].start = (uint64_t)archive_read_header_position(listing->stream->archive);
        listing->rows[index].skip = 0;
    }
    zip_set_name(archive, index, name_of(listing->stream, &archive->arena));
    if (archive_entry_is_data_encrypted(from) && !archive->entries[index].error) {
        struct pose_error error;
        pose_error_init(&error);
        error_set(&error, POSE_UNSUPPORTED, "encrypted", "entries[%u]: the entry is encrypted", index);
        archive_reject(archive, index, &error);
    }
    return true;
}

/* TAR and cpio store entries as they are, one after the other; ZIP packs each by itself. */
static bool stands_alone(struct stream *stream)
{
    int family = archive_format(stream->archive) & ARCHIVE_FORMAT_BASE_MASK;
    return stream->filter == ARCHIVE_FILTER_NONE &&
           (family == ARCHIVE_FORMAT_TAR || family == ARCHIVE_FORMAT_CPIO || family == ARCHIVE_FORMAT_ZIP);
}

static bool list(struct listing *listing)
{
    struct pose_archive *archive = listing->archive;
    struct stream *stream = listing->stream;
    int found;
    while ((found = next_header(stream)) > 0) {
        listing->from_headers = stands_alone(stream);
        if (!add_entry(listing))
            return false;
        listing->header++;
    }
    if (found == 0 || !archive->entry_count)
        return found == 0;
    archive_warn_error(archive, stream->error);
    pose_error_init(stream->error);
    return true;
}

bool zip_stream_open(struct pose_archive *archive, struct pose_error *error)
{
    struct stream stream;
    struct listing listing = {.archive = archive, .stream = &stream};
    archive->entries = NULL;
    bool done = open_stream(&stream, archive->bytes, 0, error) && list(&listing);
    archive->rows = listing.rows;
    archive->one_stream = !listing.from_headers;
    close_stream(&stream);
    return done && !archive->arena.failed;
}

/* --------------------------------------------------------------------------------------------- reading -- */

/* Appends the bytes of the entry whose header was last read; the holes of a sparse one are zeros. */
static bool read_data(struct stream *stream, uint64_t size, struct pose_buffer *out)
{
    struct writer writer;
    const void *block;
    size_t length;
    la_int64_t offset;
    int result;
    writer_init(&writer, out, stream->error);
    writer_reserve(&writer, 1); /* an empty entry as well has memory of its own */
    while ((result = archive_read_data_block(stream->archive, &block, &length, &offset)) == ARCHIVE_OK) {
        if (offset < (la_int64_t)out->size || (uint64_t)offset > size || length > size - (uint64_t)offset)
            return fail_at_header(stream, "size_mismatch", "more than the %llu bytes that the header tells",
                                  (unsigned long long)size);
        writer_zeros(&writer, (size_t)offset - out->size);
        writer_bytes(&writer, block, length);
        if (writer.failed)
            return false;
    }
    if (result != ARCHIVE_EOF)
        return fail(stream, "damaged", "the entry cannot be unpacked");
    if (out->size < size && !archive_entry_sparse_count(stream->entry))
        return fail_at_header(stream, "size_mismatch", "%zu of %llu bytes", out->size,
                              (unsigned long long)size);
    writer_zeros(&writer, (size_t)(size - out->size));
    return !writer.failed;
}

bool zip_stream_read(struct read_job *job, const struct zip_row *row)
{
    const struct pose_archive *archive = job->archive;
    uint64_t size = archive->entries[job->index].size;
    struct stream stream;
    if (!archive_check_size(archive, size, archive->bytes.size - row->start, job->error))
        return false;
    bool done = open_stream(&stream, archive->bytes, row->start, job->error);
    for (uint32_t i = 0; done && i <= row->skip; i++) {
        int found = next_header(&stream);
        done = found > 0 ||
               (found == 0 && fail_at_header(&stream, "damaged", "the archive ends before the entry"));
    }
    done = done && read_data(&stream, size, job->out);
    close_stream(&stream);
    return done;
}

/* Reads the entry that the stream stands at, and shows it. False when the visit ends the pass. */
static bool visit(const struct pose_archive *archive, const struct pose_pass *pass, uint32_t index,
                  struct stream *stream, const struct pose_error *broken)
{
    if (pass->wants && !pass->wants(pass->user, index))
        return true;
    struct pose_buffer bytes = {.allocator = archive->allocator};
    struct pose_error error;
    pose_error_init(&error);
    bool done = archive_check_entry(archive, index, &error);
    if (done && broken) {
        error = *broken;
        done = false;
    }
    stream->error = &error;
    done = done && read_data(stream, archive->entries[index].size, &bytes);
    if (!done)
        pose_buffer_free(&bytes);
    bool go_on = pass->visit(pass->user, index, &bytes, done ? NULL : &error);
    pose_buffer_free(&bytes);
    return go_on;
}

bool zip_stream_each(const struct pose_archive *archive, const struct pose_pass *pass)
{
    const struct zip_row *rows = archive->rows;
    struct pose_error broken;
    struct stream stream;
    pose_error_init(&broken);
    bool go_on = true, sound = open_stream(&stream, archive->bytes, 0, &broken);
    uint32_t header = 0;
    for (uint32_t i = 0; go_on && i < archive->entry_count; i++) {
        for (; sound && header <= rows[i].skip; header++) {
            stream.error = &broken;
            sound = next_header(&stream) > 0 ||
                    fail_at_header(&stream, "damaged", "the archive ends before the entry");
        }
        go_on = visit(archive, pass, i, &stream, sound ? NULL : &broken);
    }
    close_stream(&stream);
    return go_on;
}
