/*
 * The parts of a form as they arrive: each byte is written and hashed once, into the draft that becomes the blob, as
 * the ZIP of parts.h. The sizes of a part follow its data, since they are not known before. Of a form with one file,
 * the ZIP stands for that file: parts_only.
 */
#ifndef POSED_SERVER_UPLOADS_PARTS_SPOOL_H
#define POSED_SERVER_UPLOADS_PARTS_SPOOL_H

#include "server/store/draft.h"
#include "server/uploads/parts.h"

struct parts_spool {
    struct parts parts;       /* in order of arrival; after parts_spool_finish sorted, with their bytes */
    struct draft *draft;      /* borrowed */
    struct store_error error; /* of a function that returned false */
    bool is_too_large;        /* the parts are over PARTS_MOST_BYTES: the rest is left out */
    size_t buffered;
    uint8_t buffer[16 * 1024];
};

void parts_spool_init(struct parts_spool *spool, struct draft *draft);
bool parts_spool_begin(struct parts_spool *spool, const char *name);
bool parts_spool_add(struct parts_spool *spool, const void *data, size_t size);
bool parts_spool_end(struct parts_spool *spool);
/* Writes the directory and finishes the draft. The parts' bytes point into it. Takes long if there are many. */
bool parts_spool_finish(struct parts_spool *spool);
void parts_spool_release(struct parts_spool *spool);

#endif
