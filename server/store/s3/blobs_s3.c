#include "server/store/s3/blobs_s3.h"

#include "lib/core/error.h"
#include "server/ops/log.h"
#include "server/ops/region.h"
#include "server/store/s3/blob_cache.h"
#include "server/store/s3/dropped.h"
#include "server/store/s3/objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { HOUR_S = 60 * 60, OBJECT_NAME = 128, MAX_NOTE = 1 << 20, SWEPT_AT_ONCE = 16 };
#define MAX_BLOB ((uint64_t)1 << 40) /* of one whose size is not known */

struct remote {
    struct blobs blobs;  /* must be first */
    struct blobs *local; /* makes drafts, and cleans up after them */
    struct objects *objects;
    struct blob_cache *cache;
    struct dropped dropped;
    char *spool;
    bool is_scanned;
};

struct remote_blob {
    struct blob blob; /* must be first */
    struct remote *remote;
    struct draft *draft;    /* its bytes are in there, or */
    struct file_bytes file; /* there, or at rest */
    bool is_pushed;
    atomic_bool is_bad, is_told; /* the store has not these bytes; that it was said */
};

static struct remote *remote_of(struct blobs *blobs)
{
    return (struct remote *)blobs;
}

static void blob_name(const struct blob_hash *hash, char name[OBJECT_NAME])
{
    char text[HASH_TEXT];
    hash_write(hash, text);
    snprintf(name, OBJECT_NAME, "blobs/%s", text);
}

static void note_name(const char *name, char whole[OBJECT_NAME])
{
    snprintf(whole, OBJECT_NAME, "notes/%s", name);
}

/* ------------------------------------------------------------------------------------------------- bytes -- */

static void let_go(struct remote_blob *blob)
{
    draft_free(blob->draft);
    blob->draft = NULL;
    file_release(&blob->file);
    blob->file = (struct file_bytes){0};
    blob->blob.bytes.data = NULL;
}

static void free_blob(struct blob *blob)
{
    let_go((struct remote_blob *)blob);
    free(blob);
}

static void rest(struct blob *blob)
{
    struct remote_blob *remote = (struct remote_blob *)blob;
    if (remote->is_pushed)
        let_go(remote);
}

static bool refuse(struct pose_error *error, const char *code, const char *detail)
{
    pose_error_init(error); /* what was there names a path */
    return error_set(error, POSE_BAD_ARGUMENT, code, "%s", detail);
}

static bool bad(struct pose_error *error)
{
    return refuse(error, "corrupt_blob", "the stored bytes of this upload are gone; upload them again");
}

/* What stays mapped needs no descriptor, of which a process has few. */
static void close_file(struct draft *draft)
{
    if (draft && draft->fd >= 0)
        close(draft->fd);
    if (draft)
        draft->fd = -1;
}

/* Gets the verified bytes into the blob's draft or file. */
static bool fetch(struct remote_blob *blob, struct store_error *error)
{
    struct remote *remote = blob->remote;
    char name[OBJECT_NAME];
    if (blob_cache_map(remote->cache, &blob->blob.hash, &blob->file)) {
        atomic_fetch_add(&objects_metrics(remote->objects)->hits, 1);
        blob->blob.bytes = blob->file.bytes;
        return true;
    }
    atomic_fetch_add(&objects_metrics(remote->objects)->misses, 1);
    blob_name(&blob->blob.hash, name);
    blob->draft =
        objects_get(remote->objects, name, remote->spool,
                    blob->blob.bytes.size ? blob->blob.bytes.size : MAX_BLOB, &blob->blob.hash, error);
    if (!blob->draft)
        return false;
    blob_cache_keep(remote->cache, blob->draft);
    close_file(blob->draft);
    blob->blob.bytes = (struct pose_bytes){blob->draft->data, (size_t)blob->draft->size};
    return true;
}

static struct remote_blob *new_blob(struct remote *remote, const struct blob_hash *hash);

static bool give(struct remote_blob *from, struct pose_buffer *out)
{
    *out = (struct pose_buffer){0};
    return pose_buffer_append(out, from->blob.bytes.data, from->blob.bytes.size);
}

