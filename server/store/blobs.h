/*
 * Storage for the bytes of uploads, keyed by SHA-256: one of the store's two backends. Implemented as files in a
 * folder (blobs_files.c), in memory (blobs_memory.c) and as objects of an S3 store (s3/blobs_s3.c).
 */
#ifndef POSED_SERVER_STORE_BLOBS_H
#define POSED_SERVER_STORE_BLOBS_H

#include "pose.h"
#include "server/ops/files.h"
#include "server/store/draft.h"

#include <stdatomic.h>

enum { HASH_TEXT = 65 }; /* 64 lowercase hex digits and a NUL */

void hash_write(const struct blob_hash *hash, char text[HASH_TEXT]);
bool hash_parse(const char *text, struct blob_hash *hash);
struct blob_hash hash_of(const void *bytes, size_t size);

struct object_metrics;

/* Stored bytes, readable until the last blob_release. Reference-counted. */
struct blob {
    atomic_uint references;
    struct blob_hash hash;
    struct pose_bytes bytes;
    struct file_stamp stamp; /* of its file when it was opened or kept; zeros: it has none */
    /* Whether the bytes still match their hash; cheap unless the file was touched since. NULL: always. */
    bool (*check)(struct blob *blob, struct pose_error *error);
    /* Lets go of the memory of a blob that was kept, before others see it: bytes.data is NULL from now on, and read
     * gets the bytes, verified. Both NULL: the bytes are always in memory. */
    void (*rest)(struct blob *blob);
    bool (*read)(struct blob *blob, struct pose_buffer *out, struct pose_error *error);
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

/* Where the bytes of a blob are to be. Only the first is false. */
enum blob_place {
    BLOB_IN_MEMORY,
    BLOB_AT_REST, /* see rest */
    BLOB_UNSEEN,  /* at rest, and nobody looks whether they are there: reading may fail later */
};

/* Called for each blob, or for each note with its name; false ends the walk. */
typedef bool blob_visit(void *user, const struct blob_hash *hash);
/* text is NULL if the note cannot be read. */
typedef bool note_visit(void *user, const char *name, const char *text, size_t size);

/* Functions that return bool or a pointer return false or NULL with the error set. Not thread-safe, except
 * begin, push and the functions on drafts and blobs. */
struct blobs {
    /* A draft for bytes that may be kept. */
    struct draft *(*begin)(struct blobs *blobs, struct store_error *error);
    /* Makes the contents of a finished draft readable before they are kept; takes over the draft. */
    struct blob *(*seal)(struct blobs *blobs, struct draft *draft, struct store_error *error);
    /* Where the bytes are far away: makes a sealed blob durable under its hash; keep has nothing left to do then. May
     * be called by many threads at once. NULL: keep does it. */
    bool (*push)(struct blobs *blobs, struct blob *blob, struct store_error *error);
    /* Makes a sealed blob durable under its hash. Releasing a blob that was not kept leaves nothing
     * behind. */
    bool (*keep)(struct blobs *blobs, struct blob *blob, struct store_error *error);
    /* STORE_MISSING if there is none. size: if it is known (0: it is not), as it has to be for one that is unseen. At rest
     * with a known size nobody far away is asked, so that reading may fail later. */
    struct blob *(*open)(struct blobs *blobs, const struct blob_hash *hash, uint64_t size,
                         enum blob_place place, struct store_error *error);
    /* No error if there is none. */
    bool (*remove)(struct blobs *blobs, const struct blob_hash *hash, struct store_error *error);
    bool (*each)(struct blobs *blobs, blob_visit *visit, void *user, struct store_error *error);

    /* Notes: one small text per upload, from which a lost catalogue can be rebuilt. Durable on return. */
    bool (*note)(struct blobs *blobs, const char *name, const char *text, size_t size,
                 struct store_error *error);
    bool (*unnote)(struct blobs *blobs, const char *name, struct store_error *error);
    bool (*each_note)(struct blobs *blobs, note_visit *visit, void *user, struct store_error *error);

    /* Moves a file that belongs to no upload out of "blobs" or "notes"; it is kept for a day. */
    bool (*lose)(struct blobs *blobs, const char *folder, const char *name, struct store_error *error);
    /* Only of what is far away, else NULL: whether it does not answer at the moment; what is counted of it. Both are
     * thread-safe. */
    bool (*is_away)(struct blobs *blobs);
    const struct object_metrics *(*count)(struct blobs *blobs);
    void (*close)(struct blobs *blobs);
};

/* In an existing folder that nobody else uses. Removes unfinished files of an earlier process, and what
 * was moved to lost more than a day ago. */
struct blobs *blobs_files_open(const char *folder, struct store_error *error);
struct blobs *blobs_memory_open(void);

#endif
