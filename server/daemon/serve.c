/* The daemon, from its options to its end. */
#include "api/dispatch.h"
#include "server/daemon/daemon.h"
#include "server/daemon/sandbox.h"
#include "server/daemon/systemd.h"
#include "server/daemon/watch.h"
#include "server/access/url_keys.h"
#include "server/events/webhook.h"
#include "server/http/http.h"
#include "server/library/index/cache.h"
#include "server/ops/base_path.h"
#include "server/ops/log.h"
#include "server/ops/options.h"
#include "server/ops/spill.h"
#include "server/store/upkeep/check.h"
#include "server/store/postgres/catalog.h"
#include "server/store/s3/blobs_s3.h"
#include "server/uploads/expiry.h"
#include "server/uploads/follow.h"
#include "server/uploads/loading.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MIN_RATE = 1024, RATE_WINDOW_MS = 30000 };
enum { GRACE_S = 10, QUEUE_LIMIT = 1024, SPOOL_THRESHOLD = 1 << 20, SIGNAL_COUNT = 3 };

struct daemon {
    struct config config;
    struct service *service;
    struct http_server *http;
    struct watch *watch;
    uv_signal_t signals[SIGNAL_COUNT];
    uv_timer_t drain;
    uv_timer_t patience; /* with work that does not end */
    struct systemd_watchdog watchdog;
    pthread_t rows_maker;
    bool makes_rows;
    int listen_fd; /* socket passed by systemd, or -1 */
    bool stopping;
};

/* ---------------------------------------------------------------------------------------------- stopping -- */

/* Nothing can end a thread that waits for a disk or a network drive. What was acknowledged is safe: it was before. */
static void on_stuck(uv_timer_t *timer)
{
    (void)timer;
    log_message(LOG_ERROR, "work has not ended %d s after --max-time; it is left unfinished, exit status %d",
                (int)GRACE_S, (int)COMMAND_STUCK);
    _exit(COMMAND_STUCK);
}

static void stop_http(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;
    uv_timer_start(&daemon->patience, on_stuck, daemon->config.max_time_ms + GRACE_S * UINT64_C(1000), 0);
    watch_stop(daemon->watch);
    for (int i = 0; i < SIGNAL_COUNT; i++)
        uv_close((uv_handle_t *)&daemon->signals[i], NULL);
    uv_close((uv_handle_t *)&daemon->drain, NULL);
    systemd_watchdog_stop(&daemon->watchdog);
    http_stop(daemon->http, GRACE_S);
}

static void judge_url_keys(struct url_keys *keys)
{
    if (!url_keys_are_safe(keys))
        log_message(LOG_WARNING, "a key of --url-key is shorter than 16 characters: it can be guessed");
}

/* SIGHUP: reloads what can change without a restart. */
static void reload(struct daemon *daemon)
{
    char error[256];
    if (daemon->stopping)
        return;
    systemd_reloading();
    if (!daemon->service->tokens)
        log_message(LOG_INFO, "signal %d: there is no --token-file to read again", SIGHUP);
    else if (tokens_reload(daemon->service->tokens, error, sizeof error))
        log_message(LOG_INFO, "signal %d: tokens read again", SIGHUP);
    else
        log_message(LOG_ERROR, "signal %d: the tokens stay as they were: %s", SIGHUP, error);
    struct url_keys *keys = daemon->service->url_keys;
    if (keys && url_keys_reload(keys, error, sizeof error)) {
        log_message(LOG_INFO, "signal %d: keys of URLs read again", SIGHUP);
        judge_url_keys(keys);
    } else if (keys)
        log_message(LOG_ERROR, "signal %d: the keys of URLs stay as they were: %s", SIGHUP, error);
    systemd_ready(http_address(daemon->http));
}

static void on_signal(uv_signal_t *signal, int number)
{
    struct daemon *daemon = signal->data;
    if (number == SIGHUP) {
        reload(daemon);
        return;
    }
    if (daemon->stopping)
        return;
    daemon->stopping = true;
    log_message(LOG_INFO, "signal %d: draining", number);
    systemd_stopping();
    atomic_store(&daemon->service->state, SERVICE_DRAINING);
    uv_timer_start(&daemon->drain, stop_http, daemon->config.drain_delay_ms, 0);
}

