/*
 * Containers read by libarchive, from memory, sequentially.
 *
 * Limits against hostile files:
 * - only formats and filters implemented in this process; a filter may contain only a TAR, and there is at most
 * one filter (a gzip of a gzip could expand a million times before any header is seen);
 * - libarchive skips an entry by unpacking it, in one call: so the sizes in the headers are added and checked
 * against the limits before the next header is read;
 * - an entry's memory is allocated only after its size has been checked against the limits;
 * - libarchive gets the bytes in blocks, and before each one, in and out, the caller's struct pose_stop is asked.
 *
 * TAR and cpio store entries uncompressed, and ZIP compresses each separately: such entries are read starting at
 * their own headers. A container that is one compressed stream is unpacked while it is listed, and its entries
 * are kept (keep.c).
 */
#include "lib/formats/zip/libarchive.h"
#include "lib/formats/zip/zip.h"

#include <locale.h>
#include <string.h>

enum {
    HEADER_SIZE = 512,     /* the minimum size of an entry in the sum */
    BLOCK_SIZE = 64 << 10, /* that libarchive gets at once */
};

/* An open container. */
struct stream {
    struct archive *archive;
    struct archive_entry *entry;  /* of the last header */
    uint64_t start;               /* offset in the file of its first byte */
    int filter;                   /* libarchive's code */
    struct pose_bytes bytes;      /* from start on */
    size_t at;                    /* next byte for libarchive */
    const struct pose_stop *stop; /* may be NULL */
    bool is_stopped;
    locale_t locale, locale_before; /* see use_utf8 */
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

/* An appended filter is used without probing for further ones. libarchive would run a filter not built into it
 * as an external program, in which case it returns a warning. */
static bool support_filtered(struct archive *archive, int filter)
{
    return libarchive.read_support_format_tar(archive) == ARCHIVE_OK &&
           libarchive.read_append_filter(archive, filter) == ARCHIVE_OK;
}

static bool support_plain(struct archive *archive, bool is_common_only)
{
    return libarchive.read_support_format_zip_streamable(archive) == ARCHIVE_OK &&
           libarchive.read_support_format_7zip(archive) == ARCHIVE_OK &&
           libarchive.read_support_format_rar(archive) == ARCHIVE_OK &&
           libarchive.read_support_format_rar5(archive) == ARCHIVE_OK &&
           libarchive.read_support_format_tar(archive) == ARCHIVE_OK &&
           (is_common_only || (libarchive.read_support_format_cab(archive) == ARCHIVE_OK &&
                               libarchive.read_support_format_cpio(archive) == ARCHIVE_OK));
}

/* An error at the last header. Behind a filter file offsets are unknown, and 0 is used instead. */
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
    la_int64_t at = stream->entry ? libarchive.read_header_position(stream->archive) : 0;
    error->offset =
        stream->filter == ARCHIVE_FILTER_NONE && at > 0 ? stream->start + (uint64_t)at : stream->start;
    return false;
}

static bool must_stop(struct stream *stream)
{
    stream->is_stopped = stream->is_stopped || (stream->stop && stream->stop->ask(stream->stop->user));
    return stream->is_stopped;
}

/* Appends libarchive's reason to ours. */
static bool fail(struct stream *stream, const char *code, const char *reason)
{
    if (stream->is_stopped)
        return error_stopped(stream->error);
    const char *text = libarchive.error_string(stream->archive);
    return fail_at_header(stream, code, "%s%s%s", reason, text ? ": " : "", text ? text : "");
}

static void close_stream(struct stream *stream)
{
    if (stream->archive)
        libarchive.read_free(stream->archive);
    if (stream->locale) {
        uselocale(stream->locale_before);
        freelocale(stream->locale);
    }
}

/* libarchive converts names to the thread's locale: makes it UTF-8 while names are read. */
static void use_utf8(struct stream *stream)
{
    stream->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    if (stream->locale)
        stream->locale_before = uselocale(stream->locale);
}

static bool fail_without_tar(struct pose_error *error)
{
    return error_set(error, POSE_UNKNOWN_FORMAT, "unknown_format",
                     "a compressed stream without a TAR archive");
}

