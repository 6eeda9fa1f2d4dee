/*
 * Bytes written to a file piece by piece and hashed on the way. A request body too large for memory is a draft,
 * which becomes the blob when it is kept, so that an upload is written only once.
 */
#ifndef POSED_SERVER_STORE_DRAFT_H
#define POSED_SERVER_STORE_DRAFT_H

#include <nettle/sha2.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum store_status {
    STORE_OK,
    STORE_FULL,    /* disk full, or max-store reached */
    STORE_DOWN,    /* an error of the disk or the database */
    STORE_AWAY,    /* what is far away does not answer, or not as it should; it may do so later */
    STORE_MISSING, /* does not exist */
    STORE_UNREAD,  /* bytes are there, and cannot be read */
    STORE_IN_USE,  /* used by another process */
    STORE_BROKEN,  /* the catalogue is permanently unusable */
    STORE_NEWER,   /* the catalogue is of a later version */
};

struct store_error {
    enum store_status status;
    const char *limit; /* "max-store" or NULL; static */
    char detail[256];
};

/* Always returns false. store_fail_errno adds the text of errno, and derives the status from it. */
bool store_fail(struct store_error *error, enum store_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool store_fail_errno(struct store_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct blob_hash {
    uint8_t bytes[32];
};

struct draft {
    int fd;
    char *path; /* NULL: the file is unnamed and disappears with its descriptor */
    uint64_t size;
    struct blob_hash hash; /* after draft_finish */
    const uint8_t *data;   /* after draft_finish: size bytes, mapped; NULL when empty */
    struct sha256_ctx digest;
    bool finished; /* the digest is; see hash */
};

/* Creates a file in the folder, named or unnamed. NULL with the error, as below. */
struct draft *draft_in_folder(const char *folder, bool named, struct store_error *error);
struct draft *draft_in_memory(struct store_error *error);
bool draft_append(struct draft *draft, const void *data, size_t size, struct store_error *error);
/* Call it when all bytes are written. A second call does nothing. */
bool draft_finish(struct draft *draft, struct store_error *error);
/* Gives an unnamed finished draft a name in a folder on the same disk, for renaming it. */
bool draft_name(struct draft *draft, const char *folder, struct store_error *error);
/* Frees everything, and removes the file if it still has its original name. NULL is allowed. */
void draft_free(struct draft *draft);
/* Total bytes written by all drafts so far. */
uint64_t draft_written(void);

#endif
