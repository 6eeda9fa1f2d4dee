#include "server/store/sqlite/rows.h"

#include <string.h>

bool sqlite_take_row(sqlite3_stmt *statement, struct upload_row *row)
{
    if (sqlite3_column_bytes(statement, 0) != sizeof row->id.bytes ||
        sqlite3_column_bytes(statement, 1) != sizeof row->blob.bytes)
        return false;
    memcpy(row->id.bytes, sqlite3_column_blob(statement, 0), sizeof row->id.bytes);
    memcpy(row->blob.bytes, sqlite3_column_blob(statement, 1), sizeof row->blob.bytes);
    row->name = (const char *)sqlite3_column_text(statement, 2);
    row->format = (const char *)sqlite3_column_text(statement, 3);
    row->game = (const char *)sqlite3_column_text(statement, 4);
    row->has_parts = sqlite3_column_int(statement, 5) != 0;
    row->bytes = (uint64_t)sqlite3_column_int64(statement, 6);
    row->created_ms = sqlite3_column_int64(statement, 7);
    row->uploader = (const char *)sqlite3_column_text(statement, 8);
    row->expires_ms = sqlite3_column_int64(statement, 9);
    row->is_waiting = sqlite3_column_int(statement, 10) != 0;
    return row->name != NULL;
}

/* Visits the rows of a statement, and finalises it; value (NULL: none) is its parameter. */
static bool visit_rows(struct sqlite_catalog *sqlite, const char *text, const struct asset_id *value,
                       bool (*take)(sqlite3_stmt *statement, struct upload_row *row), upload_visit *visit,
                       void *user, struct store_error *error)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(sqlite->db, text, -1, &statement, NULL) != SQLITE_OK)
        return sqlite_fail(sqlite, "reading", error);
    if (value)
        sqlite_bind_id(statement, value);
    bool going = true;
    int status = SQLITE_DONE;
    while (going && (status = sqlite3_step(statement)) == SQLITE_ROW) {
        struct upload_row row = {.id = {{0}}};
        if (take(statement, &row))
            going = visit(user, &row);
    }
    bool done = !going || status == SQLITE_DONE || sqlite_fail(sqlite, "reading", error);
    sqlite3_finalize(statement);
    return done;
}

bool sqlite_each(struct store_catalog *catalog, upload_visit *visit, void *user, struct store_error *error)
{
    return visit_rows((struct sqlite_catalog *)catalog,
                      "SELECT " ROW_COLUMNS " FROM upload ORDER BY sequence", NULL, sqlite_take_row, visit,
                      user, error);
}

bool sqlite_each_waiting(struct store_catalog *catalog, upload_visit *visit, void *user,
                         struct store_error *error)
{
    return visit_rows((struct sqlite_catalog *)catalog,
                      "SELECT " ROW_COLUMNS " FROM upload INDEXED BY upload_waiting WHERE is_waiting = 1"
                      " ORDER BY sequence",
                      NULL, sqlite_take_row, visit, user, error);
}

static bool take_id(sqlite3_stmt *statement, struct upload_row *row)
{
    if (sqlite3_column_bytes(statement, 0) != sizeof row->id.bytes)
        return false;
    memcpy(row->id.bytes, sqlite3_column_blob(statement, 0), sizeof row->id.bytes);
    return true;
}

bool sqlite_each_bound(struct store_catalog *catalog, const struct asset_id *context, upload_visit *visit,
                       void *user, struct store_error *error)
{
    return visit_rows(
        (struct sqlite_catalog *)catalog,
        "SELECT id FROM record INDEXED BY record_context JOIN upload ON upload.sequence = record.upload"
        " WHERE context < ?1 UNION ALL "
        "SELECT id FROM record INDEXED BY record_context JOIN upload ON upload.sequence = record.upload"
        " WHERE context > ?1",
        context, take_id, visit, user, error);
}

bool sqlite_find(struct store_catalog *catalog, const struct asset_id *id, struct upload_row *row,
                 struct region *texts, bool *is_there, struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    sqlite3_stmt *statement = sqlite->statements[FIND];
    sqlite3_bind_blob(statement, 1, id->bytes, sizeof id->bytes, SQLITE_STATIC);
    int status = sqlite3_step(statement);
    bool done = status == SQLITE_ROW || status == SQLITE_DONE || sqlite_fail(sqlite, "reading", error);
    *is_there = status == SQLITE_ROW && sqlite_take_row(statement, row);
    if (*is_there)
        upload_row_own_texts(row, texts);
    sqlite3_reset(statement);
    return done;
}

bool sqlite_count_blob(struct store_catalog *catalog, const struct blob_hash *hash, uint64_t *count,
                       struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    sqlite3_stmt *statement = sqlite->statements[COUNT_BLOB];
    sqlite3_bind_blob(statement, 1, hash->bytes, sizeof hash->bytes, SQLITE_STATIC);
    bool done = sqlite3_step(statement) == SQLITE_ROW || sqlite_fail(sqlite, "reading", error);
    *count = done ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_reset(statement);
    return done;
}

