/* Decoded documents through the cache. */
#ifndef POSED_SERVER_LIBRARY_DOCUMENTS_H
#define POSED_SERVER_LIBRARY_DOCUMENTS_H

#include "server/library/service.h"

/* How a request's answer was obtained. */
struct fetch {
    bool may_wait;
    bool missed;           /* something was not in the cache */
    double decode_seconds; /* time spent on it */
    enum cache_outcome outcome;
    struct pose_error error; /* set if NULL was returned and outcome is CACHE_FAILED */
};

struct decoded {
    struct cache_object object;
    struct pose_document *document;
};

/* The up axis of files that do not specify it; auto: as their figure stands. */
enum up { UP_AUTO, UP_Y, UP_Z };

/* Whether the format leaves open which way is up. NULL: no. */
bool format_lacks_up(const char *format);
/* The axes of something from such a file that was read with those axes; formats that fix them keep them. */
enum pose_axes axes_turned(enum pose_axes axes, enum up up);

/* The document of an entry, referenced; NULL with fetch->outcome CACHE_WOULD_WAIT or CACHE_FAILED. */
struct decoded *document_get(struct service *service, const struct catalog *catalog,
                             struct catalog_place place, struct fetch *fetch);
/*
 * From now on documents decoded by indexing are put into the cache. For commands, which need them at once; a
 * daemon that indexes 100,000 clips has no use for the last few.
 */
void documents_keep_indexed(struct service *service);
void document_put(struct decoded *decoded);

#endif
