#include "server/store/sqlite/rows.h"
#include "server/store/sqlite/schema.h"

#include "server/ops/region.h"

#include <stdlib.h>

static void close_catalog(struct store_catalog *catalog)
{
    struct sqlite_catalog *sqlite = (struct sqlite_catalog *)catalog;
    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(sqlite->statements[i]);
    sqlite3_close(sqlite->db);
    free(sqlite);
}

static struct store_catalog *open_file(const char *path, bool is_checked, struct store_error *error)
{
    enum { BUSY_MS = 2000 }; /* another process may be reading it or backing it up */
    struct sqlite_catalog *sqlite = must_alloc(1, sizeof *sqlite);
    sqlite->catalog = (struct store_catalog){.add = sqlite_add,
                                             .remove = sqlite_remove,
                                             .each = sqlite_each,
                                             .count_blob = sqlite_count_blob,
                                             .find = sqlite_find,
                                             .add_all = sqlite_add_all,
                                             .publish = sqlite_publish,
                                             .records = sqlite_records,
                                             .set_records = sqlite_set_records,
                                             .version = sqlite_version,
                                             .changes = sqlite_changes,
                                             .close = close_catalog,
                                             .sums = sqlite_sums,
                                             .next_due = sqlite_next_due,
                                             .each_waiting = sqlite_each_waiting,
                                             .each_bound = sqlite_each_bound,
                                             .renew = schema_renew,
                                             .bound_log = sqlite_bound_log,
                                             .shorten = sqlite_shorten};
    bool done = sqlite3_open_v2(path, &sqlite->db,
                                SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
                                    SQLITE_OPEN_NOFOLLOW,
                                NULL) == SQLITE_OK ||
                sqlite_fail(sqlite, path, error);
    if (done) {
        sqlite3_busy_timeout(sqlite->db, BUSY_MS);
        sqlite3_extended_result_codes(sqlite->db, 0);
    }
    done = done && (!is_checked || schema_check(sqlite, error)) &&
           sqlite_execute(
               sqlite, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = FAST;",
               error) &&
           schema_migrate(sqlite, error) && schema_recognise(sqlite, path, error) &&
           sqlite_prepare(sqlite, error) && schema_forget_removals(sqlite, error);
    if (done)
        return &sqlite->catalog;
    if (error->status == STORE_DOWN && schema_is_broken(sqlite3_errcode(sqlite->db)))
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
