#include "server/store/postgres/pool.h"

#include "server/ops/clock.h"
#include "server/ops/log.h"
#include "server/ops/modules/modules.h"
#include "server/ops/region.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRIES = 3,
    MAX_SILENT = 2,       /* statements in a row without an answer: then it is away */
    LOOK_MS = 250,        /* between looks whether it is back */
    CROWDED_MS = 1000,    /* no more connections than there are, after one was refused */
    BYTES_PER_MS = 10000, /* what has more bytes gets more time */
};

struct pool {
    const struct pg_module *module;
    const struct pg_statement *statements;
    pool_prepare *prepare;
    void *user;
    char *url;
    struct pg_address address;
    uint64_t timeout_ms;
    struct database_metrics metrics;
    atomic_bool away;
    atomic_uint silent;
    atomic_uint host; /* the one that answered last */
    _Atomic uint64_t looked_ms;
    pthread_mutex_t lock; /* guards the following */
    pthread_cond_t freed;
    unsigned open, most, idle_count;
    uint64_t
        crowded_ms; /* until then the server is not asked for another connection beside those that are open */
    struct pg **idle;
};

struct pg_number pg_number_of(int64_t value)
{
    struct pg_number number;
    for (int i = 0; i < 8; i++)
        number.bytes[i] = (uint8_t)((uint64_t)value >> (56 - 8 * i));
    return number;
}

int64_t pg_number_read(const struct pg_value *value)
{
    const uint8_t *bytes = value->bytes;
    uint64_t number = bytes && value->size && bytes[0] & 0x80 ? UINT64_MAX : 0;
    for (size_t i = 0; i < value->size && i < 8; i++)
        number = number << 8 | bytes[i];
    return (int64_t)number;
}

/* ------------------------------------------------------------------------------------------------ health -- */

static void note_back(struct pool *pool)
{
    atomic_store(&pool->silent, 0);
    atomic_store(&pool->metrics.away, false);
    if (atomic_exchange(&pool->away, false))
        log_message(LOG_INFO, "the catalogue at %s is back", pool->address.shown);
}

static void note_away(struct pool *pool, const char *detail)
{
    atomic_store(&pool->looked_ms, clock_ms());
    atomic_store(&pool->metrics.away, true);
    if (!atomic_exchange(&pool->away, true))
        log_message(LOG_WARNING, "the catalogue at %s is away: %s", pool->address.shown, detail);
}

static void note_silent(struct pool *pool, const char *detail)
{
    if (atomic_fetch_add(&pool->silent, 1) + 1 >= MAX_SILENT)
        note_away(pool, detail);
}

bool pool_is_away(const struct pool *pool)
{
    return atomic_load(&pool->away);
}

/* While it is away, only one now and then. */
static bool may_try(struct pool *pool)
{
    uint64_t looked = atomic_load(&pool->looked_ms);
    const uint64_t now = clock_ms();
    return !pool_is_away(pool) ||
           (now - looked >= LOOK_MS && atomic_compare_exchange_strong(&pool->looked_ms, &looked, now));
}

struct database_metrics *pool_metrics(struct pool *pool)
{
    return &pool->metrics;
}

static bool tell(const struct pool *pool, const struct pg_failure *failure, struct store_error *error)
{
    const enum store_status status = failure->outcome == PG_FULL      ? STORE_FULL
                                     : failure->outcome == PG_REFUSED ? STORE_BROKEN
                                                                      : STORE_AWAY;
    return store_fail(error, status, "the catalogue at %.80s: %.140s", pool->address.shown, failure->detail);
}

/* ------------------------------------------------------------------------------------------- connections -- */

/* Begins with the host that answered last; each gets its share of the time. */
static struct pg *connect_any(struct pool *pool, struct pg_failure *failure)
{
    const unsigned first = atomic_load(&pool->host), hosts = pool->address.hosts;
    struct pg *pg = NULL;
    for (unsigned i = 0; i < hosts && !pg; i++) {
        const unsigned host = (first + i) % hosts;
        const uint64_t from = clock_us();
        pg = pool->module->connect(pool->url, host, pool->timeout_ms / hosts, pool->statements, failure);
        database_metrics_record(&pool->metrics, DATABASE_CONNECT, pg, (clock_us() - from) * 1000);
        if (pg)
            atomic_store(&pool->host, host);
    }
    if (pg)
        atomic_fetch_add(&pool->metrics.connections, 1);
    return pg;
}

void pool_disconnect(struct pool *pool, struct pg *pg)
{
    if (!pg)
        return;
    atomic_fetch_sub(&pool->metrics.connections, 1);
    pool->module->close(pg);
}

