/*
 * The cache: what goes first and when, one maker a key, failures for a second and no longer, and objects that outlive
 * their eviction. The threads' tests mean most under ThreadSanitizer.
 */
#include "server/ops/cache.h"
#include "tests/support/unit.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- what is cached in here -- */

static atomic_int alive; /* numbers that are not freed yet */

struct number {
    struct cache_object object;
    int value;
};

static void free_number(struct cache_object *object)
{
    atomic_fetch_sub(&alive, 1);
    free(object);
}

static struct cache_object *new_number(int value, size_t weight)
{
    struct number *number = malloc(sizeof *number);
    ck_assert_ptr_nonnull(number);
    atomic_init(&number->object.references, 1);
    number->object.weight = weight;
    number->object.free = free_number;
    number->value = value;
    atomic_fetch_add(&alive, 1);
    return &number->object;
}

static int value_of(const struct cache_object *object)
{
    return ((const struct number *)object)->value;
}

/* How a maker of the tests behaves. */
struct recipe {
    int value;
    size_t weight;
    enum pose_status failure; /* POSE_OK: it succeeds */
    atomic_int made;          /* how often it was called */
    sem_t *started, *may_end; /* NULL: without waiting */
};

static struct cache_object *make_number(void *user, struct pose_error *error)
{
    struct recipe *recipe = user;
    atomic_fetch_add(&recipe->made, 1);
    if (recipe->started)
        sem_post(recipe->started);
    if (recipe->may_end)
        sem_wait(recipe->may_end);
    if (recipe->failure == POSE_OK)
        return new_number(recipe->value, recipe->weight);
    error->status = recipe->failure;
    snprintf(error->detail, sizeof error->detail, "number %d is broken", recipe->value);
    return NULL;
}

static struct cache_key key_of(int value)
{
    struct cache_key key = {{0}};
    memcpy(key.bytes, &value, sizeof value);
    return key;
}

static struct cache_object *get(struct cache *cache, uint64_t now_ms, struct recipe *recipe,
                                enum cache_outcome *outcome, struct pose_error *error)
{
    struct cache_key key = key_of(recipe->value);
    return cache_get(cache, &key, true, now_ms, make_number, recipe, outcome, error);
}

/* Asks for a number of that weight and lets go of it at once; how it came about. */
static enum cache_outcome touch(struct cache *cache, int value, size_t weight)
{
    struct recipe recipe = {.value = value, .weight = weight};
    enum cache_outcome outcome;
    struct cache_object *object = get(cache, 0, &recipe, &outcome, NULL);
    ck_assert_ptr_nonnull(object);
    ck_assert_int_eq(value_of(object), value);
    cache_unref(object);
    return outcome;
}

/* Without making it: is it there? Counts as a use when it is. */
static bool holds(struct cache *cache, int value)
{
    struct cache_key key = key_of(value);
    enum cache_outcome outcome;
    struct cache_object *object = cache_get(cache, &key, false, 0, NULL, NULL, &outcome, NULL);
    ck_assert_int_eq(outcome, object ? CACHE_HIT : CACHE_WOULD_WAIT);
    cache_unref(object);
    return object;
}

static struct cache_counts count(struct cache *cache)
{
    struct cache_counts counts;
    cache_count(cache, &counts);
    return counts;
}

static struct cache *new_cache(size_t limit)
{
    struct cache *cache = cache_new("clips", limit);
    ck_assert_ptr_nonnull(cache);
    return cache;
}

static void free_all(struct cache *cache)
{
    cache_free(cache);
    ck_assert_int_eq(atomic_load(&alive), 0);
}

enum { HUNDRED = 100, ROOM_FOR_3 = 3 * (HUNDRED + CACHE_ENTRY_WEIGHT) };

/* ----------------------------------------------------------------------------------------- order and weights -- */

