#include "server/store/sqlite/sqlite.h"

#include <errno.h>

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

bool sqlite_fail(struct sqlite_catalog *catalog, const char *what, struct store_error *error)
{
    int code = sqlite3_errcode(catalog->db), reason = sqlite3_system_errno(catalog->db);
    bool is_full = code == SQLITE_FULL ||
                   (code == SQLITE_IOERR && (reason == ENOSPC || reason == EDQUOT || reason == EFBIG));
    return store_fail(error, is_full ? STORE_FULL : STORE_DOWN, "the catalogue: %s: %s", what,
                      sqlite3_errmsg(catalog->db));
}

bool sqlite_fail_version(struct sqlite_catalog *catalog, struct store_error *error)
{
    if (sqlite3_errcode(catalog->db) != SQLITE_DONE && sqlite3_errcode(catalog->db) != SQLITE_OK &&
        sqlite3_errcode(catalog->db) != SQLITE_ROW)
        return sqlite_fail(catalog, "its version", error);
    return store_fail(error, STORE_DOWN,
                      "the catalogue: its version is missing; stop the daemon, and posed reindex --data DIR "
                      "rebuilds the catalogue");
}

bool sqlite_execute(struct sqlite_catalog *catalog, const char *text, struct store_error *error)
{
    return sqlite3_exec(catalog->db, text, NULL, NULL, NULL) == SQLITE_OK ||
           sqlite_fail(catalog, "SQL", error);
}

bool sqlite_prepare(struct sqlite_catalog *catalog, struct store_error *error)
{
    for (int i = 0; i < STATEMENT_COUNT; i++) {
        if (sqlite3_prepare_v3(catalog->db, statement_texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &catalog->statements[i], NULL) != SQLITE_OK)
            return sqlite_fail(catalog, "SQL", error);
    }
    return true;
}

void sqlite_bind_id(sqlite3_stmt *statement, const struct asset_id *id)
{
    sqlite3_bind_blob(statement, 1, id->bytes, sizeof id->bytes, SQLITE_STATIC);
}

bool sqlite_finish(struct sqlite_catalog *catalog, sqlite3_stmt *statement, const char *what,
                   struct store_error *error)
{
    bool done = sqlite3_step(statement) == SQLITE_DONE || sqlite_fail(catalog, what, error);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return done;
}

bool sqlite_begin(struct sqlite_catalog *sqlite, struct store_error *error)
{
    return sqlite_execute(sqlite, "BEGIN IMMEDIATE", error);
}

bool sqlite_end(struct sqlite_catalog *sqlite, bool done, struct store_error *error)
{
    done = done && sqlite_execute(sqlite, "COMMIT", error);
    if (!done)
        sqlite3_exec(sqlite->db, "ROLLBACK", NULL, NULL, NULL);
    return done;
}
