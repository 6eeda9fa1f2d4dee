/*
 * The store of uploads: their bytes (blobs.h) and the list of them (store_catalog.h). What was answered as kept is
 * there after a crash, what was not is gone; see store_keep for the order of things.
 */
#ifndef POSED_SERVER_STORE_STORE_H
#define POSED_SERVER_STORE_STORE_H

#include "server/store/recover.h"

struct store;

/*
 * Opens the store in a folder, which is made when it is not there; NULL: in memory. A second process on the same folder
 * is refused (STORE_IN_USE). Whatever state its catalogue is in, every upload whose note is whole and whose bytes are sound
 * is there afterwards; what belongs to none is in lost/ for a day. most: bytes of all uploads together, 0: no bound.
 */
struct store *store_open(const char *folder, uint64_t most, struct store_error *error);
void store_close(struct store *store);

/* Where bodies may be spooled: on the same disk; "/tmp" without a folder. Lives as long as the store. */
const char *store_spool_folder(const struct store *store);
/* Bytes of all uploads. From any thread, as all that follows. */
uint64_t store_bytes(const struct store *store);
/* False after a write has failed for another reason than a full disk, until one works again. */
bool store_is_up(const struct store *store);

/* A draft for that many bytes; STORE_FULL when so many could never be kept. */
struct draft *store_begin(struct store *store, uint64_t size, struct store_error *error);
/* What the draft holds, which is taken over: one of store_begin, or a body that was spooled to store_spool_folder. */
struct blob *store_seal(struct store *store, struct draft *draft, struct store_error *error);
/*
 * Keeps a sealed blob as the upload of that row, whose blob and bytes are filled in; there is none of its id. When it
 * returns true: first the bytes were synced, then their name, then the note, then the row. When it returns false
 * nothing is left.
 */
bool store_keep(struct store *store, struct blob *blob, struct upload_row *row, struct store_error *error);
bool store_remove(struct store *store, const struct asset_id *id, struct store_error *error);
/* The uploads in the order in which they came; the visitor must not call the store but for store_blob. */
bool store_each(struct store *store, upload_visit *visit, void *user, struct store_error *error);
struct blob *store_blob(struct store *store, const struct blob_hash *hash, struct store_error *error);

/*
 * Makes the catalogue of a folder that no daemon uses anew, from notes and blobs; the old one, whatever it is, goes to
 * lost/. What only its rows know is saved first. report (may be NULL) is told of each upload that is not as it should be.
 */
bool store_reindex(const char *folder, struct recovered *found, void (*report)(void *user, const char *line),
                   struct store_error *error);

#endif
