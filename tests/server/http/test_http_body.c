/*
 * The body of a request: memory or file, limits, and that nothing stays behind.
 */
#include "server/http/body.h"
#include "server/store/blobs.h"
#include "tests/support/unit.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { THRESHOLD = 100 * 1000 };

static struct body_store store;
static struct http_body body;
static char directory[] = "/tmp/posed-test-body-XXXXXX";

static void start(void)
{
    ck_assert_ptr_nonnull(mkdtemp(directory));
    store = (struct body_store){.threshold = THRESHOLD, .directory = directory};
}

static void stop(void)
{
    unsigned entries = 0;
    DIR *files;

    body_release(&body);
    body_release(&body);
    ck_assert_uint_eq(atomic_load(&store.in_memory), 0);
    files = opendir(directory);
    while (readdir(files))
        entries++;
    closedir(files);
    ck_assert_uint_eq(entries, 2); /* itself and its parent */
    ck_assert_int_eq(rmdir(directory), 0);
}

static uint8_t byte_at(size_t offset)
{
    return (uint8_t)(offset * 7 + offset / 251);
}

/* Adds size bytes in pieces; returns the first status that is not 0. */
static unsigned add(size_t size, size_t piece)
{
    uint8_t bytes[4096];
    size_t at = (size_t)body.size;
    const size_t end = at + size;
    while (at < end) {
        const size_t count = end - at < piece ? end - at : piece;
        for (size_t i = 0; i < count; i++)
            bytes[i] = byte_at(at + i);
        unsigned status = body_add(&body, bytes, count);
        if (status != 0)
            return status;
        at += count;
    }
    return 0;
}

static void expect_bytes(size_t size)
{
    size_t same = 0;
    ck_assert_uint_eq(body_finish(&body), 0);
    ck_assert_uint_eq(body.size, size);
    while (same < size && body.data[same] == byte_at(same))
        same++;
    ck_assert_uint_eq(same, size);
}

FIXTURE(start, stop);

TEST(nothing_is_a_body)
{
    body_init(&body, &store, 0, 0, NULL);
    ck_assert_uint_eq(body_finish(&body), 0);
    ck_assert_ptr_null(body.data);
    ck_assert_ptr_null(body.draft);
    ck_assert_uint_eq(body_add(&body, "x", 1), 413);
}

TEST(up_to_the_threshold_it_is_in_memory)
{
    body_init(&body, &store, UINT64_MAX, 0, NULL);
    ck_assert_uint_eq(add(THRESHOLD, 997), 0);
    ck_assert_ptr_null(body.draft);
    ck_assert_uint_ge(atomic_load(&store.in_memory), THRESHOLD);
    expect_bytes(THRESHOLD);
}

TEST(above_the_threshold_it_is_in_a_file)
{
    uint8_t first[4];
    body_init(&body, &store, UINT64_MAX, 0, NULL);
    ck_assert_uint_eq(add(3 * THRESHOLD, 997), 0);
    ck_assert_uint_eq(atomic_load(&store.in_memory), 0);
    expect_bytes(3 * THRESHOLD);
    ck_assert_ptr_nonnull(body.draft);
    ck_assert_int_eq(pread(body.draft->fd, first, 4, THRESHOLD), 4);
    ck_assert_int_eq(memcmp(first, body.data + THRESHOLD, 4), 0);
}

TEST(the_file_is_hashed_as_it_comes)
{
    body_init(&body, &store, UINT64_MAX, 0, NULL);
    ck_assert_uint_eq(add(3 * THRESHOLD, 997), 0);
    expect_bytes(3 * THRESHOLD);
    struct blob_hash hash = hash_of(body.data, 3 * THRESHOLD);
    ck_assert_mem_eq(&body.draft->hash, &hash, sizeof hash);
}

