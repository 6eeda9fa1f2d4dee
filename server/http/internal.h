/*
 * Declarations shared by the files of the HTTP transport; not included elsewhere.
 *
 *   transport.c   libmicrohttpd: its daemons and callbacks, requests in, answers out
 *   exchange.c    a request and its answer: refusals, the body, the handler
 *   work.c        the work of an exchange on the pool: its handler, the blocks of its stream
 *   loops.c       libuv: loops, threads, start and stop
 *   connections.c the list of connections, their deadlines, cutting them off
 *   body.c, raw.c, linger.c, listen.c, pool.c, shares.c   what their headers say; they do not use these structs
 *
 * A loop's data is used by its thread only, except an exchange while it is on the pool.
 */
#ifndef POSED_SERVER_HTTP_INTERNAL_H
#define POSED_SERVER_HTTP_INTERNAL_H

#include "server/http/http.h"
#include "server/http/body.h"
#include "server/http/linger.h"
#include "server/http/listen.h"
#include "server/http/pool.h"

#include <stdatomic.h>

struct MHD_Connection;
struct MHD_Daemon;
struct http_loop;

/* The progress of a request and its answer. The order matters: an answer exists from STAGE_REFUSED on. */
enum http_stage {
    STAGE_HEADERS,  /* request line received */
    STAGE_BODY,     /* admitted; the body is being collected */
    STAGE_POOL,     /* complete; the handler runs on the pool and the connection is suspended */
    STAGE_REFUSED,  /* the answer is ready; the rest of the body is discarded first */
    STAGE_READY,    /* the answer is ready */
    STAGE_ANSWERED, /* handed to libmicrohttpd */
    STAGE_RAW,      /* written to the socket directly; the connection closes */
};

enum { STREAM_BLOCK = 64 * 1024 };

/* Stream data that is generated but not taken by the client, which bounds its memory. */
struct http_block {
    uint8_t *data; /* [STREAM_BLOCK], from malloc */
    size_t size, sent;
    bool has_ended, has_failed; /* nothing follows it */
    bool is_later;              /* there was nothing to make it of */
};

/* The outcome of work on the pool. */
enum work_end {
    WORK_DONE,
    WORK_LEFT,    /* not started: the client disconnected */
    WORK_LATE,    /* not started: waited for too long */
    WORK_CROWDED, /* not started: too many answers are waiting to be read */
    WORK_STOPPED, /* not started: the server is stopping */
};

/* One request and its answer. Cached by the loop and reused. */
struct http_exchange {
    struct http_connection *connection;
    struct http_exchange *next_spare;
    enum http_stage stage;
    bool close;        /* close after the answer although the client is still sending */
    bool is_watched;   /* only the deadline applies, not libmicrohttpd's timeout */
    bool complete;     /* a raw answer was sent completely */
    bool is_making;    /* a block of the stream is being made on the pool */
    bool is_idle;      /* likewise, but there is nothing to make it of yet; the connection stays suspended */
    enum work_end end; /* of the latest work on the pool */
    uint64_t started_ns; /* uv_hrtime */
    uint64_t dropped;    /* bytes of the body discarded after a refusal */
    uint64_t pending;    /* this answer's part of max_pending */
    uint64_t streamed;   /* bytes read from the response's stream */
    char *target;        /* the path and, after its NUL, the query: small_target or from malloc */
    size_t target_size;  /* as sent */
    const char *raw_end; /* end of the target in libmicrohttpd's memory; only compared */
    bool is_chunked;
    struct http_body body;
    struct api_request request;
    struct pool_job job;
    struct http_block block;
    char small_target[512];
    struct api_response response;
};

struct http_connection {
    struct http_loop *loop;
    struct http_connection *previous;
    struct http_connection *next;
    struct MHD_Connection *mhd;
    struct http_exchange *exchange; /* NULL between requests */
    int fd;
    bool is_loopback;
    bool cut;               /* we shut it down; libmicrohttpd is about to notice */
    uint64_t deadline_ms;   /* in the loop's time: deadline for the incoming request; 0: none */
    uint64_t received;      /* bytes at the last look while idle; UNKNOWN_RECEIVED before the first look */
    uint64_t read;          /* how many of these were read */
    uint64_t rate_since_ms; /* in the loop's time: start of the read rate measurement; 0: none */
    uint64_t rate_taken;    /* bytes that the client had read at that time */
    struct share *share;    /* the client's; NULL for a proxy, which serves many */
    unsigned client_has;    /* the client's connections, including this one, when it was opened */
    unsigned stuck;         /* consecutive looks without progress although data was waiting */
    char client[LISTEN_HOST_CAPACITY];
};

