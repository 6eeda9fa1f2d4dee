/*
 * The options of `posed serve`.
 */
#ifndef POSED_SERVER_OPS_CONFIG_H
#define POSED_SERVER_OPS_CONFIG_H

#include "server/ops/addresses.h"
#include "server/ops/log.h"
#include "server/ops/catalog_options.h"
#include "server/ops/object_options.h"
#include "server/ops/options.h"

#define CONFIG_MEMORY_STORE ((uint64_t)256 << 20) /* bytes of uploads kept in memory */
enum { CONFIG_WEBHOOKS = 8 };                     /* addresses of --webhook */

/* Sizes are in bytes, times in the unit of the name. Texts point into argv or the environment; NULL: not
 * given. */
struct config {
    const char *listen;
    const char *base_path;      /* see base_path.h; valid */
    const char *metrics_listen; /* an address of its own for /metrics; NULL: none */
    const char *data;
    struct object_options objects;
    struct catalog_options catalog;
    uint64_t blob_cache;
    uint64_t picture_cache;
    uint64_t cache_size;
    uint64_t catalog_cache; /* bytes of contents of uploads, of those that may leave memory */
    uint64_t threads;       /* never 0 */
    uint64_t max_upload, max_unpacked, max_entries, max_path_entries, max_ratio, max_time_ms, max_frames;
    uint64_t max_output;  /* size of a converted file, in bytes */
    uint64_t max_pending; /* bytes of all answers waiting to be sent */
    uint64_t max_store;   /* 0: unlimited with data, else CONFIG_MEMORY_STORE */
    uint64_t max_connections;
    uint64_t client_share;       /* percent; 0: unlimited */
    double rate_limit;           /* requests per second and client address; 0: off */
    const char *trusted_proxy;   /* addresses, comma-separated */
    struct address_list trusted; /* the same, parsed */
    const char *token_file;
    bool moderate;
    const char *url_key;               /* a file */
    const char *webhook, *webhook_key; /* addresses between blanks, and a file */
    const char *cors;                  /* an origin, or "*" */
    const char *allowed_hosts;         /* comma-separated */
    uint64_t idle_timeout_ms, request_timeout_ms;
    uint64_t max_age_s;
    bool no_sandbox;
    uint64_t drain_delay_ms;
    int log; /* enum log_format */
    bool check;

    struct operands paths;
};

/* The table, for the help text. */
extern const struct option config_options[];

/* The defaults, for commands that work like the daemon. */
void config_init(struct config *config);
/* argv[0] is the command's name. False with one line in error if the command line or the environment is
 * invalid. */
bool config_parse(struct config *config, int argc, char **argv, option_environment *environment,
                  char error[OPTION_ERROR_CAPACITY]);

#endif
