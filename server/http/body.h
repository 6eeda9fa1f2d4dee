/*
 * The body of a request while it arrives: in memory, and above a threshold in a file without a name.
 */
#ifndef POSED_SERVER_HTTP_BODY_H
#define POSED_SERVER_HTTP_BODY_H

#include "server/store/draft.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Where bodies go; one for all loops. */
struct body_store {
    size_t threshold;        /* a larger body goes to a file */
    const char *directory;   /* of the files */
    atomic_size_t in_memory; /* bytes that all bodies hold in memory now */
};

struct http_body {
    struct body_store *store;
    uint64_t limit;      /* more is refused */
    uint64_t expected;   /* as the client promises, 0 when it does not */
    const uint8_t *data; /* valid after body_finish, NULL when empty */
    uint64_t size;
    uint8_t *memory; /* size bytes of capacity, NULL: in a file */
    size_t capacity;
    struct draft *draft; /* the file; whoever takes it leaves NULL here */
};

/* A body of nothing yet. */
void body_init(struct http_body *body, struct body_store *store, uint64_t limit, uint64_t expected);
/* Appends; returns 0, or the HTTP status that refuses it: 413 over the limit, 507 no room, 500. After a refusal
 * the body can only be released. */
unsigned body_add(struct http_body *body, const void *data, size_t size);
/* The body is whole: data may be read. Returns 0 or a status as above. */
unsigned body_finish(struct http_body *body);
/* Lets go of memory and file; may be called again. */
void body_release(struct http_body *body);

#endif
