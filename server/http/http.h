/*
 * Event loops and HTTP. transport.c is the only file that knows libmicrohttpd; everything above sees
 * api/protocol/message.h.
 */
#ifndef POSED_SERVER_HTTP_HTTP_H
#define POSED_SERVER_HTTP_HTTP_H

#include "api/protocol/message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uv.h>

struct http_server;

/* What is told about an answer once it has been sent or has failed. method and path are "" when the request ended
 * before they were known (a 408, or what the HTTP parser refuses by itself). */
struct http_record {
    const char *method;
    const char *path; /* raw */
    const char *client;
    unsigned status;
    bool complete;  /* false: the client left or the stream failed before the last byte */
    uint64_t bytes; /* of the body; of an answer that is not complete only a stream's are known */
    double seconds; /* from the request's first line to the end of the answer */
    const struct api_response *response;
};

/*
 * The application behind the server. Every function may be called by several loops and pool threads at once; each
 * gets the response initialised with status 200 and may fill it in freely.
 */
struct http_application {
    void *user;
    /*
     * Called when the headers are there and before any body is read. Sets the greatest body that this request
     * may have (0: none is expected; a body is then answered 413) and returns true, or fills in the response
     * (403, 404, 405, 413 …) and returns false: the request is then answered without its body being kept. Up to
     * 64 KiB of such a body are read and dropped so that the connection can go on; a larger one and one that
     * waits for 100-continue are answered at once and the connection closes.
     */
    bool (*admit)(void *user, const struct api_request *request, uint64_t *max_body,
                  struct api_response *response);
    /* The request is whole. First on the loop with may_wait false; after API_WAIT once more on the pool. */
    enum api_outcome (*handle)(void *user, struct api_request *request, struct api_response *response);
    /* The answers that HTTP itself gives, with a line of detail: 400 bad request line or framing, 408 too slow,
     * 413 body too large, 501 transfer coding, 429 more than the client's share and
     * 503 queue full or too many connections (Retry-After is added to both), 507 no room for the body. Fills in a problem; its body must be bytes, not a stream. */
    void (*refuse)(void *user, const struct api_request *request, unsigned status, const char *detail,
                   struct api_response *response);
    /* Whether a peer stands for many clients, so that its connections are not counted as one's. May be NULL. */
    bool (*is_proxy)(void *user, const char *peer);
    /* After the answer, on the loop. May be NULL. */
    void (*finished)(void *user, const struct http_record *record);
};

struct http_options {
    const char *listen;       /* "127.0.0.1:8080", "[::1]:0"; not read when a socket was handed over */
    int listen_fd;            /* a socket handed over by systemd (stays the caller's), or -1 */
    unsigned threads;         /* event loops, at least 1 */
    unsigned max_connections; /* over all loops; one more is answered 503 and closed */
    unsigned client_share; /* percent of connections and queue for one client when they get scarce; 0: all */
    unsigned idle_timeout_s;    /* nothing sent or received for that long; 0: for ever */
    unsigned request_timeout_s; /* from a request's first byte to its last; 0: for ever */
    unsigned queue_limit;       /* requests on or waiting for the pool */
    uint64_t max_pending;       /* bytes of all answers that wait to be sent; 0: no bound */
    unsigned least_rate;        /* bytes a second that a client has to read, over rate_window_ms; 0: none */
    unsigned rate_window_ms;
    uint64_t queue_time_ms; /* after so long in the queue a request is answered 503; 0: never */
    size_t spool_threshold; /* larger bodies go to an unlinked file */
    const char *spool_dir;  /* where; NULL: /tmp */
};

struct http_counters {
    uint64_t connections; /* open now */
    uint64_t queue_depth;
    uint64_t queue_rejected;
};

/*
 * Binds; NULL and one line in error when it cannot. Answers nothing, and has no threads, before http_run. For the whole
 * process it raises the limit of open files as far as max_connections need it and the hard limit allows.
 */
struct http_server *http_open(const struct http_options *options, const struct http_application *application,
                              char *error, size_t error_size);
/* The loop of the calling thread, for signals, timers and file watching. Turns inside http_run only. Whoever opens
 * handles on it closes them before http_close, which turns it once more. */
uv_loop_t *http_main_loop(struct http_server *server);
/* "127.0.0.1:8080" as bound. */
const char *http_address(const struct http_server *server);
/* From any thread. */
void http_count(const struct http_server *server, struct http_counters *counters);
/* Serves until http_stop; returns when everything in flight is answered or grace_s is over. */
void http_run(struct http_server *server);
/*
 * Closes the listeners and idle connections, lets what is in flight finish for at most grace_s seconds, then cuts
 * it off and ends http_run. A handler that runs on the pool is waited for even then. From any thread, and from a
 * signal handler; a second call sets a new grace.
 */
void http_stop(struct http_server *server, unsigned grace_s);
void http_close(struct http_server *server);

#endif
