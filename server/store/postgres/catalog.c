#include "server/store/postgres/catalog.h"

#include "server/ops/region.h"
#include "server/store/postgres/schema.h"
#include "server/store/postgres/statements.h"

#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static bool is_away(struct store_catalog *catalog)
{
    return pool_is_away(postgres_of(catalog)->pool);
}

static struct database_metrics *count(struct store_catalog *catalog)
{
    return pool_metrics(postgres_of(catalog)->pool);
}

static void close_catalog(struct store_catalog *catalog)
{
    struct postgres *postgres = postgres_of(catalog);
    if (postgres->pool) {
        pool_disconnect(postgres->pool, postgres->sweeper);
        pool_disconnect(postgres->pool, postgres->listener);
    }
    pool_close(postgres->pool);
    if (postgres->wake_fd >= 0)
        close(postgres->wake_fd);
    pthread_mutex_destroy(&postgres->lock);
    free(postgres);
}

/* Once: the tables stay. */
static bool make_tables(void *user, struct pool *pool, struct pg *pg, struct store_error *error)
{
    struct postgres *postgres = user;
    pthread_mutex_lock(&postgres->lock);
    const bool is_made = postgres->is_made;
    pthread_mutex_unlock(&postgres->lock);
    if (is_made)
        return true;
    const bool done = schema_make(pool, pg, error);
    pthread_mutex_lock(&postgres->lock);
    postgres->is_made |= done;
    pthread_mutex_unlock(&postgres->lock);
    return done;
}

static const struct catalog_sharing sharing = {
    .add = postgres_add,
    .remove = postgres_remove,
    .publish = postgres_publish,
    .changes = postgres_changes,
    .bytes = postgres_bytes,
    .lease = postgres_lease,
    .outdate = postgres_outdate,
    .recount = postgres_recount,
    .wait = postgres_wait,
    .wake = postgres_wake,
    .sweep_begin = postgres_sweep_begin,
    .sweep_end = postgres_sweep_end,
    .mark = postgres_mark,
    .unmark = postgres_unmark,
    .sweepable = postgres_sweepable,
    .swept = postgres_swept,
    .is_away = is_away,
    .count = count,
};

struct store_catalog *store_postgres_open(const struct catalog_options *options, uint64_t timeout_ms,
                                          struct store_error *error)
{
    struct postgres *postgres = must_alloc(1, sizeof *postgres);
    struct asset_id epoch;
    uint64_t version;
    postgres->catalog = (struct store_catalog){.add = postgres_put,
                                               .remove = postgres_drop,
                                               .each = postgres_each,
                                               .count_blob = postgres_count_blob,
                                               .find = postgres_find,
                                               .add_all = postgres_put_all,
                                               .publish = postgres_publish_row,
                                               .records = postgres_records,
                                               .set_records = postgres_set_records,
                                               .rows = postgres_rows,
                                               .version = postgres_version,
                                               .changes = postgres_changes_plain,
                                               .close = close_catalog,
                                               .next_due = postgres_next_due,
                                               .each_waiting = postgres_each_waiting,
                                               .each_bound = postgres_each_bound,
                                               .sharing = &sharing};
    pthread_mutex_init(&postgres->lock, NULL);
    postgres->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    postgres->pool = pool_open(options, timeout_ms, postgres_statements, make_tables, postgres, error);
    if (postgres->pool && postgres_version(&postgres->catalog, &version, &epoch, error))
        return &postgres->catalog;
    close_catalog(&postgres->catalog);
    return NULL;
}

static bool look(void *user, struct pool *pool, struct pg *pg, struct store_error *error)
{
    return schema_look(pool, pg, user, error);
}

bool store_postgres_check(const struct catalog_options *options, uint64_t timeout_ms,
                          struct store_error *error)
{
    struct schema_state state;
    struct pool *pool = pool_open(options, timeout_ms, postgres_statements, look, &state, error);
    struct pg *pg = pool ? pool_connect(pool, error) : NULL;
    const bool done = pg;
    if (pool) {
        pool_disconnect(pool, pg);
        pool_close(pool);
    }
    return done;
}
