/* `posed serve`: the daemon. */
#include "api/dispatch.h"
#include "server/commands.h"
#include "server/config.h"
#include "server/http.h"
#include "server/log.h"
#include "server/watch.h"

#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GRACE_S = 10, QUEUE_LIMIT = 1024, SPOOL_THRESHOLD = 1 << 20 };

struct daemon {
    struct config config;
    struct service *service;
    struct http_server *http;
    struct watch *watch;
    uv_signal_t signals[2];
    uv_timer_t drain;
    bool stopping;
};

/* ---------------------------------------------------------------------------------------------- stopping -- */

static void stop_http(uv_timer_t *timer)
{
    struct daemon *daemon = timer->data;
    watch_stop(daemon->watch);
    for (int i = 0; i < 2; i++)
        uv_close((uv_handle_t *)&daemon->signals[i], NULL);
    uv_close((uv_handle_t *)&daemon->drain, NULL);
    http_stop(daemon->http, GRACE_S);
}

static void on_signal(uv_signal_t *signal, int number)
{
    struct daemon *daemon = signal->data;
    if (daemon->stopping)
        return;
    daemon->stopping = true;
    log_message(LOG_INFO, "signal %d: draining", number);
    atomic_store(&daemon->service->state, SERVICE_DRAINING);
    uv_timer_start(&daemon->drain, stop_http, daemon->config.drain_delay_ms, 0);
}

static void watch_signals(struct daemon *daemon)
{
    static const int numbers[2] = {SIGTERM, SIGINT};
    uv_loop_t *loop = http_main_loop(daemon->http);
    uv_timer_init(loop, &daemon->drain);
    daemon->drain.data = daemon;
    for (int i = 0; i < 2; i++) {
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
                               .client = record->client,
                               .method = record->method,
                               .route = response->route,
                               .path = record->path,
                               .status = record->status,
                               .bytes = record->bytes,
                               .seconds = record->seconds,
                               .cache = response->cache};
    log_request(&line);
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

/* Answers of some hundred KB are common: without this every one is a pair of system calls for memory. */
static void tune_memory(void)
{
    enum { KEPT = 64 << 20, STEP = 1 << 20 };
    mallopt(M_TRIM_THRESHOLD, KEPT);
    mallopt(M_TOP_PAD, STEP);
}

/* Options of the contract that need parts which this version does not have yet: refused, not ignored. */
static const char *missing_part(const struct config *config)
{
    if (config->data)
        return "--data";
    if (config->token_file)
        return "--token-file";
    if (config->rate_limit > 0)
        return "--rate-limit";
    if (config->trusted_proxy)
        return "--trusted-proxy";
    if (config->allowed_hosts)
        return "--allowed-hosts";
    return NULL;
}

static bool open_http(struct daemon *daemon)
{
    const struct config *config = &daemon->config;
    struct http_application application = {.user = daemon->service,
                                           .admit = api_admit,
                                           .handle = api_handle,
                                           .refuse = api_refuse,
                                           .finished = on_finished};
    struct http_options options = {.listen = config->listen,
                                   .listen_fd = -1,
                                   .threads = (unsigned)config->threads,
                                   .max_connections = (unsigned)config->max_connections,
                                   .idle_timeout_s = (unsigned)((config->idle_timeout_ms + 999) / 1000),
                                   .request_timeout_s = (unsigned)((config->request_timeout_ms + 999) / 1000),
                                   .queue_limit = QUEUE_LIMIT,
                                   .spool_threshold = SPOOL_THRESHOLD,
                                   .spool_dir = "/tmp"};
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

static int serve(struct daemon *daemon)
{
    struct pose_error error;
    bool unsettled;
    daemon->service = service_new(&daemon->config, api_route_templates());
    if (!service_index(daemon->service, &unsettled, &error)) {
        service_free(daemon->service);
        fprintf(stderr, "posed: %s\n", error.detail);
        return COMMAND_BAD_INPUT;
    }
    if (daemon->config.check || !open_http(daemon)) {
        service_free(daemon->service);
        return daemon->config.check ? COMMAND_DONE : COMMAND_BAD_INPUT;
    }
    watch_signals(daemon);
    daemon->watch = watch_start(http_main_loop(daemon->http), daemon->service);
    atomic_store(&daemon->service->state, SERVICE_READY);
    printf("posed: listening on http://%s\n", http_address(daemon->http));
    fflush(stdout);
    http_run(daemon->http);
    http_close(daemon->http);
    watch_free(daemon->watch);
    service_free(daemon->service);
    return COMMAND_DONE;
}

static int run_serve(const struct command *command, int argc, char **argv)
{
    static struct daemon daemon;
    char error[OPTION_ERROR_CAPACITY];
    (void)command;
    if (!config_parse(&daemon.config, argc, argv, getenv, error))
        return command_misused("%s", error);
    const char *missing = missing_part(&daemon.config);
    if (missing)
        return command_misused("%s is not there yet in this version", missing);
    signal(SIGPIPE, SIG_IGN);
    log_init((enum log_format)daemon.config.log, 2);
    files_init();
    tune_memory();
    int status = serve(&daemon);
    log_close();
    return status;
}

const struct command command_serve = {
    .name = "serve",
    .operands = "[PATH...]",
    .summary = "serves archives, folders and files over HTTP",
    .description =
        "Each PATH is an archive, a folder (walked), or a loose file. What changes there shows within a\n"
        "second. A PATH that is missing ends the start; a broken one is served and listed with its error.\n",
    .options = config_options,
    .environment = true,
    .run = run_serve,
};
