/*
 * What stays in memory of an upload while its contents do not: enough to find it and to name it. The contents are made
 * of its record again (uploads/reload.h) when somebody asks for them.
 */
#ifndef POSED_SERVER_LIBRARY_SNAPSHOT_SKETCH_H
#define POSED_SERVER_LIBRARY_SNAPSHOT_SKETCH_H

#include "server/library/index/index.h"

struct index_sketch_asset {
    struct asset_id id;
    enum asset_kind kind;
    uint32_t entry;
    const char *name;
};

/* Immutable, but for what is atomic. Reference-counted; one block of memory. */
struct index_sketch {
    atomic_uint references;
    atomic_bool is_lost; /* its contents could not be made again: it is as if it were not there */
    struct asset_id id, digest;
    int64_t expires_ms;
    size_t weight;    /* bytes of the contents in memory */
    const char *name; /* of the archive */
    uint32_t asset_count;
    struct index_sketch_asset assets[]; /* in the order of entries and their assets; then the names */
};

/*
 * Sketches an upload whose record is kept, before the archive is shared. Does nothing for one whose contents stay in
 * memory: a container (its directory is open), one that waits for companion files (it is indexed anew when PATHs
 * change), one whose bytes are in memory anyway, or one of a format that is searched by ids that no table has; nor if
 * out of memory.
 */
void index_sketch_archive(struct index_archive *archive);
void index_sketch_ref(struct index_sketch *sketch);
/* NULL is allowed. */
void index_sketch_unref(struct index_sketch *sketch);

/* Of the contents of sketched uploads: those in memory, and their bytes. */
struct index_contents {
    uint64_t count, bytes;
};
struct index_contents index_contents_held(void);
/* For index_archive_unref. */
void index_sketch_release(struct index_archive *archive);

#endif
