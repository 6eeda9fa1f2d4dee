/*
 * What an archive type is to the rest of the library: one constant at the end of its own file, listed in
 * lib/formats.c.
 */
#ifndef POSE_ARCHIVES_ARCHIVE_H
#define POSE_ARCHIVES_ARCHIVE_H

#include "lib/core/arena.h"
#include "lib/core/reader.h"
#include "lib/core/writer.h"
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
    uint32_t entry_count;
    struct pose_entry *entries;
    const void *rows; /* the type's own, parallel to entries */
    struct warning_list warnings;
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

struct archive_type {
    const struct pose_format *formats; /* one row an id; the last has a NULL id */
    enum probe_result (*probe)(const struct pose_source *source);
    /* Fills in format, entries, rows and warnings. error is archive->arena.error. */
    bool (*open)(struct pose_archive *archive, const struct pose_source *source, struct pose_error *error);
    /* out is empty; entries with an error or skipped never get here. */
    bool (*read)(const struct pose_archive *archive, uint32_t index, struct pose_buffer *out,
                 struct pose_error *error);
    bool (*pack)(struct pack_job *job); /* NULL: cannot be written */
};

#endif
