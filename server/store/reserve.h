/*
 * Room on the disk that only deletions use: the catalogue's log grows by some pages with each of them, and on a full disk
 * they could free nothing without. A file of allocated blocks holds it.
 */
#ifndef POSED_SERVER_STORE_RESERVE_H
#define POSED_SERVER_STORE_RESERVE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct reserve {
    char *path;            /* NULL: no reserve */
    uint64_t size;         /* bytes that are to be held */
    _Atomic uint64_t held; /* read by other threads; the functions below are called by one at a time */
};

/* Takes over what an earlier process held in the folder, and allocates the rest. */
void reserve_init(struct reserve *reserve, const char *folder);
/* Frees memory; the file stays. */
void reserve_leave(struct reserve *reserve);
/* Holds all of it again after a release. False: the disk has room for a part only, which is held. True also where nothing
 * can be held for another reason. */
bool reserve_hold(struct reserve *reserve);
/* Frees the reserve for the next write. False if nothing is held. */
bool reserve_release(struct reserve *reserve);
/* Bytes that are missing. */
uint64_t reserve_missing(const struct reserve *reserve);

#endif