TEST(what_was_not_used_for_longest_goes_first)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    ck_assert_int_eq(touch(cache, 1, HUNDRED), CACHE_MADE);
    ck_assert_int_eq(touch(cache, 2, HUNDRED), CACHE_MADE);
    ck_assert_int_eq(touch(cache, 3, HUNDRED), CACHE_MADE);
    ck_assert_int_eq(touch(cache, 1, HUNDRED), CACHE_HIT);
    ck_assert_int_eq(touch(cache, 4, HUNDRED), CACHE_MADE); /* 2 goes */
    ck_assert(!holds(cache, 2));
    ck_assert(holds(cache, 3));
    ck_assert(holds(cache, 1));
    ck_assert(holds(cache, 4));
    ck_assert_int_eq(touch(cache, 5, HUNDRED), CACHE_MADE); /* 3 goes: asked for before 1 and 4 */
    ck_assert(!holds(cache, 3));
    ck_assert(holds(cache, 1));
    struct cache_counts counts = count(cache);
    ck_assert_uint_eq(counts.evictions, 2);
    ck_assert_uint_eq(counts.misses, 5);
    ck_assert_uint_eq(counts.hits, 5); /* 1 by touch, 4 by holds */
    ck_assert_uint_eq(counts.entries, 3);
    free_all(cache);
}

TEST(the_bytes_held_never_exceed_the_limit)
{
    struct cache *cache = new_cache(10000);
    for (int i = 0; i < 500; i++) {
        touch(cache, i, (size_t)(i * 37 % 900));
        struct cache_counts counts = count(cache);
        ck_assert_uint_le(counts.bytes, counts.limit);
        ck_assert_int_eq(atomic_load(&alive), (int)counts.entries);
    }
    ck_assert_uint_eq(count(cache).evictions, 500 - count(cache).entries);
    free_all(cache);
}

TEST(a_heavy_object_pushes_out_as_many_as_it_needs)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    for (int i = 1; i <= 3; i++)
        touch(cache, i, HUNDRED);
    touch(cache, 4, 2 * HUNDRED + CACHE_ENTRY_WEIGHT); /* as heavy as two */
    ck_assert(!holds(cache, 1));
    ck_assert(!holds(cache, 2));
    ck_assert(holds(cache, 3));
    ck_assert(holds(cache, 4));
    free_all(cache);
}

TEST(what_is_heavier_than_the_limit_is_handed_out_and_not_kept)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    touch(cache, 1, HUNDRED);
    ck_assert_int_eq(touch(cache, 2, ROOM_FOR_3 - CACHE_ENTRY_WEIGHT + 1), CACHE_MADE);
    ck_assert_int_eq(touch(cache, 3, SIZE_MAX), CACHE_MADE);
    ck_assert(!holds(cache, 2));
    ck_assert(!holds(cache, 3));
    ck_assert(holds(cache, 1)); /* and nothing had to go for it */
    ck_assert_int_eq(touch(cache, 2, ROOM_FOR_3 - CACHE_ENTRY_WEIGHT), CACHE_MADE);
    ck_assert(holds(cache, 2)); /* exactly the limit fits */
    free_all(cache);
}

TEST(a_cache_of_no_size_keeps_nothing)
{
    struct cache *cache = new_cache(0);
    ck_assert_int_eq(touch(cache, 1, 0), CACHE_MADE);
    ck_assert_int_eq(touch(cache, 1, 0), CACHE_MADE);
    ck_assert_uint_eq(count(cache).bytes, 0);
    free_all(cache);
}

TEST(an_evicted_object_lives_until_its_last_reader_lets_go)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    struct recipe recipe = {.value = 1, .weight = HUNDRED};
    enum cache_outcome outcome;
    struct cache_object *held = get(cache, 0, &recipe, &outcome, NULL);
    for (int i = 2; i <= 4; i++)
        touch(cache, i, HUNDRED);
    ck_assert(!holds(cache, 1));
    ck_assert_int_eq(atomic_load(&alive), 4);
    ck_assert_int_eq(value_of(held), 1);
    cache_free(cache);
    ck_assert_int_eq(atomic_load(&alive), 1);
    cache_unref(held);
    ck_assert_int_eq(atomic_load(&alive), 0);
}

