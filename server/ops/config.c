#include "server/ops/config.h"

#include "server/ops/base_path.h"

#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { SECOND = 1000, HOUR = 3600 * SECOND, DAY = 24 * HOUR, MAX_LOOPS = 64 };

#define MEMBER(name) offsetof(struct config, name)

/* One row for each documented option, in the same order. */
const struct option config_options[] = {
    {.name = "--listen",
     .metavar = "ADDR:PORT",
     .fallback = "127.0.0.1:8080",
     .kind = OPTION_ADDRESS,
     .member = MEMBER(listen),
     .help = "address to listen on; [::1]:PORT for IPv6; port 0 picks a free port"},
    {.name = "--base-path",
     .metavar = "PREFIX",
     .shown = "none",
     .kind = OPTION_TEXT,
     .member = MEMBER(base_path),
     .help = "path below which everything is served, as /poses; links carry it, requests may lack it"},
    {.name = "--metrics-listen",
     .metavar = "ADDR:PORT",
     .shown = "none: /metrics is at --listen",
     .kind = OPTION_ADDRESS,
     .member = MEMBER(metrics_listen),
     .help = "another address, for /metrics and the probes alone; /metrics is then nowhere else"},
    {.name = "--data",
     .metavar = "DIR",
     .shown = "none: uploads live in memory",
     .kind = OPTION_TEXT,
     .member = MEMBER(data),
     .help = "directory for uploads"},
    CATALOG_OPTION_ROWS(struct config, catalog, "--catalog"),
    OBJECT_OPTION_ROWS(struct config, objects, "--blobs"),
    {.name = "--blob-cache",
     .metavar = "SIZE",
     .fallback = "1G",
     .kind = OPTION_SIZE,
     .member = MEMBER(blob_cache),
     .help = "disk space in DIR for copies of what is in the object store; 0: none"},
    {.name = "--picture-cache",
     .metavar = "SIZE",
     .fallback = "256M",
     .kind = OPTION_SIZE,
     .member = MEMBER(picture_cache),
     .help = "disk space in DIR for pictures, which a restart then need not draw again; 0: none"},
    {.name = "--cache-size",
     .metavar = "SIZE",
     .fallback = "256M",
     .kind = OPTION_SIZE,
     .member = MEMBER(cache_size),
     .help = "memory for decoded clips"},
    {.name = "--catalog-cache",
     .metavar = "SIZE",
     .fallback = "64M",
     .kind = OPTION_SIZE,
     .member = MEMBER(catalog_cache),
     .help = "maximum memory for what uploads in DIR contain"},
    {.name = "--threads",
     .metavar = "N",
     .shown = "number of cores",
     .kind = OPTION_COUNT,
     .member = MEMBER(threads),
     .least = 1,
     .most = MAX_LOOPS,
     .help = "event loops"},
    {.name = "--max-upload",
     .metavar = "SIZE",
     .fallback = "64M",
     .kind = OPTION_SIZE,
     .member = MEMBER(max_upload),
     .least = 1,
     .help = "maximum request body"},
    {.name = "--max-unpacked",
     .metavar = "SIZE",
     .fallback = "1G",
     .kind = OPTION_SIZE,
     .member = MEMBER(max_unpacked),
     .least = 1,
     .help = "maximum unpacked size of an archive"},
    {.name = "--max-entries",
     .metavar = "N",
     .fallback = "100000",
     .kind = OPTION_COUNT,
     .member = MEMBER(max_entries),
     .least = 1,
     .most = UINT32_MAX,
     .help = "maximum number of entries in an uploaded archive"},
    {.name = "--max-path-entries",
     .metavar = "N",
     .fallback = "10000000",
     .kind = OPTION_COUNT,
     .member = MEMBER(max_path_entries),
     .least = 1,
     .most = UINT32_MAX,
     .help = "maximum number of files in a PATH, and of entries in an archive there"},
    {.name = "--max-ratio",
     .metavar = "N",
     .fallback = "200",
     .kind = OPTION_COUNT,
     .member = MEMBER(max_ratio),
     .least = 1,
     .most = UINT32_MAX,
     .help = "maximum compression ratio of an entry"},
    {.name = "--max-time",
     .metavar = "T",
     .fallback = "10s",
     .kind = OPTION_DURATION,
     .member = MEMBER(max_time_ms),
     .least = 1,
     .most = DAY,
     .help = "maximum processor time to work on one request"},
    {.name = "--max-frames",
     .metavar = "N",
     .fallback = "100000",
     .kind = OPTION_COUNT,
     .member = MEMBER(max_frames),
     .least = 1,
     .most = UINT32_MAX,
     .help = "maximum number of poses in one answer"},
    {.name = "--max-output",
     .metavar = "SIZE",
     .fallback = "128M",
     .kind = OPTION_SIZE,
     .member = MEMBER(max_output),
     .least = 1,
     .help = "maximum size of a converted file"},
    {.name = "--max-pending",
     .metavar = "SIZE",
     .fallback = "256M",
     .kind = OPTION_SIZE,
     .member = MEMBER(max_pending),
     .least = 1,
     .help = "maximum memory for unread answers, and for large unpacked archives"},
    {.name = "--max-store",
     .metavar = "SIZE",
     .fallback = "0",
     .shown = "0: no limit; without --data 256M",
     .kind = OPTION_SIZE,
     .member = MEMBER(max_store),
     .help = "maximum size of all uploads together"},
    {.name = "--max-connections",
     .metavar = "N",
     .fallback = "4096",
     .kind = OPTION_COUNT,
     .member = MEMBER(max_connections),
     .least = 1,
     .most = 1000000,
     .help = "maximum number of open connections"},
    {.name = "--client-share",
     .metavar = "PERCENT",
     .fallback = "25",
     .kind = OPTION_COUNT,
     .member = MEMBER(client_share),
     .most = 100,
     .help = "maximum share of connections and waiting requests per client address once three quarters "
             "are in use; "
             "0: no limit"},
    {.name = "--rate-limit",
     .metavar = "N/s",
     .fallback = "off",
     .kind = OPTION_RATE,
     .member = MEMBER(rate_limit),
     .help = "maximum request rate of one client address; allows bursts of up to two seconds"},
    {.name = "--trusted-proxy",
     .metavar = "ADDR",
     .shown = "none",
     .kind = OPTION_NETWORKS,
     .member = MEMBER(trusted_proxy),
     .help = "proxies (addresses or networks, comma-separated) whose forwarded client addresses are trusted"},
    {.name = "--token-file",
     .metavar = "FILE",
     .shown = "none",
     .kind = OPTION_TEXT,
     .member = MEMBER(token_file),
     .help = "file of bearer tokens, one per line, with names, scopes, quotas; writes then require a token; "
             "SIGHUP rereads it"},
    {.name = "--moderate",
     .kind = OPTION_FLAG,
     .member = MEMBER(moderate),
     .help = "uploads wait until a token with the scope admin publishes them; needs --token-file"},
    {.name = "--url-key",
     .metavar = "FILE",
     .shown = "none",
     .kind = OPTION_TEXT,
     .member = MEMBER(url_key),
     .help =
         "file of keys, one per line, that sign URLs; pictures, conversions and series of poses then need a "
         "signature, a token or the page; SIGHUP rereads it"},
    {.name = "--webhook",
     .metavar = "URL",
     .shown = "none",
     .kind = OPTION_TEXT,
     .member = MEMBER(webhook),
     .help = "http or https URL that receives uploads, publications and deletions by POST; several "
             "separated by spaces"},
    {.name = "--webhook-key",
     .metavar = "FILE",
     .shown = "none: unsigned",
     .kind = OPTION_TEXT,
     .member = MEMBER(webhook_key),
     .help = "file whose first line is the key that signs them (HMAC-SHA256)"},
    {.name = "--cors",
     .metavar = "ORIGIN",
     .fallback = "*",
     .kind = OPTION_TEXT,
     .member = MEMBER(cors),
     .help = "origin whose pages may read"},
    {.name = "--allowed-hosts",
     .metavar = "LIST",
     .shown = "any",
     .kind = OPTION_TEXT,
     .member = MEMBER(allowed_hosts),
     .help = "host names to answer for, comma-separated; *.NAME matches any below NAME"},
    {.name = "--idle-timeout",
     .metavar = "T",
     .fallback = "30s",
     .kind = OPTION_DURATION,
     .member = MEMBER(idle_timeout_ms),
     .least = SECOND,
     .most = DAY,
     .help = "close idle connections after this time"},
    {.name = "--request-timeout",
     .metavar = "T",
     .fallback = "30s",
     .kind = OPTION_DURATION,
     .member = MEMBER(request_timeout_ms),
     .least = SECOND,
     .most = DAY,
     .help = "drop requests that are incomplete after this time"},
    {.name = "--max-age",
     .metavar = "SECONDS",
     .fallback = "31536000",
     .kind = OPTION_COUNT,
     .member = MEMBER(max_age_s),
     .most = INT32_MAX,
     .help = "maximum max-age of any answer"},
    {.name = "--no-sandbox",
     .kind = OPTION_FLAG,
     .member = MEMBER(no_sandbox),
     .help = "disable the seccomp filter"},
    {.name = "--drain-delay",
     .metavar = "T",
     .fallback = "0s",
     .kind = OPTION_DURATION,
     .member = MEMBER(drain_delay_ms),
     .most = HOUR,
     .help = "time between /readyz turning 503 and closing the listener"},
    {.name = "--log",
     .metavar = "text|json",
     .fallback = "text",
     .kind = OPTION_CHOICE,
     .member = MEMBER(log),
     .help = "one line per request on standard error"},
    {.name = "--check",
     .kind = OPTION_FLAG,
     .member = MEMBER(check),
     .help = "validate the options, DIR and PATHs and exit; changes nothing"},
    {.name = NULL},
};

