/*
 * One run of indexing, shared by its steps: what is listed (index_list.c), what becomes of one entry (index_task.c), and
 * what becomes of all of them together (index.c).
 */
#ifndef POSED_SERVER_LIBRARY_INDEX_WORK_H
#define POSED_SERVER_LIBRARY_INDEX_WORK_H

#include "server/library/index/archive.h"
#include "server/library/index/cache.h"

/* An entry that is to be decoded. */
struct task {
    struct index_archive *archive;
    uint32_t entry;
    struct index_entry *decoded;
    struct index_archive *container; /* what a folder's file turned out to be */
    struct index_nested *nested;     /* what a container's entry turned out to be */
};

struct indexing {
    const struct index_options *options;
    const struct index_result *before;
    struct index_result *result;
    const struct index_neighbours *neighbours; /* NULL: what is indexed itself */
    struct index_cache *cache;                 /* of files on the machine; NULL: none, and for uploads */
    struct asset_id context;                   /* of the cache, see index_recall.h */
    struct task *tasks;
    size_t task_count, task_capacity;
    bool bounded;                  /* one archive, an upload: see fits_bounds */
    atomic_uint_fast64_t unpacked; /* bytes of entries so far */
    atomic_bool late;              /* the deadline is over */
};

/* ------------------------------------------------------------------------------------------------- listing -- */

/* Lists what a PATH holds: archives with a place for every entry, and tasks. False with error. */
bool list_path(struct indexing *work, const char *path, struct pose_error *error);
/* At that place among the archives; false when there is no memory for it. */
bool list_archive(struct indexing *work, struct index_archive *archive, uint32_t at);
/* The entries of an opened container, and of one that was found in it: as far as the limits of its archive allow. */
void list_container(struct indexing *work, struct index_archive *archive);
void list_nested(struct indexing *work, struct index_archive *archive, struct index_nested *nested);
void list_task(struct indexing *work, struct index_archive *archive, uint32_t entry);

/* The id of the archive type that the bytes are of, NULL when they are no container. */
const char *container_format(const char *name, struct pose_bytes bytes);
/* A file of a folder that is a container, opened; NULL when it is none. */
struct index_archive *container_open(const struct indexing *work, const struct index_archive *folder,
                                     const char *path, const char *name);
/* The container of an earlier index at that path, when the file did not change; referenced. */
struct index_archive *container_before(const struct indexing *work, const char *path,
                                       const struct file_stamp *stamp);

/* ------------------------------------------------------------------------------------------------ decoding -- */

/* Decodes one task, for parallel_for with the indexing as user. Nothing once a bound of the work is crossed. */
void decode_task(void *indexing, size_t item);
/* Whether a bound of the work is crossed: max-time, max-ratio. */
bool work_is_late(struct indexing *work);
bool work_is_over_ratio(struct indexing *work);

#endif