static la_ssize_t give_block(struct archive *archive, void *user, const void **block)
{
    (void)archive;
    struct stream *stream = user;
    if (must_stop(stream))
        return ARCHIVE_FATAL;
    const size_t left = stream->bytes.size - stream->at;
    const size_t size = left < BLOCK_SIZE ? left : BLOCK_SIZE;
    *block = stream->bytes.data + stream->at;
    stream->at += size;
    return (la_ssize_t)size;
}

static la_int64_t skip_bytes(struct archive *archive, void *user, la_int64_t count)
{
    (void)archive;
    struct stream *stream = user;
    const size_t left = stream->bytes.size - stream->at;
    const size_t skipped = count < 0 ? 0 : (uint64_t)count < left ? (size_t)count : left;
    stream->at += skipped;
    return (la_int64_t)skipped;
}

static la_int64_t seek_byte(struct archive *archive, void *user, la_int64_t offset, int whence)
{
    (void)archive;
    struct stream *stream = user;
    const size_t size = stream->bytes.size;
    const size_t base = whence == SEEK_SET ? 0 : whence == SEEK_CUR ? stream->at : size;
    la_int64_t at;
    if (__builtin_add_overflow((la_int64_t)base, offset, &at) || at < 0 || (uint64_t)at > size)
        return ARCHIVE_FATAL;
    stream->at = (size_t)at;
    return at;
}

static bool open_blocks(struct stream *stream)
{
    struct archive *archive = stream->archive;
    return libarchive.read_set_callback_data(archive, stream) == ARCHIVE_OK &&
           libarchive.read_set_read_callback(archive, give_block) == ARCHIVE_OK &&
           libarchive.read_set_skip_callback(archive, skip_bytes) == ARCHIVE_OK &&
           libarchive.read_set_seek_callback(archive, seek_byte) == ARCHIVE_OK &&
           libarchive.read_open1(archive) == ARCHIVE_OK;
}

/* Opens the archive's bytes starting at that offset. The caller must close the stream, even after a failure; it must
 * not be moved. */
static bool open_stream(struct stream *stream, const struct pose_archive *of, uint64_t start,
                        const struct pose_stop *stop, struct pose_error *error)
{
    const struct pose_bytes bytes = of->bytes;
    *stream = (struct stream){.error = error,
                              .start = start,
                              .filter = start ? ARCHIVE_FILTER_NONE : filter_of(bytes),
                              .bytes = {bytes.data + start, bytes.size - (size_t)start},
                              .stop = stop};
    if (!libarchive_open(error))
        return false;
    stream->archive = libarchive.read_new();
    if (!stream->archive)
        return error_no_memory(error);
    bool filtered = stream->filter != ARCHIVE_FILTER_NONE;
    if (!(filtered ? support_filtered(stream->archive, stream->filter)
                   : support_plain(stream->archive, of->is_common_only)))
        return error_set(error, POSE_UNSUPPORTED, "unsupported_container",
                         "the system's libarchive needs an external program for this");
    if (open_blocks(stream))
        return true;
    return filtered && !stream->is_stopped ? fail_without_tar(error)
                                           : fail(stream, "damaged", "the archive cannot be opened");
}

/* Reads the next header: 1, or 0 at the end, or -1 (reported) if reading cannot continue. */
static int next_header(struct stream *stream)
{
    int result = libarchive.read_next_header(stream->archive, &stream->entry);
    if (result == ARCHIVE_EOF)
        return 0;
    if (result == ARCHIVE_OK || result == ARCHIVE_WARN)
        return 1;
    fail(stream, "damaged", "the archive ends too early");
    return -1;
}

/* ---------------------------------------------------------------------------------------------- listing -- */

static char *name_of(struct stream *stream, struct arena *arena)
{
    const char *name = libarchive.entry_pathname_utf8(stream->entry);
    if (!name)
        name = libarchive.entry_pathname(stream->entry);
    return archive_name(arena, (const uint8_t *)(name ? name : ""), name ? strlen(name) : 0);
}

static const char *skipped_reason(struct archive_entry *entry)
{
    if (libarchive.entry_hardlink(entry))
        return "link";
    switch (libarchive.entry_filetype(entry)) {
    case 0:
    case AE_IFREG:
        return NULL;
    case AE_IFLNK:
        return "link";
    default:
        return "device";
    }
}