/* The number of CPUs available to the process. */
static uint64_t core_count(void)
{
    cpu_set_t cores;
    int count = sched_getaffinity(0, sizeof cores, &cores) ? 1 : CPU_COUNT(&cores);
    return count < MAX_LOOPS ? (uint64_t)count : MAX_LOOPS;
}

/* With a host, and only of visible ASCII. */
static bool is_web_address(const char *text, size_t size)
{
    enum { MAX_LINE = 2000 };
    const size_t scheme = !strncmp(text, "http://", 7) ? 7 : !strncmp(text, "https://", 8) ? 8 : 0;
    size_t length = 0;
    while (text[length] > ' ' && text[length] < 0x7f)
        length++;
    return scheme && length == size && length > scheme && length <= MAX_LINE && !strchr("/?#", text[scheme]);
}

/* Between blanks. */
static bool are_web_addresses(const char *text)
{
    unsigned count = 0;
    for (size_t size; (size = strcspn(text += strspn(text, " "), " ")); text += size) {
        if (!is_web_address(text, size) || ++count > CONFIG_WEBHOOKS)
            return false;
    }
    return count;
}

bool config_parse(struct config *config, int argc, char **argv, option_environment *environment,
                  char error[OPTION_ERROR_CAPACITY])
{
    *config = (struct config){0};
    if (!options_parse(config_options, config, argc, argv, environment, &config->paths, error))
        return false;
    const char *why;
    if (config->base_path && !base_path_is_valid(config->base_path, &why)) {
        snprintf(error, OPTION_ERROR_CAPACITY, "--base-path \"%.80s\": %s", config->base_path, why);
        return false;
    }
    if (config->objects.blobs && !config->data) {
        snprintf(error, OPTION_ERROR_CAPACITY,
                 "--blobs needs --data DIR for the catalogue and the local copies");
        return false;
    }
    if (config->catalog.url && !config->objects.blobs) {
        snprintf(error, OPTION_ERROR_CAPACITY,
                 "--catalog needs --blobs s3://BUCKET[/PREFIX]: what several machines list they must all be "
                 "able to read");
        return false;
    }
    if (config->moderate && !config->token_file) {
        snprintf(error, OPTION_ERROR_CAPACITY,
                 "--moderate needs --token-file: its tokens say who may publish");
        return false;
    }
    if (config->webhook && !are_web_addresses(config->webhook)) {
        snprintf(error, OPTION_ERROR_CAPACITY,
                 "--webhook: needs an address that begins with http:// or https://, or up to %d between "
                 "blanks",
                 CONFIG_WEBHOOKS);
        return false;
    }
    if (config->webhook_key && !config->webhook) {
        snprintf(error, OPTION_ERROR_CAPACITY, "--webhook-key needs --webhook");
        return false;
    }
    if (config->trusted_proxy)
        address_list_parse(&config->trusted, config->trusted_proxy); /* already validated */
    if (!config->threads)
        config->threads = core_count();
    return true;
}

void config_init(struct config *config)
{
    static char name[] = "posed", *arguments[] = {name, NULL};
    char error[OPTION_ERROR_CAPACITY];
    config_parse(config, 1, arguments, NULL, error);
}
