/* Uploads without a store folder: in memory, until the process ends. */
#include "server/store/blobs.h"

#include "server/ops/region.h"

#include <stdlib.h>
#include <string.h>

/* Up to this size bytes lie on the heap, so that many uploads need neither as many descriptors nor as many mappings. */
enum { SMALL = 1 << 20 };

struct memory_blob {
    struct blob blob;
    struct draft *draft; /* NULL: the bytes are on the heap */
    uint8_t *copy;
};

static void free_blob(struct blob *blob)
{
    struct memory_blob *memory = (struct memory_blob *)blob;
    draft_free(memory->draft);
    free(memory->copy);
    free(memory);
}

/* Goes on as it is if there is no memory for a copy. */
static void copy_small(struct memory_blob *memory)
{
    struct pose_bytes *bytes = &memory->blob.bytes;
    if (bytes->size && bytes->size <= SMALL)
        memory->copy = malloc(bytes->size);
    if (!memory->copy)
        return;
    memcpy(memory->copy, bytes->data, bytes->size);
    bytes->data = memory->copy;
    draft_free(memory->draft);
    memory->draft = NULL;
}

static struct draft *begin(struct blobs *blobs, struct store_error *error)
{
    (void)blobs;
    return draft_in_memory(error);
}

static struct blob *seal(struct blobs *blobs, struct draft *draft, struct store_error *error)
{
    (void)blobs;
    if (!draft_finish(draft, error)) {
        draft_free(draft);
        return NULL;
    }
    struct memory_blob *memory = must_alloc(1, sizeof *memory);
    atomic_init(&memory->blob.references, 1);
    memory->blob.hash = draft->hash;
    memory->blob.bytes = (struct pose_bytes){draft->data, (size_t)draft->size};
    memory->blob.free = free_blob;
    memory->draft = draft;
    copy_small(memory);
    return &memory->blob;
}

/* The archives of the catalogue hold references to the blobs. */
static bool keep(struct blobs *blobs, struct blob *blob, struct store_error *error)
{
    (void)blobs, (void)blob, (void)error;
    return true;
}

static struct blob *open_blob(struct blobs *blobs, const struct blob_hash *hash, uint64_t size,
                              enum blob_place place, struct store_error *error)
{
    (void)blobs, (void)hash, (void)size, (void)place;
    store_fail(error, STORE_MISSING, "uploads live in memory");
    return NULL;
}

static bool remove_blob(struct blobs *blobs, const struct blob_hash *hash, struct store_error *error)
{
    (void)blobs, (void)hash, (void)error;
    return true;
}

static bool each(struct blobs *blobs, blob_visit *visit, void *user, struct store_error *error)
{
    (void)blobs, (void)visit, (void)user, (void)error;
    return true;
}

static bool note(struct blobs *blobs, const char *name, const char *text, size_t size,
                 struct store_error *error)
{
    (void)blobs, (void)name, (void)text, (void)size, (void)error;
    return true;
}

static bool unnote(struct blobs *blobs, const char *name, struct store_error *error)
{
    (void)blobs, (void)name, (void)error;
    return true;
}

static bool each_note(struct blobs *blobs, note_visit *visit, void *user, struct store_error *error)
{
    (void)blobs, (void)visit, (void)user, (void)error;
    return true;
}

static bool lose(struct blobs *blobs, const char *folder, const char *name, struct store_error *error)
{
    (void)blobs, (void)folder, (void)name, (void)error;
    return true;
}

static void close_blobs(struct blobs *blobs)
{
    free(blobs);
}

struct blobs *blobs_memory_open(void)
{
    struct blobs *blobs = must_alloc(1, sizeof *blobs);
    *blobs = (struct blobs){.begin = begin,
                            .seal = seal,
                            .keep = keep,
                            .open = open_blob,
                            .remove = remove_blob,
                            .each = each,
                            .note = note,
                            .unnote = unnote,
                            .each_note = each_note,
                            .lose = lose,
                            .close = close_blobs};
    return blobs;
}
