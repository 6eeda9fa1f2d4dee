/*
 * The catalogue of uploads in SQLite: their rows and the records of their contents, a write-ahead log that is synced
 * with every commit. The schema's version is user_version; older ones are migrated step by step, newer ones are refused.
 */
#include "server/store/catalog.h"

#include "server/ops/clock.h"
#include "server/ops/region.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum statement {
    ADD,
    REMOVE,
    COUNT_BLOB,
    FIND,
    PUBLISH,
    RECORD,
    SET_RECORD,
    DROP_RECORD,
    NEXT_VERSION,
    GET_VERSION,
    CHANGES,
    REMEMBER,
    RECALL,
    NEXT_DUE,
    STATEMENT_COUNT
};

struct sqlite_catalog {
    struct store_catalog catalog; /* must be first */
    sqlite3 *db;
    sqlite3_stmt *statements[STATEMENT_COUNT];
};

#define ROW_COLUMNS                                                                                          \
    "id, blob, name, format, game, has_parts, bytes, created_ms, uploader, expires_ms, is_waiting"

static const char *const statement_texts[STATEMENT_COUNT] = {
    [ADD] = ("INSERT INTO upload (" ROW_COLUMNS
             ", version) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)"),
    [REMOVE] = "DELETE FROM upload WHERE id = ?1",
    [COUNT_BLOB] = "SELECT count(*) FROM upload WHERE blob = ?1",
    [FIND] = "SELECT " ROW_COLUMNS " FROM upload WHERE id = ?1",
    [PUBLISH] = "UPDATE upload SET is_waiting = 0, version = ?2 WHERE id = ?1",
    [RECORD] = ("SELECT data, revision, context, size, modified_ns, inode FROM record"
                " WHERE upload = (SELECT sequence FROM upload WHERE id = ?1)"),
    [SET_RECORD] =
        ("INSERT OR REPLACE INTO record (upload, data, revision, context, size, modified_ns, inode)"
         " SELECT sequence, ?2, ?3, ?4, ?5, ?6, ?7 FROM upload WHERE id = ?1"),
    [DROP_RECORD] = "DELETE FROM record WHERE upload = (SELECT sequence FROM upload WHERE id = ?1)",
    [NEXT_VERSION] = "UPDATE state SET version = version + 1 RETURNING version",
    [GET_VERSION] = "SELECT version, epoch, forgotten FROM state",
    [CHANGES] = ("SELECT version, id, 0 FROM upload WHERE version > ?1"
                 " UNION ALL SELECT version, id, 1 FROM removed WHERE version > ?1 ORDER BY 1 LIMIT ?2"),
    [REMEMBER] = "INSERT INTO removed (id, version, removed_ms) VALUES (?1, ?2, ?3)",
    [RECALL] = "DELETE FROM removed WHERE id = ?1",
    [NEXT_DUE] = "SELECT id, expires_ms FROM upload WHERE expires_ms > 0 ORDER BY expires_ms LIMIT 1",
};

