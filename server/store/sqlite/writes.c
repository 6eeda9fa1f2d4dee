#include "server/store/sqlite/rows.h"

#include "server/ops/clock.h"

static void bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    if (text)
        sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, index);
}

static bool drop_record(struct sqlite_catalog *sqlite, const struct asset_id *id, struct store_error *error)
{
    sqlite_bind_id(sqlite->statements[DROP_RECORD], id);
    return sqlite_finish(sqlite, sqlite->statements[DROP_RECORD], "removing a record", error);
}

static bool set_record(struct sqlite_catalog *sqlite, const struct upload_row *row, struct store_error *error)
{
    const struct upload_record *record = &row->record;
    sqlite3_stmt *statement = sqlite->statements[SET_RECORD];
    if (!record->data.size)
        return true;
    sqlite_bind_id(statement, &row->id);
    sqlite3_bind_blob64(statement, 2, record->data.data, record->data.size, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, record->revision);
    if (record->is_bound)
        sqlite3_bind_blob(statement, 4, record->context.bytes, sizeof record->context.bytes, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)record->checked.size);
    sqlite3_bind_int64(statement, 6, record->checked.modified_ns);
    sqlite3_bind_int64(statement, 7, (sqlite3_int64)record->checked.inode);
    return sqlite_finish(sqlite, statement, "adding a record", error);
}

/* The version of a change that is being made. */
static bool next_version(struct sqlite_catalog *sqlite, uint64_t *version, struct store_error *error)
{
    sqlite3_stmt *statement = sqlite->statements[NEXT_VERSION];
    const bool has_row = sqlite3_step(statement) == SQLITE_ROW;
    *version = has_row ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    bool done = (has_row && sqlite3_step(statement) == SQLITE_DONE) || sqlite_fail_version(sqlite, error);
    sqlite3_reset(statement);
    return done;
}

/* The row and its record, if they are there; is_there: whether they were. */
static bool drop_row(struct sqlite_catalog *sqlite, const struct asset_id *id, bool *is_there,
                     struct store_error *error)
{
    sqlite3_stmt *statement = sqlite->statements[REMOVE];
    *is_there = false;
    if (!drop_record(sqlite, id, error))
        return false;
    sqlite_bind_id(statement, id);
    bool done = sqlite_finish(sqlite, statement, "removing an upload", error);
    *is_there = done && sqlite3_changes(sqlite->db);
    return done;
}

static bool forget_removal(struct sqlite_catalog *sqlite, const struct asset_id *id,
                           struct store_error *error)
{
    sqlite_bind_id(sqlite->statements[RECALL], id);
    return sqlite_finish(sqlite, sqlite->statements[RECALL], "adding an upload", error);
}

static bool add_row(struct sqlite_catalog *sqlite, const struct upload_row *row, struct store_error *error)
{
    sqlite3_stmt *statement = sqlite->statements[ADD];
    uint64_t version;
    bool was_there;
    if (!drop_row(sqlite, &row->id, &was_there, error) || !forget_removal(sqlite, &row->id, error) ||
        !next_version(sqlite, &version, error))
        return false;
    sqlite_bind_id(statement, &row->id);
    sqlite3_bind_blob(statement, 2, row->blob.bytes, sizeof row->blob.bytes, SQLITE_STATIC);
    bind_text(statement, 3, row->name);
    bind_text(statement, 4, row->format);
    bind_text(statement, 5, row->game);
    sqlite3_bind_int(statement, 6, row->has_parts);
    sqlite3_bind_int64(statement, 7, (sqlite3_int64)row->bytes);
    sqlite3_bind_int64(statement, 8, row->created_ms);
    bind_text(statement, 9, row->uploader);
    sqlite3_bind_int64(statement, 10, row->expires_ms);
    sqlite3_bind_int(statement, 11, row->is_waiting);
    sqlite3_bind_int64(statement, 12, (sqlite3_int64)version);
    return sqlite_finish(sqlite, statement, "adding an upload", error) && set_record(sqlite, row, error);
}

bool sqlite_add(struct store_catalog *catalog, const struct upload_row *row, struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    return sqlite_begin(sqlite, error) && sqlite_end(sqlite, add_row(sqlite, row, error), error);
}

bool sqlite_add_all(struct store_catalog *catalog, bool (*next)(void *user, struct upload_row *row),
                    void *user, struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    struct upload_row row;
    bool done = sqlite_begin(sqlite, error);
    if (!done)
        return false;
    while (done && next(user, &row))
        done = add_row(sqlite, &row, error);
    return sqlite_end(sqlite, done, error);
}

static int64_t now_ms(void)
{
    return clock_wall_ns() / 1000000;
}

static bool remember_removal(struct sqlite_catalog *sqlite, const struct asset_id *id,
                             struct store_error *error)
{
    sqlite3_stmt *statement = sqlite->statements[REMEMBER];
    uint64_t version;
    if (!next_version(sqlite, &version, error))
        return false;
    sqlite_bind_id(statement, id);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)version);
    sqlite3_bind_int64(statement, 3, now_ms());
    return sqlite_finish(sqlite, statement, "removing an upload", error);
}

bool sqlite_remove(struct store_catalog *catalog, const struct asset_id *id, struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    bool was_there;
    if (!sqlite_begin(sqlite, error))
        return false;
    bool done =
        drop_row(sqlite, id, &was_there, error) && (!was_there || remember_removal(sqlite, id, error));
    return sqlite_end(sqlite, done, error);
}

bool sqlite_bound_log(struct store_catalog *catalog, uint64_t bytes, struct store_error *error)
{
    enum { PAGE = 4096, MOST_PAGES = 1000 }; /* SQLite's own */
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    const int pages = bytes / PAGE < MOST_PAGES ? (int)(bytes / PAGE) : MOST_PAGES;
    return sqlite3_wal_autocheckpoint(sqlite->db, pages) == SQLITE_OK ||
           sqlite_fail(sqlite, "the length of its log", error);
}

bool sqlite_shorten(struct store_catalog *catalog, struct store_error *error)
{
    return sqlite_execute((struct sqlite_catalog *)catalog, "PRAGMA wal_checkpoint(TRUNCATE)", error);
}

bool sqlite_publish(struct store_catalog *catalog, const struct asset_id *id, upload_visit *visit, void *user,
                    struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    sqlite3_stmt *statement = sqlite->statements[PUBLISH];
    struct upload_row row = {0};
    uint64_t version;
    if (!sqlite_begin(sqlite, error))
        return false;
    bool done = next_version(sqlite, &version, error);
    sqlite_bind_id(statement, id);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)version);
    done = done && sqlite_finish(sqlite, statement, "publishing an upload", error);
    statement = sqlite->statements[FIND];
    sqlite_bind_id(statement, id);
    if (done && sqlite3_step(statement) == SQLITE_ROW)
        done = sqlite_take_row(statement, &row) && visit(user, &row);
    sqlite3_reset(statement);
    return sqlite_end(sqlite, done, error);
}

bool sqlite_set_records(struct store_catalog *catalog, const struct upload_row *rows, size_t count,
                        struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    bool done = sqlite_begin(sqlite, error);
    if (!done)
        return false;
    for (size_t i = 0; i < count && done; i++)
        done = set_record(sqlite, &rows[i], error);
    return sqlite_end(sqlite, done, error);
}
