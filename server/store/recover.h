/*
 * What a catalogue and the folder beside it owe each other. An upload is its note and its bytes: both were synced before
 * the client was told, so both together are the proof of it, and the catalogue is only the list of them.
 */
#ifndef POSED_SERVER_STORE_RECOVER_H
#define POSED_SERVER_STORE_RECOVER_H

#include "server/store/catalog.h"

struct recovered {
    uint64_t adopted;   /* whole notes with sound bytes that had no row, and have one now */
    uint64_t noted;     /* rows whose note was missing or broken, and is whole now */
    uint64_t forgotten; /* rows with neither note nor bytes: deleted since the catalogue was written */
    uint64_t damaged;   /* notes without a row whose bytes are not those of their hash; left alone */
    uint64_t missing;   /* notes without a row and without bytes; left alone */
    uint64_t unread; /* what cannot be read, of notes and of the bytes of notes without a row; left alone */
    uint64_t lost;   /* blobs and broken notes that nothing names, now in lost */
};

struct recovery {
    struct blobs *blobs;
    struct store_catalog *catalog;
    bool adopts;  /* rows for whole notes */
    bool is_anew; /* the catalogue is: rows for all are no news */
    bool is_last; /* the rows will be thrown away: each must have its note, or it fails */
    bool loses;   /* what neither a row nor a note names goes to lost */
    /* Told, in a line, of each upload that is not as it should be. May be NULL. */
    void (*report)(void *user, const char *line);
    void *user;
};

/* Brings both into agreement. May fail half-way; what it has done by then was right, and it can be called again. */
bool recover(const struct recovery *recovery, struct recovered *found, struct store_error *error);

#endif