/* migrations[k] leads from version k to k + 1. */
static const char *const migrations[] = {
    "CREATE TABLE upload ("
    " sequence INTEGER PRIMARY KEY AUTOINCREMENT,"
    " id BLOB NOT NULL UNIQUE CHECK (length(id) = 16)," /* of the archive */
    " blob BLOB NOT NULL CHECK (length(blob) = 32),"    /* SHA-256 */
    " name TEXT NOT NULL,"
    " format TEXT," /* forced by the client */
    " game TEXT,"
    " has_parts INTEGER NOT NULL CHECK (has_parts IN (0, 1)),"
    " bytes INTEGER NOT NULL CHECK (bytes >= 0),"
    " created_ms INTEGER NOT NULL"
    ") STRICT;"
    "CREATE INDEX upload_blob ON upload (blob);",
    "CREATE TABLE record ("
    " upload INTEGER PRIMARY KEY,"
    " revision INTEGER NOT NULL," /* of the decoder and the layout */
    " context BLOB,"              /* of the PATHs that it depends on; NULL: it depends on none */
    " size INTEGER NOT NULL,"     /* of the blob's file when its bytes were verified: size, time and inode */
    " modified_ns INTEGER NOT NULL,"
    " inode INTEGER NOT NULL,"
    " data BLOB NOT NULL"
    ") STRICT;",
    "ALTER TABLE upload ADD COLUMN uploader TEXT;"
    "ALTER TABLE upload ADD COLUMN expires_ms INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE upload ADD COLUMN is_waiting INTEGER NOT NULL DEFAULT 0 CHECK (is_waiting IN (0, 1));",
    /* Versions, see catalog.h; what a start and a quota would else have to visit all rows for. */
    "ALTER TABLE upload ADD COLUMN version INTEGER NOT NULL DEFAULT 0;"
    "UPDATE upload SET version = sequence;"
    "CREATE UNIQUE INDEX upload_version ON upload (version);"
    "CREATE INDEX upload_due ON upload (expires_ms) WHERE expires_ms > 0;"
    "CREATE INDEX upload_waiting ON upload (sequence) WHERE is_waiting = 1;"
    "CREATE INDEX record_context ON record (context) WHERE context IS NOT NULL;"
    "CREATE TABLE removed (id BLOB PRIMARY KEY, version INTEGER NOT NULL UNIQUE, removed_ms INTEGER NOT NULL)"
    " STRICT, WITHOUT ROWID;"
    "CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), version INTEGER NOT NULL,"
    " forgotten INTEGER NOT NULL," /* the version up to which removals are not remembered */
    " epoch BLOB NOT NULL,"
    " inode INTEGER NOT NULL) STRICT;" /* of the file: a copy is another epoch */
    "INSERT INTO state SELECT 1, coalesce(max(sequence), 0), 0, randomblob(16), 0 FROM upload;"
    "CREATE TABLE held (uploader TEXT PRIMARY KEY, uploads INTEGER NOT NULL, bytes INTEGER NOT NULL)"
    " STRICT, WITHOUT ROWID;" /* '': of no token */
    "INSERT INTO held SELECT coalesce(uploader, ''), count(*), sum(bytes) FROM upload GROUP BY 1;"
    "CREATE TRIGGER upload_added AFTER INSERT ON upload BEGIN"
    " INSERT INTO held VALUES (coalesce(new.uploader, ''), 1, new.bytes) ON CONFLICT (uploader) DO UPDATE SET"
    " uploads = uploads + 1, bytes = bytes + excluded.bytes; END;"
    "CREATE TRIGGER upload_removed AFTER DELETE ON upload BEGIN"
    " UPDATE held SET uploads = uploads - 1, bytes = bytes - old.bytes"
    " WHERE uploader = coalesce(old.uploader, '');"
    " DELETE FROM held WHERE uploader = coalesce(old.uploader, '') AND uploads <= 0; END;",
};
enum { VERSION = sizeof migrations / sizeof migrations[0] };

static bool fail(struct sqlite_catalog *catalog, const char *what, struct store_error *error)
{
    int code = sqlite3_errcode(catalog->db), reason = sqlite3_system_errno(catalog->db);
    bool is_full = code == SQLITE_FULL ||
                   (code == SQLITE_IOERR && (reason == ENOSPC || reason == EDQUOT || reason == EFBIG));
    return store_fail(error, is_full ? STORE_FULL : STORE_DOWN, "the catalogue: %s: %s", what,
                      sqlite3_errmsg(catalog->db));
}

static bool execute(struct sqlite_catalog *catalog, const char *text, struct store_error *error)
{
    return sqlite3_exec(catalog->db, text, NULL, NULL, NULL) == SQLITE_OK || fail(catalog, "SQL", error);
}

/* ------------------------------------------------------------------------------------------------- rows -- */

static void bind_text(sqlite3_stmt *statement, int index, const char *text)
{
    if (text)
        sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, index);
}

/* Runs a statement that returns no rows, and resets it. */
static bool finish(struct sqlite_catalog *catalog, sqlite3_stmt *statement, const char *what,
                   struct store_error *error)
{
    bool done = sqlite3_step(statement) == SQLITE_DONE || fail(catalog, what, error);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return done;
}

static void bind_id(sqlite3_stmt *statement, const struct asset_id *id)
{
    sqlite3_bind_blob(statement, 1, id->bytes, sizeof id->bytes, SQLITE_STATIC);
}

static bool drop_record(struct sqlite_catalog *sqlite, const struct asset_id *id, struct store_error *error)
{
    bind_id(sqlite->statements[DROP_RECORD], id);
    return finish(sqlite, sqlite->statements[DROP_RECORD], "removing a record", error);
}

