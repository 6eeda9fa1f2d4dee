#include "server/library/rows/link.h"

#include "server/library/index/pack.h"
#include "server/ops/region.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Increase it when the tables, or what is written into them, change. */
enum { ROWS_VERSION = 7 };

static const char tables[] =
    "CREATE TABLE archive (number INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, digest BLOB "
    "NOT NULL,"
    " source INTEGER NOT NULL, name TEXT NOT NULL, bytes INTEGER NOT NULL, created INTEGER NOT NULL,"
    " words TEXT NOT NULL, waits INTEGER NOT NULL) STRICT;"
    /* number: its last three bits are the kind, so that what is found by words is known to be of a kind before its row is
     * read. name: as it is sorted by; long_name: if it is longer. source: bits. shape: a number that stands for what versions
     * of a clip have in common. words: folded, its name in the first line. */
    "CREATE TABLE asset (number INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, id BLOB NOT NULL,"
    " name TEXT NOT NULL, long_name TEXT, format TEXT NOT NULL, duration REAL NOT NULL, loop INTEGER NOT "
    "NULL,"
    " created INTEGER NOT NULL, source INTEGER NOT NULL, content INTEGER NOT NULL, shape INTEGER NOT NULL,"
    " words TEXT NOT NULL) STRICT;"
    "CREATE UNIQUE INDEX asset_id ON asset (kind, id);"
    /* What the joints and events of an asset are, which many share. */
    "CREATE TABLE content (number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, uses INTEGER NOT NULL,"
    " events TEXT NOT NULL, words TEXT NOT NULL) STRICT;"
    "CREATE TABLE joint (hash INTEGER NOT NULL, axes INTEGER NOT NULL, content INTEGER NOT NULL,"
    " PRIMARY KEY (hash, axes, content)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX joint_content ON joint (content);"
    "CREATE TABLE event (type BLOB NOT NULL, content INTEGER NOT NULL, PRIMARY KEY (type, content)) STRICT, "
    "WITHOUT ROWID;"
    "CREATE INDEX event_content ON event (content);"
    /* name: a number that stands for the names of an upload and of a clip in it; 0: of a PATH; further names are
     * aliases. */
    "CREATE TABLE place (archive INTEGER NOT NULL, kind INTEGER NOT NULL, asset INTEGER NOT NULL,"
    " name INTEGER NOT NULL, PRIMARY KEY (archive, kind, asset)) STRICT, WITHOUT ROWID;"
    "CREATE INDEX place_asset ON place (asset, archive);"
    "CREATE TABLE alias (archive INTEGER NOT NULL, name INTEGER NOT NULL, PRIMARY KEY (archive, name))"
    " STRICT, WITHOUT ROWID;"
    "CREATE TABLE tally (kind INTEGER NOT NULL, facet INTEGER NOT NULL, value BLOB NOT NULL, count INTEGER "
    "NOT NULL,"
    " PRIMARY KEY (kind, facet, value)) STRICT, WITHOUT ROWID;"
    "CREATE TABLE state (one INTEGER PRIMARY KEY CHECK (one = 1), digest BLOB NOT NULL, epoch BLOB NOT NULL,"
    " version INTEGER NOT NULL, paths BLOB NOT NULL) STRICT;"
    /* Uploads that are left out because their bytes could not be read. */
    "CREATE TABLE lacking (id BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;"
    "CREATE INDEX archive_path ON archive (number) WHERE source = 1;"
    /* The lines apart, for what is found in a name comes first; with other blanks in the second, so that a word that is
     * in all places and in no name is not looked for among them. Words are folded: they are compared byte by byte. */
    "CREATE VIEW asset_lines AS SELECT number, substr(words, 1, instr(words, char(10)) - 1) AS name,"
    " replace(substr(words, instr(words, char(10)) + 1), ' ', char(10)) AS places FROM asset;"
    "CREATE VIRTUAL TABLE archive_words USING fts5 (words, content='archive', content_rowid='number',"
    " tokenize='trigram case_sensitive 1');"
    "CREATE VIRTUAL TABLE asset_words USING fts5 (name, places, content='asset_lines', "
    "content_rowid='number',"
    " tokenize='trigram case_sensitive 1');"
    "CREATE VIRTUAL TABLE content_words USING fts5 (words, content='content', content_rowid='number',"
    " tokenize='trigram case_sensitive 1');";

