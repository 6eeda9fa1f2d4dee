/*
 * The corpus of real game files. It lies outside of the project: POSED_CORPUS names it, else ../shared/corpus beside
 * the checkout. Tests use it when it is there and say loudly when it is not.
 */
#ifndef TESTS_SUPPORT_CORPUS_H
#define TESTS_SUPPORT_CORPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A file in memory; release with test_file_free. */
struct test_file {
    char *path;
    uint8_t *data;
    size_t size;
};

/* False (and a line on stderr) when it cannot be read. */
bool test_file_read(const char *path, struct test_file *file);
void test_file_free(struct test_file *file);

/* Sorted paths of the files directly in a folder whose names end with suffix (without regard to case). */
struct test_paths {
    size_t count;
    char **items;
};

bool test_paths_list(const char *folder, const char *suffix, struct test_paths *paths);
/* A file itself, or sorted all files in a folder and the folders in it. */
bool test_paths_walk(const char *path, struct test_paths *paths);
void test_paths_free(struct test_paths *paths);

/* Where the corpus lies; NULL when there is none, with "SKIPPED: no corpus" on stderr. A test then returns. */
const char *corpus_root(void);
/* A file of the corpus, "sl/bvh/a.bvh". False when there is no corpus (said) or no such file (said). */
bool corpus_read(const char *name, struct test_file *file);
/* The files of a folder of the corpus. False when there is no corpus (said). */
bool corpus_list(const char *folder, const char *suffix, struct test_paths *paths);

#endif
