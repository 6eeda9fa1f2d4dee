/*
 * Which uploads there are: the other interface that the store stands on. Here rows in SQLite (store_sqlite.c) or in
 * memory (store_memory.c); a server of databases would be a third.
 */
#ifndef POSED_SERVER_STORE_CATALOG_H
#define POSED_SERVER_STORE_CATALOG_H

#include "server/store/blobs.h"
#include "server/store/ids.h"

/* Texts belong to whoever made the row. */
struct upload_row {
    struct asset_id id; /* of the archive */
    struct blob_hash blob;
    const char *name;
    const char *format, *game; /* forced by the client; NULL: found out */
    bool has_parts;            /* a multipart upload: the blob is a ZIP of its parts (parts.h) */
    uint64_t bytes;            /* of the blob */
    int64_t created_ms;        /* since 1970 */
};

/* The row lives during the call. False ends the walk. */
typedef bool upload_visit(void *user, const struct upload_row *row);

/* Functions give false with the error set. Called by one thread at a time. What add and remove did lasts when they
 * return: power may fail then. */
struct store_catalog {
    /* A row of that id is replaced. */
    bool (*add)(struct store_catalog *catalog, const struct upload_row *row, struct store_error *error);
    /* None there is fine. */
    bool (*remove)(struct store_catalog *catalog, const struct asset_id *id, struct store_error *error);
    /* In the order in which they came. */
    bool (*each)(struct store_catalog *catalog, upload_visit *visit, void *user, struct store_error *error);
    /* How many rows name a blob. */
    bool (*count_blob)(struct store_catalog *catalog, const struct blob_hash *hash, uint64_t *count,
                       struct store_error *error);
    /* The row of an id, but for its texts. */
    bool (*find)(struct store_catalog *catalog, const struct asset_id *id, struct upload_row *row,
                 bool *is_there, struct store_error *error);
    /* Adds many, all or none: next gives them, false at the end. */
    bool (*add_all)(struct store_catalog *catalog, bool (*next)(void *user, struct upload_row *row),
                    void *user, struct store_error *error);
    void (*close)(struct store_catalog *catalog);
};

/* Makes the file when it is not there. STORE_BROKEN when what is there is no catalogue, or not a whole one; STORE_NEWER
 * when it is of a later version. */
struct store_catalog *store_sqlite_open(const char *path, struct store_error *error);
/* Whether the file that is there is a catalogue of a version that is known; only reads its first page. */
bool store_sqlite_check(const char *path, struct store_error *error);
struct store_catalog *store_memory_open(void);

#endif