#define UNKNOWN_RECEIVED UINT64_MAX

struct http_loop {
    struct http_server *server;
    unsigned index;
    bool is_side; /* it listens on options.side_listen */
    int listen_fd;
    bool has_loop;
    bool has_poll;
    bool has_wake;
    bool has_thread;
    bool turn_wanted; /* libmicrohttpd has something to process */
    bool draining;
    bool done;
    unsigned light_blocks; /* may still be made in this run of libmicrohttpd */
    struct MHD_Daemon *daemon;
    struct http_connection *connections;
    struct http_exchange *spare;
    unsigned spare_count;
    struct linger_list lingering;
    uv_loop_t uv;
    uv_thread_t thread;
    uv_poll_t poll;   /* libmicrohttpd's epoll set */
    uv_check_t check; /* runs libmicrohttpd after all events of an iteration */
    uv_timer_t timer; /* libmicrohttpd's timeout */
    uv_timer_t tick;  /* deadlines, while there are connections */
    uv_timer_t grace; /* end of the grace period */
    uv_async_t wake;  /* from http_stop and the pool */
    pthread_mutex_t mail_lock;
    struct http_exchange *mail;      /* results from the pool, linked by next_spare; under the lock */
    struct http_exchange *done_work; /* taken from it, the first to come first */
    struct http_exchange **done_end; /* where the next one goes */
};

struct http_server {
    struct http_application application;
    struct http_options options;
    struct body_store bodies;
    char *spool_dir;
    char address[LISTEN_NAME_CAPACITY];
    char side_address[LISTEN_NAME_CAPACITY]; /* of the last loop, if options.side_listen is set */
    bool shares_socket;                      /* the listening socket was passed in and outlives the server */
    struct http_loop *loops;
    unsigned loop_count;
    atomic_uint running; /* loops that are still running */
    uv_async_t all_done; /* sent to the main loop by the last one */
    bool has_all_done;
    atomic_bool stopping;
    atomic_uint grace_s;

    atomic_uint connections;
    struct pool *_Atomic pool; /* set while the pool runs; other threads read it for counts */
    struct shares shares;
    atomic_uint_fast64_t pending; /* bytes of answers waiting to be sent, except small ones */
    atomic_uint_fast64_t queue_rejected;
};

/* transport.c */

/* Starts libmicrohttpd for the loop on a listening socket, which it takes over; false on failure. */
bool transport_open(struct http_loop *loop, int listen_fd);
/* The descriptor that becomes readable when transport_turn has work. */
int transport_epoll_fd(const struct http_loop *loop);
/* Runs libmicrohttpd. Returns the milliseconds until the next turn is due at the latest, 0 if there is
 * more to do, -1 if it only waits for events. */
int64_t transport_turn(struct http_loop *loop);
/* Stops accepting; returns the listening socket, which the caller owns again. */
int transport_quiesce(struct http_loop *loop);
void transport_close(struct http_loop *loop);
/* For api_request, whose transport is the MHD_Connection. Thread-safe while the request exists. */
const char *transport_find_header(const struct api_request *request, const char *name);
size_t transport_count_headers(const struct api_request *request, const char *name);
/* Resumes an exchange whose answer from the pool is ready. */
void transport_resume(struct http_exchange *exchange);
/* Closes an idle connection within a second. shutdown() does not reach one that its client has reset: the kernel tells
 * libmicrohttpd nothing more of it, which then keeps it until its idle timeout. */
void transport_expire(struct http_connection *connection);

/* exchange.c */

/* What the headers say about the end of the request. */
struct framing {
    unsigned lengths;
    unsigned codings;
    unsigned hosts;
    bool is_chunked;
    bool expects_continue;
    bool has_bad_name;
    bool has_bad_line;    /* NUL in the request line, or blanks more or others than two */
    bool is_off;          /* a folded line, or one with a NUL or a bare CR */
    bool fills_memory;    /* request line and headers leave no room for the answer's headers */
    const char *line_end; /* end of the previous header; used by transport.c only */
    size_t header_bytes;  /* memory used by the headers */
    uint64_t length;
};

