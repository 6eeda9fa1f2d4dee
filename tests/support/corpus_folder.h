/* A folder of the corpus in memory: all its files, as companions of each other. */
#ifndef TESTS_SUPPORT_CORPUS_FOLDER_H
#define TESTS_SUPPORT_CORPUS_FOLDER_H

#include "tests/support/codecs.h"
#include "tests/support/corpus.h"

struct corpus_folder {
    struct test_paths paths;
    struct test_file *files;            /* [paths.count] */
    struct codec_companion *companions; /* [paths.count], then one without a name */
};

/* False when there is no corpus (said); else close it. */
bool corpus_folder_open(struct corpus_folder *folder, const char *name);
void corpus_folder_close(struct corpus_folder *folder);

#endif
