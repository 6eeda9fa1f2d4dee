#include "server/store/kept_files.h"

#include "server/ops/files.h"
#include "server/ops/region.h"
#include "server/store/blobs.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_SLOTS = 1024 };

/* A file that is known. */
struct kept {
    struct blob_hash hash;
    uint64_t size;
    struct kept *newer, *older; /* by use */
    struct kept *chain;         /* of the same slot */
};

struct kept_files {
    char *folder;
    uint64_t limit, block;
    _Atomic uint64_t *counted_bytes, *evictions;
    pthread_mutex_t lock; /* guards what follows */
    struct kept *newest, *oldest;
    struct kept **slots; /* [slot_count], a power of two */
    size_t slot_count, count;
    uint64_t bytes;
};

/* -------------------------------------------------------------------------------------------- what is known -- */

char *kept_files_path(const struct kept_files *files, const struct blob_hash *hash)
{
    char name[HASH_TEXT];
    hash_write(hash, name);
    return path_join(files->folder, name);
}

static uint64_t weight_of(const struct kept_files *files, uint64_t size)
{
    return (size + files->block - 1) / files->block * files->block;
}

static struct kept **slot_of(const struct kept_files *files, const struct blob_hash *hash)
{
    uint64_t bits;
    memcpy(&bits, hash, sizeof bits);
    struct kept **slot = &files->slots[bits & (files->slot_count - 1)];
    while (*slot && memcmp(&(*slot)->hash, hash, sizeof *hash) != 0)
        slot = &(*slot)->chain;
    return slot;
}

static void unlink_use(struct kept_files *files, struct kept *kept)
{
    *(kept->newer ? &kept->newer->older : &files->newest) = kept->older;
    *(kept->older ? &kept->older->newer : &files->oldest) = kept->newer;
}

static void link_newest(struct kept_files *files, struct kept *kept)
{
    kept->newer = NULL;
    kept->older = files->newest;
    *(files->newest ? &files->newest->newer : &files->oldest) = kept;
    files->newest = kept;
}

static void link_oldest(struct kept_files *files, struct kept *kept)
{
    kept->older = NULL;
    kept->newer = files->oldest;
    *(files->oldest ? &files->oldest->older : &files->newest) = kept;
    files->oldest = kept;
}

static void grow(struct kept_files *files)
{
    const size_t slot_count = files->slot_count * 2;
    struct kept **slots = calloc(slot_count, sizeof(struct kept *));
    if (!slots)
        return; /* slower, but right */
    free(files->slots);
    files->slots = slots;
    files->slot_count = slot_count;
    for (struct kept *kept = files->newest; kept; kept = kept->older) {
        struct kept **slot = slot_of(files, &kept->hash);
        kept->chain = *slot;
        *slot = kept;
    }
}

static void count_bytes(struct kept_files *files, uint64_t bytes)
{
    files->bytes = bytes;
    atomic_store(files->counted_bytes, bytes);
}

static void forget(struct kept_files *files, const struct blob_hash *hash)
{
    struct kept **slot = slot_of(files, hash), *kept = *slot;
    if (!kept)
        return;
    *slot = kept->chain;
    unlink_use(files, kept);
    count_bytes(files, files->bytes - weight_of(files, kept->size));
    files->count--;
    free(kept);
}

/* Notes a file as the newest, or (from the scan) as the oldest if it was not known. */
static void know(struct kept_files *files, const struct blob_hash *hash, uint64_t size, bool as_newest)
{
    struct kept **slot = slot_of(files, hash), *kept = *slot;
    if (kept && as_newest) {
        unlink_use(files, kept);
        link_newest(files, kept);
    }
    if (kept)
        return;
    kept = must_alloc(1, sizeof *kept);
    kept->hash = *hash;
    kept->size = size;
    *slot = kept;
    if (as_newest)
        link_newest(files, kept);
    else
        link_oldest(files, kept);
    count_bytes(files, files->bytes + weight_of(files, size));
    if (++files->count > files->slot_count)
        grow(files);
}

