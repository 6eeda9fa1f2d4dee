#include "server/store/sqlite/schema.h"

#include "server/ops/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static bool read_version(struct sqlite_catalog *catalog, int *version, struct store_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool done = sqlite3_prepare_v2(catalog->db, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
                sqlite3_step(statement) == SQLITE_ROW;
    *version = done ? sqlite3_column_int(statement, 0) : 0;
    if (!done)
        sqlite_fail(catalog, "it cannot be read", error);
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

bool schema_is_broken(int code)
{
    return code == SQLITE_CORRUPT || code == SQLITE_NOTADB || code == SQLITE_ERROR;
}

/* Whether a message of the check means that a page could not be read, which may be temporary. */
static bool is_of_machine(const char *text)
{
    static const char mark[] = "error code=";
    const char *found = strstr(text, mark);
    return found && !schema_is_broken(atoi(found + sizeof mark - 1) & 0xff);
}

/* Checks every page and every index row: a copy made while the file was being written may mix old and new
 * state, and look valid at first. */
bool schema_check(struct sqlite_catalog *catalog, struct store_error *error)
{
    sqlite3_stmt *statement = NULL;
    bool read =
        sqlite3_prepare_v2(catalog->db, "PRAGMA integrity_check(1)", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW;
    const char *text = read ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    bool done = text && !strcmp(text, "ok");
    if (!read)
        sqlite_fail(catalog, "it cannot be read", error);
    else if (!done)
        store_fail(error, text && !is_of_machine(text) ? STORE_BROKEN : STORE_DOWN, "the catalogue: %.200s",
                   text ? text : "out of memory");
    sqlite3_finalize(statement);
    return done;
}

/* Whether it is a list of something else: in its place may lie another database, whose versions mean nothing here. */
static bool is_another(struct sqlite_catalog *catalog)
{
    sqlite3_stmt *statement = NULL;
    bool is =
        sqlite3_prepare_v2(catalog->db,
                           "SELECT count(*), total(name = 'upload') FROM sqlite_schema WHERE type = 'table'",
                           -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int64(statement, 0) > 0 &&
        sqlite3_column_int64(statement, 1) == 0;
    sqlite3_finalize(statement);
    return is;
}

bool schema_migrate(struct sqlite_catalog *catalog, struct store_error *error)
{
    int version;
    if (!read_version(catalog, &version, error))
        return false;
    if (version > VERSION && is_another(catalog))
        return store_fail(error, STORE_BROKEN, "the catalogue: this is another database");
    if (!check_version(version, error))
        return false;
    for (; version < VERSION; version++) {
        char *text = sqlite3_mprintf("BEGIN IMMEDIATE; %s PRAGMA user_version = %d; COMMIT",
                                     migrations[version], version + 1);
        bool done = text && sqlite_execute(catalog, text, error);
        sqlite3_free(text);
        if (!done)
            return false;
    }
    return true;
}

bool schema_renew(struct store_catalog *catalog, struct store_error *error)
{
    return sqlite_execute((struct sqlite_catalog *)catalog, "UPDATE state SET epoch = randomblob(16)", error);
}

bool schema_recognise(struct sqlite_catalog *sqlite, const char *path, struct store_error *error)
{
    struct stat status;
    if (stat(path, &status))
        return store_fail_errno(error, "%s", path);
    const long long inode = (long long)status.st_ino;
    char *text = sqlite3_mprintf("UPDATE state SET inode = %lld, epoch = randomblob(16) WHERE inode <> %lld",
                                 inode, inode);
    bool done =
        (text || store_fail(error, STORE_DOWN, "out of memory")) && sqlite_execute(sqlite, text, error);
    sqlite3_free(text);
    return done;
}

static int64_t now_ms(void)
{
    return clock_wall_ns() / 1000000;
}

bool schema_forget_removals(struct sqlite_catalog *sqlite, struct store_error *error)
{
    const int64_t before = now_ms() - (int64_t)CATALOG_REMEMBERS_DAYS * 24 * 3600 * 1000;
    char *text = sqlite3_mprintf("BEGIN IMMEDIATE; UPDATE state SET forgotten = max(forgotten,"
                                 " (SELECT coalesce(max(version), 0) FROM removed WHERE removed_ms < %lld));"
                                 " DELETE FROM removed WHERE removed_ms < %lld; COMMIT",
                                 (long long)before, (long long)before);
    bool done =
        (text || store_fail(error, STORE_DOWN, "out of memory")) && sqlite_execute(sqlite, text, error);
    sqlite3_free(text);
    return done;
}
