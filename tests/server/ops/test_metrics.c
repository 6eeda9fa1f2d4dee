/*
 * The text of the metrics: every family of the contract, what was counted and nothing else, cumulative buckets, escaped
 * labels; and promtool finds nothing to complain about where it is installed.
 */
#include "server/ops/metrics/metrics.h"
#include "server/ops/metrics/process.h"
#include "server/ops/metrics/prometheus.h"
#include "tests/support/unit.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char route_pose[] = "/v1/clips/{id}/pose";
static const char route_archives[] = "/v1/archives";
static const char route_archives_again[] = "/v1/archives"; /* another method's row of a route table */
static const char *const routes[] = {route_pose, route_archives, route_archives_again, NULL};

static void collect(void *user, struct metrics_gauges *gauges)
{
    ++*(int *)user;
    gauges->connections = 7;
    gauges->queue_depth = 3;
    gauges->queue_rejected = 2;
    gauges->assets[METRICS_CLIPS] = 40;
    gauges->assets[METRICS_MESHES] = 5;
    gauges->store_bytes = 123456;
    gauges->written_bytes = 654321;
}

static int collected;

static struct metrics *new_metrics(void)
{
    struct metrics *metrics = metrics_new(&(struct metrics_options){
        .version = "0.1.0", .revision = 3, .routes = routes, .collect = collect, .user = &collected});
    ck_assert_ptr_nonnull(metrics);
    return metrics;
}

static char *render(const struct metrics *metrics)
{
    size_t size;
    char *text = metrics_render(metrics, &size);
    ck_assert_ptr_nonnull(text);
    ck_assert_uint_eq(strlen(text), size);
    return text;
}

/* The value of a series, written as in the text; -1 when it is not there. */
static double value_of(const char *text, const char *series)
{
    size_t length = strlen(series);
    for (const char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
        if (!strncmp(line, series, length) && line[length] == ' ')
            return strtod(line + length, NULL);
    }
    return -1;
}

static void has(const char *text, const char *series, double value)
{
    ck_assert_msg(value_of(text, series) == value, "%s is %g instead of %g in\n%s", series,
                  value_of(text, series), value, text);
}

TEST(every_family_of_the_contract_is_there)
{
    static const char *const families[] = {
        "posed_http_requests_total counter",
        "posed_http_request_duration_seconds histogram",
        "posed_http_connections gauge",
        "posed_cache_hits_total counter",
        "posed_cache_misses_total counter",
        "posed_cache_evictions_total counter",
        "posed_cache_bytes gauge",
        "posed_cache_limit_bytes gauge",
        "posed_cache_entries gauge",
        "posed_decodes_total counter",
        "posed_decode_duration_seconds histogram",
        "posed_queue_depth gauge",
        "posed_queue_rejected_total counter",
        "posed_catalog_assets gauge",
        "posed_store_bytes gauge",
        "posed_written_bytes_total counter",
        "posed_build_info gauge",
        "process_cpu_seconds_total counter",
        "process_open_fds gauge",
        "process_max_fds gauge",
        "process_virtual_memory_bytes gauge",
        "process_virtual_memory_max_bytes gauge",
        "process_resident_memory_bytes gauge",
        "process_start_time_seconds gauge",
    };
    struct metrics *metrics = new_metrics();
    char *text = render(metrics);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        char line[128], help[128];
        int length = snprintf(line, sizeof line, "# TYPE %s\n", families[i]);
        const char *found = strstr(text, line);
        ck_assert_msg(found, "%s is missing in\n%s", families[i], text);
        ck_assert_msg(!strstr(found + length, line), "%s is there twice", families[i]);
        snprintf(help, sizeof help, "# HELP %.*s ", (int)strcspn(families[i], " "), families[i]);
        ck_assert_msg(strstr(text, help), "%s has no help", families[i]);
    }
    free(text);
    metrics_free(metrics);
}