/* Called with the lock held. */
static void make_room(struct kept_files *files)
{
    while (files->bytes > files->limit && files->oldest) {
        const struct blob_hash hash = files->oldest->hash;
        char *path = kept_files_path(files, &hash);
        unlink(path);
        free(path);
        forget(files, &hash);
        atomic_fetch_add(files->evictions, 1);
    }
}

void kept_files_use(struct kept_files *files, const struct blob_hash *hash, uint64_t size)
{
    pthread_mutex_lock(&files->lock);
    know(files, hash, size, true);
    pthread_mutex_unlock(&files->lock);
}

void kept_files_drop(struct kept_files *files, const struct blob_hash *hash)
{
    char *path = kept_files_path(files, hash);
    pthread_mutex_lock(&files->lock);
    unlink(path);
    forget(files, hash);
    pthread_mutex_unlock(&files->lock);
    free(path);
}

bool kept_files_take(struct kept_files *files, const char *from, const struct blob_hash *hash, uint64_t size)
{
    char *path = kept_files_path(files, hash);
    pthread_mutex_lock(&files->lock);
    bool done = !rename(from, path);
    if (done) {
        forget(files, hash); /* one of another size that it replaces */
        know(files, hash, size, true);
        make_room(files);
    }
    pthread_mutex_unlock(&files->lock);
    free(path);
    return done;
}

/* ---------------------------------------------------------------------------------------- what is on the disk -- */

struct found {
    struct blob_hash hash;
    uint64_t size;
    int64_t modified_ns;
};

static int compare_found(const void *a, const void *b)
{
    const struct found *x = a, *y = b;
    return x->modified_ns < y->modified_ns ? 1 : x->modified_ns > y->modified_ns ? -1 : 0;
}

/* Later ones first. */
static struct found *list_files(const struct kept_files *files, size_t *count)
{
    DIR *directory = opendir(files->folder);
    struct found *found = NULL;
    size_t capacity = 0;
    *count = 0;
    for (const struct dirent *row; directory && (row = readdir(directory));) {
        struct file_stamp stamp;
        struct found file;
        bool is_directory;
        char *path = path_join(files->folder, row->d_name);
        if (!strncmp(row->d_name, KEPT_NEW, sizeof KEPT_NEW - 1))
            unlink(path); /* left half written by an earlier process */
        if (hash_parse(row->d_name, &file.hash) && file_stat(path, &stamp, &is_directory) && !is_directory) {
            if (*count == capacity) {
                capacity = capacity ? capacity * 2 : FIRST_SLOTS;
                found = must_grow(found, capacity, sizeof *found);
            }
            file.size = stamp.size;
            file.modified_ns = stamp.modified_ns;
            found[(*count)++] = file;
        }
        free(path);
    }
    if (directory)
        closedir(directory);
    if (*count)
        qsort(found, *count, sizeof *found, compare_found);
    return found;
}

void kept_files_scan(struct kept_files *files)
{
    size_t count;
    struct found *found = list_files(files, &count);
    pthread_mutex_lock(&files->lock);
    for (size_t i = 0; i < count; i++)
        know(files, &found[i].hash, found[i].size, false);
    make_room(files);
    pthread_mutex_unlock(&files->lock);
    free(found);
}

struct kept_files *kept_files_new(const char *folder, uint64_t limit, uint64_t block, _Atomic uint64_t *bytes,
                                  _Atomic uint64_t *evictions)
{
    struct kept_files *files = must_alloc(1, sizeof *files);
    size_t length = strlen(folder) + 1;
    files->folder = must_alloc(length, 1);
    memcpy(files->folder, folder, length);
    files->limit = limit;
    files->block = block;
    files->counted_bytes = bytes;
    files->evictions = evictions;
    files->slot_count = FIRST_SLOTS;
    files->slots = must_alloc(FIRST_SLOTS, sizeof(struct kept *));
    pthread_mutex_init(&files->lock, NULL);
    return files;
}

void kept_files_free(struct kept_files *files)
{
    if (!files)
        return;
    /* Without forget: the counters may be gone already. */
    for (struct kept *kept = files->oldest, *newer; kept; kept = newer) {
        newer = kept->newer;
        free(kept);
    }
    pthread_mutex_destroy(&files->lock);
    free(files->slots);
    free(files->folder);
    free(files);
}
