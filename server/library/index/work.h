/*
 * The state of one indexing run, shared by its steps: listing (list.c), decoding one entry (task.c),
 * and combining the results (index.c).
 */
#ifndef POSED_SERVER_LIBRARY_INDEX_WORK_H
#define POSED_SERVER_LIBRARY_INDEX_WORK_H

#include "server/library/index/archive.h"
#include "server/library/index/cache.h"

/* An entry to decode. */
struct task {
    struct index_archive *archive;
    uint32_t entry;
    struct index_entry *decoded;
    struct index_archive *container; /* set if a folder's file turned out to be a container */
    struct index_nested *nested;     /* set if a container's entry turned out to be a container */
};

struct indexing {
    const struct index_options *options;
    const struct index_result *before;
    const struct index_changes *changes; /* since then; NULL: anything may have changed */
    struct index_result *result;
    uint32_t ordinal;                          /* of the PATH that is being listed */
    bool has_directories;                      /* those of the result are its own: some came or went */
    const struct index_neighbours *neighbours; /* NULL: only what is being indexed */
    struct index_cache *cache;                 /* for files on disk; NULL: none, and for uploads */
    struct asset_id context;                   /* of the cache, see recall.h */
    struct task *tasks;
    size_t task_count, task_capacity;
    bool bounded;                  /* a single archive, an upload: see fits_bounds */
    atomic_uint_fast64_t unpacked; /* total bytes of entries so far */
    atomic_bool late;              /* the deadline has passed */
};

/* ------------------------------------------------------------------------------------------------- listing -- */

/* Lists the contents of a PATH: archives with a slot for every entry, and tasks. False with error. */
bool list_path(struct indexing *work, const char *path, struct pose_error *error);
/* Inserts an archive at that place; false if out of memory. */
bool list_archive(struct indexing *work, struct index_archive *archive, uint32_t at);
/* Lists the entries of an open container, or of one nested in it, within the limits of its archive. */
void list_container(struct indexing *work, struct index_archive *archive);
void list_nested(struct indexing *work, struct index_archive *archive, struct index_nested *nested);
void list_task(struct indexing *work, struct index_archive *archive, uint32_t entry);
/* At the end of the list; on failure returns false with error and releases the archive. */
bool list_last(struct indexing *work, struct index_archive *archive, struct pose_error *error);
/* Whether a file may still be being written. */
bool is_fresh(const struct file_stamp *stamp);
/* A folder as it was in the earlier index, with what has changed below it. False with error. */
bool list_changed_folder(struct indexing *work, struct index_archive *before, struct pose_error *error);
/* Adds folders to those of the result, which are sorted later, and takes away those at a path and below it (NULL: none are). */
bool list_directories(struct indexing *work, const char *without, struct walked_folder *folder,
                      struct pose_error *error);
/* Walks a folder within the limits. */
bool walk_folder(struct indexing *work, const char *path, struct walked_folder *folder,
                 struct pose_error *error);

/* The id of the detected archive type, NULL if the bytes are not a container. */
const char *container_format(const char *name, struct pose_bytes bytes);
/* Opens a file of a folder as a container; NULL if it is not one. */
struct index_archive *container_open(const struct indexing *work, const struct index_archive *folder,
                                     const char *path, const char *name);
/* The container of an earlier index at that path if the file is unchanged; referenced. */
struct index_archive *container_before(const struct indexing *work, const char *path,
                                       const struct file_stamp *stamp);

/* ------------------------------------------------------------------------------------------------ decoding -- */

/* Decodes one task; for parallel_for with the indexing as user. Does nothing once a limit of the run is
 * exceeded. */
void decode_task(void *indexing, size_t item);
/* Whether a limit of the run is exceeded: max-time, max-ratio. */
bool work_is_late(struct indexing *work);
bool work_is_over_ratio(struct indexing *work);

#endif
