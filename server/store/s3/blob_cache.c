#include "server/store/s3/blob_cache.h"

#include "server/ops/log.h"
#include "server/ops/region.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FIRST_SLOTS = 1024 };

/* A file that is known. */
struct kept {
    struct blob_hash hash;
    uint64_t size;
    struct kept *newer, *older; /* by use */
    struct kept *chain;         /* of the same slot */
};

struct blob_cache {
    char *folder;
    uint64_t limit;
    struct object_metrics *metrics;
    pthread_mutex_t lock; /* guards what follows */
    struct kept *newest, *oldest;
    struct kept **slots; /* [slot_count], a power of two */
    size_t slot_count, count;
    uint64_t bytes;
};

/* -------------------------------------------------------------------------------------------- what is known -- */

static char *path_of(const struct blob_cache *cache, const struct blob_hash *hash)
{
    char name[HASH_TEXT];
    hash_write(hash, name);
    return path_join(cache->folder, name);
}

static struct kept **slot_of(const struct blob_cache *cache, const struct blob_hash *hash)
{
    uint64_t bits;
    memcpy(&bits, hash, sizeof bits);
    struct kept **slot = &cache->slots[bits & (cache->slot_count - 1)];
    while (*slot && memcmp(&(*slot)->hash, hash, sizeof *hash) != 0)
        slot = &(*slot)->chain;
    return slot;
}

static void unlink_use(struct blob_cache *cache, struct kept *kept)
{
    *(kept->newer ? &kept->newer->older : &cache->newest) = kept->older;
    *(kept->older ? &kept->older->newer : &cache->oldest) = kept->newer;
}

static void link_newest(struct blob_cache *cache, struct kept *kept)
{
    kept->newer = NULL;
    kept->older = cache->newest;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = kept;
    cache->newest = kept;
}

static void link_oldest(struct blob_cache *cache, struct kept *kept)
{
    kept->older = NULL;
    kept->newer = cache->oldest;
    *(cache->oldest ? &cache->oldest->older : &cache->newest) = kept;
    cache->oldest = kept;
}

static void grow(struct blob_cache *cache)
{
    const size_t slot_count = cache->slot_count * 2;
    struct kept **slots = calloc(slot_count, sizeof(struct kept *));
    if (!slots)
        return; /* slower, but right */
    free(cache->slots);
    cache->slots = slots;
    cache->slot_count = slot_count;
    for (struct kept *kept = cache->newest; kept; kept = kept->older) {
        struct kept **slot = slot_of(cache, &kept->hash);
        kept->chain = *slot;
        *slot = kept;
    }
}

static void count_bytes(struct blob_cache *cache, uint64_t bytes)
{
    cache->bytes = bytes;
    atomic_store(&cache->metrics->bytes, bytes);
}

static void forget(struct blob_cache *cache, const struct blob_hash *hash)
{
    struct kept **slot = slot_of(cache, hash), *kept = *slot;
    if (!kept)
        return;
    *slot = kept->chain;
    unlink_use(cache, kept);
    count_bytes(cache, cache->bytes - kept->size);
    cache->count--;
    free(kept);
}

/* Notes a file as the newest, or (from the scan) as the oldest if it was not known. */
static void know(struct blob_cache *cache, const struct blob_hash *hash, uint64_t size, bool as_newest)
{
    struct kept **slot = slot_of(cache, hash), *kept = *slot;
    if (kept && as_newest) {
        unlink_use(cache, kept);
        link_newest(cache, kept);
    }
    if (kept)
        return;
    kept = must_alloc(1, sizeof *kept);
    kept->hash = *hash;
    kept->size = size;
    *slot = kept;
    if (as_newest)
        link_newest(cache, kept);
    else
        link_oldest(cache, kept);
    count_bytes(cache, cache->bytes + size);
    if (++cache->count > cache->slot_count)
        grow(cache);
}

/* Called with the lock held. */
static void make_room(struct blob_cache *cache)
{
    while (cache->bytes > cache->limit && cache->oldest) {
        const struct blob_hash hash = cache->oldest->hash;
        char *path = path_of(cache, &hash);
        unlink(path);
        free(path);
        forget(cache, &hash);
        atomic_fetch_add(&cache->metrics->evictions, 1);
    }
}

/* ------------------------------------------------------------------------------------------------- reading -- */

/* A file that cannot be used is removed. */
static void drop(struct blob_cache *cache, const struct blob_hash *hash, const char *path)
{
    pthread_mutex_lock(&cache->lock);
    unlink(path);
    forget(cache, hash);
    pthread_mutex_unlock(&cache->lock);
}