static bool read_blob(struct blob *blob, struct pose_buffer *out, struct pose_error *error)
{
    struct remote_blob *ours = (struct remote_blob *)blob;
    struct store_error why;
    struct remote_blob *fetched = new_blob(ours->remote, &blob->hash); /* others may read at the same time */
    fetched->blob.bytes.size = blob->bytes.size;
    const bool is_there = fetch(fetched, &why), done = is_there && give(fetched, out);
    free_blob(&fetched->blob);
    if (done) {
        atomic_store(&ours->is_bad, false);
        return true;
    }
    if (is_there) {
        pose_error_init(error);
        error->status = POSE_NO_MEMORY;
        return false;
    }
    if (why.status == STORE_AWAY)
        return refuse(error, "store_down", "the store of uploads cannot be reached at the moment; try again");
    atomic_store(&ours->is_bad, true);
    if (!atomic_exchange(&ours->is_told, true))
        log_message(LOG_WARNING, "%s", why.detail);
    return bad(error);
}

/* What is in memory has been verified, and lies in a file that only we have or in one that is not written to. */
static bool check(struct blob *blob, struct pose_error *error)
{
    return !atomic_load(&((struct remote_blob *)blob)->is_bad) || bad(error);
}

static struct remote_blob *new_blob(struct remote *remote, const struct blob_hash *hash)
{
    struct remote_blob *blob = must_alloc(1, sizeof *blob);
    atomic_init(&blob->blob.references, 1);
    blob->remote = remote;
    blob->blob.hash = *hash;
    blob->blob.check = check;
    blob->blob.rest = rest;
    blob->blob.read = read_blob;
    blob->blob.free = free_blob;
    return blob;
}

/* ------------------------------------------------------------------------------------------------- blobs -- */

static struct draft *begin(struct blobs *blobs, struct store_error *error)
{
    return remote_of(blobs)->local->begin(remote_of(blobs)->local, error);
}

static struct blob *seal(struct blobs *blobs, struct draft *draft, struct store_error *error)
{
    if (!draft_finish(draft, error)) {
        draft_free(draft);
        return NULL;
    }
    struct remote_blob *blob = new_blob(remote_of(blobs), &draft->hash);
    blob->draft = draft;
    blob->blob.bytes = (struct pose_bytes){draft->data, (size_t)draft->size};
    return &blob->blob;
}

static bool push(struct blobs *blobs, struct blob *blob, struct store_error *error)
{
    struct remote *remote = remote_of(blobs);
    struct remote_blob *ours = (struct remote_blob *)blob;
    char name[OBJECT_NAME];
    if (ours->is_pushed)
        return true;
    blob_name(&blob->hash, name);
    dropped_forget(&remote->dropped, &blob->hash);
    /* Always put, even what may be there: its time says that it is needed. */
    ours->is_pushed =
        objects_put(remote->objects, name, blob->bytes.data, blob->bytes.size, &blob->hash, error);
    if (ours->is_pushed)
        blob_cache_keep(remote->cache, ours->draft);
    return ours->is_pushed;
}

void blobs_s3_push_again(struct blob *blob)
{
    ((struct remote_blob *)blob)->is_pushed = false;
}

/* Since the push another upload of the same bytes may have been deleted. */
static bool keep(struct blobs *blobs, struct blob *blob, struct store_error *error)
{
    bool done = push(blobs, blob, error);
    if (done)
        close_file(((struct remote_blob *)blob)->draft);
    dropped_forget(&remote_of(blobs)->dropped, &blob->hash);
    return done;
}

