#include "server/store/draft.h"

#include "lib/core/hex.h"
#include "server/ops/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Atomic uint64_t written_bytes;

static void set(struct store_error *error, enum store_status status, const char *format, va_list arguments)
{
    error->status = status;
    error->limit = NULL;
    vsnprintf(error->detail, sizeof error->detail, format, arguments);
}

bool store_fail(struct store_error *error, enum store_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    set(error, status, format, arguments);
    va_end(arguments);
    return false;
}

bool store_fail_errno(struct store_error *error, const char *format, ...)
{
    int reason = errno;
    bool is_full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;
    va_list arguments;
    va_start(arguments, format);
    set(error, is_full ? STORE_FULL : STORE_DOWN, format, arguments);
    va_end(arguments);
    size_t used = strlen(error->detail);
    snprintf(error->detail + used, sizeof error->detail - used, ": %s", strerror(reason));
    return false;
}

/* Takes over descriptor and path, even on failure. */
static struct draft *new_draft(int fd, char *path, struct store_error *error)
{
    struct draft *draft = calloc(1, sizeof *draft);
    if (draft) {
        *draft = (struct draft){.fd = fd, .path = path};
        sha256_init(&draft->digest);
        return draft;
    }
    store_fail(error, STORE_DOWN, "out of memory");
    if (path)
        unlink(path);
    close(fd);
    free(path);
    return NULL;
}

struct draft *draft_in_folder(const char *folder, bool named, struct store_error *error)
{
    int fd = named ? -1 : open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return new_draft(fd, NULL, error);
    /* Only one of these errors means that the file system does not support unnamed files. */
    if (!named && errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL) {
        store_fail_errno(error, "a file in %s", folder);
        return NULL;
    }
    char *path = path_join(folder, "XXXXXX");
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        store_fail_errno(error, "a file in %s", folder);
        free(path);
        return NULL;
    }
    if (named)
        return new_draft(fd, path, error);
    unlink(path);
    free(path);
    return new_draft(fd, NULL, error);
}

struct draft *draft_in_memory(struct store_error *error)
{
    int fd = memfd_create("posed-upload", MFD_CLOEXEC);
    if (fd >= 0)
        return new_draft(fd, NULL, error);
    store_fail_errno(error, "memory for an upload");
    return NULL;
}

uint64_t draft_written(void)
{
    return atomic_load_explicit(&written_bytes, memory_order_relaxed);
}

bool draft_append(struct draft *draft, const void *data, size_t size, struct store_error *error)
{
    const uint8_t *at = data;
    if (!size)
        return true;
    sha256_update(&draft->digest, size, data);
    for (size_t left = size; left;) {
        ssize_t written = write(draft->fd, at, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return store_fail_errno(error, "writing an upload");
        at += written;
        left -= (size_t)written;
        atomic_fetch_add_explicit(&written_bytes, (uint64_t)written, memory_order_relaxed);
    }
    draft->size += size;
    return true;
}

bool draft_finish(struct draft *draft, struct store_error *error)
{
    if (draft->finished)
        return true;
    sha256_digest(&draft->digest, sizeof draft->hash.bytes, draft->hash.bytes);
    draft->finished = true;
    if (!draft->size)
        return true;
    void *data = mmap(NULL, (size_t)draft->size, PROT_READ, MAP_SHARED, draft->fd, 0);
    if (data == MAP_FAILED)
        return store_fail_errno(error, "reading an upload");
    draft->data = data;
    return true;
}

/* Copies the file if the file system cannot link it. */
static bool copy_named(struct draft *draft, const char *folder, struct store_error *error)
{
    struct draft *copy = draft_in_folder(folder, true, error);
    if (!copy)
        return false;
    bool done = draft_append(copy, draft->data, (size_t)draft->size, error);
    if (done) {
        int fd = draft->fd;
        draft->fd = copy->fd;
        draft->path = copy->path;
        copy->fd = fd;
        copy->path = NULL;
    }
    draft_free(copy);
    return done;
}

bool draft_name(struct draft *draft, const char *folder, struct store_error *error)
{
    char name[2 * sizeof draft->hash.bytes + 1], file[32];
    hex_write(draft->hash.bytes, sizeof draft->hash.bytes, name);
    snprintf(file, sizeof file, "/proc/self/fd/%d", draft->fd);
    char *path = path_join(folder, name);
    unlink(path); /* left by an earlier attempt */
    if (linkat(AT_FDCWD, file, AT_FDCWD, path, AT_SYMLINK_FOLLOW)) {
        free(path);
        return copy_named(draft, folder, error);
    }
    draft->path = path;
    return true;
}

void draft_free(struct draft *draft)
{
    if (!draft)
        return;
    union {
        const uint8_t *view;
        void *memory;
    } data = {.view = draft->data};
    if (data.memory)
        munmap(data.memory, (size_t)draft->size);
    if (draft->path)
        unlink(draft->path);
    if (draft->fd >= 0)
        close(draft->fd);
    free(draft->path);
    free(draft);
}
