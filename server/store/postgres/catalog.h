/*
 * The catalogue of uploads in a PostgreSQL database, which several processes share: rows, records, what was removed.
 */
#ifndef POSED_SERVER_STORE_POSTGRES_CATALOG_H
#define POSED_SERVER_STORE_POSTGRES_CATALOG_H

#include "server/ops/catalog_options.h"
#include "server/store/shared/sharing.h"

/* Makes or upgrades the tables. STORE_AWAY if the server does not answer; STORE_BROKEN, STORE_NEWER: the database cannot be
 * used. */
struct store_catalog *store_postgres_open(const struct catalog_options *options, uint64_t timeout_ms,
                                          struct store_error *error);
/* Whether it would be opened. Changes nothing. */
bool store_postgres_check(const struct catalog_options *options, uint64_t timeout_ms,
                          struct store_error *error);

#endif