static void take_record(sqlite3_stmt *statement, struct upload_record *record, struct pose_buffer *buffer)
{
    const size_t size = (size_t)sqlite3_column_bytes(statement, 0);
    const void *context = sqlite3_column_blob(statement, 2);
    record->is_bound = context != NULL;
    if (context && sqlite3_column_bytes(statement, 2) == sizeof record->context.bytes)
        memcpy(record->context.bytes, context, sizeof record->context.bytes);
    record->revision = (uint32_t)sqlite3_column_int64(statement, 1);
    record->checked = (struct file_stamp){.size = (uint64_t)sqlite3_column_int64(statement, 3),
                                          .modified_ns = sqlite3_column_int64(statement, 4),
                                          .inode = (uint64_t)sqlite3_column_int64(statement, 5)};
    buffer->size = 0;
    if (size && pose_buffer_append(buffer, sqlite3_column_blob(statement, 0), size))
        record->data = (struct pose_bytes){buffer->data, buffer->size};
}

static bool read_record(struct sqlite_catalog *sqlite, struct upload_row *row, struct pose_buffer *buffer,
                        struct store_error *error)
{
    sqlite3_stmt *statement = sqlite->statements[RECORD];
    row->record = (struct upload_record){0};
    sqlite_bind_id(statement, &row->id);
    const int status = sqlite3_step(statement);
    bool done = status == SQLITE_ROW || status == SQLITE_DONE || sqlite_fail(sqlite, "reading", error);
    if (status == SQLITE_ROW)
        take_record(statement, &row->record, buffer);
    sqlite3_reset(statement);
    return done;
}

/* Each statement by itself would lock the file. */
bool sqlite_records(struct store_catalog *catalog, struct upload_row *rows, size_t count,
                    struct pose_buffer *buffers, struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    bool done = sqlite_execute(sqlite, "BEGIN", error);
    if (!done)
        return false;
    for (size_t i = 0; i < count && done; i++)
        done = read_record(sqlite, &rows[i], &buffers[i], error);
    return sqlite_end(sqlite, done, error);
}

bool sqlite_sums(struct store_catalog *catalog, upload_sum_visit *visit, void *user,
                 struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    sqlite3_stmt *statement;
    int status;
    if (sqlite3_prepare_v2(sqlite->db, "SELECT uploader, bytes FROM held", -1, &statement, NULL) != SQLITE_OK)
        return sqlite_fail(sqlite, "reading", error);
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *uploader = (const char *)sqlite3_column_text(statement, 0);
        visit(user, uploader && *uploader ? uploader : NULL, (uint64_t)sqlite3_column_int64(statement, 1));
    }
    bool done = status == SQLITE_DONE || sqlite_fail(sqlite, "reading", error);
    sqlite3_finalize(statement);
    return done;
}

bool sqlite_next_due(struct store_catalog *catalog, struct asset_id *id, int64_t *expires_ms, bool *is_there,
                     struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    sqlite3_stmt *statement = sqlite->statements[NEXT_DUE];
    struct upload_row row;
    const int status = sqlite3_step(statement);
    bool done = status == SQLITE_ROW || status == SQLITE_DONE || sqlite_fail(sqlite, "reading", error);
    *is_there = status == SQLITE_ROW && take_id(statement, &row);
    if (*is_there) {
        *id = row.id;
        *expires_ms = sqlite3_column_int64(statement, 1);
    }
    sqlite3_reset(statement);
    return done;
}

struct state {
    uint64_t version, forgotten;
    struct asset_id epoch;
};

static bool read_state(struct sqlite_catalog *sqlite, struct state *state, struct store_error *error)
{
    sqlite3_stmt *statement = sqlite->statements[GET_VERSION];
    *state = (struct state){0};
    bool done = sqlite3_step(statement) == SQLITE_ROW;
    if (done && sqlite3_column_bytes(statement, 1) == sizeof state->epoch) {
        state->version = (uint64_t)sqlite3_column_int64(statement, 0);
        memcpy(&state->epoch, sqlite3_column_blob(statement, 1), sizeof state->epoch);
        state->forgotten = (uint64_t)sqlite3_column_int64(statement, 2);
    } else {
        done = sqlite_fail_version(sqlite, error);
    }
    sqlite3_reset(statement);
    return done;
}

bool sqlite_version(struct store_catalog *catalog, uint64_t *version, struct asset_id *epoch,
                    struct store_error *error)
{
    struct state state;
    if (!read_state((struct sqlite_catalog *)catalog, &state, error))
        return false;
    *version = state.version;
    *epoch = state.epoch;
    return true;
}

bool sqlite_changes(struct store_catalog *catalog, uint64_t after, uint32_t most, upload_change_visit *visit,
                    void *user, struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    sqlite3_stmt *statement = sqlite->statements[CHANGES];
    struct state state;
    struct upload_row row;
    int status = SQLITE_DONE;
    bool going = true;
    if (!read_state(sqlite, &state, error))
        return false;
    if (after < state.forgotten)
        return store_fail(error, STORE_MISSING, "what was removed so long ago is not known");
    sqlite3_bind_int64(statement, 1, (sqlite3_int64)after);
    sqlite3_bind_int64(statement, 2, most);
    while (going && (status = sqlite3_step(statement)) == SQLITE_ROW) {
        struct upload_change change = {.version = (uint64_t)sqlite3_column_int64(statement, 0),
                                       .is_removed = sqlite3_column_int(statement, 2) != 0};
        if (sqlite3_column_bytes(statement, 1) != sizeof row.id.bytes)
            continue;
        memcpy(change.id.bytes, sqlite3_column_blob(statement, 1), sizeof change.id.bytes);
        going = visit(user, &change);
    }
    bool done = !going || status == SQLITE_DONE || sqlite_fail(sqlite, "reading", error);
    sqlite3_reset(statement);
    return done;
}
