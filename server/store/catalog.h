/*
 * The list of uploads: the other backend of the store. Implemented as rows in SQLite (sqlite.c) and in
 * memory (memory.c); a database server could be added.
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
};

/* Gives a row that borrows its texts copies of them; NULL: takes them away. */
void upload_row_own_texts(struct upload_row *row, struct region *texts);

/* The row is valid during the call. False ends the walk. */
typedef bool upload_visit(void *user, const struct upload_row *row);

/* Functions return false with the error set. Not thread-safe. The effects of add and remove are durable on
 * return, even if power fails. */
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
    void (*close)(struct store_catalog *catalog);
};

/* Creates the file if missing. STORE_BROKEN if it is not a complete catalogue; STORE_NEWER if it is of a
 * later version. */
struct store_catalog *store_sqlite_open(const char *path, struct store_error *error);
/* Whether an existing file is a catalogue of a known version; only reads its first page. */
bool store_sqlite_check(const char *path, struct store_error *error);
struct store_catalog *store_memory_open(void);

#endif