static bool set_record(struct sqlite_catalog *sqlite, const struct upload_row *row, struct store_error *error)
{
    const struct upload_record *record = &row->record;
    sqlite3_stmt *statement = sqlite->statements[SET_RECORD];
    if (!record->data.size)
        return true;
    bind_id(statement, &row->id);
    sqlite3_bind_blob64(statement, 2, record->data.data, record->data.size, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, record->revision);
    if (record->is_bound)
        sqlite3_bind_blob(statement, 4, record->context.bytes, sizeof record->context.bytes, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)record->checked.size);
    sqlite3_bind_int64(statement, 6, record->checked.modified_ns);
    sqlite3_bind_int64(statement, 7, (sqlite3_int64)record->checked.inode);
    return finish(sqlite, statement, "adding a record", error);
}

/* The version of a change that is being made. */
static bool next_version(struct sqlite_catalog *sqlite, uint64_t *version, struct store_error *error)
{
    sqlite3_stmt *statement = sqlite->statements[NEXT_VERSION];
    const bool has_row = sqlite3_step(statement) == SQLITE_ROW;
    *version = has_row ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    bool done = (has_row && sqlite3_step(statement) == SQLITE_DONE) || fail(sqlite, "its version", error);
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
    bind_id(statement, id);
    bool done = finish(sqlite, statement, "removing an upload", error);
    *is_there = done && sqlite3_changes(sqlite->db);
    return done;
}

static bool forget_removal(struct sqlite_catalog *sqlite, const struct asset_id *id,
                           struct store_error *error)
{
    bind_id(sqlite->statements[RECALL], id);
    return finish(sqlite, sqlite->statements[RECALL], "adding an upload", error);
}

static bool add_row(struct sqlite_catalog *sqlite, const struct upload_row *row, struct store_error *error)
{
    sqlite3_stmt *statement = sqlite->statements[ADD];
    uint64_t version;
    bool was_there;
    if (!drop_row(sqlite, &row->id, &was_there, error) || !forget_removal(sqlite, &row->id, error) ||
        !next_version(sqlite, &version, error))
        return false;
    bind_id(statement, &row->id);
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
    return finish(sqlite, statement, "adding an upload", error) && set_record(sqlite, row, error);
}

static bool begin(struct sqlite_catalog *sqlite, struct store_error *error)
{
    return execute(sqlite, "BEGIN IMMEDIATE", error);
}

/* Commits what was done since begin, or takes it back. */
static bool end(struct sqlite_catalog *sqlite, bool done, struct store_error *error)
{
    done = done && execute(sqlite, "COMMIT", error);
    if (!done)
        sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
    return done;
}

static bool add(struct store_catalog *catalog, const struct upload_row *row, struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    return begin(sqlite, error) && end(sqlite, add_row(sqlite, row, error), error);
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
    bind_id(statement, id);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)version);
    sqlite3_bind_int64(statement, 3, now_ms());
    return finish(sqlite, statement, "removing an upload", error);
}

static bool remove_row(struct store_catalog *catalog, const struct asset_id *id, struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    bool was_there;
    if (!begin(sqlite, error))
        return false;
    bool done =
        drop_row(sqlite, id, &was_there, error) && (!was_there || remember_removal(sqlite, id, error));
    return end(sqlite, done, error);
}

static bool set_records(struct store_catalog *catalog, const struct upload_row *rows, size_t count,
                        struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    bool done = begin(sqlite, error);
    if (!done)
        return false;
    for (size_t i = 0; i < count && done; i++)
        done = set_record(sqlite, &rows[i], error);
    return end(sqlite, done, error);
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
    bind_id(statement, &row->id);
    const int status = sqlite3_step(statement);
    bool done = status == SQLITE_ROW || status == SQLITE_DONE || fail(sqlite, "reading", error);
    if (status == SQLITE_ROW)
        take_record(statement, &row->record, buffer);
    sqlite3_reset(statement);
    return done;
}

/* Each statement by itself would lock the file. */
static bool records(struct store_catalog *catalog, struct upload_row *rows, size_t count,
                    struct pose_buffer *buffers, struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    bool done = execute(sqlite, "BEGIN", error);
    if (!done)
        return false;
    for (size_t i = 0; i < count && done; i++)
        done = read_record(sqlite, &rows[i], &buffers[i], error);
    return end(sqlite, done, error);
}

