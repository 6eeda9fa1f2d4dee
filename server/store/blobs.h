/*
 * Where the bytes of uploads are kept, by their SHA-256: one of the two interfaces that the store stands on. Here as
 * files of a folder (blobs_files.c) or in memory (blobs_memory.c); an object store would be a third.
 */
#ifndef POSED_SERVER_STORE_BLOBS_H
#define POSED_SERVER_STORE_BLOBS_H

#include "pose.h"
#include "server/store/draft.h"

#include <stdatomic.h>

enum { HASH_TEXT = 65 }; /* 64 lowercase hex digits and a NUL */

void hash_write(const struct blob_hash *hash, char text[HASH_TEXT]);
bool hash_parse(const char *text, struct blob_hash *hash);
struct blob_hash hash_of(const void *bytes, size_t size);

/* Bytes that are kept, readable until the last blob_release. Shared by counted references. */
struct blob {
    atomic_uint references;
    struct blob_hash hash;
    struct pose_bytes bytes;
    /* Whether the bytes are still those of their hash; cheap unless they were touched since. NULL: always. */
    bool (*check)(struct blob *blob, struct pose_error *error);
    void (*free)(struct blob *blob);
};

static inline bool blob_check(struct blob *blob, struct pose_error *error)
{
    return !blob->check || blob->check(blob, error);
}

static inline void blob_ref(struct blob *blob)
{
    atomic_fetch_add_explicit(&blob->references, 1, memory_order_relaxed);
}

/* NULL is allowed. */
static inline void blob_release(struct blob *blob)
{
    if (blob && atomic_fetch_sub_explicit(&blob->references, 1, memory_order_acq_rel) == 1)
        blob->free(blob);
}

/* Told of each blob, or of each note by its name; false ends the walk. */
typedef bool blob_visit(void *user, const struct blob_hash *hash);
/* text is NULL when the note cannot be read. */
typedef bool note_visit(void *user, const char *name, const char *text, size_t size);

/* Functions that return bool or a pointer give false or NULL with the error set. Called by one thread at a time, but
 * for begin and what is done with drafts and blobs. */
struct blobs {
    /* A draft for bytes that may be kept. */
    struct draft *(*begin)(struct blobs *blobs, struct store_error *error);
    /* What a finished draft holds, to be read before it is kept; takes the draft over. */
    struct blob *(*seal)(struct blobs *blobs, struct draft *draft, struct store_error *error);
    /* Makes a sealed blob durable under its hash. A blob that is not kept leaves nothing behind when it is released. */
    bool (*keep)(struct blobs *blobs, struct blob *blob, struct store_error *error);
    /* STORE_MISSING when there is none. */
    struct blob *(*open)(struct blobs *blobs, const struct blob_hash *hash, struct store_error *error);
    /* None there is fine. */
    bool (*remove)(struct blobs *blobs, const struct blob_hash *hash, struct store_error *error);
    bool (*each)(struct blobs *blobs, blob_visit *visit, void *user, struct store_error *error);

    /* Notes: small texts, one an upload, from which a lost catalogue is made anew. Durable when it returns. */
    bool (*note)(struct blobs *blobs, const char *name, const char *text, size_t size,
                 struct store_error *error);
    bool (*unnote)(struct blobs *blobs, const char *name, struct store_error *error);
    bool (*each_note)(struct blobs *blobs, note_visit *visit, void *user, struct store_error *error);

    /* What belongs to no upload leaves "blobs" or "notes" and stays at hand for a day. */
    bool (*lose)(struct blobs *blobs, const char *folder, const char *name, struct store_error *error);
    void (*close)(struct blobs *blobs);
};

/* In a folder that exists and that nobody else uses. Removes what an earlier process was writing when it ended, and what
 * was lost more than a day ago. */
struct blobs *blobs_files_open(const char *folder, struct store_error *error);
struct blobs *blobs_memory_open(void);

#endif
