#include "tests/support/corpus.h"

#include <dirent.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

/* Out of memory ends a test program: nothing it could say would be worth hearing. */
static void *need(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static char *join(const char *folder, const char *name)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        abort();
    return path;
}

static bool read_whole(FILE *stream, struct test_file *file)
{
    size_t capacity = 0;
    for (;;) {
        if (file->size == capacity) {
            capacity = capacity ? 2 * capacity : 65536;
            file->data = need(realloc(file->data, capacity));
        }
        size_t got = fread(file->data + file->size, 1, capacity - file->size, stream);
        file->size += got;
        if (got == 0)
            return !ferror(stream);
    }
}

/* Shrinks the memory to the file's size, so that AddressSanitizer sees a read past the end. */
static void fit(struct test_file *file)
{
    file->data = need(realloc(file->data, file->size ? file->size : 1));
}

bool test_file_read(const char *path, struct test_file *file)
{
    *file = (struct test_file){.path = need(strdup(path))};
    FILE *stream = fopen(path, "rb");
    bool done = stream && read_whole(stream, file);
    if (stream)
        fclose(stream);
    if (!done) {
        perror(path);
        test_file_free(file);
        return false;
    }
    fit(file);
    return true;
}

void test_file_free(struct test_file *file)
{
    free(file->path);
    free(file->data);
    *file = (struct test_file){0};
}

static bool ends_with(const char *name, const char *suffix)
{
    size_t length = strlen(name), end = strlen(suffix);
    return length >= end && !strcasecmp(name + length - end, suffix);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name); /* not alphasort, which asks the locale */
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

bool test_paths_list(const char *folder, const char *suffix, struct test_paths *paths)
{
    *paths = (struct test_paths){0};
    struct dirent **names;
    int count = scandir(folder, &names, NULL, compare_names);
    if (count < 0) {
        perror(folder);
        return false;
    }
    paths->items = need(calloc((size_t)count + 1, sizeof *paths->items));
    for (int i = 0; i < count; i++) {
        char *path = join(folder, names[i]->d_name);
        if (ends_with(path, suffix) && is_file(path))
            paths->items[paths->count++] = path;
        else
            free(path);
        free(names[i]);
    }
    free(names);
    return true;
}

static int compare_entries(const FTSENT **a, const FTSENT **b)
{
    return strcmp((*a)->fts_name, (*b)->fts_name);
}

bool test_paths_walk(const char *path, struct test_paths *paths)
{
    *paths = (struct test_paths){0};
    char *roots[] = {need(strdup(path)), NULL};
    FTS *walk = need(fts_open(roots, FTS_LOGICAL | FTS_NOCHDIR, compare_entries));
    bool done = true;
    for (FTSENT *entry; (entry = fts_read(walk));) {
        if (entry->fts_info == FTS_F) {
            paths->items = need(realloc(paths->items, (paths->count + 1) * sizeof *paths->items));
            paths->items[paths->count++] = need(strdup(entry->fts_path));
        } else if (entry->fts_info == FTS_NS || entry->fts_info == FTS_DNR || entry->fts_info == FTS_ERR) {
            fprintf(stderr, "%s: %s\n", entry->fts_path, strerror(entry->fts_errno));
            done = false;
        }
    }
    fts_close(walk);
    free(roots[0]);
    return done;
}

void test_paths_free(struct test_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->items[i]);
    free(paths->items);
    *paths = (struct test_paths){0};
}

const char *corpus_root(void)
{
    const char *root = getenv("POSED_CORPUS");
    if (!root || !*root)
        root = POSED_SOURCE_DIR "/../shared/corpus";
    struct stat status;
    if (stat(root, &status) == 0 && S_ISDIR(status.st_mode))
        return root;
    fprintf(stderr, "SKIPPED: no corpus at %s (POSED_CORPUS names another place)\n", root);
    return NULL;
}

bool corpus_read(const char *name, struct test_file *file)
{
    const char *root = corpus_root();
    if (!root)
        return false;
    char *path = join(root, name);
    bool done = test_file_read(path, file);
    free(path);
    return done;
}

bool corpus_list(const char *folder, const char *suffix, struct test_paths *paths)
{
    const char *root = corpus_root();
    if (!root)
        return false;
    char *path = join(root, folder);
    bool done = test_paths_list(path, suffix, paths);
    free(path);
    return done;
}