/* A container that is one stream counts as a whole: the sizes of its entries are added. */
struct listing {
    struct pose_archive *archive;
    struct stream *stream;
    struct zip_keeper keeper;
    struct zip_row *rows;
    uint32_t capacity;
    uint64_t unpacked;
    bool from_headers; /* entries can be read starting at their own headers */
};

static uint64_t offset_of_header(struct stream *stream)
{
    la_int64_t at = libarchive.read_header_position(stream->archive);
    return stream->filter == ARCHIVE_FILTER_NONE && at > 0 ? (uint64_t)at : 0;
}

/* The next block of an entry's data, as libarchive says it; a large one is unpacked in many. */
static int next_block(struct stream *stream, const void **block, size_t *length, la_int64_t *offset)
{
    if (must_stop(stream))
        return ARCHIVE_FATAL;
    return libarchive.read_data_block(stream->archive, block, length, offset);
}

/* Unpacks an entry of unknown size, only to measure it. */
static bool measure(struct listing *listing, uint64_t *size)
{
    const void *block;
    size_t length;
    la_int64_t offset;
    while (next_block(listing->stream, &block, &length, &offset) == ARCHIVE_OK) {
        *size = (uint64_t)offset + length;
        if (!archive_check_size(listing->archive, listing->unpacked + *size, listing->archive->bytes.size,
                                listing->stream->error))
            return false;
    }
    return !listing->stream->is_stopped || error_stopped(listing->stream->error);
}

/* libarchive skips an entry by unpacking it in one call, so this is done in blocks. What is wrong with it is seen at
 * the next header. */
static bool pass_over(struct stream *stream)
{
    const void *block;
    size_t length;
    la_int64_t offset;
    while (next_block(stream, &block, &length, &offset) == ARCHIVE_OK) {
    }
    return !stream->is_stopped || error_stopped(stream->error);
}

static bool add_size(struct listing *listing, uint64_t *size)
{
    struct archive_entry *entry = listing->stream->entry;
    bool known = libarchive.entry_size_is_set(entry);
    if (known && libarchive.entry_size(entry) < 0)
        return fail_at_header(listing->stream, "damaged", "an entry has a negative size");
    *size = known ? (uint64_t)libarchive.entry_size(entry) : 0;
    if (!known && !measure(listing, size))
        return false;
    if (known && listing->from_headers)
        return true;
    if (__builtin_add_overflow(listing->unpacked, *size + HEADER_SIZE, &listing->unpacked))
        listing->unpacked = UINT64_MAX;
    return archive_check_size(listing->archive, listing->unpacked, listing->archive->bytes.size,
                              listing->stream->error);
}

/*
 * The bytes of the entry whose header was last read; holes of a sparse one are zeros. out has room for size
 * bytes, and the entry must have exactly as many.
 */
static bool read_data(struct stream *stream, uint8_t *out, uint64_t size)
{
    const void *block;
    size_t length;
    la_int64_t offset;
    uint64_t made = 0;
    int result;
    while ((result = next_block(stream, &block, &length, &offset)) == ARCHIVE_OK) {
        uint64_t at = (uint64_t)offset;
        if (offset < 0 || at < made || at > size || length > size - at)
            return fail_at_header(stream, "size_mismatch", "more than the %llu bytes in the header",
                                  (unsigned long long)size);
        memset(out + made, 0, (size_t)(at - made));
        if (length)
            memcpy(out + at, block, length);
        made = at + length;
    }
    if (result != ARCHIVE_EOF)
        return fail(stream, "damaged", "the entry cannot be unpacked");
    if (made < size && !libarchive.entry_sparse_count(stream->entry))
        return fail_at_header(stream, "size_mismatch", "%llu of %llu bytes", (unsigned long long)made,
                              (unsigned long long)size);
    memset(out + made, 0, (size_t)(size - made));
    return true;
}

/* Keeps an entry of a container that is one stream; a broken entry is listed with its error. */
static bool keep_entry(struct listing *listing, uint32_t index)
{
    struct pose_archive *archive = listing->archive;
    struct stream *stream = listing->stream;
    size_t size = (size_t)archive->entries[index].size;
    uint8_t *bytes = zip_keeper_reserve(&listing->keeper, size, stream->error);
    if (!bytes)
        return false;
    if (read_data(stream, bytes, size))
        return zip_keep(&listing->keeper, size, &listing->rows[index], stream->error);
    if (stream->is_stopped)
        return false;
    archive_reject(archive, index, stream->error);
    pose_error_init(stream->error);
    return true;
}