static bool take_row(sqlite3_stmt *statement, struct upload_row *row)
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
        return fail(sqlite, "reading", error);
    if (value)
        bind_id(statement, value);
    bool going = true;
    int status = SQLITE_DONE;
    while (going && (status = sqlite3_step(statement)) == SQLITE_ROW) {
        struct upload_row row = {.id = {{0}}};
        if (take(statement, &row))
            going = visit(user, &row);
    }
    bool done = !going || status == SQLITE_DONE || fail(sqlite, "reading", error);
    sqlite3_finalize(statement);
    return done;
}

static bool each(struct store_catalog *catalog, upload_visit *visit, void *user, struct store_error *error)
{
    return visit_rows((struct sqlite_catalog *)catalog,
                      "SELECT " ROW_COLUMNS " FROM upload ORDER BY sequence", NULL, take_row, visit, user,
                      error);
}

static bool each_waiting(struct store_catalog *catalog, upload_visit *visit, void *user,
                         struct store_error *error)
{
    return visit_rows((struct sqlite_catalog *)catalog,
                      "SELECT " ROW_COLUMNS " FROM upload INDEXED BY upload_waiting WHERE is_waiting = 1"
                      " ORDER BY sequence",
                      NULL, take_row, visit, user, error);
}

static bool take_id(sqlite3_stmt *statement, struct upload_row *row)
{
    if (sqlite3_column_bytes(statement, 0) != sizeof row->id.bytes)
        return false;
    memcpy(row->id.bytes, sqlite3_column_blob(statement, 0), sizeof row->id.bytes);
    return true;
}

static bool each_bound(struct store_catalog *catalog, const struct asset_id *context, upload_visit *visit,
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

static bool sums(struct store_catalog *catalog, upload_sum_visit *visit, void *user,
                 struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    sqlite3_stmt *statement;
    int status;
    if (sqlite3_prepare_v2(sqlite->db, "SELECT uploader, bytes FROM held", -1, &statement, NULL) != SQLITE_OK)
        return fail(sqlite, "reading", error);
    while ((status = sqlite3_step(statement)) == SQLITE_ROW) {
        const char *uploader = (const char *)sqlite3_column_text(statement, 0);
        visit(user, uploader && *uploader ? uploader : NULL, (uint64_t)sqlite3_column_int64(statement, 1));
    }
    bool done = status == SQLITE_DONE || fail(sqlite, "reading", error);
    sqlite3_finalize(statement);
    return done;
}

static bool next_due(struct store_catalog *catalog, struct asset_id *id, int64_t *expires_ms, bool *is_there,
                     struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    sqlite3_stmt *statement = sqlite->statements[NEXT_DUE];
    struct upload_row row;
    const int status = sqlite3_step(statement);
    bool done = status == SQLITE_ROW || status == SQLITE_DONE || fail(sqlite, "reading", error);
    *is_there = status == SQLITE_ROW && take_id(statement, &row);
    if (*is_there) {
        *id = row.id;
        *expires_ms = sqlite3_column_int64(statement, 1);
    }
    sqlite3_reset(statement);
    return done;
}

/* ---------------------------------------------------------------------------------------------- versions -- */

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
        done = fail(sqlite, "its version", error);
    }
    sqlite3_reset(statement);
    return done;
}

static bool get_version(struct store_catalog *catalog, uint64_t *version, struct asset_id *epoch,
                        struct store_error *error)
{
    struct state state;
    if (!read_state((struct sqlite_catalog *)catalog, &state, error))
        return false;
    *version = state.version;
    *epoch = state.epoch;
    return true;
}

static bool changes(struct store_catalog *catalog, uint64_t after, uint32_t most, upload_change_visit *visit,
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
    bool done = !going || status == SQLITE_DONE || fail(sqlite, "reading", error);
    sqlite3_reset(statement);
    return done;
}

/* Removals of long ago. */
static bool prune(struct sqlite_catalog *sqlite, struct store_error *error)
{
    const int64_t before = now_ms() - (int64_t)CATALOG_REMEMBERS_DAYS * 24 * 3600 * 1000;
    char *text = sqlite3_mprintf("BEGIN IMMEDIATE; UPDATE state SET forgotten = max(forgotten,"
                                 " (SELECT coalesce(max(version), 0) FROM removed WHERE removed_ms < %lld));"
                                 " DELETE FROM removed WHERE removed_ms < %lld; COMMIT",
                                 (long long)before, (long long)before);
    bool done = (text || store_fail(error, STORE_DOWN, "out of memory")) && execute(sqlite, text, error);
    sqlite3_free(text);
    return done;
}