/* Each ends with the number of the row. */
static const char indices[] =
    "CREATE INDEX IF NOT EXISTS archive_name ON archive (name);"
    "CREATE INDEX IF NOT EXISTS archive_bytes ON archive (bytes);"
    "CREATE INDEX IF NOT EXISTS archive_created ON archive (created);"
    "CREATE INDEX IF NOT EXISTS asset_kind ON asset (kind);"
    "CREATE INDEX IF NOT EXISTS asset_name ON asset (kind, name);"
    "CREATE INDEX IF NOT EXISTS asset_duration ON asset (kind, duration);"
    "CREATE INDEX IF NOT EXISTS asset_format ON asset (kind, format);"
    "CREATE INDEX IF NOT EXISTS asset_created ON asset (kind, created);"
    "CREATE INDEX IF NOT EXISTS asset_source ON asset (kind, source);"
    "CREATE INDEX IF NOT EXISTS asset_loop ON asset (kind, loop);"
    "CREATE INDEX IF NOT EXISTS asset_content ON asset (kind, content);"
    "CREATE INDEX IF NOT EXISTS asset_shape ON asset (shape) WHERE kind = 0;"
    "CREATE INDEX IF NOT EXISTS place_name ON place (name, archive) WHERE name <> 0;"
    "CREATE INDEX IF NOT EXISTS alias_name ON alias (name, archive);"
    "CREATE INDEX IF NOT EXISTS tally_count ON tally (kind, facet, count);";

static const char no_indices[] =
    "DROP INDEX IF EXISTS archive_name; DROP INDEX IF EXISTS archive_bytes; DROP INDEX IF EXISTS "
    "archive_created;"
    "DROP INDEX IF EXISTS asset_kind; DROP INDEX IF EXISTS asset_name; DROP INDEX IF EXISTS asset_duration;"
    "DROP INDEX IF EXISTS asset_format; DROP INDEX IF EXISTS asset_created; DROP INDEX IF EXISTS "
    "asset_source; DROP INDEX IF EXISTS asset_loop;"
    "DROP INDEX IF EXISTS asset_content; DROP INDEX IF EXISTS asset_shape; DROP INDEX IF EXISTS tally_count;"
    "DROP INDEX IF EXISTS place_name; DROP INDEX IF EXISTS alias_name;";

/* What is counted for each row when few are written. */
static const char tallies[] =
    "INSERT INTO tally SELECT kind, 0, CAST(format AS BLOB), count(*) FROM asset GROUP BY kind, format;"
    "INSERT INTO tally SELECT p.kind, 1, a.id, count(*) FROM place p CROSS JOIN archive a ON a.number = "
    "p.archive"
    " GROUP BY p.archive, p.kind;"
    "INSERT INTO tally SELECT kind, 2, CAST(iif(loop < 0, 'null', iif(loop, 'true', 'false')) AS BLOB), "
    "count(*)"
    " FROM asset GROUP BY kind, loop;"
    "INSERT INTO tally SELECT kind, 4, CAST(source AS BLOB), count(*) FROM asset GROUP BY kind, source;"
    "INSERT INTO tally SELECT kind, 5, x'', count(*) FROM asset GROUP BY kind;"
    "UPDATE content SET uses = n FROM (SELECT content AS c, count(*) AS n FROM asset GROUP BY content)"
    " WHERE number = c;";
_Static_assert(FACET_FORMAT == 0 && FACET_ARCHIVE == 1 && FACET_LOOP == 2 && TALLY_SOURCE == 4 &&
                   TALLY_ALL == 5,
               "the numbers in the text above");

_Static_assert(ASSET_CLIP == 0, "the kind in the texts above and below");