TEST(requests_are_counted_by_route_method_and_code)
{
    struct metrics *metrics = new_metrics();
    metrics_request(metrics, route_pose, "GET", 200, 0.00002);
    metrics_request(metrics, route_pose, "GET", 200, 0.00002);
    metrics_request(metrics, route_pose, "GET", 404, 0.00002);
    metrics_request(metrics, route_archives, "GET", 200, 0.1);
    metrics_request(metrics, route_archives_again, "POST", 201, 0.1);
    metrics_request(metrics, "", "GET", 404, 0.1);
    metrics_request(metrics, NULL, "BREW", 418, 0.1);
    metrics_request(metrics, "unheard of", NULL, 99999, 0.1);
    char *text = render(metrics);
    has(text, "posed_http_requests_total{route=\"/v1/clips/{id}/pose\",method=\"GET\",code=\"200\"}", 2);
    has(text, "posed_http_requests_total{route=\"/v1/clips/{id}/pose\",method=\"GET\",code=\"404\"}", 1);
    has(text, "posed_http_requests_total{route=\"/v1/archives\",method=\"GET\",code=\"200\"}", 1);
    has(text, "posed_http_requests_total{route=\"/v1/archives\",method=\"POST\",code=\"201\"}", 1);
    has(text, "posed_http_requests_total{route=\"\",method=\"GET\",code=\"404\"}", 1);
    has(text, "posed_http_requests_total{route=\"\",method=\"other\",code=\"other\"}", 2);
    has(text, "posed_http_requests_total{route=\"/v1/clips/{id}/pose\",method=\"GET\",code=\"500\"}", -1);
    has(text, "posed_http_request_duration_seconds_count{route=\"/v1/archives\"}", 2);
    has(text, "posed_http_request_duration_seconds_count{route=\"\"}", 3);
    free(text);
    metrics_free(metrics);
}

TEST(buckets_are_cumulative_and_their_bounds_belong_to_them)
{
    struct metrics *metrics = new_metrics();
    metrics_request(metrics, route_pose, "GET", 200, 0);
    metrics_request(metrics, route_pose, "GET", 200, 0.001); /* the bound itself */
    metrics_request(metrics, route_pose, "GET", 200, 0.002);
    metrics_request(metrics, route_pose, "GET", 200, 100); /* beyond every bound */
    metrics_request(metrics, route_pose, "GET", 200, -1);  /* a clock that ran backwards */
    metrics_request(metrics, route_pose, "GET", 200, NAN); /* not a number */
    char *text = render(metrics);
#define BUCKET(bound)                                                                                        \
    "posed_http_request_duration_seconds_bucket{route=\"/v1/clips/{id}/pose\",le=\"" bound "\"}"
    has(text, BUCKET("0.00001"), 3);
    has(text, BUCKET("0.0005"), 3);
    has(text, BUCKET("0.001"), 4);
    has(text, BUCKET("0.0025"), 5);
    has(text, BUCKET("10"), 5);
    has(text, BUCKET("+Inf"), 6);
    has(text, "posed_http_request_duration_seconds_count{route=\"/v1/clips/{id}/pose\"}", 6);
    has(text, "posed_http_request_duration_seconds_sum{route=\"/v1/clips/{id}/pose\"}", 100.003);
    free(text);
    metrics_free(metrics);
}

TEST(decodes_are_counted_by_format_and_outcome)
{
    struct metrics *metrics = new_metrics();
    const char *known = pose_formats()[0].id;
    metrics_decode(metrics, known, POSE_OK, 0.003);
    metrics_decode(metrics, known, POSE_OK, 0.003);
    metrics_decode(metrics, known, POSE_BAD_DATA, 0.001);
    metrics_decode(metrics, "no such format", POSE_UNKNOWN_FORMAT, 0.001);
    metrics_decode(metrics, NULL, POSE_NO_MEMORY, 0.001);
    char *text = render(metrics);
    char series[160];
    const char *name = known ? known : "unknown";
    snprintf(series, sizeof series, "posed_decodes_total{format=\"%s\",outcome=\"ok\"}", name);
    has(text, series, 2);
    snprintf(series, sizeof series, "posed_decodes_total{format=\"%s\",outcome=\"bad_data\"}", name);
    has(text, series, 1);
    snprintf(series, sizeof series, "posed_decode_duration_seconds_count{format=\"%s\"}", name);
    has(text, series, known ? 3 : 5);
    has(text, "posed_decodes_total{format=\"unknown\",outcome=\"unknown_format\"}", 1);
    has(text, "posed_decodes_total{format=\"unknown\",outcome=\"no_memory\"}", 1);
    free(text);
    metrics_free(metrics);
}

TEST(gauges_are_asked_for_once)
{
    struct metrics *metrics = new_metrics();
    collected = 0;
    char *text = render(metrics);
    ck_assert_int_eq(collected, 1);
    has(text, "posed_http_connections", 7);
    has(text, "posed_queue_depth", 3);
    has(text, "posed_queue_rejected_total", 2);
    has(text, "posed_catalog_assets{kind=\"clip\"}", 40);
    has(text, "posed_catalog_assets{kind=\"skeleton\"}", 0);
    has(text, "posed_catalog_assets{kind=\"mesh\"}", 5);
    has(text, "posed_catalog_assets{kind=\"character\"}", 0);
    has(text, "posed_store_bytes", 123456);
    has(text, "posed_written_bytes_total", 654321);
    has(text, "posed_build_info{version=\"0.1.0\",revision=\"3\"}", 1);
    free(text);
    metrics_free(metrics);
}

