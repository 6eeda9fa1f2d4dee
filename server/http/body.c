/*
 * Collects a request's body. Nothing is allocated from what a client promises: memory grows with what has
 * arrived, and bodies that are large, or come when all bodies together hold much memory, go to a file that has no
 * name and vanishes with its descriptor.
 */
#include "server/http/body.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    SMALLEST_CAPACITY = 16 * 1024,
    MEMORY_FOR_ALL = 64 * 1024 * 1024, /* above it every body goes to a file */
};

void body_init(struct http_body *body, struct body_store *store, uint64_t limit, uint64_t expected)
{
    body->store = store;
    body->limit = limit;
    body->expected = expected;
    body->data = NULL;
    body->size = 0;
    body->capacity = 0;
    body->fd = -1;
}

static void drop_memory(struct http_body *body)
{
    free(body->data);
    atomic_fetch_sub_explicit(&body->store->in_memory, body->capacity, memory_order_relaxed);
    body->data = NULL;
    body->capacity = 0;
}

void body_release(struct http_body *body)
{
    if (body->fd >= 0) {
        if (body->data != NULL) {
            munmap(body->data, (size_t)body->size);
        }
        close(body->fd);
    } else if (body->data != NULL) {
        drop_memory(body);
    }
    body->data = NULL;
    body->size = 0;
    body->fd = -1;
}

/* What a failed call on the file means to the client. */
static unsigned status_of_errno(void)
{
    return errno == ENOSPC || errno == EDQUOT || errno == EFBIG ? 507 : 500;
}

/* A file without a name in the directory, -1 with errno set when there can be none. */
static int open_unnamed(const char *directory)
{
    char name[512];
    int fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) {
        return fd;
    }
    /* A file system without O_TMPFILE. */
    if (snprintf(name, sizeof(name), "%s/posed-body-XXXXXX", directory) >= (int)sizeof(name)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(name, O_CLOEXEC);
    if (fd >= 0) {
        unlink(name);
    }
    return fd;
}

static unsigned write_all(int fd, const uint8_t *data, size_t size)
{
    while (size > 0) {
        const ssize_t written = write(fd, data, size);

        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return status_of_errno();
        }
        data += written;
        size -= (size_t)written;
    }
    return 0;
}

/* From memory to a file. */
static unsigned spool(struct http_body *body)
{
    unsigned status = 0;
    const int fd = open_unnamed(body->store->directory);

    if (fd < 0) {
        return status_of_errno();
    }
    if (body->data != NULL) {
        status = write_all(fd, body->data, (size_t)body->size);
        drop_memory(body);
    }
    body->fd = fd;
    return status;
}

/* Makes room in memory for size more bytes; false when it should be a file instead. */
static bool grow(struct http_body *body, size_t size)
{
    const size_t needed = (size_t)body->size + size;
    size_t capacity = body->capacity > 0 ? body->capacity : SMALLEST_CAPACITY;
    size_t added;
    uint8_t *data;

    while (capacity < needed) {
        capacity *= 2;
    }
    added = capacity - body->capacity;
    if (atomic_fetch_add_explicit(&body->store->in_memory, added, memory_order_relaxed) + added <=
        MEMORY_FOR_ALL) {
        data = realloc(body->data, capacity);
        if (data != NULL) {
            body->data = data;
            body->capacity = capacity;
            return true;
        }
    }
    atomic_fetch_sub_explicit(&body->store->in_memory, added, memory_order_relaxed);
    return false;
}

static bool fits_memory(struct http_body *body, size_t size)
{
    return body->fd < 0 && body->expected <= body->store->threshold &&
           body->size + size <= body->store->threshold &&
           (body->size + size <= body->capacity || grow(body, size));
}

unsigned body_add(struct http_body *body, const void *data, size_t size)
{
    unsigned status = 0;

    if (size > body->limit - body->size) {
        return 413;
    }
    if (fits_memory(body, size)) {
        memcpy(body->data + body->size, data, size);
    } else {
        if (body->fd < 0) {
            status = spool(body);
        }
        if (status == 0) {
            status = write_all(body->fd, data, size);
        }
    }
    body->size += size;
    return status;
}

unsigned body_finish(struct http_body *body)
{
    void *mapped;

    if (body->fd < 0 || body->size == 0) {
        return 0;
    }
    mapped = mmap(NULL, (size_t)body->size, PROT_READ, MAP_PRIVATE, body->fd, 0);
    if (mapped == MAP_FAILED) {
        return 500;
    }
    body->data = mapped;
    return 0;
}