static bool count_blob(struct store_catalog *catalog, const struct blob_hash *hash, uint64_t *count,
                       struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    sqlite3_stmt *statement = sqlite->statements[COUNT_BLOB];
    sqlite3_bind_blob(statement, 1, hash->bytes, sizeof hash->bytes, SQLITE_STATIC);
    bool done = sqlite3_step(statement) == SQLITE_ROW || fail(sqlite, "reading", error);
    *count = done ? (uint64_t)sqlite3_column_int64(statement, 0) : 0;
    sqlite3_reset(statement);
    return done;
}

static bool find(struct store_catalog *catalog, const struct asset_id *id, struct upload_row *row,
                 struct region *texts, bool *is_there, struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    sqlite3_stmt *statement = sqlite->statements[FIND];
    sqlite3_bind_blob(statement, 1, id->bytes, sizeof id->bytes, SQLITE_STATIC);
    int status = sqlite3_step(statement);
    bool done = status == SQLITE_ROW || status == SQLITE_DONE || fail(sqlite, "reading", error);
    *is_there = status == SQLITE_ROW && take_row(statement, row);
    if (*is_there)
        upload_row_own_texts(row, texts);
    sqlite3_reset(statement);
    return done;
}

static bool publish(struct store_catalog *catalog, const struct asset_id *id, upload_visit *visit, void *user,
                    struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    sqlite3_stmt *statement = sqlite->statements[PUBLISH];
    struct upload_row row = {0};
    uint64_t version;
    if (!begin(sqlite, error))
        return false;
    bool done = next_version(sqlite, &version, error);
    bind_id(statement, id);
    sqlite3_bind_int64(statement, 2, (sqlite3_int64)version);
    done = done && finish(sqlite, statement, "publishing an upload", error);
    statement = sqlite->statements[FIND];
    bind_id(statement, id);
    if (done && sqlite3_step(statement) == SQLITE_ROW)
        done = take_row(statement, &row) && visit(user, &row);
    sqlite3_reset(statement);
    return end(sqlite, done, error);
}

static bool add_all(struct store_catalog *catalog, bool (*next)(void *user, struct upload_row *row),
                    void *user, struct store_error *error)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    struct upload_row row;
    bool done = begin(sqlite, error);
    if (!done)
        return false;
    while (done && next(user, &row))
        done = add_row(sqlite, &row, error);
    return end(sqlite, done, error);
}

/* ----------------------------------------------------------------------------------------------- opening -- */

static void close_catalog(struct store_catalog *catalog)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(sqlite->statements[i]);
    sqlite3_close(sqlite->db);
    free(sqlite);
}

