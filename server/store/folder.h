/* The store's folder: its lock, and the files of its catalogue. */
#ifndef POSED_SERVER_STORE_FOLDER_H
#define POSED_SERVER_STORE_FOLDER_H

#include "server/store/draft.h"

/*
 * Creates the folder if missing and locks it for this process until the descriptor is closed. -1 with STORE_IN_USE
 * if another process holds the lock.
 */
int folder_lock(const char *folder, struct store_error *error);
/* Whether the path still is the locked folder: it may have been moved away, or be unmounted. */
bool folder_is_in_place(const char *folder, int lock_fd, struct store_error *error);
/* Moves catalog.db and SQLite's files beside it to lost/, under a new name; no error if there are none. */
bool folder_lose_catalog(const char *folder, struct store_error *error);
/* Likewise what is called as SQLite's files beside it and is no file, as nothing could be opened beside that. */
bool folder_lose_no_logs(const char *folder, struct store_error *error);
/* The same of the index of its log only, which holds nothing itself: beside a folder called so it could only be read. */
bool folder_lose_no_index(const char *folder, struct store_error *error);
/* Renames tmp/catalog.db, which must be closed, to catalog.db, which must not exist. */
bool folder_publish_catalog(const char *folder, struct store_error *error);

/*
 * A daemon that stopped by itself leaves a mark that says what its catalogue and folders were: what is as it was then needs
 * no check. folder_leave_clean is the last thing that is done with a folder; folder_was_clean takes the mark away, but for
 * one that tells of another state, which folder_forget_mark does once the catalogue has begun another epoch.
 */
void folder_leave_clean(const char *folder);
/* is_other: there was one, of another catalogue or folder: a copy was put back, whose versions may be used again. */
bool folder_was_clean(const char *folder, bool *is_other);
bool folder_forget_mark(const char *folder, struct store_error *error);

#endif
