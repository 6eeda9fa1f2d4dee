/*
 * The catalogue of uploads in SQLite: their rows and the records of their contents, a write-ahead log that is synced
 * with every commit. Its connection, its statements, and transactions.
 */
#ifndef POSED_SERVER_STORE_SQLITE_SQLITE_H
#define POSED_SERVER_STORE_SQLITE_SQLITE_H

#include "server/store/catalog.h"

#include <sqlite3.h>

enum sqlite_statement {
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

/* Sets the error to what the connection says; false. */
bool sqlite_fail(struct sqlite_catalog *catalog, const char *what, struct store_error *error);
/* Fails because the version of the last change could not be read: the table state is empty, or an error of SQLite. */
bool sqlite_fail_version(struct sqlite_catalog *catalog, struct store_error *error);
bool sqlite_execute(struct sqlite_catalog *catalog, const char *text, struct store_error *error);
/* Prepares all statements. */
bool sqlite_prepare(struct sqlite_catalog *catalog, struct store_error *error);
/* Binds an id to the first parameter. */
void sqlite_bind_id(sqlite3_stmt *statement, const struct asset_id *id);
/* Runs a statement that returns no rows, and resets it. */
bool sqlite_finish(struct sqlite_catalog *catalog, sqlite3_stmt *statement, const char *what,
                   struct store_error *error);
bool sqlite_begin(struct sqlite_catalog *sqlite, struct store_error *error);
/* Commits what was done since begin, or takes it back. */
bool sqlite_end(struct sqlite_catalog *sqlite, bool done, struct store_error *error);

#endif
