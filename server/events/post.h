/*
 * Sends one POST, by libcurl. A module, so that only a daemon with a webhook loads libcurl; see server/ops/modules/modules.h.
 */
#ifndef POSED_SERVER_EVENTS_POST_H
#define POSED_SERVER_EVENTS_POST_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

struct post {
    const char *url;            /* http or https; no other address is asked, whatever the answer says */
    const char *const *headers; /* "Name: value", NULL-terminated */
    const void *body;
    size_t size;
    long timeout_ms;           /* for all of it, from looking up the name to the end of the answer */
    const atomic_bool *is_off; /* gives up within a part of a second once it is set */
};

enum { POST_DETAIL = 128 };

struct post_module {
    /* The status of the answer, of whose body nothing is kept; 0 with a reason: there is none. Any thread; each has
     * connections of its own. */
    long (*send)(const struct post *post, char detail[POST_DETAIL]);
    /* Closes those of the calling thread. */
    void (*end)(void);
};

#define POST_MODULE "posed-post.so"
#define POST_MODULE_SYMBOL "post_module"

#endif
