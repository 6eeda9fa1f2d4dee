#include "server/commands/save.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MODE = 0666, FOLDER_MODE = 0777 }; /* modes before the umask */

/* close on error paths: keeps errno. */
static void close_quietly(int fd)
{
    int reason = errno;
    close(fd);
    errno = reason;
}

static bool write_all(int fd, struct pose_bytes bytes)
{
    while (bytes.size) {
        ssize_t written = write(fd, bytes.data, bytes.size);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes.data += written;
            bytes.size -= (size_t)written;
        }
    }
    return true;
}

/* Creates a file in the folder under a new, unused name. */
static int open_temporary(int folder, char name[32])
{
    for (int attempt = 0; attempt < 100; attempt++) {
        uint64_t number;
        if (getrandom(&number, sizeof number, 0) != sizeof number)
            return -1;
        snprintf(name, 32, ".posed-%016llx", (unsigned long long)number);
        int fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, FILE_MODE);
        if (fd >= 0 || errno != EEXIST)
            return fd;
    }
    return -1;
}

/* name has no '/'. */
static bool save_in(int folder, const char *name, struct pose_bytes bytes)
{
    char temporary[32];
    int fd = open_temporary(folder, temporary);
    if (fd < 0)
        return false;
    bool done = write_all(fd, bytes);
    if (done)
        done = !close(fd);
    else
        close_quietly(fd);
    if (done && !renameat(folder, temporary, folder, name))
        return true;
    int reason = errno;
    unlinkat(folder, temporary, 0);
    errno = reason;
    return false;
}

static bool save_as_it_is(const char *path, struct pose_bytes bytes)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    bool done = write_all(fd, bytes);
    close_quietly(fd);
    return done;
}

bool save_is_output(const char *path)
{
    return !strcmp(path, "-") || !strcmp(path, "/dev/stdout");
}

static bool save_whole(const char *path, struct pose_bytes bytes)
{
    const char *slash = strrchr(path, '/');
    char *parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    int folder = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    free(parent);
    if (folder < 0)
        return false;
    bool done = save_in(folder, slash ? slash + 1 : path, bytes);
    close_quietly(folder);
    return done;
}

bool save_file(const char *path, struct pose_bytes bytes)
{
    struct stat status;
    if (save_is_output(path))
        return write_all(STDOUT_FILENO, bytes);
    bool is_there = !stat(path, &status);
    if (is_there && !S_ISREG(status.st_mode))
        return save_as_it_is(path, bytes);
    char *target =
        is_there ? realpath(path, NULL) : NULL; /* a symbolic link is kept: its target is replaced */
    bool done = save_whole(target ? target : path, bytes);
    int reason = errno;
    free(target);
    errno = reason;
    return done;
}

int save_folder(const char *path)
{
    char *copy = strdup(path);
    if (!copy)
        return -1;
    for (char *slash = copy; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        (void)mkdir(copy, FOLDER_MODE); /* only opening the last one decides */
        *slash = '/';
    }
    (void)mkdir(copy, FOLDER_MODE);
    free(copy);
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Descends one folder, which is created if missing. Takes over the parent's descriptor. */
static int enter(int folder, const char *name)
{
    int below = -1;
    if (!mkdirat(folder, name, FOLDER_MODE) || errno == EEXIST)
        below = openat(folder, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    close_quietly(folder);
    return below;
}

/* Whether a name stays below the folder. */
static bool is_inside(const char *name)
{
    size_t length = 0;
    if (*name == '/')
        return false;
    for (const char *part = name;; part += length + 1) {
        length = strcspn(part, "/");
        if (length == 2 && !strncmp(part, "..", 2))
            return false;
        if (!part[length])
            return length && strcmp(part, ".");
    }
}

/* Descends all components but the last; returns the descriptor of the containing folder. Modifies path. */
static int enter_all(int folder, char *path, const char **last)
{
    int at = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    *last = NULL;
    char *rest;
    for (char *part = strtok_r(path, "/", &rest); part && at >= 0; part = strtok_r(NULL, "/", &rest)) {
        if (!strcmp(part, "."))
            continue;
        if (*last)
            at = enter(at, *last);
        *last = part;
    }
    return at;
}

bool save_below(int folder, const char *name, struct pose_bytes bytes)
{
    char *path = is_inside(name) ? strdup(name) : NULL;
    if (!path) {
        errno = is_inside(name) ? ENOMEM : EINVAL;
        return false;
    }
    for (char *at = path; *at; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f)
            *at = '_';
    }
    const char *last;
    int inside = enter_all(folder, path, &last);
    bool done = inside >= 0 && save_in(inside, last, bytes);
    if (inside >= 0)
        close_quietly(inside);
    free(path);
    return done;
}
