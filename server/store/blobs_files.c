/*
 * Blobs as files:
 *     DIR/blobs/HASH   the bytes, by the hex digits of their SHA-256
 *     DIR/notes/NAME   the notes
 *     DIR/tmp/…        files being written
 *     DIR/lost/…       files that belonged to no upload when the store was opened, kept for a day
 * A file's bytes are synced first (fsync), then it is renamed, and then the folder is synced, before success is
 * reported.
 */
#include "server/store/blobs.h"

#include "server/ops/files.h"
#include "lib/core/error.h"
#include "lib/core/hex.h"
#include "server/ops/log.h"
#include "server/ops/region.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct files {
    struct blobs blobs; /* must be first */
    char *folder;
};

struct file_blob {
    struct blob blob;    /* must be first */
    struct draft *draft; /* until kept */
    char *path;          /* after it is kept */
    bool mapped;
    pthread_mutex_t lock;    /* guards the following members */
    struct file_stamp stamp; /* when the hash was last verified */
    bool checked, told;
};

void hash_write(const struct blob_hash *hash, char text[HASH_TEXT])
{
    hex_write(hash->bytes, sizeof hash->bytes, text);
}

bool hash_parse(const char *text, struct blob_hash *hash)
{
    return hex_parse(text, strlen(text), hash->bytes, sizeof hash->bytes);
}

struct blob_hash hash_of(const void *bytes, size_t size)
{
    struct blob_hash hash = {{0}};
    struct sha256_ctx context;
    sha256_init(&context);
    if (size)
        sha256_update(&context, size, bytes);
    sha256_digest(&context, sizeof hash.bytes, hash.bytes);
    return hash;
}

/* ------------------------------------------------------------------------------------------------- names -- */

/* DIR/FOLDER/NAME, from malloc. */
static char *path_of(const struct files *files, const char *folder, const char *name)
{
    size_t size = strlen(files->folder) + strlen(folder) + strlen(name) + 3;
    char *path = must_alloc(size, 1);
    snprintf(path, size, "%s/%s%s%s", files->folder, folder, *name ? "/" : "", name);
    return path;
}

static char *blob_path(const struct files *files, const struct blob_hash *hash)
{
    char name[HASH_TEXT];
    hash_write(hash, name);
    return path_of(files, "blobs", name);
}

static bool sync_folder(const char *path, struct store_error *error)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool done = fd >= 0 && !fsync(fd);
    if (!done)
        store_fail_errno(error, "%s", path);
    if (fd >= 0)
        close(fd);
    return done;
}

/* Syncs the folder that contains a path. */
static bool sync_parent(const char *path, struct store_error *error)
{
    char *parent = strndup(path, (size_t)(strrchr(path, '/') - path));
    bool done = parent ? sync_folder(parent, error) : store_fail(error, STORE_DOWN, "out of memory");
    free(parent);
    return done;
}

/* Creates a folder durably; no error if it exists. */
static bool make_folder(const char *path, struct store_error *error)
{
    if (!mkdir(path, 0700))
        return sync_parent(path, error);
    return errno == EEXIST || store_fail_errno(error, "%s", path);
}

/* Renames the file of a draft to its final path. */
static bool publish(struct draft *draft, const char *path, struct store_error *error)
{
    if (fsync(draft->fd))
        return store_fail_errno(error, "%s", draft->path);
    if (rename(draft->path, path))
        return store_fail_errno(error, "%s", path);
    free(draft->path);
    draft->path = NULL;
    return sync_parent(path, error);
}

/* ------------------------------------------------------------------------------------------------- blobs -- */

/* Unmaps the bytes, and closes the draft that they are in. */
static void let_go(struct file_blob *file)
{
    union {
        const uint8_t *view;
        void *memory;
    } data = {.view = file->blob.bytes.data};
    if (file->mapped)
        munmap(data.memory, file->blob.bytes.size);
    file->mapped = false;
    draft_free(file->draft);
    file->draft = NULL;
    file->blob.bytes.data = NULL;
}

static void free_blob(struct blob *blob)
{
    struct file_blob *file = (struct file_blob *)blob;
    let_go(file);
    pthread_mutex_destroy(&file->lock);
    free(file->path);
    free(file);
}

/* A blob that was not kept is nowhere else. */
static void rest(struct blob *blob)
{
    struct file_blob *file = (struct file_blob *)blob;
    if (file->path)
        let_go(file);
}