static const char *const texts[ROWS_STATEMENT_COUNT] = {
    [ROWS_FIND_ARCHIVE] = "SELECT number, words, source FROM archive WHERE id = ?1",
    [ROWS_ADD_ARCHIVE] =
        "INSERT INTO archive (id, digest, source, name, bytes, created, words, waits)"
        " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (id) DO UPDATE SET digest = ?2,"
        " source = ?3, name = ?4, bytes = ?5, created = ?6, words = ?7, waits = ?8",
    [ROWS_DROP_ARCHIVE] = "DELETE FROM archive WHERE number = ?1",
    [ROWS_ADD_ARCHIVE_WORDS] = "INSERT INTO archive_words (rowid, words) VALUES (?1, ?2)",
    [ROWS_DROP_ARCHIVE_WORDS] =
        "INSERT INTO archive_words (archive_words, rowid, words) VALUES ('delete', ?1, ?2)",
    [ROWS_ASSETS_OF] = "SELECT a.kind, a.id FROM place p CROSS JOIN asset a ON a.number = p.asset"
                       " WHERE p.archive = ?1",
    [ROWS_FIND_ASSET] =
        "SELECT number, name, long_name, format, duration, loop, created, source, content, shape, words"
        " FROM asset WHERE kind = ?1 AND id = ?2",
    [ROWS_ADD_ASSET] =
        "INSERT INTO asset (number, kind, id, name, long_name, format, duration, loop, created, source,"
        " content, shape, words) VALUES (((SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name ="
        " 'asset') / 8 + 1) * 8 + ?1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    [ROWS_SET_ASSET] = "UPDATE asset SET name = ?3, long_name = ?4, format = ?5, duration = ?6, loop = ?7,"
                       " created = ?8, source = ?9, content = ?10, shape = ?11, words = ?12"
                       " WHERE kind = ?1 AND id = ?2",
    [ROWS_SHAPE] = "SELECT shape FROM asset WHERE kind = 0 AND id = ?1",
    [ROWS_SHAPED] = "SELECT id FROM asset INDEXED BY asset_shape WHERE kind = 0 AND shape = ?1 LIMIT ?2",
    [ROWS_COUNT_SHAPED] = "SELECT count(*) FROM (SELECT 1 FROM asset INDEXED BY asset_shape"
                          " WHERE kind = 0 AND shape = ?1 LIMIT ?2)",
    [ROWS_COUNT_VERSIONS] =
        "SELECT (SELECT count(*) FROM (SELECT 1 FROM asset b INDEXED BY asset_shape WHERE b.kind = 0"
        " AND b.shape = a.shape LIMIT ?2)) FROM asset a WHERE a.kind = 0 AND a.id = ?1",
    [ROWS_DROP_ASSET] = "DELETE FROM asset WHERE number = ?1",
    [ROWS_ADD_WORDS] =
        "INSERT INTO asset_words (rowid, name, places) VALUES (?1, substr(?2, 1,"
        " instr(?2, char(10)) - 1), replace(substr(?2, instr(?2, char(10)) + 1), ' ', char(10)))",
    [ROWS_DROP_WORDS] = "INSERT INTO asset_words (asset_words, rowid, name, places) VALUES ('delete', ?1,"
                        " substr(?2, 1, instr(?2, char(10)) - 1),"
                        " replace(substr(?2, instr(?2, char(10)) + 1), ' ', char(10)))",
    [ROWS_ADD_PLACE] = "INSERT OR IGNORE INTO place (archive, kind, asset, name) VALUES (?1, ?2, ?3, ?4)",
    [ROWS_DROP_PLACE] = "DELETE FROM place WHERE archive = ?1 AND kind = ?2 AND asset = ?3",
    [ROWS_TALLY] = "INSERT INTO tally (kind, facet, value, count) VALUES (?1, ?2, ?3, ?4)"
                   " ON CONFLICT (kind, facet, value) DO UPDATE SET count = count + excluded.count",
    [ROWS_DROP_TALLY] = "DELETE FROM tally WHERE kind = ?1 AND facet = ?2 AND value = ?3 AND count <= 0",
    [ROWS_FIND_CONTENT] = "SELECT number FROM content WHERE digest = ?1",
    [ROWS_ADD_CONTENT] = "INSERT INTO content (digest, uses, events, words) VALUES (?1, 0, ?2, ?3)",
    [ROWS_USE_CONTENT] = "UPDATE content SET uses = uses + ?2 WHERE number = ?1",
    [ROWS_GET_CONTENT] = "SELECT words, events, uses FROM content WHERE number = ?1",
    [ROWS_DROP_CONTENT] = "DELETE FROM content WHERE number = ?1",
    [ROWS_ADD_CONTENT_WORDS] = "INSERT INTO content_words (rowid, words) VALUES (?1, ?2)",
    [ROWS_DROP_CONTENT_WORDS] =
        "INSERT INTO content_words (content_words, rowid, words) VALUES ('delete', ?1, ?2)",
    [ROWS_ADD_JOINT] = "INSERT OR IGNORE INTO joint (hash, axes, content) VALUES (?1, ?2, ?3)",
    [ROWS_ADD_EVENT] = "INSERT OR IGNORE INTO event (type, content) VALUES (?1, ?2)",
    [ROWS_DROP_EVENTS] = "DELETE FROM event WHERE content = ?1",
    [ROWS_DROP_JOINTS] = "DELETE FROM joint WHERE content = ?1",
    [ROWS_SET_STATE] = "INSERT OR REPLACE INTO state (one, digest, epoch, version, paths)"
                       " VALUES (1, ?1, ?2, ?3, ?4)",
    [ROWS_GET_STATE] = "SELECT digest, epoch, version, paths FROM state",
    [ROWS_GET_TALLY] = "SELECT count FROM tally WHERE kind = ?1 AND facet = ?2 AND value = ?3",
    [ROWS_GET_TALLIES] = "SELECT value, count FROM tally WHERE kind = ?1 AND facet = ?2"
                         " ORDER BY count DESC, value LIMIT ?3",
    [ROWS_ARCHIVES_OF] = "SELECT archive.id FROM place CROSS JOIN archive ON archive.number = place.archive"
                         " WHERE place.asset = ?1",
    [ROWS_COUNT_PLACES] = "SELECT count(*) FROM (SELECT 1 FROM place WHERE asset = ?1 LIMIT ?2)",
    [ROWS_FIND_PLACE] = "SELECT 1 FROM place JOIN asset ON asset.number = place.asset"
                        " WHERE archive = ?1 AND asset.kind = ?2 AND asset.id = ?3",
    [ROWS_ADD_ALIAS] = "INSERT OR IGNORE INTO alias (archive, name) VALUES (?1, ?2)",
    [ROWS_DROP_ALIASES] = "DELETE FROM alias WHERE archive = ?1",
    [ROWS_HOLDERS] = "SELECT r.id FROM asset a CROSS JOIN place p ON p.asset = a.number"
                     " CROSS JOIN archive r ON r.number = p.archive"
                     " WHERE a.kind = ?1 AND a.id = ?2 AND r.source = 2 ORDER BY p.archive LIMIT ?3",
    /* However many there are of one name: each index has them in order of arrival. */
    [ROWS_NAMED] =
        "SELECT r.id FROM (SELECT archive FROM place INDEXED BY place_name WHERE name = ?1 AND name <> 0"
        " UNION SELECT archive FROM alias INDEXED BY alias_name WHERE name = ?1"
        " UNION SELECT number FROM archive WHERE id = ?2 AND source = 2 ORDER BY 1 LIMIT ?3) n"
        " CROSS JOIN archive r ON r.number = n.archive WHERE r.source = 2 ORDER BY n.archive",
    [ROWS_ARCHIVES_NAMED] = "SELECT id FROM archive WHERE (name = ?1 OR id = ?2) AND source = 2"
                            " ORDER BY number LIMIT 1",
    [ROWS_ALONE] =
        "SELECT a.kind, a.id FROM place p CROSS JOIN asset a ON a.number = p.asset"
        " WHERE p.archive = (SELECT number FROM archive WHERE id = ?1) AND a.source = 2"
        " AND NOT EXISTS (SELECT 1 FROM place q WHERE q.asset = p.asset AND q.archive <> p.archive)",
    [ROWS_LACK] = "INSERT OR IGNORE INTO lacking (id) VALUES (?1)",
    [ROWS_LACK_NOT] = "DELETE FROM lacking WHERE id = ?1",
    [ROWS_LACKING] = "SELECT id FROM lacking WHERE id > ?1 ORDER BY id LIMIT ?2",
};

