/* What is asked of the catalogue and what changes it, see struct store_catalog. */
#ifndef POSED_SERVER_STORE_SQLITE_ROWS_H
#define POSED_SERVER_STORE_SQLITE_ROWS_H

#include "server/store/sqlite/sqlite.h"

/* Takes a row of ROW_COLUMNS, whose texts are valid until the statement goes on; false if it is none. */
bool sqlite_take_row(sqlite3_stmt *statement, struct upload_row *row);

bool sqlite_each(struct store_catalog *catalog, upload_visit *visit, void *user, struct store_error *error);
bool sqlite_each_waiting(struct store_catalog *catalog, upload_visit *visit, void *user,
                         struct store_error *error);
bool sqlite_each_bound(struct store_catalog *catalog, const struct asset_id *context, upload_visit *visit,
                       void *user, struct store_error *error);
bool sqlite_find(struct store_catalog *catalog, const struct asset_id *id, struct upload_row *row,
                 struct region *texts, bool *is_there, struct store_error *error);
bool sqlite_count_blob(struct store_catalog *catalog, const struct blob_hash *hash, uint64_t *count,
                       struct store_error *error);
bool sqlite_records(struct store_catalog *catalog, struct upload_row *rows, size_t count,
                    struct pose_buffer *buffers, struct store_error *error);
bool sqlite_sums(struct store_catalog *catalog, upload_sum_visit *visit, void *user,
                 struct store_error *error);
bool sqlite_next_due(struct store_catalog *catalog, struct asset_id *id, int64_t *expires_ms, bool *is_there,
                     struct store_error *error);
bool sqlite_version(struct store_catalog *catalog, uint64_t *version, struct asset_id *epoch,
                    struct store_error *error);
bool sqlite_changes(struct store_catalog *catalog, uint64_t after, uint32_t most, upload_change_visit *visit,
                    void *user, struct store_error *error);

bool sqlite_add(struct store_catalog *catalog, const struct upload_row *row, struct store_error *error);
bool sqlite_add_all(struct store_catalog *catalog, bool (*next)(void *user, struct upload_row *row),
                    void *user, struct store_error *error);
bool sqlite_remove(struct store_catalog *catalog, const struct asset_id *id, struct store_error *error);
bool sqlite_publish(struct store_catalog *catalog, const struct asset_id *id, upload_visit *visit, void *user,
                    struct store_error *error);
bool sqlite_set_records(struct store_catalog *catalog, const struct upload_row *rows, size_t count,
                        struct store_error *error);
bool sqlite_bound_log(struct store_catalog *catalog, uint64_t bytes, struct store_error *error);
bool sqlite_shorten(struct store_catalog *catalog, struct store_error *error);

#endif
