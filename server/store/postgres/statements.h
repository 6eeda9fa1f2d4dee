/* Inside the catalogue: what its files share. */
#ifndef POSED_SERVER_STORE_POSTGRES_STATEMENTS_H
#define POSED_SERVER_STORE_POSTGRES_STATEMENTS_H

#include "server/store/postgres/pool.h"
#include "server/store/postgres/rows.h"
#include "server/store/shared/sharing.h"

#include <pthread.h>

struct postgres {
    struct store_catalog catalog; /* must be first */
    struct pool *pool;
    pthread_mutex_t lock; /* guards is_made and sweeper */
    bool is_made;         /* the tables are */
    struct pg *sweeper;   /* has the right to sweep */
    struct pg *listener;  /* only for the thread that waits */
    int wake_fd;
};

struct postgres *postgres_of(struct store_catalog *catalog);

enum statement {
    ADD,
    REMOVE,
    PUBLISH,
    FIND,
    PAGE_OF_ROWS,
    COUNT_BLOB,
    RECORDS,
    ROWS,
    SET_RECORD,
    LEASE,
    OUTDATE,
    RECOUNT,
    VERSION,
    CHANGES,
    BYTES,
    NEXT_DUE,
    WAITING,
    BOUND,
    MARK,
    UNMARK,
    SWEEPABLE,
    SWEPT,
    STATEMENT_COUNT
};
_Static_assert((int)STATEMENT_COUNT <= (int)PG_STATEMENTS, "a bit per statement");

extern const struct pg_statement postgres_statements[STATEMENT_COUNT];

/* Asks one of them; rows go to visit. */
bool postgres_ask(struct store_catalog *catalog, enum database_operation operation, enum statement statement,
                  const struct row_values *values, pg_visit *visit, void *user, struct store_error *error);
/* A write under a ticket: asked again it says what became of it, so it is asked once more if nobody has said so. */
bool postgres_write(struct store_catalog *catalog, enum statement statement, const struct row_values *values,
                    pg_visit *visit, void *user, struct store_error *error);

/* The functions of the catalogue (catalog.h, sharing.h), by the file that has them. writes.c */
bool postgres_add(struct store_catalog *catalog, const struct upload_row *row,
                  const struct addition_room *room, enum addition *addition, uint64_t *version,
                  struct store_error *error);
bool postgres_put(struct store_catalog *catalog, const struct upload_row *row, struct store_error *error);
bool postgres_remove(struct store_catalog *catalog, const struct asset_id *id, const char *by,
                     const char *reason, struct shared_removal *removal, struct store_error *error);
bool postgres_drop(struct store_catalog *catalog, const struct asset_id *id, struct store_error *error);
bool postgres_publish(struct store_catalog *catalog, const struct asset_id *id, const char *by,
                      bool *is_published, uint64_t *version, struct store_error *error);
bool postgres_publish_row(struct store_catalog *catalog, const struct asset_id *id, upload_visit *visit,
                          void *user, struct store_error *error);
bool postgres_put_all(struct store_catalog *catalog, bool (*next)(void *user, struct upload_row *row),
                      void *user, struct store_error *error);

/* reads.c */
bool postgres_find(struct store_catalog *catalog, const struct asset_id *id, struct upload_row *row,
                   struct region *texts, bool *is_there, struct store_error *error);
bool postgres_each(struct store_catalog *catalog, upload_visit *visit, void *user, struct store_error *error);
bool postgres_count_blob(struct store_catalog *catalog, const struct blob_hash *hash, uint64_t *count,
                         struct store_error *error);
bool postgres_bytes(struct store_catalog *catalog, uint64_t *bytes, struct store_error *error);
bool postgres_next_due(struct store_catalog *catalog, struct asset_id *id, int64_t *expires_ms,
                       bool *is_there, struct store_error *error);
bool postgres_each_waiting(struct store_catalog *catalog, upload_visit *visit, void *user,
                           struct store_error *error);
bool postgres_each_bound(struct store_catalog *catalog, const struct asset_id *context, upload_visit *visit,
                         void *user, struct store_error *error);

/* records.c */
bool postgres_records(struct store_catalog *catalog, struct upload_row *rows, size_t count,
                      struct pose_buffer *buffers, struct store_error *error);
bool postgres_rows(struct store_catalog *catalog, struct upload_row *rows, size_t count, struct region *texts,
                   struct pose_buffer *buffers, bool *are_there, struct store_error *error);
bool postgres_set_records(struct store_catalog *catalog, const struct upload_row *rows, size_t count,
                          struct store_error *error);
bool postgres_lease(struct store_catalog *catalog, const struct upload_row *rows, size_t count,
                    uint32_t revision, uint64_t lease_ms, bool *is_ours, struct store_error *error);
bool postgres_outdate(struct store_catalog *catalog, const struct asset_id *id, struct store_error *error);
bool postgres_recount(struct store_catalog *catalog, struct store_error *error);

/* changes.c */
bool postgres_version(struct store_catalog *catalog, uint64_t *number, struct asset_id *epoch,
                      struct store_error *error);
bool postgres_changes(struct store_catalog *catalog, uint64_t after, uint32_t most,
                      shared_change_visit *visit, void *user, struct store_error *error);
bool postgres_changes_plain(struct store_catalog *catalog, uint64_t after, uint32_t most,
                            upload_change_visit *visit, void *user, struct store_error *error);
void postgres_wait(struct store_catalog *catalog, uint64_t timeout_ms);
void postgres_wake(struct store_catalog *catalog);

/* marks.c */
bool postgres_sweep_begin(struct store_catalog *catalog, bool *is_ours, struct store_error *error);
void postgres_sweep_end(struct store_catalog *catalog);
bool postgres_mark(struct store_catalog *catalog, const struct blob_hash *hash, bool *is_marked,
                   struct store_error *error);
bool postgres_unmark(struct store_catalog *catalog, const struct blob_hash *hash, struct store_error *error);
bool postgres_sweepable(struct store_catalog *catalog, uint64_t least_ms, uint32_t most, blob_visit *visit,
                        void *user, struct store_error *error);
bool postgres_swept(struct store_catalog *catalog, const struct blob_hash *hash, struct store_error *error);

#endif
