#include "server/store/pictures.h"

#include "server/ops/files.h"
#include "server/ops/log.h"
#include "server/ops/region.h"
#include "server/store/blobs.h"
#include "server/store/kept_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BLOCK = 4096, /* disk space comes in these */
    NEW_NAME = 40,
};

/* The start of a file; its contents follow. */
struct head {
    struct blob_hash check; /* of all that follows */
    struct blob_hash name;  /* the file's own */
};

struct picture_files {
    char *folder;
    uint64_t limit;
    struct picture_metrics *metrics;
    struct kept_files *files;
    pthread_mutex_t scan_lock;
    bool is_scanned;
    atomic_uint_fast64_t serial; /* of files that are being written */
    atomic_bool failing;         /* the last one could not be written; said once */
};

/* Before the first use: a large folder does not delay the start. */
static void scan(struct picture_files *files)
{
    pthread_mutex_lock(&files->scan_lock);
    if (!files->is_scanned)
        kept_files_scan(files->files);
    files->is_scanned = true;
    pthread_mutex_unlock(&files->scan_lock);
}

/* -------------------------------------------------------------------------------------------------- finding -- */

static bool is_sound(const struct pose_bytes *bytes, const struct blob_hash *name)
{
    struct head head;
    if (bytes->size < sizeof head)
        return false;
    memcpy(&head, bytes->data, sizeof head);
    const struct blob_hash check = hash_of(bytes->data + sizeof check, bytes->size - sizeof check);
    return !memcmp(&check, &head.check, sizeof check) && !memcmp(name, &head.name, sizeof *name);
}

/* Reads the file, and removes it if it is not sound. */
static bool read_file(struct picture_files *files, const struct blob_hash *name, struct pose_buffer *out)
{
    struct file_bytes file;
    struct pose_error error;
    char *path = kept_files_path(files->files, name);
    bool is_there = file_read(path, files->limit, &file, &error);
    if (!is_there) {
        free(path);
        return false;
    }
    bool done = is_sound(&file.bytes, name);
    if (!done) {
        log_message(LOG_WARNING, "%s is damaged; the picture is drawn again", path);
        atomic_fetch_add(&files->metrics->damaged, 1);
        kept_files_drop(files->files, name);
    } else {
        done = pose_buffer_append(out, file.bytes.data + sizeof(struct head),
                                  file.bytes.size - sizeof(struct head));
        kept_files_use(files->files, name, file.bytes.size);
    }
    file_release(&file);
    free(path);
    return done;
}

bool picture_files_find(struct picture_files *files, const void *key, size_t key_size,
                        struct pose_buffer *out)
{
    const struct blob_hash name = hash_of(key, key_size);
    scan(files);
    const bool found = read_file(files, &name, out);
    atomic_fetch_add(found ? &files->metrics->hits : &files->metrics->misses, 1);
    return found;
}

/* -------------------------------------------------------------------------------------------------- keeping -- */

static bool write_all(int fd, const uint8_t *data, size_t size)
{
    while (size) {
        const ssize_t written = write(fd, data, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        data += written;
        size -= (size_t)written;
    }
    return true;
}

/* A new file with the bytes. It need not reach the disk: a torn one is seen by its hash. */
static bool write_file(const char *path, const struct pose_buffer *bytes)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return false;
    const bool written = write_all(fd, bytes->data, bytes->size);
    return !close(fd) && written;
}

static void put_file(struct picture_files *files, const struct blob_hash *name,
                     const struct pose_buffer *bytes)
{
    char new_name[NEW_NAME];
    snprintf(new_name, sizeof new_name, KEPT_NEW "%llu",
             (unsigned long long)atomic_fetch_add(&files->serial, 1));
    char *path = path_join(files->folder, new_name);
    mkdir(files->folder, 0700); /* the first time, or somebody has removed the whole folder */
    bool done = write_file(path, bytes);
    int reason = errno;
    if (done) {
        done = kept_files_take(files->files, path, name, bytes->size);
        reason = errno;
    }
    if (!done) {
        unlink(path);
        atomic_fetch_add(&files->metrics->failures, 1);
        if (!atomic_exchange(&files->failing, true))
            log_message(LOG_WARNING, "pictures cannot be kept in %s: %s", files->folder, strerror(reason));
    } else {
        atomic_store(&files->failing, false);
    }
    free(path);
}

void picture_files_keep(struct picture_files *files, const void *key, size_t key_size, const void *data,
                        size_t size)
{
    struct head head = {.name = hash_of(key, key_size)};
    struct pose_buffer bytes = {0};
    if (size + sizeof head > files->limit)
        return;
    scan(files);
    if (pose_buffer_append(&bytes, &head, sizeof head) && pose_buffer_append(&bytes, data, size)) {
        head.check = hash_of(bytes.data + sizeof head.check, bytes.size - sizeof head.check);
        memcpy(bytes.data, &head.check, sizeof head.check);
        put_file(files, &head.name, &bytes);
    }
    pose_buffer_free(&bytes);
}

/* -------------------------------------------------------------------------------------------------- opening -- */

struct picture_files *picture_files_open(const char *folder, uint64_t limit, struct picture_metrics *metrics)
{
    struct picture_files *files = must_alloc(1, sizeof *files);
    files->folder = path_join(folder, "picture-cache");
    files->limit = limit;
    files->metrics = metrics;
    files->files = kept_files_new(files->folder, limit, BLOCK, &metrics->bytes, &metrics->evictions);
    pthread_mutex_init(&files->scan_lock, NULL);
    return files;
}

void picture_files_close(struct picture_files *files)
{
    if (!files)
        return;
    kept_files_free(files->files);
    pthread_mutex_destroy(&files->scan_lock);
    free(files->folder);
    free(files);
}
