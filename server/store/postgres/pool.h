/*
 * A few connections to a PostgreSQL server, kept and bounded. While the server is away nothing waits for it: one asker at a
 * time tries whether it is back. Thread-safe.
 */
#ifndef POSED_SERVER_STORE_POSTGRES_POOL_H
#define POSED_SERVER_STORE_POSTGRES_POOL_H

#include "server/ops/catalog_options.h"
#include "server/ops/metrics/database.h"
#include "server/store/draft.h"
#include "server/store/postgres/client.h"

struct pool;

/* The server need not answer. prepare (may be NULL) is called with each new connection before it is used; the statements
 * are for pool_ask. */
typedef bool pool_prepare(void *user, struct pool *pool, struct pg *pg, struct store_error *error);
struct pool *pool_open(const struct catalog_options *options, uint64_t timeout_ms,
                       const struct pg_statement *statements, pool_prepare *prepare, void *user,
                       struct store_error *error);
void pool_close(struct pool *pool);
bool pool_is_away(const struct pool *pool);
struct database_metrics *pool_metrics(struct pool *pool);

struct pool_question {
    enum database_operation operation; /* DATABASE_WRITE is not asked twice unless nothing has happened */
    unsigned statement;
    const struct pg_value *values;
    pg_visit *visit; /* NULL: the answer is not looked at */
    void *user;
    uint64_t timeout_ms; /* 0: the usual one */
    bool may_be_done;    /* after a failure: nobody has said what became of it */
    bool is_stopped;     /* visit has returned false, which is no failure */
};

/* STORE_AWAY, STORE_FULL, or STORE_BROKEN: the schema is not what it should be. */
bool pool_ask(struct pool *pool, struct pool_question *question, struct store_error *error);

/* For prepare, and for those who have taken a connection for themselves. */
bool pool_run(struct pool *pool, struct pg *pg, const char *text, uint64_t timeout_ms, pg_visit *visit,
              void *user, struct store_error *error);
struct pg *pool_connect(struct pool *pool, struct store_error *error);
void pool_disconnect(struct pool *pool, struct pg *pg);
/* Waits on it for a notification, or until stop_fd can be read. False: it is gone. */
bool pool_wait(struct pool *pool, struct pg *pg, int stop_fd, uint64_t timeout_ms, bool *was_told);

/* Numbers as they are sent. */
struct pg_number {
    uint8_t bytes[8];
};
struct pg_number pg_number_of(int64_t value);
/* Of eight, four or two bytes; 0 for null. */
int64_t pg_number_read(const struct pg_value *value);

#endif