static bool is_at_rest(const struct blob *blob)
{
    return blob->bytes.size && !blob->bytes.data;
}

static bool refuse(struct pose_error *error, const char *code, const char *detail)
{
    pose_error_init(error); /* what was there names a path */
    return error_set(error, POSE_BAD_ARGUMENT, code, "%s", detail);
}

static bool damaged(struct pose_error *error)
{
    return refuse(error, "corrupt_blob", "the stored bytes of this upload are damaged; upload them again");
}

/* Verifies bytes of a file with that stamp, unless they were before. Called with the lock held. */
static bool verify(struct file_blob *file, struct pose_bytes bytes, const struct file_stamp *stamp)
{
    if (file->checked && stamp_equal(stamp, &file->stamp))
        return true;
    const struct blob_hash hash = hash_of(bytes.data, bytes.size);
    file->checked = !memcmp(&hash, &file->blob.hash, sizeof hash);
    file->stamp = *stamp;
    if (!file->checked && !file->told)
        log_message(LOG_WARNING, "%s is damaged: its bytes are not those of its name", file->path);
    file->told |= !file->checked;
    return file->checked;
}

/* The error names no path of the server. */
static bool unreadable(struct pose_error *error)
{
    const bool is_gone = !strcmp(error->code, "not_found");
    if (error->status == POSE_NO_MEMORY)
        return false;
    if (!is_gone)
        log_message(LOG_WARNING, "%s", error->detail);
    return is_gone
               ? refuse(error, "corrupt_blob", "the stored bytes of this upload are gone; upload them again")
               : refuse(error, "changed", "the stored bytes of this upload cannot be read at the moment");
}

static bool read_blob(struct blob *blob, struct pose_buffer *out, struct pose_error *error)
{
    struct file_blob *file = (struct file_blob *)blob;
    struct file_bytes bytes;
    if (!file_read(file->path, 0, &bytes, error))
        return unreadable(error);
    pthread_mutex_lock(&file->lock);
    const bool is_sound = verify(file, bytes.bytes, &bytes.stamp);
    pthread_mutex_unlock(&file->lock);
    if (!is_sound) {
        file_release(&bytes);
        return damaged(error);
    }
    /* The bytes are from malloc, as required for a buffer without an allocator. */
    union {
        const uint8_t *view;
        uint8_t *data;
    } owned = {.view = bytes.bytes.data};
    *out = (struct pose_buffer){
        .data = owned.data, .size = bytes.bytes.size, .capacity = bytes.bytes.size ? bytes.bytes.size : 1};
    return true;
}

/* Whether the file is as it was when its bytes were verified. A removed one (DELETE) still is, while it is mapped. */
static bool is_as_verified(const struct file_blob *file, struct file_stamp *now)
{
    bool is_directory;
    const bool is_there = file_stat(file->path, now, &is_directory);
    return file->checked && (is_there ? stamp_equal(now, &file->stamp) : !is_at_rest(&file->blob));
}

static bool check(struct blob *blob, struct pose_error *error)
{
    struct file_blob *file = (struct file_blob *)blob;
    struct file_stamp now = {0};
    if (!file->path)
        return true;
    pthread_mutex_lock(&file->lock);
    const bool is_known = is_as_verified(file, &now);
    const bool is_sound = is_known || (!is_at_rest(blob) && verify(file, blob->bytes, &now));
    pthread_mutex_unlock(&file->lock);
    if (is_sound || !is_at_rest(blob))
        return is_sound || damaged(error);
    struct pose_buffer bytes = {0};
    const bool is_read = read_blob(blob, &bytes, error);
    pose_buffer_free(&bytes);
    return is_read;
}

static struct file_blob *new_blob(const struct blob_hash *hash)
{
    struct file_blob *file = must_alloc(1, sizeof *file);
    atomic_init(&file->blob.references, 1);
    file->blob.hash = *hash;
    file->blob.check = check;
    file->blob.rest = rest;
    file->blob.read = read_blob;
    file->blob.free = free_blob;
    pthread_mutex_init(&file->lock, NULL);
    return file;
}

static struct draft *begin(struct blobs *blobs, struct store_error *error)
{
    char *folder = path_of((struct files *)blobs, "tmp", "");
    struct draft *draft = draft_in_folder(folder, true, error);
    free(folder);
    return draft;
}

