/* Memory in a file: blocks of all sizes at once and by many threads, what comes back, and a disk that is full. The folder is
 * the working one, which is on a disk; elsewhere there is no spill, and the cases end at once. */
#include "server/ops/region.h"
#include "server/ops/spill.h"
#include "tests/support/unit.h"

#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { BLOCKS = 3000, ROUNDS = 20000, THREADS = 4, MANY_BYTES = 32 << 20 };

static bool opened(void)
{
    const bool done = spill_open(".");
    if (!done)
        fputs("test_spill: no spill in this folder\n", stderr);
    return done;
}

static uint32_t next_of(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

struct block {
    unsigned char *at;
    size_t size;
    unsigned char mark;
};

/* Mostly small ones, some that have a part of the file of their own. */
static size_t any_size(uint32_t *state)
{
    const uint32_t kind = next_of(state) % 100;
    return 1 + next_of(state) % (kind < 70 ? 700u : kind < 99 ? 17000u : 200000u);
}

static void take(struct block *block, size_t size, unsigned char mark)
{
    *block = (struct block){.at = spill_alloc(size), .size = size, .mark = mark};
    ck_assert_ptr_nonnull(block->at);
    ck_assert_uint_eq((uintptr_t)block->at % _Alignof(max_align_t), 0);
    for (size_t i = 0; i < size; i++) {
        if (block->at[i])
            ck_abort_msg("byte %zu of %zu is not zero", i, size);
    }
    memset(block->at, mark, size);
}

static void give(struct block *block)
{
    for (size_t i = 0; i < block->size; i++) {
        if (block->at[i] != block->mark)
            ck_abort_msg("byte %zu of %zu was changed", i, block->size);
    }
    spill_free(block->at, block->size);
    block->at = NULL;
}

static void *churn(void *seed)
{
    uint32_t state = *(const uint32_t *)seed;
    struct block *blocks = try_alloc(BLOCKS, sizeof *blocks);
    ck_assert_ptr_nonnull(blocks);
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct block *block = &blocks[next_of(&state) % BLOCKS];
        if (block->at)
            give(block);
        else
            take(block, any_size(&state), (unsigned char)(1 + i % 255));
        if (i % 1000 == 0)
            spill_rest();
    }
    for (unsigned i = 0; i < BLOCKS; i++) {
        if (blocks[i].at)
            give(&blocks[i]);
    }
    free(blocks);
    return NULL;
}

TEST(all_sizes)
{
    uint32_t seed = 1;
    if (!opened())
        return;
    churn(&seed);
    const size_t once = spill_size();
    churn(&seed);
    ck_assert_uint_eq(spill_size(), once);
}

TEST(each_size)
{
    if (!opened())
        return;
    for (size_t size = 1; size <= 40000; size += 1 + size / 20) {
        struct block blocks[5];
        for (unsigned i = 0; i < 5; i++)
            take(&blocks[i], size, (unsigned char)(i + 1));
        for (unsigned i = 0; i < 5; i++)
            give(&blocks[i]);
    }
}

TEST(many_threads)
{
    pthread_t threads[THREADS];
    uint32_t seeds[THREADS];
    if (!opened())
        return;
    for (uint32_t i = 0; i < THREADS; i++) {
        seeds[i] = i + 7;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, churn, &seeds[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* Pages that are in memory, of files and shared. */
static unsigned long shared_pages(void)
{
    FILE *file = fopen("/proc/self/statm", "re");
    unsigned long shared = 0;
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%*u %*u %lu", &shared), 1);
    fclose(file);
    return shared;
}

TEST(at_rest_it_is_not_in_memory)
{
    enum { MOST_LEFT = 1000, PAGE = 4096 };
    struct block large, small;
    if (!opened())
        return;
    take(&large, MANY_BYTES, 3);
    take(&small, 100, 4);
    const unsigned long before = shared_pages();
    spill_rest();
    ck_assert_uint_lt(shared_pages() + MANY_BYTES / PAGE - MOST_LEFT, before);
    give(&large);
    give(&small);
}

/* A limit on files says no as a full disk does. */
TEST(a_full_disk)
{
    enum { MOST = 3 << 20, SIZE = 3000, COUNT = 2000 };
    static struct block blocks[COUNT];
    const struct rlimit small = {MOST, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    unsigned count = 0;
    signal(SIGXFSZ, SIG_IGN);
    if (!opened())
        return;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (void *memory; count < COUNT && (memory = spill_alloc(SIZE)); count++) {
        blocks[count] = (struct block){memory, SIZE, 9};
        memset(memory, 9, SIZE);
    }
    ck_assert_uint_gt(count, 100);
    ck_assert_uint_lt(count, COUNT);
    ck_assert_ptr_null(spill_alloc(100000));
    spill_rest();
    ck_assert_ptr_null(spill_alloc(100000));
    /* What was freed is there again, */
    give(&blocks[0]);
    take(&blocks[0], SIZE, 8);
    /* and regions have memory. */
    struct region region = {.spills = true};
    char *text = region_alloc(&region, 100000, 1);
    text[99999] = 1;
    region_release(&region);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &none), 0);
    ck_assert_ptr_null(spill_alloc(100000));
    spill_rest();
    struct block late;
    take(&late, 100000, 7);
    give(&late);
    for (unsigned i = 0; i < count; i++)
        give(&blocks[i]);
}

TEST(without_a_folder)
{
    struct region region = {.spills = true};
    ck_assert_ptr_null(spill_alloc(1));
    spill_free(NULL, 1);
    spill_rest();
    ck_assert(!spill_open("/nowhere"));
    ck_assert(!spill_open("/proc"));
    ck_assert_ptr_null(spill_alloc(1));
    ck_assert_str_eq(region_text(&region, "text"), "text");
    ck_assert_uint_eq(spill_size(), 0);
    region_release(&region);
}