static struct blob *open_blob(struct blobs *blobs, const struct blob_hash *hash, uint64_t size,
                              enum blob_place place, struct store_error *error)
{
    struct remote *remote = remote_of(blobs);
    struct remote_blob *blob = new_blob(remote, hash);
    struct s3_object found;
    char name[OBJECT_NAME];
    bool done = true;
    blob->is_pushed = true;
    blob->blob.bytes.size = (size_t)size;
    blob_name(hash, name);
    if (place == BLOB_IN_MEMORY) {
        done = fetch(blob, error);
    } else if (!size) {
        done = objects_head(remote->objects, name, &found, error);
        blob->blob.bytes.size = (size_t)found.size;
    }
    if (done)
        return &blob->blob;
    free_blob(&blob->blob);
    return NULL;
}

/* An upload of the same bytes may be on its way at this moment: they stay for an hour. */
static bool remove_blob(struct blobs *blobs, const struct blob_hash *hash, struct store_error *error)
{
    (void)error;
    dropped_add(&remote_of(blobs)->dropped, hash);
    return true;
}

struct walk {
    blob_visit *visit;
    aged_visit *visit_aged;
    void *user;
    struct remote *remote;
    note_visit *visit_note;
    struct store_error *error;
    bool is_broken;
};

static bool visit_object(void *user, const struct s3_object *object)
{
    const struct walk *walk = user;
    struct blob_hash hash;
    if (!hash_parse(object->key, &hash))
        return true;
    if (walk->visit)
        return walk->visit(walk->user, &hash);
    /* Without the store's clock nothing counts as old. */
    return walk->visit_aged(walk->user, &hash, object->size,
                            object->now_s > 0 ? object->now_s - object->modified_s : 0);
}

static bool each(struct blobs *blobs, blob_visit *visit, void *user, struct store_error *error)
{
    struct walk walk = {.visit = visit, .user = user};
    return objects_list(remote_of(blobs)->objects, "blobs/", visit_object, &walk, error);
}

bool blobs_s3_each_aged(struct blobs *blobs, aged_visit *visit, void *user, struct store_error *error)
{
    struct walk walk = {.visit_aged = visit, .user = user};
    return objects_list(remote_of(blobs)->objects, "blobs/", visit_object, &walk, error);
}

bool blobs_s3_sweep(struct blobs *blobs, const struct blob_hash *hash, bool *is_removed,
                    struct store_error *error)
{
    struct objects *objects = remote_of(blobs)->objects;
    struct s3_object found;
    char name[OBJECT_NAME];
    blob_name(hash, name);
    *is_removed = false;
    if (!objects_head(objects, name, &found, error))
        return error->status == STORE_MISSING;
    if (found.now_s <= 0 || found.modified_s < 0 || found.now_s - found.modified_s < HOUR_S)
        return true;
    *is_removed = objects_remove(objects, name, error);
    return *is_removed;
}

bool blobs_s3_put(struct blobs *blobs, const struct blob_hash *hash, struct pose_bytes bytes,
                  struct store_error *error)
{
    char name[OBJECT_NAME];
    blob_name(hash, name);
    return objects_put(remote_of(blobs)->objects, name, bytes.data, bytes.size, hash, error);
}

bool blobs_s3_import(struct blobs *blobs, const struct blob_hash *hash, struct pose_bytes bytes, bool *is_new,
                     struct store_error *error)
{
    struct objects *objects = remote_of(blobs)->objects;
    struct s3_object found;
    char name[OBJECT_NAME];
    blob_name(hash, name);
    *is_new = false;
    if (objects_head(objects, name, &found, error)) {
        if (found.size == bytes.size)
            return true;
    } else if (error->status != STORE_MISSING) {
        return false;
    }
    *is_new = objects_put(objects, name, bytes.data, bytes.size, hash, error);
    return *is_new;
}

/* ------------------------------------------------------------------------------------------------- notes -- */

static bool note(struct blobs *blobs, const char *name, const char *text, size_t size,
                 struct store_error *error)
{
    const struct blob_hash hash = hash_of(text, size);
    char whole[OBJECT_NAME];
    note_name(name, whole);
    return objects_put(remote_of(blobs)->objects, whole, text, size, &hash, error);
}

static bool unnote(struct blobs *blobs, const char *name, struct store_error *error)
{
    char whole[OBJECT_NAME];
    note_name(name, whole);
    return objects_remove(remote_of(blobs)->objects, whole, error);
}