TEST(many_keys_are_all_found_again)
{
    enum { COUNT = 20000 };
    struct cache *cache = new_cache(COUNT * (size_t)CACHE_ENTRY_WEIGHT);
    for (int i = 0; i < COUNT; i++)
        touch(cache, i, 0);
    for (int i = 0; i < COUNT; i++)
        ck_assert(holds(cache, i));
    ck_assert_uint_eq(count(cache).entries, COUNT);
    free_all(cache);
}

TEST(keys_are_compared_whole)
{
    struct cache *cache = new_cache(1 << 20);
    for (int i = 0; i < CACHE_KEY_SIZE; i++) {
        struct cache_key key = {{0}};
        key.bytes[i] = 1;
        struct recipe recipe = {.value = i};
        enum cache_outcome outcome;
        cache_unref(cache_get(cache, &key, true, 0, make_number, &recipe, &outcome, NULL));
        ck_assert_int_eq(outcome, CACHE_MADE);
    }
    ck_assert_uint_eq(count(cache).entries, CACHE_KEY_SIZE);
    free_all(cache);
}

/* ------------------------------------------------------------------------------------------------------ put -- */

TEST(put_replaces)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    struct cache_key key = key_of(1);
    touch(cache, 1, HUNDRED);
    struct cache_object *other = new_number(100, HUNDRED / 2);
    cache_put(cache, &key, other);
    cache_unref(other);
    ck_assert_int_eq(atomic_load(&alive), 1);
    ck_assert_uint_eq(count(cache).bytes, HUNDRED / 2 + CACHE_ENTRY_WEIGHT);
    enum cache_outcome outcome;
    struct cache_object *found = cache_get(cache, &key, false, 0, NULL, NULL, &outcome, NULL);
    ck_assert_ptr_eq(found, other);
    ck_assert_int_eq(value_of(found), 100);
    cache_unref(found);
    free_all(cache);
}

/* ------------------------------------------------------------------------------------------------- failures -- */

TEST(a_failure_is_remembered_for_a_second)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    struct recipe recipe = {.value = 1, .failure = POSE_BAD_DATA};
    struct pose_error error;
    enum cache_outcome outcome;
    ck_assert_ptr_null(get(cache, 5000, &recipe, &outcome, &error));
    ck_assert_int_eq(outcome, CACHE_FAILED);
    ck_assert_str_eq(error.detail, "number 1 is broken");
    ck_assert_int_eq(recipe.made, 1);

    memset(&error, 0, sizeof error);
    ck_assert_ptr_null(get(cache, 5000 + CACHE_FAILURE_MS - 1, &recipe, &outcome, &error));
    ck_assert_int_eq(outcome, CACHE_FAILED);
    ck_assert_int_eq(error.status, POSE_BAD_DATA);
    ck_assert_str_eq(error.detail, "number 1 is broken");
    ck_assert_int_eq(recipe.made, 1);

    recipe.failure = POSE_OK;
    struct cache_object *object = get(cache, 5000 + CACHE_FAILURE_MS, &recipe, &outcome, &error);
    ck_assert_int_eq(outcome, CACHE_MADE);
    ck_assert_int_eq(recipe.made, 2);
    cache_unref(object);
    free_all(cache);
}

TEST(a_remembered_failure_is_told_to_those_who_may_not_wait)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    struct recipe recipe = {.value = 1, .failure = POSE_OVER_LIMIT};
    struct cache_key key = key_of(1);
    struct pose_error error = {0};
    enum cache_outcome outcome;
    ck_assert_ptr_null(get(cache, 0, &recipe, &outcome, NULL));
    ck_assert_ptr_null(cache_get(cache, &key, false, 10, NULL, NULL, &outcome, &error));
    ck_assert_int_eq(outcome, CACHE_FAILED);
    ck_assert_int_eq(error.status, POSE_OVER_LIMIT);
    ck_assert_ptr_null(cache_get(cache, &key, false, 10 + CACHE_FAILURE_MS, NULL, NULL, &outcome, &error));
    ck_assert_int_eq(outcome, CACHE_WOULD_WAIT);
    free_all(cache);
}

