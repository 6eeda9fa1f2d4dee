#include "server/library/index/cache.h"

#include "server/library/index/pack.h"
#include "server/ops/log.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The row name for a container's id; rows of its entries have names that begin with '#'. */
static const char ID_ROW[] = "";

struct index_cache {
    sqlite3 *db;
    sqlite3_stmt *find, *keep;
    sqlite3_stmt *spare; /* while rows are pruned */
    pthread_mutex_t lock;
};

static bool run(struct index_cache *cache, const char *text)
{
    return sqlite3_exec(cache->db, text, NULL, NULL, NULL) == SQLITE_OK;
}

static int stored_version(struct index_cache *cache)
{
    sqlite3_stmt *statement = NULL;
    int version = -1;
    if (sqlite3_prepare_v2(cache->db, "PRAGMA user_version", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return version;
}

/* Rows of another decoder version or layout are dropped. */
static bool make_tables(struct index_cache *cache)
{
    const int wanted = (int)index_pack_revision();
    char text[400];
    if (stored_version(cache) == wanted)
        return true;
    snprintf(text, sizeof text,
             "DROP TABLE IF EXISTS entry;"
             "CREATE TABLE entry (root TEXT NOT NULL, name TEXT NOT NULL, size INTEGER NOT NULL,"
             " modified_ns INTEGER NOT NULL, inode INTEGER NOT NULL, context BLOB, data BLOB NOT NULL,"
             " PRIMARY KEY (root, name)) STRICT, WITHOUT ROWID;"
             "PRAGMA user_version = %d;",
             wanted);
    return run(cache, text);
}

static bool prepare(struct index_cache *cache)
{
    return sqlite3_prepare_v3(cache->db,
                              "SELECT data, context FROM entry WHERE root = ?1 AND name = ?2 AND size = ?3"
                              " AND modified_ns = ?4 AND inode = ?5",
                              -1, SQLITE_PREPARE_PERSISTENT, &cache->find, NULL) == SQLITE_OK &&
           sqlite3_prepare_v3(
               cache->db,
               "INSERT OR REPLACE INTO entry (root, name, size, modified_ns, inode, context, data)"
               " VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
               -1, SQLITE_PREPARE_PERSISTENT, &cache->keep, NULL) == SQLITE_OK;
}

struct index_cache *index_cache_open(const char *path)
{
    struct index_cache *cache = must_alloc(1, sizeof *cache);
    pthread_mutex_init(&cache->lock, NULL);
    bool done = sqlite3_open_v2(path, &cache->db,
                                SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                                    SQLITE_OPEN_NOFOLLOW,
                                NULL) == SQLITE_OK &&
                run(cache, "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -16384;"
                           "PRAGMA temp_store = MEMORY;") &&
                make_tables(cache) && prepare(cache);
    if (done)
        return cache;
    log_message(LOG_WARNING, "%s cannot be used, everything is decoded again: %s", path,
                cache->db ? sqlite3_errmsg(cache->db) : "out of memory");
    index_cache_close(cache);
    return NULL;
}

void index_cache_close(struct index_cache *cache)
{
    if (!cache)
        return;
    sqlite3_finalize(cache->find);
    sqlite3_finalize(cache->keep);
    sqlite3_close(cache->db);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

void index_cache_begin(struct index_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    run(cache, "BEGIN");
    pthread_mutex_unlock(&cache->lock);
}

/* What cannot be written (disk full) is decoded again at the next start. */
void index_cache_end(struct index_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    if (!run(cache, "COMMIT"))
        run(cache, "ROLLBACK");
    sqlite3_db_release_memory(cache->db); /* nobody reads it before the next change */
    pthread_mutex_unlock(&cache->lock);
}

static void bind_key(sqlite3_stmt *statement, const char *root, const char *name,
                     const struct file_stamp *stamp)
{
    sqlite3_bind_text(statement, 1, root, -1, SQLITE_STATIC);
    sqlite3_bind_text(statement, 2, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(statement, 3, (sqlite3_int64)stamp->size);
    sqlite3_bind_int64(statement, 4, stamp->modified_ns);
    sqlite3_bind_int64(statement, 5, (sqlite3_int64)stamp->inode);
}

/* Whether the current row of a statement is valid in that context. */
static bool fits_context(sqlite3_stmt *statement, const struct asset_id *context)
{
    const void *kept = sqlite3_column_blob(statement, 1);
    return !kept || (sqlite3_column_bytes(statement, 1) == sizeof context->bytes &&
                     !memcmp(kept, context->bytes, sizeof context->bytes));
}

struct index_entry *index_cache_find(struct index_cache *cache, const char *root, const char *name,
                                     const struct file_stamp *stamp, const struct asset_id *context)
{
    struct index_entry *entry = NULL;
    pthread_mutex_lock(&cache->lock);
    bind_key(cache->find, root, name, stamp);
    if (sqlite3_step(cache->find) == SQLITE_ROW && fits_context(cache->find, context))
        entry = index_unpack(sqlite3_column_blob(cache->find, 0),
                             (size_t)sqlite3_column_bytes(cache->find, 0), stamp);
    sqlite3_reset(cache->find);
    pthread_mutex_unlock(&cache->lock);
    return entry;
}

static void keep_row(struct index_cache *cache, const char *root, const char *name,
                     const struct file_stamp *stamp, const struct asset_id *context, const void *data,
                     size_t size)
{
    pthread_mutex_lock(&cache->lock);
    bind_key(cache->keep, root, name, stamp);
    if (context)
        sqlite3_bind_blob(cache->keep, 6, context->bytes, sizeof context->bytes, SQLITE_STATIC);
    else
        sqlite3_bind_null(cache->keep, 6);
    sqlite3_bind_blob64(cache->keep, 7, data, size, SQLITE_STATIC);
    sqlite3_step(cache->keep);
    sqlite3_reset(cache->keep);
    pthread_mutex_unlock(&cache->lock);
}

void index_cache_keep(struct index_cache *cache, const char *root, const char *name,
                      const struct file_stamp *stamp, const struct asset_id *context,
                      const struct index_entry *entry)
{
    struct pose_buffer data = {0};
    if (index_pack(entry, &data))
        keep_row(cache, root, name, stamp, entry->wants_companions ? context : NULL, data.data, data.size);
    pose_buffer_free(&data);
}

bool index_cache_find_id(struct index_cache *cache, const char *path, const struct file_stamp *stamp,
                         struct asset_id *id)
{
    pthread_mutex_lock(&cache->lock);
    bind_key(cache->find, path, ID_ROW, stamp);
    bool found =
        sqlite3_step(cache->find) == SQLITE_ROW && sqlite3_column_bytes(cache->find, 0) == sizeof id->bytes;
    if (found)
        memcpy(id->bytes, sqlite3_column_blob(cache->find, 0), sizeof id->bytes);
    sqlite3_reset(cache->find);
    pthread_mutex_unlock(&cache->lock);
    return found;
}

void index_cache_keep_id(struct index_cache *cache, const char *path, const struct file_stamp *stamp,
                         const struct asset_id *id)
{
    keep_row(cache, path, ID_ROW, stamp, NULL, id->bytes, sizeof id->bytes);
}

uint64_t index_cache_count(struct index_cache *cache)
{
    sqlite3_stmt *statement = NULL;
    uint64_t count = 0;
    pthread_mutex_lock(&cache->lock);
    if (sqlite3_prepare_v2(cache->db, "SELECT count(*) FROM entry", -1, &statement, NULL) == SQLITE_OK &&
        sqlite3_step(statement) == SQLITE_ROW)
        count = (uint64_t)sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    pthread_mutex_unlock(&cache->lock);
    return count;
}

bool index_cache_prune(struct index_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    bool done = run(cache, "CREATE TEMP TABLE spared (root TEXT NOT NULL, name TEXT NOT NULL,"
                           " PRIMARY KEY (root, name)) STRICT, WITHOUT ROWID") &&
                sqlite3_prepare_v2(cache->db, "INSERT OR IGNORE INTO spared VALUES (?1, ?2)", -1,
                                   &cache->spare, NULL) == SQLITE_OK;
    pthread_mutex_unlock(&cache->lock);
    return done;
}

void index_cache_spare(struct index_cache *cache, const char *root, const char *name)
{
    pthread_mutex_lock(&cache->lock);
    sqlite3_bind_text(cache->spare, 1, root, -1, SQLITE_STATIC);
    sqlite3_bind_text(cache->spare, 2, name, -1, SQLITE_STATIC);
    sqlite3_step(cache->spare);
    sqlite3_reset(cache->spare);
    pthread_mutex_unlock(&cache->lock);
}

void index_cache_spare_id(struct index_cache *cache, const char *path)
{
    index_cache_spare(cache, path, ID_ROW);
}

void index_cache_pruned(struct index_cache *cache)
{
    pthread_mutex_lock(&cache->lock);
    sqlite3_finalize(cache->spare);
    cache->spare = NULL;
    run(cache, "DELETE FROM entry WHERE NOT EXISTS"
               " (SELECT 1 FROM spared WHERE spared.root = entry.root AND spared.name = entry.name);"
               "DROP TABLE spared");
    pthread_mutex_unlock(&cache->lock);
}
