/*
 * Bytes on their way: they go to a file piece by piece and are hashed meanwhile. The body of a request that is too large
 * for memory is one, and becomes the blob when it is kept, so that an upload is written once.
 */
#ifndef POSED_SERVER_STORE_DRAFT_H
#define POSED_SERVER_STORE_DRAFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum store_status {
    STORE_OK,
    STORE_FULL,    /* no room, on the disk or within max-store */
    STORE_DOWN,    /* the disk or the database does not do what it should */
    STORE_MISSING, /* not there */
    STORE_IN_USE,  /* by another process */
    STORE_BROKEN,  /* the catalogue cannot be used, and will not heal */
    STORE_NEWER,   /* the catalogue is of a later version */
};

struct store_error {
    enum store_status status;
    const char *limit; /* "max-store", NULL; static */
    char detail[256];
};

/* Always false. store_fail_errno adds what errno says, and takes the status from it. */
bool store_fail(struct store_error *error, enum store_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
bool store_fail_errno(struct store_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct blob_hash {
    uint8_t bytes[32];
};

struct draft {
    int fd;
    char *path; /* NULL: the file has no name and is gone with its descriptor */
    uint64_t size;
    struct blob_hash hash; /* after draft_finish */
    const uint8_t *data;   /* after draft_finish: size bytes, mapped; NULL when empty */
    void *digest;          /* until draft_finish */
};

/* In a file of the folder, with a name or without. NULL with the error, as below. */
struct draft *draft_in_folder(const char *folder, bool named, struct store_error *error);
struct draft *draft_in_memory(struct store_error *error);
bool draft_append(struct draft *draft, const void *data, size_t size, struct store_error *error);
/* All bytes are there. Nothing happens the second time. */
bool draft_finish(struct draft *draft, struct store_error *error);
/* Gives a finished draft without a name one in a folder of the same disk, under which it can be renamed. */
bool draft_name(struct draft *draft, const char *folder, struct store_error *error);
/* Lets go of everything, and removes the file if it still has its first name. NULL is allowed. */
void draft_free(struct draft *draft);
/* Bytes that all drafts have written so far. */
uint64_t draft_written(void);

#endif
