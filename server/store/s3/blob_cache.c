#include "server/store/s3/blob_cache.h"

#include "server/ops/log.h"
#include "server/ops/region.h"
#include "server/store/kept_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct blob_cache {
    char *folder;
    uint64_t limit;
    struct kept_files *files;
};

bool blob_cache_map(struct blob_cache *cache, const struct blob_hash *hash, struct file_bytes *file)
{
    struct pose_error ignored;
    if (!cache->limit)
        return false;
    char *path = kept_files_path(cache->files, hash);
    bool is_there = file_map(path, file, &ignored);
    if (is_there) {
        const struct blob_hash found = hash_of(file->bytes.data, file->bytes.size);
        is_there = !memcmp(&found, hash, sizeof found);
        if (!is_there) {
            log_message(LOG_WARNING, "%s is damaged; it is fetched again", path);
            file_release(file);
        }
    }
    if (is_there)
        kept_files_use(cache->files, hash, file->bytes.size);
    else
        kept_files_drop(cache->files, hash);
    free(path);
    return is_there;
}

void blob_cache_keep(struct blob_cache *cache, struct draft *draft)
{
    struct store_error ignored;
    if (draft->size > cache->limit || !cache->limit || !draft->size)
        return;
    mkdir(cache->folder, 0700); /* somebody may have removed the whole folder */
    if (!draft->path && !draft_name(draft, cache->folder, &ignored))
        return;
    if (kept_files_take(cache->files, draft->path, &draft->hash, draft->size)) {
        free(draft->path);
        draft->path = NULL;
    }
}

void blob_cache_scan(struct blob_cache *cache)
{
    kept_files_scan(cache->files);
}

struct blob_cache *blob_cache_open(const char *folder, uint64_t limit, struct object_metrics *metrics,
                                   struct store_error *error)
{
    struct blob_cache *cache = must_alloc(1, sizeof *cache);
    cache->folder = path_join(folder, "blob-cache");
    cache->limit = limit;
    cache->files = kept_files_new(cache->folder, limit, 1, &metrics->bytes, &metrics->evictions);
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
    kept_files_free(cache->files);
    free(cache->folder);
    free(cache);
}
