/* Indexing: what did not change is taken over as it is, because others are reading it. */
#include "server/ops/files.h"
#include "server/library/index/index.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/test-index-XXXXXX";
static char path[64];

/* A FAR of one entry, which is no clip: two bytes. */
static void setup(void)
{
    static const uint8_t far[] =
        "FAR!byAZ\1\0\0\0\x12\0\0\0xy\1\0\0\0\2\0\0\0\2\0\0\0\x10\0\0\0\5\0\0\0a.txt";
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/one.far", folder);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(far, 1, sizeof far - 1, file), sizeof far - 1);
    ck_assert_int_eq(fclose(file), 0);
    files_init();
}

static void teardown(void)
{
    remove(path);
    rmdir(folder);
}

FIXTURE(setup, teardown);

TEST(an_unchanged_container_is_not_touched)
{
    const char *paths[] = {path};
    struct index_options options = {.threads = 1};
    struct index_result first, second;
    struct pose_error error;
    ck_assert(index_paths(paths, 1, &options, NULL, &first, &error));
    ck_assert_uint_eq(first.count, 1);
    struct index_archive *archive = first.archives[0], before = *archive;
    ck_assert_ptr_nonnull(archive->archive);
    ck_assert_uint_eq(archive->entry_count, 1);
    ck_assert(index_paths(paths, 1, &options, &first, &second, &error));
    ck_assert_ptr_eq(second.archives[0], archive);
    ck_assert_ptr_eq(archive->resources, before.resources);
    ck_assert_ptr_eq(archive->names, before.names);
    ck_assert_ptr_eq(archive->entries, before.entries);
    ck_assert_ptr_eq(archive->region.blocks, before.region.blocks);
    index_release(&second);
    index_release(&first);
}