static bool grow(struct listing *listing)
{
    struct pose_archive *archive = listing->archive;
    uint32_t before = listing->capacity, count = archive->entry_count;
    archive->entries =
        arena_grow(&archive->arena, archive->entries, count, &listing->capacity, sizeof *archive->entries);
    listing->rows = arena_grow(&archive->arena, listing->rows, count, &before, sizeof *listing->rows);
    return archive->entries && listing->rows;
}

static bool add_entry(struct listing *listing)
{
    struct pose_archive *archive = listing->archive;
    struct stream *stream = listing->stream;
    uint32_t index = archive->entry_count;
    uint64_t size = 0, at = offset_of_header(stream);
    if (!add_size(listing, &size))
        return false;
    if (libarchive.entry_filetype(stream->entry) == AE_IFDIR)
        return true;
    if (!archive_check_count(archive, (uint64_t)index + 1, stream->error) || !grow(listing))
        return false;
    archive->entry_count++;
    struct pose_entry *entry = &archive->entries[index];
    *entry = (struct pose_entry){.size = size, .skipped = skipped_reason(stream->entry)};
    listing->rows[index] = (struct zip_row){.way = ZIP_STREAM, .start = at};
    zip_set_name(archive, index, name_of(stream, &archive->arena), at);
    if (!entry->error && libarchive.entry_is_data_encrypted(stream->entry))
        zip_reject(archive, index, POSE_UNSUPPORTED, "encrypted", at, "the entry is encrypted");
    if (listing->from_headers)
        return true;
    if (entry->error || entry->skipped)
        return libarchive.entry_is_data_encrypted(stream->entry) || pass_over(stream);
    if (libarchive.entry_size_is_set(stream->entry))
        return keep_entry(listing, index);
    zip_reject(archive, index, POSE_UNSUPPORTED, "unknown_size", at, "the header does not contain the size");
    return true;
}

static bool stands_alone(struct stream *stream)
{
    int family = libarchive.format(stream->archive) & ARCHIVE_FORMAT_BASE_MASK;
    return stream->filter == ARCHIVE_FILTER_NONE &&
           (family == ARCHIVE_FORMAT_TAR || family == ARCHIVE_FORMAT_CPIO || family == ARCHIVE_FORMAT_ZIP);
}

static bool list(struct listing *listing)
{
    struct pose_archive *archive = listing->archive;
    struct stream *stream = listing->stream;
    bool is_empty = true; /* not even a folder */
    int found;
    while ((found = next_header(stream)) > 0) {
        is_empty = false;
        listing->from_headers = stands_alone(stream);
        if (!add_entry(listing))
            return false;
    }
    /* libarchive takes any run of zeros for an empty TAR. */
    if (found == 0 && is_empty && stream->filter != ARCHIVE_FILTER_NONE)
        return fail_without_tar(stream->error);
    if (found == 0 || !archive->entry_count || stream->is_stopped)
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
    zip_keeper_init(&listing.keeper, archive);
    bool done = open_stream(&stream, archive, 0, archive->arena.stop, error);
    use_utf8(&stream);
    done = done && list(&listing);
    archive->rows = listing.rows;
    zip_keeper_release(&listing.keeper);
    close_stream(&stream);
    return done && !archive->arena.failed;
}

bool zip_stream_read(struct read_job *job, const struct zip_row *row)
{
    const struct pose_archive *archive = job->archive;
    uint64_t size = archive->entries[job->index].size;
    struct stream stream;
    if (!archive_check_size(archive, size, archive->bytes.size - row->start, job->error))
        return false;
    bool done = open_stream(&stream, archive, row->start, job->stop, job->error);
    if (done) {
        int found = next_header(&stream);
        done =
            found > 0 || (!found && fail_at_header(&stream, "damaged", "the archive ends before the entry"));
    }
    uint8_t *out = done ? read_reserve(job, (size_t)size) : NULL;
    done = out && read_data(&stream, out, size);
    close_stream(&stream);
    return done;
}