TEST(caches_tell_their_counts)
{
    struct metrics *metrics = new_metrics();
    struct cache *clips = cache_new("clips", 1000), *replies = cache_new("replies", 2000);
    metrics_add_cache(metrics, clips);
    metrics_add_cache(metrics, replies);
    char *text = render(metrics);
    has(text, "posed_cache_limit_bytes{cache=\"clips\"}", 1000);
    has(text, "posed_cache_limit_bytes{cache=\"replies\"}", 2000);
    has(text, "posed_cache_hits_total{cache=\"clips\"}", 0);
    has(text, "posed_cache_misses_total{cache=\"replies\"}", 0);
    has(text, "posed_cache_evictions_total{cache=\"replies\"}", 0);
    has(text, "posed_cache_bytes{cache=\"replies\"}", 0);
    has(text, "posed_cache_entries{cache=\"replies\"}", 0);
    free(text);
    metrics_free(metrics);
    cache_free(clips);
    cache_free(replies);
}

TEST(the_process_is_this_one)
{
    struct metrics *metrics = new_metrics();
    char *text = render(metrics);
    double started = value_of(text, "process_start_time_seconds");
    /* Ticks of 10 ms since a start of the machine that is known to the second. */
    ck_assert_double_le(started, (double)time(NULL) + 2);
    ck_assert_double_ge(started, (double)time(NULL) - 24 * 3600);
    ck_assert_double_ge(value_of(text, "process_resident_memory_bytes"), 100000);
    ck_assert_double_ge(value_of(text, "process_virtual_memory_bytes"),
                        value_of(text, "process_resident_memory_bytes"));
    ck_assert_double_ge(value_of(text, "process_cpu_seconds_total"), 0);
    ck_assert_double_ge(value_of(text, "process_max_fds"), value_of(text, "process_open_fds"));
    free(text);

    struct process_usage before, after;
    process_measure(&before);
    int fd = dup(1);
    process_measure(&after);
    close(fd);
    ck_assert_uint_eq(after.open_fds, before.open_fds + 1);
    metrics_free(metrics);
}

static void *record_many(void *user)
{
    for (int i = 0; i < 10000; i++) {
        metrics_request(user, route_pose, "GET", 200, 0.001);
        metrics_decode(user, "sl-anim", POSE_OK, 0.001);
    }
    return NULL;
}

TEST(threads_lose_no_count)
{
    struct metrics *metrics = new_metrics();
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, record_many, metrics), 0);
    free(render(metrics)); /* at the same time */
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    char *text = render(metrics);
    has(text, "posed_http_requests_total{route=\"/v1/clips/{id}/pose\",method=\"GET\",code=\"200\"}", 40000);
    has(text, "posed_http_request_duration_seconds_sum{route=\"/v1/clips/{id}/pose\"}", 40);
    free(text);
    metrics_free(metrics);
}

TEST(labels_are_escaped_and_seconds_exact)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    prometheus_sample(out, "a", PROMETHEUS_LABELS({"x", "back\\slash"}, {"y", "\"quote\"\nline"}),
                      UINT64_MAX);
    prometheus_seconds(out, "b", PROMETHEUS_NO_LABELS, 0);
    prometheus_seconds(out, "b", PROMETHEUS_NO_LABELS, 1);
    prometheus_seconds(out, "b", PROMETHEUS_NO_LABELS, 1500000000);
    prometheus_seconds(out, "b", PROMETHEUS_NO_LABELS, 100000000000);
    fclose(out);
    ck_assert_str_eq(text, "a{x=\"back\\\\slash\",y=\"\\\"quote\\\"\\nline\"} 18446744073709551615\n"
                           "b 0\nb 0.000000001\nb 1.5\nb 100\n");
    free(text);
}

TEST(promtool_has_nothing_to_say)
{
    if (system("command -v promtool >/dev/null 2>&1")) {
        fputs("SKIPPED: promtool is not installed\n", stderr);
        return;
    }
    struct metrics *metrics = new_metrics();
    struct cache *clips = cache_new("clips", 1000);
    metrics_add_cache(metrics, clips);
    metrics_request(metrics, route_pose, "GET", 200, 0.001);
    metrics_request(metrics, NULL, "GET", 404, 0.001);
    metrics_decode(metrics, NULL, POSE_OK, 0.001);
    char *text = render(metrics);
    FILE *promtool = popen("promtool check metrics", "w");
    fputs(text, promtool);
    int status = pclose(promtool);
    ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "promtool found fault with\n%s", text);
    free(text);
    metrics_free(metrics);
    cache_free(clips);
}