bool blob_cache_map(struct blob_cache *cache, const struct blob_hash *hash, struct file_bytes *file)
{
    struct pose_error ignored;
    if (!cache->limit)
        return false;
    char *path = path_of(cache, hash);
    bool is_there = file_map(path, file, &ignored);
    if (is_there) {
        const struct blob_hash found = hash_of(file->bytes.data, file->bytes.size);
        is_there = !memcmp(&found, hash, sizeof found);
        if (!is_there) {
            log_message(LOG_WARNING, "%s is damaged; it is fetched again", path);
            file_release(file);
        }
    }
    if (is_there) {
        pthread_mutex_lock(&cache->lock);
        know(cache, hash, file->bytes.size, true);
        pthread_mutex_unlock(&cache->lock);
    } else {
        drop(cache, hash, path);
    }
    free(path);
    return is_there;
}

/* ------------------------------------------------------------------------------------------------- keeping -- */

static bool move_in(const struct blob_cache *cache, struct draft *draft, const char *path)
{
    struct store_error ignored;
    mkdir(cache->folder, 0700); /* somebody may have removed the whole folder */
    if (!draft->path && !draft_name(draft, cache->folder, &ignored))
        return false;
    bool done = !rename(draft->path, path);
    if (done) {
        free(draft->path);
        draft->path = NULL;
    }
    return done;
}

void blob_cache_keep(struct blob_cache *cache, struct draft *draft)
{
    if (draft->size > cache->limit || !cache->limit || !draft->size)
        return;
    char *path = path_of(cache, &draft->hash);
    pthread_mutex_lock(&cache->lock);
    if (move_in(cache, draft, path)) {
        know(cache, &draft->hash, draft->size, true);
        make_room(cache);
    }
    pthread_mutex_unlock(&cache->lock);
    free(path);
}

/* ------------------------------------------------------------------------------------------------- opening -- */

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
static struct found *list_files(const struct blob_cache *cache, size_t *count)
{
    DIR *directory = opendir(cache->folder);
    struct found *files = NULL;
    size_t capacity = 0;
    *count = 0;
    for (const struct dirent *row; directory && (row = readdir(directory));) {
        struct file_stamp stamp;
        struct found file;
        bool is_directory;
        char *path = path_join(cache->folder, row->d_name);
        if (hash_parse(row->d_name, &file.hash) && file_stat(path, &stamp, &is_directory) && !is_directory) {
            if (*count == capacity) {
                capacity = capacity ? capacity * 2 : FIRST_SLOTS;
                files = must_grow(files, capacity, sizeof *files);
            }
            file.size = stamp.size;
            file.modified_ns = stamp.modified_ns;
            files[(*count)++] = file;
        }
        free(path);
    }
    if (directory)
        closedir(directory);
    if (*count)
        qsort(files, *count, sizeof *files, compare_found);
    return files;
}

void blob_cache_scan(struct blob_cache *cache)
{
    size_t count;
    struct found *files = list_files(cache, &count);
    pthread_mutex_lock(&cache->lock);
    for (size_t i = 0; i < count; i++)
        know(cache, &files[i].hash, files[i].size, false);
    make_room(cache);
    pthread_mutex_unlock(&cache->lock);
    free(files);
}

struct blob_cache *blob_cache_open(const char *folder, uint64_t limit, struct object_metrics *metrics,
                                   struct store_error *error)
{
    struct blob_cache *cache = must_alloc(1, sizeof *cache);
    cache->folder = path_join(folder, "blob-cache");
    cache->limit = limit;
    cache->metrics = metrics;
    cache->slot_count = FIRST_SLOTS;
    cache->slots = must_alloc(FIRST_SLOTS, sizeof(struct kept *));
    pthread_mutex_init(&cache->lock, NULL);
    if (!mkdir(cache->folder, 0700) || errno == EEXIST)
        return cache;
    store_fail_errno(error, "%s", cache->folder);
    blob_cache_close(cache);
    return NULL;
}

void blob_cache_close(struct blob_cache *cache)
{
    if (!cache)
        return;
    /* Without forget: the metrics may be gone already. */
    for (struct kept *kept = cache->oldest, *newer; kept; kept = newer) {
        newer = kept->newer;
        free(kept);
    }
    pthread_mutex_destroy(&cache->lock);
    free(cache->slots);
    free(cache->folder);
    free(cache);
}
