/*
 * Makes a catalogue and its folder consistent. An upload is its note and its bytes: both are synced before the
 * client gets an answer, so together they prove the upload, and the catalogue is only an index of them.
 */
#ifndef POSED_SERVER_STORE_UPKEEP_RECOVER_H
#define POSED_SERVER_STORE_UPKEEP_RECOVER_H

#include "server/store/catalog.h"

struct recovered {
    uint64_t adopted; /* valid notes with sound bytes that had no row; added */
    uint64_t noted; /* rows whose note was missing, broken, or told of an unfinished publication; rewritten */
    uint64_t forgotten; /* rows with neither note nor bytes: deleted after the catalogue was written */
    uint64_t damaged;   /* notes without a row whose bytes do not match their hash; left alone */
    uint64_t missing;   /* notes without a row and without bytes; left alone */
    uint64_t unread;    /* unreadable notes, and notes without a row whose bytes are unreadable; left alone */
    uint64_t lost;      /* unreferenced blobs and broken notes, moved to lost */
};

struct recovery {
    struct blobs *blobs;
    struct store_catalog *catalog;
    bool adopts;  /* add rows for valid notes */
    bool is_anew; /* the catalogue is new: adding rows is not reported */
    bool is_last; /* the rows will be discarded: fail unless each has its note */
    bool loses;   /* move what neither a row nor a note refers to to lost */
    /* Called with one line for each damaged upload. May be NULL. */
    void (*report)(void *user, const char *line);
    void *user;
};

/* Repairs inconsistencies. It may fail half-way; what it has done by then is valid, and it can be called
 * again. */
bool recover(const struct recovery *recovery, struct recovered *found, struct store_error *error);

#endif
