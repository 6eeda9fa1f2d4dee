/* Decoded documents through the cache. */
#ifndef POSED_SERVER_LIBRARY_DOCUMENTS_H
#define POSED_SERVER_LIBRARY_DOCUMENTS_H

#include "server/library/service.h"

/* What a request wants to know of how its answer came about. */
struct fetch {
    bool may_wait;
    bool missed;           /* something had to be made */
    double decode_seconds; /* spent on it */
    enum cache_outcome outcome;
    struct pose_error error; /* when NULL was returned and outcome is CACHE_FAILED */
};

struct decoded {
    struct cache_object object;
    struct pose_document *document;
};

/* The document of an entry, referenced; NULL with fetch->outcome CACHE_WOULD_WAIT or CACHE_FAILED. */
struct decoded *document_get(struct service *service, const struct catalog *catalog,
                             struct catalog_place place, struct fetch *fetch);
/*
 * From here on what indexing decodes goes into the cache: for a command, which will need it at once. A daemon that
 * starts on 100,000 clips has no use for the last of them.
 */
void documents_keep_indexed(struct service *service);
void document_put(struct decoded *decoded);

#endif
