/*
 * Event loops and HTTP. http.c is the only file that knows libmicrohttpd and the sockets of libuv; everything
 * above sees api/message.h.
 */
#ifndef POSED_SERVER_HTTP_H
#define POSED_SERVER_HTTP_H

#include "api/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

struct http_server;

/* What http.c tells about an answer once it has been sent or has failed. */
struct http_record {
    const char *method;
    const char *path; /* raw */
    const char *client;
    unsigned status;
    uint64_t bytes; /* of the body */
    double seconds; /* from the first byte of the request to the end of the answer */
    const struct api_response *response;
};

/* The application behind the server. Every function may be called by several loops and pool threads at once. */
struct http_application {
    void *user;
    /*
     * Called when the headers are there and before any body is read. Sets the greatest body that this request
     * may have (0: none is expected; a body is then answered 413) and returns true, or fills in the response
     * (403, 404, 405, 413 …) and returns false: the request is then answered without its body being kept.
     */
    bool (*admit)(void *user, const struct api_request *request, uint64_t *max_body,
                  struct api_response *response);
    /* The request is whole. First on the loop with may_wait false; after API_WAIT once more on the pool. */
    enum api_outcome (*handle)(void *user, struct api_request *request, struct api_response *response);
    /* The answers that HTTP itself gives: 413 body too large, 503 queue full, 408; fills in a problem. */
    void (*refuse)(void *user, const struct api_request *request, unsigned status, const char *detail,
                   struct api_response *response);
    /* After the answer. May be NULL. */
    void (*finished)(void *user, const struct http_record *record);
};

struct http_options {
    const char *listen;       /* "127.0.0.1:8080", "[::1]:0" */
    int listen_fd;            /* a socket handed over by systemd, or -1 */
    unsigned threads;         /* event loops, at least 1 */
    unsigned max_connections; /* over all loops */
    unsigned idle_timeout_s;
    unsigned request_timeout_s;
    unsigned queue_limit;   /* requests on or waiting for the pool */
    size_t spool_threshold; /* larger bodies go to an unlinked file */
    const char *spool_dir;
};

struct http_counters {
    uint64_t connections; /* open now */
    uint64_t queue_depth;
    uint64_t queue_rejected;
};

/* Binds; NULL and one line in error when it cannot. Answers nothing before http_run. */
struct http_server *http_open(const struct http_options *options, const struct http_application *application,
                              char *error, size_t error_size);
/* The loop of the calling thread, for signals, timers and file watching. Turns inside http_run only. */
uv_loop_t *http_main_loop(struct http_server *server);
/* "127.0.0.1:8080" as bound. */
const char *http_address(const struct http_server *server);
void http_count(const struct http_server *server, struct http_counters *counters);
/* Serves until http_stop; returns when everything in flight is answered or grace_s is over. */
void http_run(struct http_server *server);
/* Closes the listeners, lets what is in flight finish for at most grace_s seconds, ends http_run. To be called on
 * the main loop's thread. */
void http_stop(struct http_server *server, unsigned grace_s);
void http_close(struct http_server *server);

#endif
