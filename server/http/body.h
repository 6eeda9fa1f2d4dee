/*
 * A request's body as it arrives: in memory, and above a threshold in an unnamed file. Of a form, the file holds the
 * files in it (api/protocol/form.h).
 */
#ifndef POSED_SERVER_HTTP_BODY_H
#define POSED_SERVER_HTTP_BODY_H

#include "api/protocol/form.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Settings and totals for bodies, shared by all loops. */
struct body_store {
    size_t threshold;        /* larger bodies go to a file */
    const char *directory;   /* where files are created */
    uint32_t max_files;      /* of a form */
    atomic_size_t in_memory; /* total bytes of all bodies in memory */
};

struct http_body {
    struct body_store *store;
    uint64_t limit;        /* larger bodies are refused */
    uint64_t expected;     /* Content-Length, 0 if unknown */
    const char *form_type; /* the Content-Type of a form, NULL if it is none; borrowed */
    const uint8_t *data;   /* valid after body_finish; NULL if empty, or with a form */
    uint64_t size;
    uint8_t *memory; /* capacity in bytes; NULL: in a file */
    size_t capacity;
    struct draft *draft; /* the file; set to NULL by whoever takes it over */
    struct form *form;   /* writes the file, and finishes it */
};

/* Initialises an empty body. content_type may be NULL, and must outlive it. */
void body_init(struct http_body *body, struct body_store *store, uint64_t limit, uint64_t expected,
               const char *content_type);
/* Appends; returns 0, or the HTTP status to refuse with: 413 over the limit, 507 no room, 500. After that
 * only body_release is allowed. */
unsigned body_add(struct http_body *body, const void *data, size_t size);
/* Completes the body: data may be read. Returns 0 or a status as above. */
unsigned body_finish(struct http_body *body);
/* Frees memory and file; may be called again. */
void body_release(struct http_body *body);

#endif
