/*
 * Collects a request's body. Nothing is allocated based on what a client announces: memory grows with the data
 * that has arrived. Large bodies, and all bodies while their total memory is high, go to an unnamed file that
 * disappears when its descriptor is closed.
 */
#include "server/http/body.h"

#include <stdlib.h>
#include <string.h>

enum {
    MIN_CAPACITY = 16 * 1024,
    MEMORY_FOR_ALL = 64 * 1024 * 1024, /* above this every body goes to a file */
};

void body_init(struct http_body *body, struct body_store *store, uint64_t limit, uint64_t expected,
               const char *content_type)
{
    body->store = store;
    body->limit = limit;
    body->expected = expected;
    body->form_type = multipart_is(content_type) ? content_type : NULL;
    body->data = NULL;
    body->size = 0;
    body->memory = NULL;
    body->capacity = 0;
    body->draft = NULL;
    body->form = NULL;
}

static void drop_memory(struct http_body *body)
{
    free(body->memory);
    atomic_fetch_sub_explicit(&body->store->in_memory, body->capacity, memory_order_relaxed);
    body->memory = NULL;
    body->capacity = 0;
}

void body_release(struct http_body *body)
{
    drop_memory(body);
    form_free(body->form);
    body->form = NULL;
    draft_free(body->draft);
    body->draft = NULL;
    body->data = NULL;
    body->size = 0;
}

/* The HTTP status for a file error. */
static unsigned status_of(const struct store_error *error)
{
    return error->status == STORE_FULL ? 507 : 500;
}

static unsigned add_bytes(struct http_body *body, const void *data, size_t size)
{
    struct store_error error;
    if (body->form)
        return form_add(body->form, data, size) ? 0 : status_of(&body->form->spool.error);
    return draft_append(body->draft, data, size, &error) ? 0 : status_of(&error);
}

/* Moves the body from memory to a file. */
static unsigned spool(struct http_body *body)
{
    struct store_error error;
    body->draft = draft_in_folder(body->store->directory, false, &error);
    if (!body->draft)
        return status_of(&error);
    if (body->form_type) {
        body->form = form_new(body->form_type, body->store->max_files, body->draft);
        if (!body->form)
            return 500;
    }
    unsigned status = add_bytes(body, body->memory, (size_t)body->size);
    drop_memory(body);
    return status;
}

/* Makes room in memory for size more bytes; false if the body should move to a file. */
static bool grow(struct http_body *body, size_t size)
{
    const size_t needed = (size_t)body->size + size;
    size_t capacity = body->capacity > 0 ? body->capacity : MIN_CAPACITY;
    uint8_t *data;
    while (capacity < needed)
        capacity *= 2;
    size_t added = capacity - body->capacity;
    if (atomic_fetch_add_explicit(&body->store->in_memory, added, memory_order_relaxed) + added <=
        MEMORY_FOR_ALL) {
        data = realloc(body->memory, capacity);
        if (data) {
            body->memory = data;
            body->capacity = capacity;
            return true;
        }
    }
    atomic_fetch_sub_explicit(&body->store->in_memory, added, memory_order_relaxed);
    return false;
}

static bool fits_memory(struct http_body *body, size_t size)
{
    return !body->draft && body->expected <= body->store->threshold &&
           body->size + size <= body->store->threshold &&
           (body->size + size <= body->capacity || grow(body, size));
}

static unsigned add_to_file(struct http_body *body, const void *data, size_t size)
{
    unsigned status = body->draft ? 0 : spool(body);
    return status ? status : add_bytes(body, data, size);
}

unsigned body_add(struct http_body *body, const void *data, size_t size)
{
    unsigned status = 0;
    if (size > body->limit - body->size)
        return 413;
    if (fits_memory(body, size))
        memcpy(body->memory + body->size, data, size);
    else
        status = add_to_file(body, data, size);
    body->size += size;
    return status;
}

unsigned body_finish(struct http_body *body)
{
    struct store_error error;
    if (body->form)
        return 0;
    if (body->draft && !draft_finish(body->draft, &error))
        return status_of(&error);
    body->data = body->draft ? body->draft->data : body->memory;
    return 0;
}
