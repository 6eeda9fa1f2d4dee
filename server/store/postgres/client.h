/*
 * Statements to a PostgreSQL server, by libpq. A module, so that only what is told to use such a server loads libpq. Its
 * functions block, each until its deadline at the latest, whatever the server does; a connection is for one thread at a
 * time.
 */
#ifndef POSED_SERVER_STORE_POSTGRES_CLIENT_H
#define POSED_SERVER_STORE_POSTGRES_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PG_SHOWN = 200, PG_STATEMENTS = 32, PG_VALUES = 24 };

enum pg_outcome {
    PG_DONE,
    PG_AWAY, /* no answer, or one that says that there will be one later. The connection is of no use any more */
    PG_REFUSED, /* the server does not want it: see state */
    PG_FULL,    /* its disk is */
    PG_AGAIN,   /* it has got in another's way: nothing has happened */
    PG_STOPPED, /* the caller's function returned false */
};

struct pg_failure {
    enum pg_outcome outcome;
    bool may_be_done; /* it was sent, and nobody has said what became of it */
    char state[6];    /* SQLSTATE; "": none */
    char detail[160]; /* names no password */
};

/* In binary format: a number has eight bytes, the highest first (pg_put_number), a truth value one. */
struct pg_value {
    const void *bytes; /* NULL: null */
    size_t size;
};

struct pg_statement {
    const char *text; /* parameters are $1, $2, … with a type: "$1::bigint" */
    unsigned values;
};

/* A row of the answer, valid during the call; false ends the walk. */
typedef bool pg_visit(void *user, const struct pg_value *values, unsigned count);

/* What a URL says, without its password. */
struct pg_address {
    unsigned hosts;       /* at least one */
    char shown[PG_SHOWN]; /* "host1,host2/database" */
};

struct pg;

/* Functions return false or NULL with the failure set. */
struct pg_module {
    bool (*read)(const char *url, struct pg_address *address, struct pg_failure *failure);
    /* Connects to one of the URL's hosts, which must take writes unless the URL says otherwise. The statements are those
     * that ask may be given the number of. */
    struct pg *(*connect)(const char *url, unsigned host, uint64_t timeout_ms,
                          const struct pg_statement *statements, struct pg_failure *failure);
    void (*close)(struct pg *pg);
    /* Whether the connection seems to be there; no wait. */
    bool (*is_there)(struct pg *pg);
    /* Runs one of the statements, by itself a transaction. */
    bool (*ask)(struct pg *pg, unsigned statement, const struct pg_value *values, uint64_t timeout_ms,
                pg_visit *visit, void *user, struct pg_failure *failure);
    /* Runs a text of several statements without parameters; visit (may be NULL) gets the rows of all of them, in which
     * values are texts. */
    bool (*run)(struct pg *pg, const char *text, uint64_t timeout_ms, pg_visit *visit, void *user,
                struct pg_failure *failure);
    /* Waits for a notification, or (stop_fd) until that can be read; was_told: whether there was one. */
    bool (*wait)(struct pg *pg, int stop_fd, uint64_t timeout_ms, bool *was_told, struct pg_failure *failure);
};

/* The module's only symbol. */
#define PG_MODULE_SYMBOL "pg_module"

#endif
