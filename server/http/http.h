/*
 * Event loops and HTTP. transport.c is the only file that uses libmicrohttpd; everything above it uses
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

/* Describes an answer once it has been sent or has failed. method and path are "" if the request ended
 * before they were known (a 408, or a refusal by the HTTP parser). */
struct http_record {
    const char *method;
    const char *path; /* raw */
    const char *client;
    unsigned status;
    bool complete;  /* false: the client disconnected or the stream failed before the last byte */
    uint64_t bytes; /* of the body; for incomplete answers known for streams only */
    double seconds; /* from the request line to the end of the answer */
    const struct api_response *response;
};

/*
 * The application behind the server. Every function may be called by several loops and pool threads at once; each
 * gets a response initialised with status 200 to fill in.
 */
struct http_application {
    void *user;
    /*
     * Called after the headers and before any body is read. Either sets the maximum body size of this request (0:
     * none is expected; a body is then answered 413) and returns true, or fills in the response (403, 404, 405,
     * 413 …) and returns false: the request is then answered and its body discarded. Up to 64 KiB of such a body
     * are read so that the connection can stay open; for a larger one, or one that waits for 100-continue, the
     * answer is sent at once and the connection closed.
     */
    bool (*admit)(void *user, const struct api_request *request, uint64_t *max_body,
                  struct api_response *response);
    /* Called for a complete request: first on the loop with may_wait false; after API_WAIT again on the
     * pool. */
    enum api_outcome (*handle)(void *user, struct api_request *request, struct api_response *response);
    /* Fills in a problem for answers of the HTTP layer, with a line of detail: 400 bad request line or
     * framing, 408 too slow, 413 body too large, 501 transfer coding, 429 more than the client's share and
     * 503 queue full or too many connections (Retry-After is added to both), 507 no room for the body. The
     * body must be bytes, not a stream. */
    void (*refuse)(void *user, const struct api_request *request, unsigned status, const char *detail,
                   struct api_response *response);
    /* Whether a peer is a proxy for many clients, so that its connections are not counted as one client's.
     * May be NULL. */
    bool (*is_proxy)(void *user, const char *peer);
    /* Called on the loop after the answer. May be NULL. */
    void (*finished)(void *user, const struct http_record *record);
};

struct http_options {
    const char *listen;       /* "127.0.0.1:8080", "[::1]:0"; ignored if a socket is passed */
    const char *side_listen;  /* another address, whose requests are marked; NULL: none */
    int listen_fd;            /* a socket passed by systemd (the caller keeps ownership), or -1 */
    unsigned threads;         /* event loops, at least 1 */
    unsigned max_connections; /* over all loops; further ones are answered 503 and closed */
    unsigned
        client_share; /* percent of connections and queue for one client when they are scarce; 0: no limit */
    unsigned idle_timeout_s;    /* closes after that long without traffic; 0: never */
    unsigned request_timeout_s; /* from a request's first byte to its last; 0: unlimited */
    unsigned queue_limit;       /* requests running or waiting in the pool */
    uint64_t max_pending;       /* total bytes of answers waiting to be sent; 0: no limit */
    unsigned least_rate;        /* bytes per second that a client must read, over rate_window_ms; 0: none */
    unsigned rate_window_ms;
    uint64_t queue_time_ms; /* a request queued for longer is answered 503; 0: never */
    size_t spool_threshold; /* larger bodies go to an unlinked file */
    const char *spool_dir;  /* directory for it; NULL: /tmp */
    uint32_t max_files;     /* of a form */
};

struct http_counters {
    uint64_t connections; /* currently open */
    uint64_t queue_depth;
    uint64_t queue_rejected;
};

/*
 * Binds; NULL with one line in error on failure. Before http_run it starts no threads and answers nothing. Raises
 * the process limit of open files as needed for max_connections, up to the hard limit.
 */
struct http_server *http_open(const struct http_options *options, const struct http_application *application,
                              char *error, size_t error_size);
/* The event loop of the calling thread, for signals, timers and file watching. It runs only inside
 * http_run. Handles opened on it must be closed before http_close, which runs it once more. */
uv_loop_t *http_main_loop(struct http_server *server);
/* The bound address, "127.0.0.1:8080". */
const char *http_address(const struct http_server *server);
/* The same of side_listen; "" if there is none. */
const char *http_side_address(const struct http_server *server);
/* Thread-safe. */
void http_count(const struct http_server *server, struct http_counters *counters);
/* Serves until http_stop; returns when all requests in flight are answered or grace_s has passed. */
void http_run(struct http_server *server);
/*
 * Closes the listeners and idle connections, lets requests in flight finish for at most grace_s seconds, then cuts
 * them off and ends http_run, which still waits for handlers running on the pool. Thread-safe and
 * async-signal-safe; a second call sets a new grace period.
 */
void http_stop(struct http_server *server, unsigned grace_s);
void http_close(struct http_server *server);

#endif