TEST(the_file_can_be_taken_and_named)
{
    struct store_error error;
    char path[128];
    body_init(&body, &store, UINT64_MAX, 0, NULL);
    ck_assert_uint_eq(add(3 * THRESHOLD, 997), 0);
    expect_bytes(3 * THRESHOLD);
    uint64_t before = draft_written();
    struct draft *draft = body.draft;
    body.draft = NULL;
    body_release(&body);
    ck_assert(draft_name(draft, directory, &error));
    ck_assert_uint_eq(draft_written(), before);
    snprintf(path, sizeof path, "%s", draft->path);
    ck_assert_int_eq(access(path, R_OK), 0);
    ck_assert_uint_eq(draft->data[THRESHOLD], byte_at(THRESHOLD));
    draft_free(draft);
    ck_assert_int_ne(access(path, R_OK), 0);
}

/* As on a file system that knows no files without a name: it is written once more. */
TEST(a_file_that_cannot_be_linked_is_copied)
{
    struct store_error error;
    char path[] = "/tmp/posed-test-draft-XXXXXX";
    body_init(&body, &store, UINT64_MAX, 0, NULL);
    ck_assert_uint_eq(add(3 * THRESHOLD, 997), 0);
    expect_bytes(3 * THRESHOLD);
    uint64_t before = draft_written();
    int unlinked = mkstemp(path);
    unlink(path);
    ck_assert_int_eq(ftruncate(unlinked, 3 * THRESHOLD), 0);
    ck_assert_int_ge(dup2(unlinked, body.draft->fd), 0);
    close(unlinked);
    ck_assert(draft_name(body.draft, directory, &error));
    ck_assert_uint_eq(draft_written(), before + 3 * THRESHOLD);
    uint8_t *copy = malloc(3 * THRESHOLD);
    ck_assert_int_eq(pread(body.draft->fd, copy, 3 * THRESHOLD, 0), 3 * THRESHOLD);
    ck_assert_mem_eq(copy, body.data, 3 * THRESHOLD);
    free(copy);
}

TEST(what_promises_to_be_large_goes_to_the_file_at_once)
{
    body_init(&body, &store, UINT64_MAX, THRESHOLD + 1, NULL);
    ck_assert_uint_eq(add(10, 3), 0);
    ck_assert_ptr_nonnull(body.draft);
    ck_assert_uint_eq(atomic_load(&store.in_memory), 0);
    expect_bytes(10);
}

TEST(a_promise_allocates_nothing)
{
    store.threshold = SIZE_MAX;
    body_init(&body, &store, UINT64_MAX, UINT64_C(1) << 60, NULL);
    ck_assert_uint_eq(add(10, 10), 0);
    ck_assert_uint_le(atomic_load(&store.in_memory), 16 * 1024);
    expect_bytes(10);
}

TEST(the_limit_is_exact)
{
    body_init(&body, &store, 5000, 0, NULL);
    ck_assert_uint_eq(add(5000, 1000), 0);
    ck_assert_uint_eq(add(1, 1), 413);
    body_release(&body);
    body_init(&body, &store, THRESHOLD + 5000, 0, NULL);
    ck_assert_uint_eq(add(THRESHOLD + 5000, 1000), 0);
    ck_assert_uint_eq(add(1, 1), 413);
}

TEST(bodies_share_a_bound_of_memory)
{
    atomic_store(&store.in_memory, 64 * 1024 * 1024);
    body_init(&body, &store, UINT64_MAX, 0, NULL);
    ck_assert_uint_eq(add(10, 10), 0);
    ck_assert_ptr_nonnull(body.draft);
    expect_bytes(10);
    ck_assert_uint_eq(atomic_load(&store.in_memory), 64 * 1024 * 1024);
    atomic_store(&store.in_memory, 0);
}

TEST(no_room_is_507)
{
    const struct rlimit smallest = {.rlim_cur = 2 * THRESHOLD, .rlim_max = RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &smallest), 0);
    body_init(&body, &store, UINT64_MAX, 0, NULL);
    ck_assert_uint_eq(add(3 * THRESHOLD, 4096), 507);
}

TEST(no_directory_is_500)
{
    store.directory = "/nowhere/at/all";
    body_init(&body, &store, UINT64_MAX, 0, NULL);
    ck_assert_uint_eq(add(THRESHOLD + 1, 4096), 500);
}
