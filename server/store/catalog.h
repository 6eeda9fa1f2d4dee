/*
 * The list of uploads: the other backend of the store. Implemented as rows in SQLite (sqlite/), in memory (memory.c) and
 * in a PostgreSQL database (postgres/).
 */
#ifndef POSED_SERVER_STORE_CATALOG_H
#define POSED_SERVER_STORE_CATALOG_H

#include "server/ops/files.h"
#include "server/store/blobs.h"
#include "server/store/ids.h"
#include "server/ops/region.h"

/* What indexing has made of an upload: a copy, which can be made anew from the bytes at any time. */
struct upload_record {
    struct pose_bytes data;    /* packed, see index_pack_archive; nothing: none */
    uint32_t revision;         /* of what packed it */
    bool is_bound;             /* it holds in that context only */
    struct asset_id context;   /* of the PATHs */
    struct file_stamp checked; /* the blob's file when its bytes were those of its hash */
};

/* Texts are owned by whoever made the row. */
struct upload_row {
    struct asset_id id; /* of the archive */
    struct blob_hash blob;
    const char *name;
    const char *format, *game;   /* forced by the client; NULL: detected */
    bool has_parts;              /* the blob is a ZIP of the parts of a form, or of its only one (parts.h) */
    uint64_t bytes;              /* of the blob */
    int64_t created_ms;          /* since 1970 */
    const char *uploader;        /* the name of the token that brought it; NULL: it had none */
    int64_t expires_ms;          /* since 1970: then it is removed; 0: never */
    bool is_waiting;             /* not published yet, see waiting.h */
    struct upload_record record; /* for add and the records */
    bool is_noted;               /* store_push has made its note */
    uint64_t version;            /* store_add has added it: in that version of the catalogue; 0: it has not */
};

struct catalog_sharing;

/* Gives a row that borrows its texts copies of them; NULL: takes them away. */
void upload_row_own_texts(struct upload_row *row, struct region *texts);

/* The row is valid during the call. False ends the walk. */
typedef bool upload_visit(void *user, const struct upload_row *row);

/* What happened to an upload last. */
struct upload_change {
    uint64_t version;
    struct asset_id id;
    bool is_removed; /* else it was added, replaced or published */
};
typedef bool upload_change_visit(void *user, const struct upload_change *change);

/* What the uploads of a token (NULL: of none) hold together; valid during the call. */
typedef void upload_sum_visit(void *user, const char *uploader, uint64_t bytes);

/* Functions return false with the error set. Not thread-safe, unless others share it. The effects of add and remove are
 * durable on return, even if power fails. */
struct store_catalog {
    /* Replaces a row of the same id. */
    bool (*add)(struct store_catalog *catalog, const struct upload_row *row, struct store_error *error);
    /* No error if there is none. */
    bool (*remove)(struct store_catalog *catalog, const struct asset_id *id, struct store_error *error);
    /* In order of arrival. */
    bool (*each)(struct store_catalog *catalog, upload_visit *visit, void *user, struct store_error *error);
    /* The number of rows that refer to a blob. */
    bool (*count_blob)(struct store_catalog *catalog, const struct blob_hash *hash, uint64_t *count,
                       struct store_error *error);
    /* The row of an id; its texts are copied to the region, and left out without one (NULL). */
    bool (*find)(struct store_catalog *catalog, const struct asset_id *id, struct upload_row *row,
                 struct region *texts, bool *is_there, struct store_error *error);
    /* Adds many rows in one transaction: next returns them, and false at the end. */
    bool (*add_all)(struct store_catalog *catalog, bool (*next)(void *user, struct upload_row *row),
                    void *user, struct store_error *error);
    /* Ends the waiting of an upload: visit gets the changed row, and if it fails nothing is changed. No error if there
     * is none. */
    bool (*publish)(struct store_catalog *catalog, const struct asset_id *id, upload_visit *visit, void *user,
                    struct store_error *error);
    /* Sets the records of rows, in one transaction; the data of rows[i] is allocated in buffers[i]. Without one,
     * data.size is 0. */
    bool (*records)(struct store_catalog *catalog, struct upload_row *rows, size_t count,
                    struct pose_buffer *buffers, struct store_error *error);
    /* Replaces the records of many uploads in one transaction; those that do not exist are left out. */
    bool (*set_records)(struct store_catalog *catalog, const struct upload_row *rows, size_t count,
                        struct store_error *error);
    /* The version of the last change: each add, remove and publish has one, greater than all before it. Versions of another
     * epoch (the catalogue was made anew) are not comparable. */
    bool (*version)(struct store_catalog *catalog, uint64_t *version, struct asset_id *epoch,
                    struct store_error *error);
    /* What changed after a version, in order, of each id only the last change; at most that many. STORE_MISSING if removals
     * from so long ago are no longer known: everything has to be compared. */
    bool (*changes)(struct store_catalog *catalog, uint64_t after, uint32_t most, upload_change_visit *visit,
                    void *user, struct store_error *error);
    void (*close)(struct store_catalog *catalog);

    /* These may be NULL: then all rows are visited instead. */

    /* The sums of all uploads, one call for each token. */
    bool (*sums)(struct store_catalog *catalog, upload_sum_visit *visit, void *user,
                 struct store_error *error);
    /* The upload that expires first. */
    bool (*next_due)(struct store_catalog *catalog, struct asset_id *id, int64_t *expires_ms, bool *is_there,
                     struct store_error *error);
    /* Those that wait to be published, in order of arrival. */
    bool (*each_waiting)(struct store_catalog *catalog, upload_visit *visit, void *user,
                         struct store_error *error);
    /* Those whose record is bound, and to another context than this one: their ids only are set. */
    bool (*each_bound)(struct store_catalog *catalog, const struct asset_id *context, upload_visit *visit,
                       void *user, struct store_error *error);
    /* The rows of many ids with their records, in one question; rows[i].id says which. As find and records. */
    bool (*rows)(struct store_catalog *catalog, struct upload_row *rows, size_t count, struct region *texts,
                 struct pose_buffer *buffers, bool *are_there, struct store_error *error);
    /* Begins another epoch: the rows are not those that came after an earlier version. */
    bool (*renew)(struct store_catalog *catalog, struct store_error *error);
    /* Merges its log when it is longer than that many bytes: a bound unless the disk is full. */
    bool (*bound_log)(struct store_catalog *catalog, uint64_t bytes, struct store_error *error);
    /* Merges its log, and gives the room back to the disk. */
    bool (*shorten)(struct store_catalog *catalog, struct store_error *error);
    /* What other processes share, see shared/sharing.h; NULL: it is ours alone. */
    const struct catalog_sharing *sharing;
};

/* So long a removal is remembered for changes, at least. */
enum { CATALOG_REMEMBERS_DAYS = 30 };

/* Creates the file if missing. STORE_BROKEN if it is not a complete catalogue; STORE_NEWER if it is of a
 * later version. */
struct store_catalog *store_sqlite_open(const char *path, struct store_error *error);
/* The same without reading all of the file: it is as a daemon left it. */
struct store_catalog *store_sqlite_open_unchecked(const char *path, struct store_error *error);
/* Whether an existing file is a catalogue of a known version; only reads its first page. */
bool store_sqlite_check(const char *path, struct store_error *error);
struct store_catalog *store_memory_open(void);

#endif