TEST(want_of_memory_is_not_remembered)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    struct recipe recipe = {.value = 1, .failure = POSE_NO_MEMORY};
    enum cache_outcome outcome;
    ck_assert_ptr_null(get(cache, 0, &recipe, &outcome, NULL));
    ck_assert_ptr_null(get(cache, 0, &recipe, &outcome, NULL));
    ck_assert_int_eq(recipe.made, 2);
    free_all(cache);
}

TEST(so_many_failures_are_remembered_and_no_more)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    enum cache_outcome outcome;
    for (int i = 0; i <= CACHE_FAILURE_COUNT; i++) {
        struct recipe recipe = {.value = i, .failure = POSE_BAD_DATA};
        ck_assert_ptr_null(get(cache, 0, &recipe, &outcome, NULL));
    }
    struct recipe oldest = {.value = 0, .failure = POSE_BAD_DATA};
    struct recipe newest = {.value = CACHE_FAILURE_COUNT, .failure = POSE_BAD_DATA};
    get(cache, 0, &newest, &outcome, NULL);
    ck_assert_int_eq(newest.made, 0);
    get(cache, 0, &oldest, &outcome, NULL);
    ck_assert_int_eq(oldest.made, 1);
    ck_assert_uint_eq(count(cache).bytes, 0); /* they take no room from objects */
    free_all(cache);
}

/* -------------------------------------------------------------------------------------------------- threads -- */

enum { CROWD = 16 };

struct asker {
    pthread_t thread;
    struct cache *cache;
    struct recipe *recipe;
    struct cache_object *object;
    enum cache_outcome outcome;
    struct pose_error error;
};

static void *ask(void *user)
{
    struct asker *asker = user;
    asker->object = get(asker->cache, 0, asker->recipe, &asker->outcome, &asker->error);
    return NULL;
}

/* A first caller makes while all others ask for the same; misses tell when they have arrived. */
static void crowd_ask(struct cache *cache, struct recipe *recipe, struct asker *crowd,
                      void (*meanwhile)(struct cache *, struct recipe *))
{
    sem_t started, may_end;
    sem_init(&started, 0, 0);
    sem_init(&may_end, 0, 0);
    recipe->started = &started;
    recipe->may_end = &may_end;
    for (int i = 0; i < CROWD; i++) {
        crowd[i] = (struct asker){.cache = cache, .recipe = recipe};
        ck_assert_int_eq(pthread_create(&crowd[i].thread, NULL, ask, &crowd[i]), 0);
        if (i == 0)
            sem_wait(&started);
    }
    while (count(cache).misses < CROWD)
        sched_yield();
    if (meanwhile)
        meanwhile(cache, recipe);
    sem_post(&may_end);
    for (int i = 0; i < CROWD; i++)
        pthread_join(crowd[i].thread, NULL);
    sem_destroy(&started);
    sem_destroy(&may_end);
    recipe->started = recipe->may_end = NULL;
}

static void crowd_has_it(struct asker *crowd, int value)
{
    for (int i = 0; i < CROWD; i++) {
        ck_assert_int_eq(crowd[i].outcome, CACHE_MADE);
        ck_assert_ptr_eq(crowd[i].object, crowd[0].object);
        ck_assert_int_eq(value_of(crowd[i].object), value);
        cache_unref(crowd[i].object);
    }
}

TEST(of_many_who_ask_one_makes)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    struct recipe recipe = {.value = 7, .weight = HUNDRED};
    struct asker crowd[CROWD];
    crowd_ask(cache, &recipe, crowd, NULL);
    ck_assert_int_eq(recipe.made, 1);
    crowd_has_it(crowd, 7);
    ck_assert(holds(cache, 7));
    free_all(cache);
}

TEST(all_who_wait_get_what_is_too_heavy_to_be_kept)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    struct recipe recipe = {.value = 7, .weight = 2 * ROOM_FOR_3};
    struct asker crowd[CROWD];
    crowd_ask(cache, &recipe, crowd, NULL);
    ck_assert_int_eq(recipe.made, 1);
    crowd_has_it(crowd, 7);
    ck_assert_int_eq(atomic_load(&alive), 0);
    free_all(cache);
}

