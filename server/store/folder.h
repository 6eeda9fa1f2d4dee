/* The folder that a store lies in: whose it is, and its catalogue's files as files. */
#ifndef POSED_SERVER_STORE_FOLDER_H
#define POSED_SERVER_STORE_FOLDER_H

#include "server/store/draft.h"

/*
 * Makes the folder when it is not there and locks it: held until the descriptor is closed, by this process alone. -1 with
 * STORE_IN_USE when another process holds it.
 */
int folder_lock(const char *folder, struct store_error *error);
/* Whether the folder of that name still is the one that was locked: it may be moved away, or not be mounted. */
bool folder_is_in_place(const char *folder, int lock_fd, struct store_error *error);
/* Moves catalog.db and what SQLite keeps beside it to lost/, under a name of its own; none there is fine. */
bool folder_lose_catalog(const char *folder, struct store_error *error);
/* tmp/catalog.db, which is closed, becomes catalog.db; there is none. */
bool folder_publish_catalog(const char *folder, struct store_error *error);

#endif
