/*
 * Interface between an archive type and the rest of the library: one constant at the end of the type's file,
 * listed in its family's row.
 */
#ifndef POSE_FORMATS_ARCHIVE_H
#define POSE_FORMATS_ARCHIVE_H

#include "lib/core/arena.h"
#include "lib/core/bytes/reader.h"
#include "lib/core/bytes/writer.h"
#include "lib/formats/codec.h"
#include "lib/model/build.h"

/* An open archive. The type fills in entries and keeps what it needs to read them in rows. */
struct pose_archive {
    const struct archive_type *type;
    const char *format; /* the exact id: one type may serve several ("far1a", "far1b") */
    struct pose_bytes bytes;
    struct pose_limits limits;
    const struct pose_allocator *allocator;
    struct arena arena;
    bool is_common_only; /* of struct pose_options */
    bool is_stream;      /* its entries are held in memory, unpacked from one stream */
    uint32_t entry_count;
    struct pose_entry *entries;
    const void *rows; /* owned by the type, parallel to entries */
    uint32_t name_count;
    const struct pose_name *names; /* sorted by id, no id twice */
    struct warning_list warnings;
};

/* Reading one entry. */
struct read_job {
    const struct pose_archive *archive;
    uint32_t index;
    struct pose_buffer *out; /* empty, with the archive's allocator */
    pose_warn *warn;         /* may be NULL */
    void *user;
    struct pose_error *error;
    const struct pose_stop *stop; /* may be NULL */
};

struct pack_job {
    const char *format;
    const struct pose_pack_item *items;
    uint32_t count;
    const struct pose_value *settings;
    struct writer *writer;
    struct arena *arena;
    struct pose_error *error;
};

/* The row of an archive format that can be read and written. */
#define ARCHIVE_FORMAT(row_id, row_title, row_extensions, row_media_type)                                    \
    {                                                                                                        \
        .id = row_id, .title = row_title, .extensions = row_extensions, .media_type = row_media_type,        \
        .kinds = "archive", .can_read = true, .can_write = true,                                             \
    }

struct archive_type {
    const struct pose_format *formats; /* one row per id; the last has a NULL id */
    enum probe_result (*probe)(const struct pose_source *source);
    /* For a type with several ids: the one that fits the bytes. NULL: the first. Must not allocate. */
    const char *(*identify)(const struct pose_source *source);
    /* Fills in format, entries, rows and warnings. error is archive->arena.error. */
    bool (*open)(struct pose_archive *archive, const struct pose_source *source, struct pose_error *error);
    /* Never called for entries that have an error, are skipped or exceed the limit. */
    bool (*read)(struct read_job *job);
    bool (*pack)(struct pack_job *job); /* NULL: cannot be written */
};

/* Warns about an entry that is damaged but readable. code is static. */
void read_warn(const struct read_job *job, const char *code, uint64_t offset, const char *format, ...)
    POSE_PRINTF(4, 5);
/* Makes out hold an entry of that size, already checked against the limits. NULL (reported) if out of memory. */
uint8_t *read_reserve(const struct read_job *job, size_t size);
/* For an entry stored uncompressed in the archive. Always true. */
bool read_plain(const struct read_job *job, uint64_t offset, size_t size);

/* Marks an entry as unreadable, with a copy of the error. */
void archive_reject(struct pose_archive *archive, uint32_t index, const struct pose_error *error);
/* Reports a tolerated error as a warning about the archive; copies the error's code. */
void archive_warn_error(struct pose_archive *archive, const struct pose_error *error);
/* Checks whether an entry may be read, before its bytes are looked at. */
bool archive_check_entry(const struct pose_archive *archive, uint32_t index, struct pose_error *error);
/* The limits of one entry: its size, and the ratio to its packed size. */
bool archive_check_size(const struct pose_archive *archive, uint64_t unpacked, uint64_t packed,
                        struct pose_error *error);
bool archive_check_count(const struct pose_archive *archive, uint64_t count, struct pose_error *error);
/* Adds a warning duplicate_name for every entry but the first of a name, ignoring case. O(n log n). */
void archive_warn_duplicates(struct pose_archive *archive);
/*
 * The setting "compress" of a pack job as an index into names (ends with NULL): a method's name, or true for the
 * first and false for "none". The first if not set. False (reported) for any other value.
 */
bool pack_compression(const struct pack_job *job, const char *const *names, unsigned *choice);

/* Names as stored, up to a NUL byte; "\\" becomes "/". The first function always reads Windows-1252, the second
 * UTF-8 where it is well-formed and Windows-1252 otherwise. */
char *archive_name_windows1252(struct arena *arena, const uint8_t *bytes, size_t length);
char *archive_name(struct arena *arena, const uint8_t *bytes, size_t length);

#endif
