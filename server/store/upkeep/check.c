#include "server/store/upkeep/check.h"

#include "server/ops/files.h"
#include "server/store/catalog.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Checks the rights of this process, which should run as the same user as the daemon. */
static bool may(const char *path, int rights, struct store_error *error)
{
    return !faccessat(AT_FDCWD, path, rights, AT_EACCESS) || store_fail_errno(error, "%s", path);
}

static bool check_folder(const char *path, struct store_error *error)
{
    struct stat status;
    if (stat(path, &status))
        return store_fail_errno(error, "%s", path);
    if (!S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        return store_fail_errno(error, "%s", path);
    }
    return may(path, R_OK | W_OK | X_OK, error);
}

/* If the path is missing, checks the folder where it would be created. */
static bool check_parent(const char *path, struct store_error *error)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    while (length && path[length - 1] != '/')
        length--;
    char *parent = length ? strndup(path, length) : strdup(".");
    bool done = parent ? check_folder(parent, error) : store_fail(error, STORE_DOWN, "out of memory");
    free(parent);
    return done;
}

static bool check_catalog(const char *folder, struct store_error *error)
{
    char *path = path_join(folder, "catalog.db");
    bool done = access(path, F_OK) || (may(path, R_OK | W_OK, error) && store_sqlite_check(path, error));
    free(path);
    return done;
}

bool store_check(const char *folder, struct store_error *error)
{
    static const char *const names[] = {"blobs", "notes", "tmp", "lost"};
    if (access(folder, F_OK))
        return errno == ENOENT ? check_parent(folder, error) : store_fail_errno(error, "%s", folder);
    bool done = check_folder(folder, error);
    for (size_t i = 0; i < sizeof names / sizeof *names && done; i++) {
        char *path = path_join(folder, names[i]);
        done = access(path, F_OK) || check_folder(path, error);
        free(path);
    }
    char *lock = path_join(folder, "lock");
    done = done && (access(lock, F_OK) || may(lock, R_OK | W_OK, error)) && check_catalog(folder, error);
    free(lock);
    return done;
}