static bool visit_note_object(void *user, const struct s3_object *object)
{
    struct walk *walk = user;
    struct remote *remote = walk->remote;
    char whole[OBJECT_NAME];
    note_name(object->key, whole);
    struct draft *draft = objects_get(remote->objects, whole, remote->spool, MAX_NOTE, NULL, walk->error);
    if (!draft && walk->error->status == STORE_MISSING)
        return true;
    walk->is_broken = !draft; /* the rest would look as if it were not there */
    const bool going =
        draft && walk->visit_note(walk->user, object->key, (const char *)draft->data, (size_t)draft->size);
    draft_free(draft);
    return going;
}

static bool each_note(struct blobs *blobs, note_visit *visit, void *user, struct store_error *error)
{
    struct walk walk = {.visit_note = visit, .user = user, .remote = remote_of(blobs), .error = error};
    return objects_list(walk.remote->objects, "notes/", visit_note_object, &walk, error) && !walk.is_broken;
}

static bool lose(struct blobs *blobs, const char *folder, const char *name, struct store_error *error)
{
    (void)blobs;
    return store_fail(error, STORE_AWAY, "%s/%s belongs to no upload; posed sweep removes it", folder, name);
}

/* ----------------------------------------------------------------------------------------------- opening -- */

static bool is_away(struct blobs *blobs)
{
    return objects_are_away(remote_of(blobs)->objects);
}

static const struct object_metrics *count(struct blobs *blobs)
{
    return objects_metrics(remote_of(blobs)->objects);
}

/* A store that is away is asked again later. */
static void sweep_dropped(struct remote *remote)
{
    struct store_error error;
    struct blob_hash hash;
    for (int i = 0; i < SWEPT_AT_ONCE && !objects_are_away(remote->objects) &&
                    dropped_begin(&remote->dropped, HOUR_S * UINT64_C(1000), &hash);
         i++) {
        bool is_removed;
        const bool done = blobs_s3_sweep(&remote->blobs, &hash, &is_removed, &error);
        dropped_end(&remote->dropped);
        if (!done)
            dropped_add(&remote->dropped, &hash);
    }
}

static void chore(void *user)
{
    struct remote *remote = user;
    if (!remote->is_scanned)
        blob_cache_scan(remote->cache);
    remote->is_scanned = true;
    sweep_dropped(remote);
}

static void close_remote(struct blobs *blobs)
{
    struct remote *remote = remote_of(blobs);
    objects_close(remote->objects);
    blob_cache_close(remote->cache);
    if (remote->local)
        remote->local->close(remote->local);
    dropped_release(&remote->dropped);
    free(remote->spool);
    free(remote);
}

struct blobs *blobs_s3_open(const struct object_options *options, const char *folder, uint64_t cache_size,
                            struct store_error *error)
{
    struct remote *remote = must_alloc(1, sizeof *remote);
    remote->blobs = (struct blobs){.begin = begin,
                                   .seal = seal,
                                   .push = push,
                                   .keep = keep,
                                   .open = open_blob,
                                   .remove = remove_blob,
                                   .each = each,
                                   .note = note,
                                   .unnote = unnote,
                                   .each_note = each_note,
                                   .lose = lose,
                                   .is_away = is_away,
                                   .count = count,
                                   .close = close_remote};
    dropped_init(&remote->dropped);
    remote->spool = path_join(folder, "tmp");
    remote->objects = objects_open(options, error);
    remote->local = remote->objects ? blobs_files_open(folder, error) : NULL;
    if (remote->local)
        remote->cache = blob_cache_open(folder, cache_size, objects_metrics(remote->objects), error);
    if (!remote->cache) {
        close_remote(&remote->blobs);
        return NULL;
    }
    objects_start(remote->objects, chore, remote);
    return &remote->blobs;
}

bool blobs_s3_check(const struct object_options *options, struct store_error *error)
{
    struct objects *objects = objects_open(options, error);
    bool done = objects && objects_reach(objects, error);
    objects_close(objects);
    return done;
}
