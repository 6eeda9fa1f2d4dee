/* Checks whether a store could be opened, without opening it. */
#ifndef POSED_SERVER_STORE_UPKEEP_CHECK_H
#define POSED_SERVER_STORE_UPKEEP_CHECK_H

#include "server/store/draft.h"

/*
 * Whether store_open would accept the folder: it is a folder or can be created; everything that must be writable
 * is; its catalogue is not of a later version. Nothing is created or changed, and another process may use the
 * folder.
 */
bool store_check(const char *folder, struct store_error *error);

#endif
