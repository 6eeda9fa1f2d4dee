#include "server/store/draft.h"

#include "server/ops/region.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

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

static struct draft *new_draft(int fd, char *path)
{
    struct draft *draft = must_alloc(1, sizeof *draft);
    EVP_MD_CTX *digest = EVP_MD_CTX_new();
    if (!digest || !EVP_DigestInit_ex(digest, EVP_sha256(), NULL))
        abort();
    *draft = (struct draft){.fd = fd, .path = path, .digest = digest};
    return draft;
}

struct draft *draft_in_folder(const char *folder, bool named, struct store_error *error)
{
    int fd = named ? -1 : open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return new_draft(fd, NULL);
    size_t size = strlen(folder) + 16;
    char *path = must_alloc(size, 1);
    snprintf(path, size, "%s/XXXXXX", folder);
    fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        store_fail_errno(error, "a file in %s", folder);
        free(path);
        return NULL;
    }
    if (named)
        return new_draft(fd, path);
    unlink(path);
    free(path);
    return new_draft(fd, NULL);
}

struct draft *draft_in_memory(struct store_error *error)
{
    int fd = memfd_create("posed-upload", MFD_CLOEXEC);
    if (fd >= 0)
        return new_draft(fd, NULL);
    store_fail_errno(error, "memory for an upload");
    return NULL;
}

bool draft_append(struct draft *draft, const void *data, size_t size, struct store_error *error)
{
    const uint8_t *at = data;
    if (!size)
        return true;
    EVP_DigestUpdate(draft->digest, data, size);
    for (size_t left = size; left;) {
        ssize_t written = write(draft->fd, at, left);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return store_fail_errno(error, "writing an upload");
        at += written;
        left -= (size_t)written;
    }
    draft->size += size;
    return true;
}

bool draft_finish(struct draft *draft, struct store_error *error)
{
    EVP_DigestFinal_ex(draft->digest, draft->hash.bytes, NULL);
    if (!draft->size)
        return true;
    void *data = mmap(NULL, (size_t)draft->size, PROT_READ, MAP_SHARED, draft->fd, 0);
    if (data == MAP_FAILED)
        return store_fail_errno(error, "reading an upload");
    draft->data = data;
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
    EVP_MD_CTX_free(draft->digest);
    free(draft->path);
    free(draft);
}