static void watch_signals(struct daemon *daemon)
{
    static const int numbers[SIGNAL_COUNT] = {SIGTERM, SIGINT, SIGHUP};
    uv_loop_t *loop = http_main_loop(daemon->http);
    uv_timer_init(loop, &daemon->drain);
    uv_timer_init(loop, &daemon->patience);
    daemon->drain.data = daemon->patience.data = daemon;
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        uv_signal_init(loop, &daemon->signals[i]);
        daemon->signals[i].data = daemon;
        uv_signal_start(&daemon->signals[i], on_signal, numbers[i]);
    }
}

/* --------------------------------------------------------------------------------------- logs and counters -- */

static void on_finished(void *user, const struct http_record *record)
{
    struct service *service = user;
    const struct api_response *response = record->response;
    metrics_request(service->metrics, response->route, record->method, record->status, record->seconds);
    struct log_request line = {.id = response->request_id,
                               .client = response->client[0] ? response->client : record->client,
                               .method = record->method,
                               .route = response->route,
                               .path = record->path,
                               .status = record->status,
                               .bytes = record->bytes,
                               .seconds = record->seconds,
                               .cache = response->cache,
                               .token = response->token};
    log_request(&line);
}

static bool is_proxy(void *user, const char *peer)
{
    const struct service *service = user;
    struct in6_addr address;
    return service->config->trusted.count && address_parse(peer, strlen(peer), &address) &&
           address_list_holds(&service->config->trusted, &address);
}

static void gauges(void *user, struct metrics_gauges *values)
{
    struct http_counters counters;
    http_count(user, &counters);
    values->connections = counters.connections;
    values->queue_depth = counters.queue_depth;
    values->queue_rejected = counters.queue_rejected;
}

/* ---------------------------------------------------------------------------------------------- starting -- */

/* Answers of some hundred KB are common: without this, each costs a pair of system calls for memory, and a page fault for
 * every 4 KB of it. What is kept is kept by each thread that ever needed it. Setting one of these stops glibc from
 * finding the threshold of mmap by itself, so that one is set as well: above 1 MB, which libwebp takes twice a frame. */
static void tune_memory(void)
{
    enum { KEPT = 8 << 20, STEP = 1 << 20, LARGE = 2 << 20 };
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_TOP_PAD, STEP);
    mallopt(M_MMAP_THRESHOLD, LARGE);
}

static bool open_http(struct daemon *daemon)
{
    const struct config *config = &daemon->config;
    struct http_application application = {.user = daemon->service,
                                           .admit = api_admit,
                                           .handle = api_handle,
                                           .refuse = api_refuse,
                                           .is_proxy = is_proxy,
                                           .finished = on_finished};
    struct http_options options = {.listen = config->listen,
                                   .side_listen = config->metrics_listen,
                                   .listen_fd = daemon->listen_fd,
                                   .threads = (unsigned)config->threads,
                                   .max_connections = (unsigned)config->max_connections,
                                   .client_share = (unsigned)config->client_share,
                                   .max_pending = config->max_pending,
                                   .least_rate = MIN_RATE,
                                   .rate_window_ms = RATE_WINDOW_MS,
                                   .queue_time_ms = config->max_time_ms,
                                   .idle_timeout_s = (unsigned)((config->idle_timeout_ms + 999) / 1000),
                                   .request_timeout_s = (unsigned)((config->request_timeout_ms + 999) / 1000),
                                   .queue_limit = QUEUE_LIMIT,
                                   .spool_threshold = SPOOL_THRESHOLD,
                                   .max_files = (uint32_t)config->max_entries,
                                   .spool_dir = store_spool_folder(daemon->service->store)};
    char error[256];
    daemon->http = http_open(&options, &application, error, sizeof error);
    if (!daemon->http) {
        fprintf(stderr, "posed: %s\n", error);
        return false;
    }
    daemon->service->gauges = gauges;
    daemon->service->gauges_user = daemon->http;
    return true;
}