TEST(all_who_wait_hear_of_the_failure)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    struct recipe recipe = {.value = 7, .failure = POSE_BAD_DATA};
    struct asker crowd[CROWD];
    crowd_ask(cache, &recipe, crowd, NULL);
    ck_assert_int_eq(recipe.made, 1);
    for (int i = 0; i < CROWD; i++) {
        ck_assert_int_eq(crowd[i].outcome, CACHE_FAILED);
        ck_assert_ptr_null(crowd[i].object);
        ck_assert_str_eq(crowd[i].error.detail, "number 7 is broken");
    }
    free_all(cache);
}

static void put_another(struct cache *cache, struct recipe *recipe)
{
    struct cache_key key = key_of(recipe->value);
    struct cache_object *other = new_number(1000, HUNDRED);
    cache_put(cache, &key, other);
    cache_unref(other);
}

TEST(what_was_put_meanwhile_stays)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    struct recipe recipe = {.value = 7, .weight = HUNDRED};
    struct asker crowd[CROWD];
    crowd_ask(cache, &recipe, crowd, put_another);
    crowd_has_it(crowd, 7);
    struct cache_key key = key_of(7);
    enum cache_outcome outcome;
    struct cache_object *kept = cache_get(cache, &key, false, 0, NULL, NULL, &outcome, NULL);
    ck_assert_int_eq(value_of(kept), 1000);
    cache_unref(kept);
    free_all(cache);
}

TEST(who_may_not_wait_does_not)
{
    struct cache *cache = new_cache(ROOM_FOR_3);
    sem_t started, may_end;
    sem_init(&started, 0, 0);
    sem_init(&may_end, 0, 0);
    struct recipe recipe = {.value = 7, .weight = HUNDRED, .started = &started, .may_end = &may_end};
    struct asker asker = {.cache = cache, .recipe = &recipe};
    ck_assert_int_eq(pthread_create(&asker.thread, NULL, ask, &asker), 0);
    sem_wait(&started);
    ck_assert(!holds(cache, 7));                            /* CACHE_WOULD_WAIT, though it is being made */
    ck_assert_int_eq(touch(cache, 8, HUNDRED), CACHE_MADE); /* another key is not held up */
    sem_post(&may_end);
    pthread_join(asker.thread, NULL);
    ck_assert(holds(cache, 7));
    cache_unref(asker.object);
    sem_destroy(&started);
    sem_destroy(&may_end);
    free_all(cache);
}

static void *shuffle(void *user)
{
    struct cache *cache = user;
    uint32_t state = (uint32_t)(uintptr_t)&state | 1;
    for (int i = 0; i < 20000; i++) {
        state = state * 1664525 + 1013904223;
        int value = (int)(state >> 24) % 40;
        struct recipe recipe = {
            .value = value, .weight = HUNDRED, .failure = value % 10 == 9 ? POSE_BAD_DATA : POSE_OK};
        enum cache_outcome outcome;
        struct cache_object *object = get(cache, (uint64_t)i, &recipe, &outcome, NULL);
        ck_assert_int_eq(object == NULL, recipe.failure != POSE_OK);
        ck_assert(!object || value_of(object) == value);
        if (value == 3) {
            struct cache_key key = key_of(value);
            struct cache_object *other = new_number(value, HUNDRED);
            cache_put(cache, &key, other);
            cache_unref(other);
        }
        cache_unref(object);
    }
    return NULL;
}

TEST(threads_that_do_everything_at_once_lose_nothing)
{
    enum { THREADS = 4 };
    struct cache *cache = new_cache(8 * (HUNDRED + CACHE_ENTRY_WEIGHT));
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, shuffle, cache), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    struct cache_counts counts = count(cache);
    ck_assert_uint_eq(counts.hits + counts.misses, THREADS * 20000);
    ck_assert_uint_le(counts.bytes, counts.limit);
    ck_assert_uint_gt(counts.evictions, 0);
    ck_assert_int_eq(atomic_load(&alive), (int)counts.entries);
    free_all(cache);
}
