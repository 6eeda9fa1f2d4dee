/*
 * A request's body as it arrives: in memory, and above a threshold in an unnamed file.
 */
#ifndef POSED_SERVER_HTTP_BODY_H
#define POSED_SERVER_HTTP_BODY_H

#include "server/store/draft.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Settings and totals for bodies, shared by all loops. */
struct body_store {
    size_t threshold;        /* larger bodies go to a file */
    const char *directory;   /* where files are created */
    atomic_size_t in_memory; /* total bytes of all bodies in memory */
};

struct http_body {
    struct body_store *store;
    uint64_t limit;      /* larger bodies are refused */
    uint64_t expected;   /* Content-Length, 0 if unknown */
    const uint8_t *data; /* valid after body_finish; NULL if empty */
    uint64_t size;
    uint8_t *memory; /* capacity in bytes; NULL: in a file */
    size_t capacity;
    struct draft *draft; /* the file; set to NULL by whoever takes it over */
};

/* Initialises an empty body. */
void body_init(struct http_body *body, struct body_store *store, uint64_t limit, uint64_t expected);
/* Appends; returns 0, or the HTTP status to refuse with: 413 over the limit, 507 no room, 500. After that
 * only body_release is allowed. */
unsigned body_add(struct http_body *body, const void *data, size_t size);
/* Completes the body: data may be read. Returns 0 or a status as above. */
unsigned body_finish(struct http_body *body);
/* Frees memory and file; may be called again. */
void body_release(struct http_body *body);

#endif