static struct pg *connect_prepared(struct pool *pool, struct pg_failure *failure, struct store_error *error)
{
    struct pg *pg = connect_any(pool, failure);
    if (!pg) {
        tell(pool, failure, error);
    } else if (pool->prepare && !pool->prepare(pool->user, pool, pg, error)) {
        pool_disconnect(pool, pg);
        return NULL;
    }
    return pg;
}

/* Whether anybody has a connection: then it is not for want of a server that there is not another one. */
static bool has_connections(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    const bool any = pool->open;
    pthread_mutex_unlock(&pool->lock);
    return any;
}

struct pg *pool_connect(struct pool *pool, struct store_error *error)
{
    struct pg_failure failure;
    struct pg *pg = connect_prepared(pool, &failure, error);
    if (!pg && failure.outcome == PG_AWAY && !has_connections(pool))
        note_away(pool, failure.detail);
    return pg;
}

/* Of a connection that is gone, or was not to be had. */
static void give_up_place(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    pool->open--;
    pthread_cond_signal(&pool->freed);
    pthread_mutex_unlock(&pool->lock);
}

/* No connection was to be had: one that is open already will be free soon. False: there is none. */
static bool share(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    const bool any = --pool->open;
    pool->crowded_ms = any ? clock_ms() + CROWDED_MS : 0;
    pthread_cond_broadcast(&pool->freed);
    pthread_mutex_unlock(&pool->lock);
    return any;
}

static bool may_open(const struct pool *pool, uint64_t now)
{
    return pool->open < pool->most && (!pool->open || now >= pool->crowded_ms);
}

/* An idle connection, or (NULL with true) the right to open one; false when the time is up. */
static bool take_place(struct pool *pool, uint64_t deadline_ms, struct pg **pg)
{
    bool done = false;
    *pg = NULL;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        const uint64_t now = clock_ms();
        struct timespec until = clock_wall();
        done = pool->idle_count || may_open(pool, now);
        if (done || now >= deadline_ms)
            break;
        const uint64_t next =
            pool->open < pool->most && pool->crowded_ms < deadline_ms ? pool->crowded_ms : deadline_ms;
        until.tv_sec += (time_t)((next - now) / 1000);
        clock_add_ns(&until, (long)((next - now) % 1000) * 1000000);
        pthread_cond_timedwait(&pool->freed, &pool->lock, &until);
    }
    if (done && pool->idle_count)
        *pg = pool->idle[--pool->idle_count];
    else if (done)
        pool->open++;
    pthread_mutex_unlock(&pool->lock);
    return done;
}

/* A connection in somebody's place. is_crowded: there is none, and others have some. */
static struct pg *open_one(struct pool *pool, struct pg *idle, bool *is_crowded, struct store_error *error)
{
    struct pg_failure failure;
    *is_crowded = false;
    if (idle && pool->module->is_there(idle))
        return idle;
    pool_disconnect(pool, idle); /* the server has been restarted */
    struct pg *pg = connect_prepared(pool, &failure, error);
    if (pg)
        return pg;
    const bool is_refused = failure.outcome == PG_AWAY;
    *is_crowded = share(pool) && is_refused;
    if (!*is_crowded && is_refused)
        note_away(pool, failure.detail);
    return NULL;
}

static struct pg *take(struct pool *pool, uint64_t deadline_ms, struct store_error *error)
{
    struct pg *pg;
    bool is_crowded;
    if (!may_try(pool)) {
        store_fail(error, STORE_AWAY, "the catalogue at %.200s is away", pool->address.shown);
        return NULL;
    }
    do {
        if (!take_place(pool, deadline_ms, &pg)) {
            store_fail(error, STORE_AWAY, "the catalogue at %.150s: all connections are in use",
                       pool->address.shown);
            return NULL;
        }
        pg = open_one(pool, pg, &is_crowded, error);
    } while (!pg && is_crowded && clock_ms() < deadline_ms);
    if (pg)
        atomic_fetch_add(&pool->metrics.in_use, 1);
    return pg;
}

