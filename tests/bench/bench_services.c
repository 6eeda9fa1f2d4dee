/* What every request pays besides its answer: a look into the cache, the counters, a line of the log. */
#include "server/ops/cache.h"
#include "server/ops/log.h"
#include "server/ops/log_line.h"
#include "server/ops/metrics/metrics.h"
#include "tests/bench/bench.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNT = 1000, MAX_KEYS = 10000 };

static const char *const routes[] = {"/v1/clips/{id}/pose", NULL};

struct subject {
    struct cache *cache;
    struct metrics *metrics;
    uint32_t key_count, next;
};

static void clock_alone(void *user)
{
    (void)user;
    struct timespec now;
    for (int i = 0; i < COUNT; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        bench_use(&now);
    }
}

static void free_object(struct cache_object *object)
{
    free(object);
}

static struct cache_object *make_object(void *user, struct pose_error *error)
{
    (void)user;
    (void)error;
    struct cache_object *object = calloc(1, sizeof *object);
    if (!object)
        abort();
    atomic_init(&object->references, 1);
    object->free = free_object;
    return object;
}

static void look_up(void *user)
{
    struct subject *subject = user;
    for (int i = 0; i < COUNT; i++) {
        struct cache_key key = {{0}};
        enum cache_outcome outcome;
        subject->next = subject->next * 1664525 + 1013904223;
        uint32_t number = (subject->next >> 8) % subject->key_count;
        memcpy(key.bytes, &number, sizeof number);
        cache_unref(cache_get(subject->cache, &key, true, 0, make_object, NULL, &outcome, NULL));
    }
}

static void count_request(void *user)
{
    const struct subject *subject = user;
    for (int i = 0; i < COUNT; i++)
        metrics_request(subject->metrics, routes[0], "GET", 200, 2e-5);
}

static const struct log_request usual = {.id = "4f2a4f2a4f2a4f2a",
                                         .client = "127.0.0.1",
                                         .method = "GET",
                                         .route = "/v1/clips/{id}/pose",
                                         .path = "/v1/clips/00112233445566778899aabbccddeeff/pose",
                                         .status = 200,
                                         .bytes = 7512,
                                         .seconds = 2e-5,
                                         .cache = "hit"};

static void format_lines(enum log_format format)
{
    struct log_line line;
    struct timespec now = {.tv_sec = 1795178096};
    for (int i = 0; i < COUNT; i++) {
        log_line_request(&line, format, &now, &usual);
        bench_use(&line);
    }
}

static void format_text(void *user)
{
    (void)user;
    format_lines(LOG_TEXT);
}

static void format_json(void *user)
{
    (void)user;
    format_lines(LOG_JSON);
}

static void run(void)
{
    struct subject one = {.cache = cache_new("one", SIZE_MAX), .key_count = 1};
    struct subject many = {.cache = cache_new("many", SIZE_MAX), .key_count = MAX_KEYS};
    struct subject counters = {.metrics =
                                   metrics_new(&(struct metrics_options){.version = "", .routes = routes})};
    const struct bench_contestant contestants[] = {
        {"clock_gettime", clock_alone, NULL, COUNT},
        {"cache hit and release, 1 key", look_up, &one, COUNT},
        {"cache hit and release, 10,000 keys", look_up, &many, COUNT},
        {"metrics_request", count_request, &counters, COUNT},
        {"a log line as text", format_text, NULL, COUNT},
        {"a log line as JSON", format_json, NULL, COUNT},
    };
    bench_compare_times("around a request", "ns", contestants, sizeof contestants / sizeof *contestants);
    cache_free(one.cache);
    cache_free(many.cache);
    metrics_free(counters.metrics);
}

const struct bench_part bench_services = {"services", run};
