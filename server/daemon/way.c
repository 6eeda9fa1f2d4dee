#include "server/daemon/way.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_LINKS = 40 }; /* path_resolution(7) */

struct way {
    char folder[PATH_MAX]; /* reached so far; "": the working directory */
    char rest[PATH_MAX];   /* to follow from there */
    unsigned links;
};

/* The rest's first name, which is cut off it; "" at its end. */
static void next_name(struct way *way, char *name)
{
    size_t blank = strspn(way->rest, "/"), length = strcspn(way->rest + blank, "/");
    memcpy(name, way->rest + blank, length);
    name[length] = 0;
    size_t used = blank + length + strspn(way->rest + blank + length, "/");
    memmove(way->rest, way->rest + used, strlen(way->rest + used) + 1);
}

static bool join(char *path, const char *folder, const char *name)
{
    const char *slash = *folder && folder[strlen(folder) - 1] != '/' ? "/" : "";
    int size = snprintf(path, PATH_MAX, "%s%s%s", folder, slash, name);
    return size >= 0 && size < PATH_MAX;
}

/* Goes on where the link leads. */
static bool take_link(struct way *way, const char *link)
{
    char target[PATH_MAX], rest[PATH_MAX];
    ssize_t size = readlink(link, target, sizeof target - 1);
    if (size <= 0 || ++way->links > MAX_LINKS)
        return false;
    target[size] = 0;
    if (!join(rest, target, way->rest))
        return false;
    memcpy(way->rest, rest, sizeof rest);
    if (*target == '/')
        strcpy(way->folder, "/");
    return true;
}

void way_walk(const char *path, way_step *step, void *user)
{
    struct way way = {.links = 0};
    char name[PATH_MAX], at[PATH_MAX];
    struct stat stat;
    if (strlen(path) >= sizeof way.rest)
        return;
    strcpy(way.rest, path);
    strcpy(way.folder, *path == '/' ? "/" : "");
    for (next_name(&way, name); *name; next_name(&way, name)) {
        bool fits = join(at, way.folder, name);
        bool there = fits && !lstat(at, &stat), is_link = there && S_ISLNK(stat.st_mode);
        bool is_name = strcmp(name, ".") && strcmp(name, "..");
        if (is_name && (is_link || way.links || !*way.rest || !there))
            step(user, *way.folder ? way.folder : ".", name);
        if (!there || (is_link && !take_link(&way, at)))
            return;
        if (!is_link)
            memcpy(way.folder, at, sizeof at);
    }
}