static void give_back(struct pool *pool, struct pg *pg, bool is_usable)
{
    atomic_fetch_sub(&pool->metrics.in_use, 1);
    if (!is_usable) {
        pool_disconnect(pool, pg);
        give_up_place(pool);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->idle[pool->idle_count++] = pg;
    pthread_cond_signal(&pool->freed);
    pthread_mutex_unlock(&pool->lock);
}

/* -------------------------------------------------------------------------------------------- statements -- */

struct seen {
    pg_visit *visit;
    void *user;
    bool any;
};

static bool visit_and_note(void *user, const struct pg_value *values, unsigned count)
{
    struct seen *seen = user;
    seen->any = true;
    return seen->visit(seen->user, values, count);
}

static uint64_t size_of(const struct pool *pool, const struct pool_question *question)
{
    uint64_t size = 0;
    for (unsigned i = 0; i < pool->statements[question->statement].values; i++)
        size += question->values[i].size;
    return size;
}

static bool ask_once(struct pool *pool, const struct pool_question *question, struct pg *pg,
                     uint64_t timeout_ms, struct seen *seen, struct pg_failure *failure)
{
    const uint64_t from = clock_us();
    const bool done = pool->module->ask(pg, question->statement, question->values, timeout_ms,
                                        question->visit ? visit_and_note : NULL, seen, failure);
    database_metrics_record(&pool->metrics, question->operation, done || failure->outcome == PG_STOPPED,
                            (clock_us() - from) * 1000);
    if (done || failure->outcome != PG_AWAY)
        note_back(pool);
    else
        note_silent(pool, failure->detail);
    return done;
}

/* Whether another try can have no other effect than a first one. */
static bool may_repeat(const struct pool_question *question, const struct seen *seen,
                       const struct pg_failure *failure)
{
    if (seen->any)
        return false;
    return failure->outcome == PG_AGAIN ||
           (failure->outcome == PG_AWAY && (question->operation != DATABASE_WRITE || !failure->may_be_done));
}

bool pool_ask(struct pool *pool, struct pool_question *question, struct store_error *error)
{
    const uint64_t patience_ms = (question->timeout_ms ? question->timeout_ms : pool->timeout_ms) +
                                 size_of(pool, question) / BYTES_PER_MS;
    const uint64_t deadline_ms = clock_ms() + patience_ms;
    struct seen seen = {.visit = question->visit, .user = question->user};
    struct pg_failure failure = {0};
    question->may_be_done = question->is_stopped = false;
    for (int i = 0; i < TRIES; i++) {
        struct pg *pg = take(pool, deadline_ms, error);
        const uint64_t now = clock_ms();
        if (!pg)
            return false;
        const bool done =
            ask_once(pool, question, pg, now < deadline_ms ? deadline_ms - now : 1, &seen, &failure);
        give_back(pool, pg, done || failure.outcome != PG_AWAY);
        question->is_stopped = !done && failure.outcome == PG_STOPPED;
        question->may_be_done |= !done && failure.may_be_done;
        if (done || question->is_stopped)
            return true;
        if (!may_repeat(question, &seen, &failure) || clock_ms() >= deadline_ms)
            break;
    }
    return tell(pool, &failure, error);
}

bool pool_run(struct pool *pool, struct pg *pg, const char *text, uint64_t timeout_ms, pg_visit *visit,
              void *user, struct store_error *error)
{
    struct pg_failure failure;
    return pool->module->run(pg, text, timeout_ms, visit, user, &failure) || tell(pool, &failure, error);
}

bool pool_wait(struct pool *pool, struct pg *pg, int stop_fd, uint64_t timeout_ms, bool *was_told)
{
    struct pg_failure failure;
    return pool->module->wait(pg, stop_fd, timeout_ms, was_told, &failure);
}

/* ----------------------------------------------------------------------------------------------- opening -- */

static const struct pg_module *load_module(struct store_error *error)
{
    char problem[200];
    const struct pg_module *module =
        module_symbol("posed-postgres.so", PG_MODULE_SYMBOL, problem, sizeof problem);
    if (!module)
        store_fail(error, STORE_BROKEN, "PostgreSQL cannot be used here: %s", problem);
    return module;
}

struct pool *pool_open(const struct catalog_options *options, uint64_t timeout_ms,
                       const struct pg_statement *statements, pool_prepare *prepare, void *user,
                       struct store_error *error)
{
    struct pg_failure failure;
    struct pg_address address;
    const struct pg_module *module = load_module(error);
    if (!module)
        return NULL;
    if (!module->read(options->url, &address, &failure)) {
        store_fail(error, STORE_BROKEN, "--catalog: %s", failure.detail);
        return NULL;
    }
    struct pool *pool = must_alloc(1, sizeof *pool);
    pool->module = module;
    pool->statements = statements;
    pool->prepare = prepare;
    pool->user = user;
    pool->address = address;
    pool->timeout_ms = timeout_ms;
    pool->most = (unsigned)options->connections;
    pool->idle = must_alloc(pool->most, sizeof *pool->idle);
    pool->url = must_alloc(strlen(options->url) + 1, 1);
    strcpy(pool->url, options->url);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->freed, NULL);
    return pool;
}

void pool_close(struct pool *pool)
{
    if (!pool)
        return;
    for (unsigned i = 0; i < pool->idle_count; i++)
        pool_disconnect(pool, pool->idle[i]);
    explicit_bzero(pool->url, strlen(pool->url));
    free(pool->url);
    free(pool->idle);
    pthread_cond_destroy(&pool->freed);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}