/* Runs a step of the sandbox. A daemon that cannot be confined does not serve. */
static bool confine(const struct daemon *daemon, bool step(char *error, size_t error_size))
{
    char error[256];
    if (daemon->config.no_sandbox || step(error, sizeof error))
        return true;
    fprintf(stderr, "posed: %s\n", error);
    return false;
}

static bool open_tokens(struct daemon *daemon)
{
    char error[256];
    if (!daemon->config.token_file)
        return true;
    daemon->service->tokens = tokens_open(daemon->config.token_file, error, sizeof error);
    if (!daemon->service->tokens)
        fprintf(stderr, "posed: %s\n", error);
    return daemon->service->tokens;
}

static bool open_url_keys(struct daemon *daemon)
{
    char error[256];
    if (!daemon->config.url_key)
        return true;
    daemon->service->url_keys = url_keys_open(daemon->config.url_key, error, sizeof error);
    if (daemon->service->url_keys)
        judge_url_keys(daemon->service->url_keys);
    else
        fprintf(stderr, "posed: %s\n", error);
    return daemon->service->url_keys;
}

/* What changes is told to the addresses of --webhook. */
static bool open_webhook(struct daemon *daemon)
{
    const struct config *config = &daemon->config;
    const struct webhook_options options = {
        .urls = config->webhook, .key_file = config->webhook_key, .folder = config->data};
    char error[256];
    if (!config->webhook)
        return true;
    daemon->service->webhook = webhook_open(&options, error, sizeof error);
    if (daemon->service->webhook)
        metrics_add_webhook(daemon->service->metrics, webhook_metrics_of(daemon->service->webhook));
    else
        fprintf(stderr, "posed: %s\n", error);
    return daemon->service->webhook;
}

static bool start_webhook(struct daemon *daemon)
{
    struct webhook *webhook = daemon->service->webhook;
    char error[256];
    if (!webhook)
        return true;
    if (!webhook_start(webhook, error, sizeof error)) {
        fprintf(stderr, "posed: %s\n", error);
        return false;
    }
    if (webhook_newest(webhook) > daemon->service->newest_change) /* the clock went back */
        daemon->service->newest_change = webhook_newest(webhook);
    return true;
}

static void end_service(struct daemon *daemon)
{
    follow_free(daemon->service);
    webhook_close(daemon->service->webhook);
    url_keys_close(daemon->service->url_keys);
    service_free(daemon->service);
}

static uint64_t most_stored(const struct config *config)
{
    return config->data || config->max_store ? config->max_store : CONFIG_MEMORY_STORE;
}

/* Opens the store, and the cached index of the PATHs; false, with a message, if it is unusable. */
static bool open_store(struct daemon *daemon)
{
    const struct config *config = &daemon->config;
    struct store_error error;
    if (config->check && (!config->data || store_check(config->data, &error)) &&
        (!config->objects.blobs || blobs_s3_check(&config->objects, &error)) &&
        (!config->catalog.url || store_postgres_check(&config->catalog, config->objects.timeout_ms, &error)))
        return true;
    if (!config->check)
        daemon->service->store = store_open_shared(config->data, &config->objects, &config->catalog,
                                                   config->blob_cache, most_stored(config), &error);
    if (!daemon->service->store) {
        fprintf(stderr, "posed: %s\n", error.detail);
        return false;
    }
    if (!config->check && store_objects(daemon->service->store))
        metrics_add_objects(daemon->service->metrics, store_objects(daemon->service->store));
    const struct catalog_sharing *sharing = config->check ? NULL : store_sharing(daemon->service->store);
    if (sharing)
        metrics_add_database(daemon->service->metrics,
                             sharing->count(store_catalog_of(daemon->service->store)));
    if (config->data && !config->check)
        spill_open(config->data);
    if (config->data) {
        char *path = path_join(config->data, "index.db");
        daemon->service->index_options.cache = index_cache_open(path);
        free(path);
    }
    if (config->data && config->picture_cache && !config->check) {
        struct picture_metrics *counts = &daemon->service->picture_metrics;
        daemon->service->pictures = picture_files_open(config->data, config->picture_cache, counts);
        metrics_add_pictures(daemon->service->metrics, counts);
    }
    return true;
}