int64_t link_name_number(const char *archive, const char *clip)
{
    const struct asset_id name = id_quick(NULL, archive, strnlen(archive, MAX_SORT_TEXT)),
                          digest = id_quick(&name, clip, strlen(clip));
    int64_t number;
    memcpy(&number, digest.bytes, sizeof number);
    return number ? number : 1;
}

struct rows_link *link_open(const char *path, bool is_new)
{
    enum { BUSY_MS = 5000 };
    struct rows_link *link = try_alloc(1, sizeof *link);
    if (!link)
        return NULL;
    const int flags = SQLITE_OPEN_READWRITE | (is_new ? SQLITE_OPEN_CREATE : 0) | SQLITE_OPEN_NOMUTEX |
                      (path ? SQLITE_OPEN_NOFOLLOW : 0);
    if (sqlite3_open_v2(path ? path : ":memory:", &link->db, flags, NULL) != SQLITE_OK) {
        link_close(link);
        return NULL;
    }
    sqlite3_busy_timeout(link->db, BUSY_MS);
    /* A power cut may take the last transactions, never half of one. The log is moved into the file rarely: each upload
     * changes some thirty pages, most of them the same. */
    link_run(link,
             path
                 ? "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000;"
                 : "PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF;");
    link_run(link, "PRAGMA cache_size = -8192; PRAGMA temp_store = MEMORY;");
    if (!link->failed)
        return link;
    link_close(link);
    return NULL;
}