static struct blob *seal(struct blobs *blobs, struct draft *draft, struct store_error *error)
{
    (void)blobs;
    if (!draft_finish(draft, error)) {
        draft_free(draft);
        return NULL;
    }
    struct file_blob *file = new_blob(&draft->hash);
    file->draft = draft;
    file->blob.bytes = (struct pose_bytes){draft->data, (size_t)draft->size};
    return &file->blob;
}

/* Gives the draft's file a name in tmp. */
static bool name_draft(struct files *files, struct draft *draft, struct store_error *error)
{
    if (draft->path)
        return true;
    char *folder = path_of(files, "tmp", "");
    bool done = draft_name(draft, folder, error);
    free(folder);
    return done;
}

static bool keep(struct blobs *blobs, struct blob *blob, struct store_error *error)
{
    struct files *files = (struct files *)blobs;
    struct file_blob *file = (struct file_blob *)blob;
    char *path = blob_path(files, &blob->hash);
    if (!name_draft(files, file->draft, error) || !publish(file->draft, path, error)) {
        free(path);
        return false;
    }
    bool is_directory;
    pthread_mutex_lock(&file->lock);
    file->checked = file_stat(path, &file->stamp, &is_directory);
    blob->stamp = file->stamp;
    file->path = path;
    pthread_mutex_unlock(&file->lock);
    close(file->draft->fd);
    file->draft->fd = -1;
    return true;
}

/* Only looks at a file that is to be at rest, and not even that if it may be away. */
static bool open_file(const char *path, uint64_t size, enum blob_place place, struct file_bytes *file,
                      struct pose_error *error)
{
    bool is_directory;
    if (place == BLOB_UNSEEN && size) {
        file->bytes.size = size;
        return true;
    }
    if (place == BLOB_IN_MEMORY || !file_stat(path, &file->stamp, &is_directory) || is_directory ||
        !file->stamp.size)
        return file_map(path, file, error);
    file->bytes.size = file->stamp.size;
    return true;
}

/* Whether something that is no file stands in its place, which nobody but its owner removes. */
static bool is_barred(const char *path)
{
    struct stat status;
    return !lstat(path, &status) && !S_ISREG(status.st_mode);
}

static struct blob *open_blob(struct blobs *blobs, const struct blob_hash *hash, uint64_t size,
                              enum blob_place place, struct store_error *error)
{
    char *path = blob_path((struct files *)blobs, hash);
    struct file_bytes bytes = {0};
    struct pose_error why;
    if (!open_file(path, size, place, &bytes, &why)) {
        const bool is_missing = !strcmp(why.code, "not_found") || is_barred(path);
        const enum store_status status = why.status == POSE_NO_MEMORY ? STORE_DOWN : STORE_UNREAD;
        store_fail(error, is_missing ? STORE_MISSING : status, "%.200s", why.detail);
        free(path);
        return NULL;
    }
    struct file_blob *file = new_blob(hash);
    file->path = path;
    file->blob.bytes = bytes.bytes;
    file->blob.stamp = bytes.stamp;
    file->mapped = bytes.mapped;
    return &file->blob;
}

/* Removes a file durably. */
static bool remove_file(const char *path, struct store_error *error)
{
    if (unlink(path))
        return errno == ENOENT || store_fail_errno(error, "%s", path);
    return sync_parent(path, error);
}

static bool remove_blob(struct blobs *blobs, const struct blob_hash *hash, struct store_error *error)
{
    char *path = blob_path((struct files *)blobs, hash);
    bool done = remove_file(path, error);
    free(path);
    return done;
}

/* ------------------------------------------------------------------------------------------------- walks -- */

typedef bool name_visit(void *user, const char *folder, const char *name);

/* Visits every name in a folder except those that begin with a dot; the folder may change meanwhile. */
static bool walk(const char *folder, name_visit *visit, void *user, struct store_error *error)
{
    DIR *directory = opendir(folder);
    bool going = true;
    if (!directory)
        return errno == ENOENT || store_fail_errno(error, "%s", folder);
    while (going) {
        errno = 0;
        const struct dirent *row = readdir(directory);
        if (!row)
            break;
        if (row->d_name[0] != '.')
            going = visit(user, folder, row->d_name);
    }
    bool done = !going || !errno || store_fail_errno(error, "%s", folder);
    closedir(directory);
    return done;
}

struct blob_walk {
    blob_visit *visit;
    void *user;
};

static bool visit_blob(void *user, const char *folder, const char *name)
{
    const struct blob_walk *work = user;
    struct blob_hash hash;
    (void)folder;
    return !hash_parse(name, &hash) || work->visit(work->user, &hash);
}