/* A new exchange without a request; NULL if out of memory. */
struct http_exchange *exchange_new(struct http_connection *connection);
/* Sets path and query from the raw target of the request line; false if out of memory. */
bool exchange_take_target(struct http_exchange *exchange, const char *raw);
/* Examines one header of the request. */
void framing_note(struct framing *framing, const char *name, size_t name_size, const char *value);
/* Refuses a request whose end is ambiguous: the bytes after it could be taken for another request (request
 * smuggling). False if it is not. */
bool exchange_refuse_framing(struct http_exchange *exchange, const struct framing *framing);
/* Refuses a request that does not have exactly one Host header. */
void exchange_refuse_host(struct http_exchange *exchange);
/* The headers are complete. True: continue with the body (which is discarded if the request is refused);
 * false: a refusal must be sent at once, or (STAGE_RAW) has been sent and the connection must be closed. */
bool exchange_begin(struct http_exchange *exchange, const struct framing *framing, const char *version);
/* Takes a piece of the body. False: a refusal has been sent, and the connection must be closed. */
bool exchange_take_body(struct http_exchange *exchange, const char *data, size_t size);
/* Answers at once that the line before a chunk is wrong; the connection must be closed. */
void exchange_refuse_chunk(struct http_exchange *exchange);
/* The request is complete. True: an answer is ready; false: it is on the pool, and transport_resume will
 * be called. */
bool exchange_handle(struct http_exchange *exchange);
/* Makes an answer with status and a line of detail through the application. */
void exchange_refuse(struct http_exchange *exchange, unsigned status, const char *detail);
/* Whether the answer may wait to be read by its client; if so, it is counted as pending. */
bool exchange_may_wait(struct http_exchange *exchange);
/* Writes the answer to the socket at once. */
void exchange_answer_raw(struct http_exchange *exchange);
/* Status 204 or 304. */
bool exchange_is_bodiless(const struct http_exchange *exchange);
bool exchange_is_head(const struct http_exchange *exchange);
/* Reports the answer with that status (0: none) to the application and releases everything. */
void exchange_end(struct http_exchange *exchange, unsigned status, bool complete);
/* Frees the exchanges that the loop caches. */
void exchanges_release(struct http_loop *loop);

/* work.c */

/* Starts the pool; false on failure. */
bool work_start(struct http_server *server);
/* Suspends the connection and runs the handler on the pool, unless the pool is full. */
enum pool_answer work_queue_handler(struct http_exchange *exchange);
/* Suspends the connection and makes the stream's next block on the pool; false if out of memory. */
bool work_queue_block(struct http_exchange *exchange);
/* Withdraws work that has not started, with that outcome; false if it has started. */
bool work_withdraw(struct http_exchange *exchange, enum work_end end);
/* Goes on with a stream that was idle, or ends it: with an error if its client has left or it is cut. */
void work_wake(struct http_exchange *exchange, bool cut);
/* Ends queued work that is no longer needed. */
void work_look(struct http_exchange *exchange);
/* Continues the exchanges that have returned from the pool. */
void work_collect(struct http_loop *loop);

/* connections.c */

/* Adds a new connection to the loop's list; NULL if out of memory. */
struct http_connection *connection_open(struct http_loop *loop, struct MHD_Connection *mhd, int fd,
                                        const struct sockaddr *peer);
void connection_close(struct http_connection *connection);
/* Whether the client has more than its share. */
bool connection_is_too_many(const struct http_connection *connection);
/* Called when a request line has arrived. */
void connection_begins(struct http_connection *connection, struct http_exchange *exchange);
/* Called when the answer is sent and the connection waits for the next request. */
void connection_idles(struct http_connection *connection);
/* Shuts the connection down; libmicrohttpd notices and closes it. */
void connection_cut(struct http_connection *connection);
/* Cancels work queued for clients that have disconnected; returns how many. */
unsigned connections_drop_left(struct http_loop *loop);
/* Ends requests that took too long to arrive, and work that is no longer needed. */
void connections_sweep(struct http_loop *loop);
/* Tells idle connections that no further request will be read. */
void connections_drain(struct http_loop *loop);
/* Shuts down every connection and cancels queued work. */
void connections_cut(struct http_loop *loop);

#endif