void link_close(struct rows_link *link)
{
    if (!link)
        return;
    for (int i = 0; i < ROWS_STATEMENT_COUNT; i++)
        sqlite3_finalize(link->statements[i]);
    sqlite3_close(link->db);
    free(link);
}

static int stored_version(struct rows_link *link)
{
    sqlite3_stmt *statement = NULL;
    int version = -1;
    if (sqlite3_prepare_v2(link->db, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return version;
}

bool link_prepare_tables(struct rows_link *link)
{
    const int wanted = (int)(index_pack_revision() % 10000000 * 100 + ROWS_VERSION);
    const int version = stored_version(link);
    char text[64];
    if (version == wanted)
        return true;
    if (version)
        return false;
    snprintf(text, sizeof text, "PRAGMA user_version = %d", wanted);
    link_run(link, "BEGIN IMMEDIATE");
    link_run(link, tables);
    link_run(link, indices);
    link_run(link, text);
    link_run(link, link->failed ? "ROLLBACK" : "COMMIT");
    return !link->failed;
}

void link_before_many(struct rows_link *link)
{
    link_run(link, no_indices);
}

void link_clear(struct rows_link *link)
{
    link_run(link, "DELETE FROM archive; DELETE FROM asset; DELETE FROM content; DELETE FROM joint;"
                   " DELETE FROM event; DELETE FROM place; DELETE FROM alias; DELETE FROM tally;"
                   " DELETE FROM state; DELETE FROM lacking;"
                   " INSERT INTO archive_words (archive_words) VALUES ('delete-all');"
                   " INSERT INTO asset_words (asset_words) VALUES ('delete-all');"
                   " INSERT INTO content_words (content_words) VALUES ('delete-all');");
}

void link_after_many(struct rows_link *link)
{
    link_run(link, indices);
    link_run(link, "INSERT INTO asset_words (asset_words) VALUES ('rebuild')");
    link_run(link, tallies);
}

sqlite3_stmt *link_statement(struct rows_link *link, enum rows_statement statement)
{
    sqlite3_stmt **prepared = &link->statements[statement];
    if (!*prepared && sqlite3_prepare_v3(link->db, texts[statement], -1, SQLITE_PREPARE_PERSISTENT, prepared,
                                         NULL) != SQLITE_OK)
        link->failed = true;
    return *prepared;
}

static void note(struct rows_link *link, int status, int wanted)
{
    link->failed |= status != wanted;
    link->is_damaged |= (status & 0xff) == SQLITE_CORRUPT || (status & 0xff) == SQLITE_NOTADB;
}

void link_run(struct rows_link *link, const char *sql)
{
    note(link, sqlite3_exec(link->db, sql, NULL, NULL, NULL), SQLITE_OK);
}

void link_finish(struct rows_link *link, sqlite3_stmt *statement)
{
    note(link, statement ? sqlite3_step(statement) : SQLITE_ERROR, SQLITE_DONE);
    sqlite3_reset(statement);
    if (statement) /* there was memory to prepare it */
        sqlite3_clear_bindings(statement);
}

bool link_step(struct rows_link *link, sqlite3_stmt *statement)
{
    const int status = statement ? sqlite3_step(statement) : SQLITE_ERROR;
    if (status == SQLITE_ROW)
        return true;
    note(link, status, SQLITE_DONE);
    sqlite3_reset(statement);
    return false;
}

void link_bind_text(sqlite3_stmt *statement, int index, const char *text, size_t most)
{
    if (text)
        sqlite3_bind_text(statement, index, text, (int)strnlen(text, most), SQLITE_STATIC);
    else
        sqlite3_bind_null(statement, index);
}

void link_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, size_t size)
{
    sqlite3_bind_blob64(statement, index, size ? bytes : "", size, SQLITE_STATIC);
}

bool link_column_id(sqlite3_stmt *statement, int column, struct asset_id *id)
{
    if (sqlite3_column_bytes(statement, column) != sizeof *id)
        return false;
    memcpy(id, sqlite3_column_blob(statement, column), sizeof *id);
    return true;
}