/* Loads the store and the PATHs. */
static bool fill_catalog(struct daemon *daemon)
{
    struct pose_error error;
    struct store_error store_error;
    bool unsettled;
    if (!service_index(daemon->service, &unsettled, &error)) {
        fprintf(stderr, "posed: %s\n", error.detail);
        return false;
    }
    if (daemon->config.check)
        return true;
    if (follow_prepare(daemon->service, &store_error) && uploads_load(daemon->service, &store_error)) {
        /* Without a file, each start makes the rows again in the background: see start_rows. */
        if (daemon->config.data)
            service_rows(daemon->service);
        spill_rest(); /* all rows may have been made of them */
        return true;
    }
    fprintf(stderr, "posed: %s\n", store_error.detail);
    return false;
}

static void *make_rows(void *user)
{
    struct daemon *daemon = user;
    service_rows(daemon->service);
    return NULL;
}

/* The rows of lists are on their way before somebody asks for one. Without a thread they are made by who does. */
static void start_rows(struct daemon *daemon)
{
    daemon->makes_rows = !pthread_create(&daemon->rows_maker, NULL, make_rows, daemon);
}

static void finish_rows(struct daemon *daemon)
{
    if (daemon->makes_rows)
        pthread_join(daemon->rows_maker, NULL);
}

static int serve(struct daemon *daemon)
{
    daemon->service = service_new(&daemon->config, api_route_templates());
    if (!open_tokens(daemon) || !open_url_keys(daemon) || !open_webhook(daemon) || !open_store(daemon) ||
        !fill_catalog(daemon)) {
        end_service(daemon);
        return COMMAND_BAD_INPUT;
    }
    if (daemon->config.check || !confine(daemon, sandbox_refuse_io_uring) || !open_http(daemon)) {
        end_service(daemon);
        return daemon->config.check ? COMMAND_DONE : COMMAND_BAD_INPUT;
    }
    const bool connects =
        daemon->config.objects.blobs || daemon->config.catalog.url || daemon->config.webhook;
    if (!confine(daemon,
                 connects ? sandbox_enter_connecting : sandbox_enter) || /* before there are more threads */
        !start_webhook(daemon) ||
        !follow_start(daemon->service)) {
        follow_stop(daemon->service);
        http_close(daemon->http);
        end_service(daemon);
        return COMMAND_BAD_INPUT;
    }
    if (!daemon->config.data)
        log_message(
            LOG_INFO,
            "uploads live in memory, at most %llu bytes, until the daemon exits; --data DIR keeps them",
            (unsigned long long)most_stored(&daemon->config));
    watch_signals(daemon);
    systemd_watchdog_start(&daemon->watchdog, http_main_loop(daemon->http));
    start_rows(daemon);
    struct expiry *expiry = expiry_start(daemon->service);
    daemon->watch = watch_start(http_main_loop(daemon->http), daemon->service);
    atomic_store(&daemon->service->state, SERVICE_READY);
    if (daemon->config.metrics_listen)
        log_message(LOG_INFO, "metrics are at http://%s/metrics", http_side_address(daemon->http));
    printf("posed: listening on http://%s\n", http_address(daemon->http));
    fflush(stdout);
    systemd_ready(http_address(daemon->http));
    http_run(daemon->http);
    watch_finish(daemon->watch);
    uv_close((uv_handle_t *)&daemon->patience, NULL);
    finish_rows(daemon);
    expiry_stop(expiry);
    follow_stop(daemon->service);
    http_close(daemon->http);
    watch_free(daemon->watch);
    end_service(daemon);
    return COMMAND_DONE;
}

static int run(const struct config *config)
{
    static struct daemon daemon;
    char error[256];
    daemon.config = *config;
    if (!systemd_socket(&daemon.listen_fd, error, sizeof error)) {
        fprintf(stderr, "posed: %s\n", error);
        return COMMAND_BAD_INPUT;
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* exceeding the file size limit of the process becomes a failed write */
    base_path_set(daemon.config.base_path);
    log_init((enum log_format)daemon.config.log, 2);
    files_init();
    tune_memory();
    int status = serve(&daemon);
    log_close();
    return status;
}

/* The only symbol that the module exports. */
__attribute__((visibility("default"))) extern const struct daemon_module daemon_module;

const struct daemon_module daemon_module = {.serve = run};
