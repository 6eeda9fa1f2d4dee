#include "server/ops/config.h"

#include <sched.h>
#include <stddef.h>

enum { SECOND = 1000, HOUR = 3600 * SECOND, DAY = 24 * HOUR, MOST_LOOPS = 64 };

#define MEMBER(name) offsetof(struct config, name)

/* One row an option of the contract, in its order. */
const struct option config_options[] = {
    {.name = "--listen",
     .metavar = "ADDR:PORT",
     .fallback = "127.0.0.1:8080",
     .kind = OPTION_ADDRESS,
     .member = MEMBER(listen),
     .help = "where to listen; [::1]:PORT for IPv6, port 0 takes a free one"},
    {.name = "--data",
     .metavar = "DIR",
     .shown = "none: uploads live in memory",
     .kind = OPTION_TEXT,
     .member = MEMBER(data),
     .help = "the folder where uploads are kept"},
    {.name = "--cache-size",
     .metavar = "SIZE",
     .fallback = "256M",
     .kind = OPTION_SIZE,
     .member = MEMBER(cache_size),
     .help = "bound of the cache of decoded clips, in bytes held"},
    {.name = "--threads",
     .metavar = "N",
     .shown = "number of cores",
     .kind = OPTION_COUNT,
     .member = MEMBER(threads),
     .least = 1,
     .most = MOST_LOOPS,
     .help = "event loops"},
    {.name = "--max-upload",
     .metavar = "SIZE",
     .fallback = "64M",
     .kind = OPTION_SIZE,
     .member = MEMBER(max_upload),
     .least = 1,
     .help = "greatest body of a request"},
    {.name = "--max-unpacked",
     .metavar = "SIZE",
     .fallback = "1G",
     .kind = OPTION_SIZE,
     .member = MEMBER(max_unpacked),
     .least = 1,
     .help = "what an archive may unpack to"},
    {.name = "--max-entries",
     .metavar = "N",
     .fallback = "100000",
     .kind = OPTION_COUNT,
     .member = MEMBER(max_entries),
     .least = 1,
     .most = UINT32_MAX,
     .help = "entries of an archive"},
    {.name = "--max-ratio",
     .metavar = "N",
     .fallback = "200",
     .kind = OPTION_COUNT,
     .member = MEMBER(max_ratio),
     .least = 1,
     .most = UINT32_MAX,
     .help = "unpacked to packed bytes of an entry"},
    {.name = "--max-time",
     .metavar = "T",
     .fallback = "10s",
     .kind = OPTION_DURATION,
     .member = MEMBER(max_time_ms),
     .least = 1,
     .most = DAY,
     .help = "work on one request"},
    {.name = "--max-frames",
     .metavar = "N",
     .fallback = "100000",
     .kind = OPTION_COUNT,
     .member = MEMBER(max_frames),
     .least = 1,
     .most = UINT32_MAX,
     .help = "poses in one answer"},
    {.name = "--max-store",
     .metavar = "SIZE",
     .fallback = "0",
     .shown = "0: no bound; without --data 256M",
     .kind = OPTION_SIZE,
     .member = MEMBER(max_store),
     .help = "bytes of all uploads together"},
    {.name = "--max-connections",
     .metavar = "N",
     .fallback = "4096",
     .kind = OPTION_COUNT,
     .member = MEMBER(max_connections),
     .least = 1,
     .most = 1000000,
     .help = "connections open at a time"},
    {.name = "--client-share",
     .metavar = "PERCENT",
     .fallback = "25",
     .kind = OPTION_COUNT,
     .member = MEMBER(client_share),
     .most = 100,
     .help = "of the connections, and of the requests that wait, for one client address once three quarters "
             "are taken; "
             "0: no bound"},
    {.name = "--rate-limit",
     .metavar = "N/s",
     .fallback = "off",
     .kind = OPTION_RATE,
     .member = MEMBER(rate_limit),
     .help = "requests of one client address; what it does not use it may save up for two seconds"},
    {.name = "--trusted-proxy",
     .metavar = "ADDR",
     .shown = "none",
     .kind = OPTION_NETWORKS,
     .member = MEMBER(trusted_proxy),
     .help =
         "proxies (addresses or networks, comma-separated) whose forwarded client addresses are believed"},
    {.name = "--token-file",
     .metavar = "FILE",
     .shown = "none",
     .kind = OPTION_TEXT,
     .member = MEMBER(token_file),
     .help = "bearer tokens, one a line, # comments; every write then needs one; SIGHUP re-reads them"},
    {.name = "--cors",
     .metavar = "ORIGIN",
     .fallback = "*",
     .kind = OPTION_TEXT,
     .member = MEMBER(cors),
     .help = "the origin whose pages may read"},
    {.name = "--allowed-hosts",
     .metavar = "LIST",
     .shown = "any",
     .kind = OPTION_TEXT,
     .member = MEMBER(allowed_hosts),
     .help = "host names that requests may be for, comma-separated; *.NAME is any below NAME"},
    {.name = "--idle-timeout",
     .metavar = "T",
     .fallback = "30s",
     .kind = OPTION_DURATION,
     .member = MEMBER(idle_timeout_ms),
     .least = SECOND,
     .most = DAY,
     .help = "a connection that is idle for so long is closed"},
    {.name = "--request-timeout",
     .metavar = "T",
     .fallback = "30s",
     .kind = OPTION_DURATION,
     .member = MEMBER(request_timeout_ms),
     .least = SECOND,
     .most = DAY,
     .help = "a request that is not whole by then is dropped"},
    {.name = "--max-age",
     .metavar = "SECONDS",
     .fallback = "31536000",
     .kind = OPTION_COUNT,
     .member = MEMBER(max_age_s),
     .most = INT32_MAX,
     .help = "bound of every max-age"},
    {.name = "--no-sandbox",
     .kind = OPTION_FLAG,
     .member = MEMBER(no_sandbox),
     .help = "leaves the system-call filter off"},
    {.name = "--drain-delay",
     .metavar = "T",
     .fallback = "0s",
     .kind = OPTION_DURATION,
     .member = MEMBER(drain_delay_ms),
     .most = HOUR,
     .help = "at the end, between /readyz turning 503 and closing the listener"},
    {.name = "--log",
     .metavar = "text|json",
     .fallback = "text",
     .kind = OPTION_CHOICE,
     .member = MEMBER(log),
     .help = "one line a request on standard error"},
    {.name = "--check",
     .kind = OPTION_FLAG,
     .member = MEMBER(check),
     .help = "validates the options, DIR and PATHs, changes nothing, and exits"},
    {.name = NULL},
};

/* The cores that the process may use. */
static uint64_t core_count(void)
{
    cpu_set_t cores;
    int count = sched_getaffinity(0, sizeof cores, &cores) ? 1 : CPU_COUNT(&cores);
    return count < MOST_LOOPS ? (uint64_t)count : MOST_LOOPS;
}

bool config_parse(struct config *config, int argc, char **argv, option_environment *environment,
                  char error[OPTION_ERROR_CAPACITY])
{
    *config = (struct config){0};
    if (!options_parse(config_options, config, argc, argv, environment, &config->paths, error))
        return false;
    if (config->trusted_proxy)
        address_list_parse(&config->trusted, config->trusted_proxy); /* it was found right */
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
