#include "server/store/folder.h"

#include "server/ops/clock.h"
#include "server/ops/files.h"
#include "server/ops/log.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int folder_lock(const char *folder, struct store_error *error)
{
    if (mkdir(folder, 0700) && errno != EEXIST) {
        store_fail_errno(error, "%s", folder);
        return -1;
    }
    char *path = path_join(folder, "lock");
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0)
        store_fail_errno(error, "%s", path);
    free(path);
    if (fd < 0)
        return -1;
    if (!flock(fd, LOCK_EX | LOCK_NB)) {
        char text[32];
        int size = snprintf(text, sizeof text, "%ld\n", (long)getpid());
        if (ftruncate(fd, 0) || pwrite(fd, text, (size_t)size, 0) != size)
            log_message(LOG_WARNING, "%s/lock: the process cannot be noted there", folder);
        return fd;
    }
    char holder[32] = "";
    ssize_t size = pread(fd, holder, sizeof holder - 1, 0);
    holder[size > 0 ? size : 0] = 0;
    holder[strcspn(holder, "\n")] = 0;
    store_fail(error, STORE_IN_USE, "%s is in use by another posed%s%s%s", folder,
               *holder ? " (process " : "", holder, *holder ? ")" : "");
    close(fd);
    return -1;
}

bool folder_is_in_place(const char *folder, int lock_fd, struct store_error *error)
{
    struct stat held, there;
    char *path = path_join(folder, "lock");
    bool done = (!fstat(lock_fd, &held) && !stat(path, &there)) || store_fail_errno(error, "%s", path);
    if (done && (held.st_dev != there.st_dev || held.st_ino != there.st_ino))
        done = store_fail(error, STORE_DOWN, "%s is not the folder that was opened", folder);
    free(path);
    return done;
}

/* Makes the names in a folder durable. */
static bool sync_folder(const char *folder, struct store_error *error)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool done = (fd >= 0 && !fsync(fd)) || store_fail_errno(error, "%s", folder);
    if (fd >= 0)
        close(fd);
    return done;
}

static bool move(const char *folder, const char *from_name, const char *to_name, struct store_error *error)
{
    char *from = path_join(folder, from_name), *to = path_join(folder, to_name);
    bool done = !rename(from, to) || errno == ENOENT || store_fail_errno(error, "%s", from);
    free(from);
    free(to);
    return done;
}

/* The database must be last: it must never be beside the log of another one. */
static const char *const suffixes[] = {"-shm", "-wal", "-journal", ""};
enum { SUFFIXES = sizeof suffixes / sizeof *suffixes };

static bool lose(const char *folder, const char *suffix, struct store_error *error)
{
    char from[32], to[64];
    snprintf(from, sizeof from, "catalog.db%s", suffix);
    snprintf(to, sizeof to, "lost/catalog.db.%lld%s", (long long)(clock_wall_ns() / 1000000), suffix);
    return move(folder, from, to, error);
}

static bool sync_lost(const char *folder, struct store_error *error)
{
    char *lost = path_join(folder, "lost");
    bool done = sync_folder(lost, error) && sync_folder(folder, error);
    free(lost);
    return done;
}

bool folder_lose_catalog(const char *folder, struct store_error *error)
{
    bool done = true;
    for (size_t i = 0; i < SUFFIXES && done; i++)
        done = lose(folder, suffixes[i], error);
    return done && sync_lost(folder, error);
}

/* Whether something that is no file is called as the database with that suffix. */
static bool is_no_file(const char *folder, const char *suffix)
{
    char name[32];
    struct stat status;
    snprintf(name, sizeof name, "catalog.db%s", suffix);
    char *path = path_join(folder, name);
    const bool is_other = !lstat(path, &status) && !S_ISREG(status.st_mode);
    free(path);
    return is_other;
}

bool folder_lose_no_index(const char *folder, struct store_error *error)
{
    return !is_no_file(folder, "-shm") || (lose(folder, "-shm", error) && sync_lost(folder, error));
}

bool folder_lose_no_logs(const char *folder, struct store_error *error)
{
    bool done = true;
    for (size_t i = 0; i + 1 < SUFFIXES && done; i++)
        done = !is_no_file(folder, suffixes[i]) || lose(folder, suffixes[i], error);
    return done && sync_lost(folder, error);
}

bool folder_publish_catalog(const char *folder, struct store_error *error)
{
    char *log = path_join(folder, "tmp/catalog.db-wal"), *made = path_join(folder, "tmp/catalog.db");
    /* SQLite merges its log into the database on close, and does not report if that failed. */
    bool done = (access(log, F_OK) && !access(made, F_OK)) ||
                store_fail(error, STORE_DOWN, "%s could not be written", made);
    free(log);
    free(made);
    return done && move(folder, "tmp/catalog.db", "catalog.db", error) && sync_folder(folder, error);
}

/* ---------------------------------------------------------------------------------------------- clean mark -- */

enum { MARK_SIZE = 800 };

/* What changes when a file is written, or something in a folder comes or goes; a copy can set all of it but the last
 * time. */
static size_t describe(const char *folder, char text[MARK_SIZE])
{
    static const char *const names[] = {"catalog.db", "catalog.db-wal", "notes", "blobs"};
    size_t used = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct stat status;
        char *path = path_join(folder, names[i]);
        if (lstat(path, &status))
            memset(&status, 0, sizeof status);
        free(path);
        used += (size_t)snprintf(text + used, MARK_SIZE - used, "%s %lld %lld %lld.%09ld %lld.%09ld\n",
                                 names[i], (long long)status.st_ino, (long long)status.st_size,
                                 (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                                 (long long)status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
    }
    return used;
}

void folder_leave_clean(const char *folder)
{
    char text[MARK_SIZE];
    const size_t size = describe(folder, text);
    char *path = path_join(folder, "clean");
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    /* One that is not whole says nothing. */
    if (fd >= 0 && write(fd, text, size) != (ssize_t)size)
        unlink(path);
    if (fd >= 0)
        close(fd);
    free(path);
}

bool folder_was_clean(const char *folder, bool *is_other)
{
    struct store_error ignored;
    char text[MARK_SIZE], mark[MARK_SIZE];
    const size_t size = describe(folder, text);
    char *path = path_join(folder, "clean");
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    const ssize_t read_size = fd >= 0 ? read(fd, mark, sizeof mark) : -1;
    if (fd >= 0)
        close(fd);
    const bool is_same =
        read_size >= 0 && (size_t)read_size == size && !memcmp(text, mark, (size_t)read_size);
    *is_other = fd >= 0 && !is_same;
    /* Before anything is written: it must not come back after a power cut. One of another state stays until that has had
     * its consequences. */
    const bool is_gone = !*is_other && !unlink(path);
    free(path);
    return is_gone && sync_folder(folder, &ignored) && is_same;
}

bool folder_forget_mark(const char *folder, struct store_error *error)
{
    char *path = path_join(folder, "clean");
    const bool done = (!unlink(path) || errno == ENOENT) || store_fail_errno(error, "%s", path);
    free(path);
    return done && sync_folder(folder, error);
}
