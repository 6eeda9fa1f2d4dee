#include "tests/support/corpus_folder.h"

#include "tests/support/companions.h"

#include <check.h>
#include <stdlib.h>

bool corpus_folder_open(struct corpus_folder *folder, const char *name)
{
    if (!corpus_list(name, "", &folder->paths))
        return false;
    size_t count = folder->paths.count;
    folder->files = calloc(count, sizeof *folder->files);
    folder->companions = calloc(count + 1, sizeof *folder->companions);
    for (size_t i = 0; i < count; i++) {
        struct test_file *file = &folder->files[i];
        ck_assert(test_file_read(folder->paths.items[i], file));
        folder->companions[i] =
            (struct codec_companion){test_base_name(file->path), {file->data, file->size}};
    }
    return true;
}

void corpus_folder_close(struct corpus_folder *folder)
{
    for (size_t i = 0; i < folder->paths.count; i++)
        test_file_free(&folder->files[i]);
    test_paths_free(&folder->paths);
    free(folder->files);
    free(folder->companions);
}
