/*
 * The tables of a catalogue in PostgreSQL. The program makes and upgrades them. A later version only adds, and says which
 * is the oldest program that goes on beside it, so that programs of two versions may run for the length of an upgrade.
 */
#ifndef POSED_SERVER_STORE_POSTGRES_SCHEMA_H
#define POSED_SERVER_STORE_POSTGRES_SCHEMA_H

#include "server/store/postgres/pool.h"

struct schema_state {
    int version; /* 0: there is none yet */
    int oldest;  /* the version of the oldest program that it is for */
    bool is_utf8;
};

/* Changes nothing. STORE_NEWER, or STORE_BROKEN, if this program cannot use it. */
bool schema_look(struct pool *pool, struct pg *pg, struct schema_state *state, struct store_error *error);
/* The same, and makes what is missing; many processes may do so at once. */
bool schema_make(struct pool *pool, struct pg *pg, struct store_error *error);

#endif