static bool read_version(struct sqlite_catalog *catalog, int *version, struct store_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool done = sqlite3_prepare_v2(catalog->db, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW;
    *version = done ? sqlite3_column_int(statement, 0) : 0;
    if (!done)
        fail(catalog, "it cannot be read", error);
    sqlite3_finalize(statement);
    return done;
}

static bool check_version(int version, struct store_error *error)
{
    return (version >= 0 && version <= VERSION) ||
           store_fail(error, STORE_NEWER, "the catalogue is of version %d; this posed knows up to %d",
                      version, VERSION);
}

/* Opening the database would create log files beside it, so magic and version are read at their offsets in
 * SQLite's file format. A file that is not a database is moved aside when the store is opened. */
bool store_sqlite_check(const char *path, struct store_error *error)
{
    enum { HEADER_SIZE = 100, AT_VERSION = 60 };
    static const char magic[] = "SQLite format 3";
    uint8_t header[HEADER_SIZE];
    FILE *file = fopen(path, "rbe");
    if (!file)
        return store_fail_errno(error, "%s", path);
    size_t size = fread(header, 1, sizeof header, file);
    fclose(file);
    if (size < sizeof header || memcmp(header, magic, sizeof magic) != 0)
        return true;
    const uint8_t *at = header + AT_VERSION;
    return check_version((int)((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]),
                         error);
}

/* Whether the error is in the file, and not in the machine that reads it. */
static bool is_broken(int code)
{
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR;
}

/* Whether a message of the check means that a page could not be read, which may be temporary. */
static bool is_of_machine(const char *text)
{
    static const char mark[] = "error code=";
    const char *found = strstr(text, mark);
    return found && !is_broken(atoi(found + sizeof mark - 1) & 0xff);
}

/* Checks every page and every index row: a copy made while the file was being written may mix old and new
 * state, and look valid at first. */
static bool check_whole(struct sqlite_catalog *catalog, struct store_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool read =
        sqlite3_prepare_v2(catalog->db, "PRAGMA integrity_check(1)", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW;
    const char *text = read ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    bool done = text && !strcmp(text, "ok");
    if (!read)
        fail(catalog, "it cannot be read", error);
    else if (!done)
        store_fail(error, text && !is_of_machine(text) ? STORE_BROKEN : STORE_DOWN, "the catalogue: %.200s",
                   text ? text : "out of memory");
    sqlite3_finalize(statement);
    return done;
}

static bool migrate(struct sqlite_catalog *catalog, struct store_error *error)
{
    int version;
    if (!read_version(catalog, &version, error))
        return false;
    if (!check_version(version, error))
        return false;
    for (; version < VERSION; version++) {
        char *text = sqlite3_mprintf("BEGIN IMMEDIATE; %s PRAGMA user_version = %d; COMMIT",
                                     migrations[version], version + 1);
        bool done = text && execute(catalog, text, error);
        sqlite3_free(text);
        if (!done)
            return false;
    }
    return true;
}

static bool prepare(struct sqlite_catalog *catalog, struct store_error *error)
{
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        if (sqlite3_prepare_v3(catalog->db, statement_texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &catalog->statements[i], NULL) != SQLITE_OK)
            return fail(catalog, "SQL", error);
    }
    return true;
}

static bool renew(struct store_catalog *catalog, struct store_error *error)
{
    return execute((struct sqlite_catalog *)catalog, "UPDATE state SET epoch = randomblob(16)", error);
}

/* Versions of a copy may mean something else than those of the file that it was made of. */
static bool recognise(struct sqlite_catalog *sqlite, const char *path, struct store_error *error)
{
    struct stat status;
    if (stat(path, &status))
        return store_fail_errno(error, "%s", path);
    const long long inode = (long long)status.st_ino;
    char *text = sqlite3_mprintf("UPDATE state SET inode = %lld, epoch = randomblob(16) WHERE inode <> %lld",
                                 inode, inode);
    bool done = (text || store_fail(error, STORE_DOWN, "out of memory")) && execute(sqlite, text, error);
    sqlite3_free(text);
    return done;
}

static struct store_catalog *open_file(const char *path, bool is_checked, struct store_error *error)
{
    enum { BUSY_MS = 2000 }; /* another process may be reading it or backing it up */
    struct sqlite_catalog *sqlite = must_alloc(1, sizeof *sqlite);
    sqlite->catalog = (struct store_catalog){.add = add,
                                             .remove = remove_row,
                                             .each = each,
                                             .count_blob = count_blob,
                                             .find = find,
                                             .add_all = add_all,
                                             .publish = publish,
                                             .records = records,
                                             .set_records = set_records,
                                             .version = get_version,
                                             .changes = changes,
                                             .close = close_catalog,
                                             .sums = sums,
                                             .next_due = next_due,
                                             .each_waiting = each_waiting,
                                             .each_bound = each_bound,
                                             .renew = renew};
    bool done = sqlite3_open_v2(path, &sqlite->db,
                                SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                                    SQLITE_OPEN_NOFOLLOW,
                                NULL) == SQLITE_OK ||
                fail(sqlite, path, error);
    if (done) {
        sqlite3_busy_timeout(sqlite->db, BUSY_MS);
        sqlite3_extended_result_codes(sqlite->db, 0);
    }
    done = done && (!is_checked || check_whole(sqlite, error)) &&
           execute(sqlite, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;", error) &&
           migrate(sqlite, error) && recognise(sqlite, path, error) && prepare(sqlite, error) &&
           prune(sqlite, error);
    if (done)
        return &sqlite->catalog;
    if (error->status == STORE_DOWN && is_broken(sqlite3_errcode(sqlite->db)))
        error->status = STORE_BROKEN;
    close_catalog(&sqlite->catalog);
    return NULL;
}

struct store_catalog *store_sqlite_open(const char *path, struct store_error *error)
{
    return open_file(path, true, error);
}

struct store_catalog *store_sqlite_open_unchecked(const char *path, struct store_error *error)
{
    return open_file(path, false, error);
}
