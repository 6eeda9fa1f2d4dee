/* The right to sweep, and the marks of bytes that are about to go. */
#include "server/store/postgres/statements.h"

static bool take_right(void *user, const struct pg_value *values, unsigned count)
{
    *(bool *)user = count && values[0].bytes && *(const char *)values[0].bytes == 't';
    return true;
}

/* The right is the connection's, and ends with it. */
bool postgres_sweep_begin(struct store_catalog *catalog, bool *is_ours, struct store_error *error)
{
    enum { SWEEP_MS = 2000 };
    struct postgres *postgres = postgres_of(catalog);
    *is_ours = false;
    struct pg *pg = pool_connect(postgres->pool, error);
    const bool done = pg && pool_run(postgres->pool, pg, "SELECT pg_try_advisory_lock(482804755813)",
                                     SWEEP_MS, take_right, is_ours, error);
    if (!*is_ours)
        pool_disconnect(postgres->pool, pg);
    pthread_mutex_lock(&postgres->lock);
    if (*is_ours)
        postgres->sweeper = pg;
    pthread_mutex_unlock(&postgres->lock);
    return done;
}

void postgres_sweep_end(struct store_catalog *catalog)
{
    struct postgres *postgres = postgres_of(catalog);
    pthread_mutex_lock(&postgres->lock);
    pool_disconnect(postgres->pool, postgres->sweeper);
    postgres->sweeper = NULL;
    pthread_mutex_unlock(&postgres->lock);
}

static bool take_mark(void *user, const struct pg_value *values, unsigned count)
{
    *(bool *)user = count && values[0].size && *(const uint8_t *)values[0].bytes;
    return true;
}

bool postgres_mark(struct store_catalog *catalog, const struct blob_hash *hash, bool *is_marked,
                   struct store_error *error)
{
    struct row_values values = {.count = 0};
    put_bytes(&values, hash->bytes, sizeof hash->bytes);
    *is_marked = false;
    return postgres_ask(catalog, DATABASE_WRITE, MARK, &values, take_mark, is_marked, error);
}

bool postgres_unmark(struct store_catalog *catalog, const struct blob_hash *hash, struct store_error *error)
{
    struct row_values values = {.count = 0};
    put_bytes(&values, hash->bytes, sizeof hash->bytes);
    return postgres_ask(catalog, DATABASE_WRITE, UNMARK, &values, NULL, NULL, error);
}

struct hashes {
    blob_visit *visit;
    void *user;
};

static bool visit_hash(void *user, const struct pg_value *values, unsigned count)
{
    const struct hashes *hashes = user;
    struct blob_hash hash;
    return !count || !take_hash(&values[0], &hash) || hashes->visit(hashes->user, &hash);
}

bool postgres_sweepable(struct store_catalog *catalog, uint64_t least_ms, uint32_t most, blob_visit *visit,
                        void *user, struct store_error *error)
{
    struct row_values values = {.count = 0};
    struct hashes hashes = {visit, user};
    put_number(&values, (int64_t)least_ms);
    put_number(&values, most);
    return postgres_ask(catalog, DATABASE_READ, SWEEPABLE, &values, visit_hash, &hashes, error);
}

bool postgres_swept(struct store_catalog *catalog, const struct blob_hash *hash, struct store_error *error)
{
    struct row_values values = {.count = 0};
    put_bytes(&values, hash->bytes, sizeof hash->bytes);
    return postgres_ask(catalog, DATABASE_WRITE, SWEPT, &values, NULL, NULL, error);
}