static bool each(struct blobs *blobs, blob_visit *visit, void *user, struct store_error *error)
{
    struct blob_walk work = {visit, user};
    char *folder = path_of((struct files *)blobs, "blobs", "");
    bool done = walk(folder, visit_blob, &work, error);
    free(folder);
    return done;
}

/* ------------------------------------------------------------------------------------------------- notes -- */

static bool note(struct blobs *blobs, const char *name, const char *text, size_t size,
                 struct store_error *error)
{
    struct draft *draft = begin(blobs, error);
    if (!draft)
        return false;
    char *path = path_of((struct files *)blobs, "notes", name);
    bool done = draft_append(draft, text, size, error) && publish(draft, path, error);
    draft_free(draft);
    free(path);
    return done;
}

static bool unnote(struct blobs *blobs, const char *name, struct store_error *error)
{
    char *path = path_of((struct files *)blobs, "notes", name);
    bool done = remove_file(path, error);
    free(path);
    return done;
}

struct note_walk {
    note_visit *visit;
    void *user;
};

static bool visit_note(void *user, const char *folder, const char *name)
{
    enum { MAX_NOTE = 1 << 20 };
    const struct note_walk *work = user;
    struct file_bytes bytes;
    struct pose_error error;
    char *path = path_join(folder, name);
    bool read = file_read(path, MAX_NOTE, &bytes, &error);
    free(path);
    if (!read)
        return !strcmp(error.code, "not_found") || work->visit(work->user, name, NULL, 0);
    bool going = work->visit(work->user, name, (const char *)bytes.bytes.data, bytes.bytes.size);
    file_release(&bytes);
    return going;
}

static bool each_note(struct blobs *blobs, note_visit *visit, void *user, struct store_error *error)
{
    struct note_walk work = {visit, user};
    char *folder = path_of((struct files *)blobs, "notes", "");
    bool done = walk(folder, visit_note, &work, error);
    free(folder);
    return done;
}

/* ----------------------------------------------------------------------------------------------- opening -- */

static bool remove_stray(void *user, const char *folder, const char *name)
{
    (void)user;
    char *path = path_join(folder, name);
    unlink(path);
    free(path);
    return true;
}

/* Uses ctime, which is that of the rename; copying the folder makes it later, never earlier. */
static bool remove_old(void *user, const char *folder, const char *name)
{
    enum { DAY_S = 24 * 60 * 60 };
    struct stat status;
    char *path = path_join(folder, name);
    if (!lstat(path, &status) && S_ISREG(status.st_mode) && time(NULL) - status.st_ctime > DAY_S)
        unlink(path);
    (void)user;
    free(path);
    return true;
}

static bool lose(struct blobs *blobs, const char *folder, const char *name, struct store_error *error)
{
    struct files *files = (struct files *)blobs;
    char *from = path_of(files, folder, name), *to = path_of(files, "lost", name);
    bool done = !rename(from, to) || store_fail_errno(error, "%s", to);
    done = done && sync_parent(to, error) && sync_parent(from, error);
    free(from);
    free(to);
    return done;
}

static void close_files(struct blobs *blobs)
{
    struct files *files = (struct files *)blobs;
    free(files->folder);
    free(files);
}

struct blobs *blobs_files_open(const char *folder, struct store_error *error)
{
    static const struct {
        const char *name;
        name_visit *clean; /* NULL: none */
    } folders[] = {{"blobs", NULL}, {"notes", NULL}, {"tmp", remove_stray}, {"lost", remove_old}};
    struct files *files = must_alloc(1, sizeof *files);
    files->folder = strdup(folder);
    files->blobs = (struct blobs){.begin = begin,
                                  .seal = seal,
                                  .keep = keep,
                                  .open = open_blob,
                                  .remove = remove_blob,
                                  .each = each,
                                  .note = note,
                                  .unnote = unnote,
                                  .each_note = each_note,
                                  .lose = lose,
                                  .close = close_files};
    bool done = files->folder != NULL;
    for (size_t i = 0; i < sizeof folders / sizeof *folders && done; i++) {
        char *path = path_of(files, folders[i].name, "");
        done = make_folder(path, error) && (!folders[i].clean || walk(path, folders[i].clean, NULL, error));
        free(path);
    }
    if (done)
        return &files->blobs;
    close_files(&files->blobs);
    return NULL;
}
