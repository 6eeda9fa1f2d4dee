/* The catalogue's file: its version, whether it is sound, and whether it is the one that it was. */
#ifndef POSED_SERVER_STORE_SQLITE_SCHEMA_H
#define POSED_SERVER_STORE_SQLITE_SCHEMA_H

#include "server/store/sqlite/sqlite.h"

/* Whether an error of SQLite is in the file, and not in the machine that reads it. */
bool schema_is_broken(int code);
/* Checks every page and every index row: a copy made while the file was being written may mix old and new
 * state, and look valid at first. */
bool schema_check(struct sqlite_catalog *catalog, struct store_error *error);
/* The schema's version is user_version; older ones are migrated step by step, newer ones are refused. */
bool schema_migrate(struct sqlite_catalog *catalog, struct store_error *error);
/* Versions of a copy may mean something else than those of the file that it was made of. */
bool schema_recognise(struct sqlite_catalog *sqlite, const char *path, struct store_error *error);
/* Forgets removals of long ago. */
bool schema_forget_removals(struct sqlite_catalog *sqlite, struct store_error *error);
/* Gives it another epoch: versions mean something else from now on. */
bool schema_renew(struct store_catalog *catalog, struct store_error *error);

#endif
