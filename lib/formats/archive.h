/*
 * What an archive type is to the rest of the library: one constant at the end of its own file, listed in
 * its family's row.
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
    bool is_stream; /* its entries are held in memory, unpacked from one stream */
    uint32_t entry_count;
    struct pose_entry *entries;
    const void *rows; /* the type's own, parallel to entries */
    uint32_t name_count;
    const struct pose_name *names; /* sorted by id, each id once */
    struct warning_list warnings;
};

/* Reading of one entry. */
struct read_job {
    const struct pose_archive *archive;
    uint32_t index;
    struct pose_buffer *out; /* empty, with the archive's allocator */
    pose_warn *warn;         /* may be NULL */
    void *user;
    struct pose_error *error;
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

/* A row of an archive that is read and written. */
#define ARCHIVE_FORMAT(row_id, row_title, row_extensions, row_media_type)                                    \
    {                                                                                                        \
        .id = row_id, .title = row_title, .extensions = row_extensions, .media_type = row_media_type,        \
        .kinds = "archive", .can_read = true, .can_write = true,                                             \
    }

struct archive_type {
    const struct pose_format *formats; /* one row an id; the last has a NULL id */
    enum probe_result (*probe)(const struct pose_source *source);
    /* Of a type with several ids: which of them the bytes are of. NULL: the first. Must not allocate. */
    const char *(*identify)(const struct pose_source *source);
    /* Fills in format, entries, rows and warnings. error is archive->arena.error. */
    bool (*open)(struct pose_archive *archive, const struct pose_source *source, struct pose_error *error);
    /* Entries with an error or skipped, or larger than the limit, never get here. */
    bool (*read)(struct read_job *job);
    bool (*pack)(struct pack_job *job); /* NULL: cannot be written */
};

/* Tells what is off though the bytes could be had. code is static. */
void read_warn(const struct read_job *job, const char *code, uint64_t offset, const char *format, ...)
    POSE_PRINTF(4, 5);
/* Memory for an entry of that size, which the limits have allowed: out holds it. NULL (reported) when there is none. */
uint8_t *read_reserve(const struct read_job *job, size_t size);
/* The entry's bytes lie plainly in the archive. Always true. */
bool read_plain(const struct read_job *job, uint64_t offset, size_t size);

/* Marks an entry as unreadable, with a copy of the error. */
void archive_reject(struct pose_archive *archive, uint32_t index, const struct pose_error *error);
/* What could be put up with, as a warning about the archive: the error's code is copied. */
void archive_warn_error(struct pose_archive *archive, const struct pose_error *error);
/* What stands against reading an entry before its bytes are looked at. */
bool archive_check_entry(const struct pose_archive *archive, uint32_t index, struct pose_error *error);
/* The limits of one entry: its size, and its ratio to the bytes that it is packed in. */
bool archive_check_size(const struct pose_archive *archive, uint64_t unpacked, uint64_t packed,
                        struct pose_error *error);
bool archive_check_count(const struct pose_archive *archive, uint64_t count, struct pose_error *error);
/* A warning duplicate_name for every entry but the first of a name, without regard to case. O(n log n). */
void archive_warn_duplicates(struct pose_archive *archive);
/*
 * The setting "compress" of a pack job as an index into names (ending with NULL): a name of a method, or true for the
 * first and false for "none". Without the setting the first. False (reported) when it is anything else.
 */
bool pack_compression(const struct pack_job *job, const char *const *names, unsigned *choice);

/* Names as stored, up to a NUL byte; "\\" becomes "/". The first is always Windows-1252, the second UTF-8 where it is
 * well-formed and Windows-1252 else. */
char *archive_name_windows1252(struct arena *arena, const uint8_t *bytes, size_t length);
char *archive_name(struct arena *arena, const uint8_t *bytes, size_t length);

#endif
