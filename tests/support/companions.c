#include "tests/support/companions.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *test_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static const struct test_file *find_read(const struct companions *companions, const char *name)
{
    for (unsigned i = 0; i < companions->count; i++) {
        if (!strcasecmp(test_base_name(companions->files[i].path), name))
            return &companions->files[i];
    }
    return NULL;
}

static void read_from_folder(struct companions *companions, const char *name)
{
    char *copy = strdup(companions->path);
    struct test_paths paths = {0};
    if (!copy || !test_paths_list(dirname(copy), name, &paths))
        abort();
    for (size_t i = 0; i < paths.count && companions->count < MAX_COMPANIONS; i++) {
        if (!strcasecmp(test_base_name(paths.items[i]), name) &&
            test_file_read(paths.items[i], &companions->files[companions->count])) {
            companions->count++;
            break;
        }
    }
    test_paths_free(&paths);
    free(copy);
}

bool companions_find(void *user, const char *name, struct pose_bytes *bytes)
{
    struct companions *companions = user;
    const struct test_file *file = find_read(companions, name);
    if (!file && !companions->frozen) {
        read_from_folder(companions, name);
        file = find_read(companions, name);
    }
    if (file)
        *bytes = (struct pose_bytes){file->data, file->size};
    return file != NULL;
}

void companions_free(struct companions *companions)
{
    while (companions->count)
        test_file_free(&companions->files[--companions->count]);
}
