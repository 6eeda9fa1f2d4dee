/*
 * What the files of the HTTP transport share; nobody else includes this.
 *
 *   transport.c   libmicrohttpd: its daemons and callbacks, requests in, answers out
 *   exchange.c    a request and its answer: what is refused and why, the body, the handler
 *   work.c        what an exchange has done on the pool: its handler, the blocks of its stream
 *   loops.c       libuv: loops, threads, start and stop
 *   connections.c the list of connections, their deadlines, cutting them off
 *   body.c, raw.c, linger.c, listen.c, pool.c, shares.c   what their headers say; they know nothing of these structs
 *
 * Everything of a loop belongs to the loop's thread, but for an exchange while it is on the pool.
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

/* How far a request and its answer are. The order matters: an answer exists from STAGE_REFUSED on. */
enum http_stage {
    STAGE_HEADERS,  /* the request line is there */
    STAGE_BODY,     /* admitted; the body is collected */
    STAGE_POOL,     /* whole, the handler runs on the pool and the connection is suspended */
    STAGE_REFUSED,  /* the answer is ready; the rest of the body is dropped first */
    STAGE_READY,    /* the answer is ready */
    STAGE_ANSWERED, /* handed to libmicrohttpd */
    STAGE_RAW,      /* written to the socket by hand; the connection closes */
};

enum { STREAM_BLOCK = 64 * 1024 };

/* What a stream has made and the client has not taken: all that it costs. */
struct http_block {
    uint8_t *data; /* [STREAM_BLOCK], from malloc */
    size_t size, sent;
    bool has_ended, has_failed; /* behind it comes nothing more */
};

/* How work on the pool ended. */
enum work_end {
    WORK_DONE,
    WORK_LEFT,    /* not begun: the client was gone */
    WORK_LATE,    /* not begun: it waited for too long */
    WORK_CROWDED, /* not begun: too many answers wait to be read */
    WORK_STOPPED, /* not begun: the server stops */
};

/* One request and its answer. Kept by the loop and used again. */
struct http_exchange {
    struct http_connection *connection;
    struct http_exchange *next_spare;
    enum http_stage stage;
    bool close;          /* close after the answer, though the client is still sending */
    bool is_watched;     /* only its deadline ends it, not libmicrohttpd's timeout */
    bool complete;       /* of a raw answer: all of it went out */
    bool is_making;      /* a block of the stream is on the pool */
    enum work_end end;   /* of the last work on the pool */
    uint64_t started_ns; /* uv_hrtime */
    uint64_t dropped;    /* bytes of the body after a refusal */
    uint64_t pending;    /* of max_pending, what this answer has */
    uint64_t streamed;   /* bytes that the response's stream has given */
    char *target;        /* the path and, behind its terminator, the query: small_target or from malloc */
    size_t target_size;  /* as it was sent */
    const char *raw_end; /* of the target in libmicrohttpd's memory, to be compared only */
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
    bool cut; /* shut down by us; libmicrohttpd is about to notice */
    uint64_t
        deadline_ms;   /* in the loop's time, when the request that is coming in has to be whole; 0: none */
    uint64_t received; /* bytes at the last look while idle, UNKNOWN_RECEIVED before the first */
    uint64_t read;     /* of these */
    uint64_t rate_since_ms; /* in the loop's time, since when the reading is measured; 0: it is not */
    uint64_t rate_taken;    /* bytes that the client had read then */
    struct share *share;    /* of the client, NULL: of a proxy, which stands for many */
    unsigned client_has;    /* connections, this one with them, when it was opened */
    unsigned stuck;         /* looks in a row at which nothing more was read though something waited */
    char client[LISTEN_HOST_CAPACITY];
};

#define UNKNOWN_RECEIVED UINT64_MAX

struct http_loop {
    struct http_server *server;
    unsigned index;
    int listen_fd;
    bool has_loop;
    bool has_poll;
    bool has_wake;
    bool has_thread;
    bool turn_wanted; /* something happened that libmicrohttpd has to look at */
    bool draining;
    bool done;
    struct MHD_Daemon *daemon;
    struct http_connection *connections;
    struct http_exchange *spare;
    unsigned spare_count;
    struct linger_list lingering;

    uv_loop_t uv;
    uv_thread_t thread;
    uv_poll_t poll;   /* libmicrohttpd's epoll set */
    uv_check_t check; /* after all events of a turn: libmicrohttpd's turn */
    uv_timer_t timer; /* libmicrohttpd's timeout */
    uv_timer_t tick;  /* deadlines, while there are connections */
    uv_timer_t grace; /* the end of the patience while stopping */
    uv_async_t wake;  /* from http_stop, and from the pool */
    pthread_mutex_t mail_lock;
    struct http_exchange *mail; /* what has come back from the pool, by next_spare; under the lock */
};

struct http_server {
    struct http_application application;
    struct http_options options;
    struct body_store bodies;
    char *spool_dir;
    char address[LISTEN_NAME_CAPACITY];
    bool shares_socket; /* the listening socket was handed over and outlives us */

    struct http_loop *loops;
    unsigned loop_count;
    atomic_uint running; /* loops that are not done */
    uv_async_t all_done; /* to the main loop, from the last one */
    bool has_all_done;
    atomic_bool stopping;
    atomic_uint grace_s;

    atomic_uint connections;
    struct pool *_Atomic pool; /* while it runs; others look at it when they count */
    struct shares shares;
    atomic_uint_fast64_t pending; /* bytes of answers that wait to be sent, small ones left out */
    atomic_uint_fast64_t queue_rejected;
};

/* transport.c */

/* Starts the loop's libmicrohttpd on a listening socket, which it takes over; false when it cannot. */
bool transport_open(struct http_loop *loop, int listen_fd);
/* The descriptor that is readable when transport_turn has something to do. */
int transport_epoll_fd(const struct http_loop *loop);
/* Lets libmicrohttpd work off what is there. Returns the milliseconds until the next turn is due at the latest, 0
 * when there is more to do, -1 when only an event can bring more. */
int64_t transport_turn(struct http_loop *loop);
/* Stops accepting; returns the listening socket, which is the caller's again. */
int transport_quiesce(struct http_loop *loop);
void transport_close(struct http_loop *loop);
/* For api_request, whose transport is the MHD_Connection; from any thread while the request lives. */
const char *transport_find_header(const struct api_request *request, const char *name);
size_t transport_count_headers(const struct api_request *request, const char *name);
/* The answer of an exchange that was on the pool is ready. */
void transport_resume(struct http_exchange *exchange);

/* exchange.c */

/* What the headers say about where the request ends. */
struct framing {
    unsigned lengths;
    unsigned codings;
    unsigned hosts;
    bool is_chunked;
    bool expects_continue;
    bool has_blank_name;
    bool has_nul;         /* in the request line */
    bool is_off;          /* a line is folded, or holds a NUL or a bare CR */
    bool fills_memory;    /* request line and headers leave no room for those of the answer */
    const char *line_end; /* of the header before; transport.c's own */
    size_t header_bytes;  /* of memory that the headers take */
    uint64_t length;
};

/* An exchange without a request, NULL when memory is out. */
struct http_exchange *exchange_new(struct http_connection *connection);
/* Sets path and query from the request line's raw target; false when memory is out. */
bool exchange_take_target(struct http_exchange *exchange, const char *raw);
/* Looks at one of the request's headers. */
void framing_note(struct framing *framing, const char *name, size_t name_size, const char *value);
/* The headers are there. True: go on to the body (which is dropped when the request is refused); false: a refusal is
 * ready that has to be sent at once, or (STAGE_RAW) has been sent and the connection has to be closed. */
bool exchange_begin(struct http_exchange *exchange, const struct framing *framing, const char *version);
/* A piece of the body. False: a refusal has been sent, and the connection has to be closed. */
bool exchange_take_body(struct http_exchange *exchange, const char *data, size_t size);
/* The request is whole. True: an answer is ready; false: it is on the pool, and transport_resume follows. */
bool exchange_handle(struct http_exchange *exchange);
/* Answers with status and a line of detail through the application; the answer is then ready. */
void exchange_refuse(struct http_exchange *exchange, unsigned status, const char *detail);
/* Whether the answer may wait for its client to read it, and be counted meanwhile. */
bool exchange_may_wait(struct http_exchange *exchange);
/* Writes the answer to the socket at once. */
void exchange_answer_raw(struct http_exchange *exchange);
/* 204, 304. */
bool exchange_is_bodiless(const struct http_exchange *exchange);
bool exchange_is_head(const struct http_exchange *exchange);
/* Tells the application of the answer with that status (0: there is none) and lets go of everything. */
void exchange_end(struct http_exchange *exchange, unsigned status, bool complete);
/* Frees what the loop keeps for later. */
void exchanges_release(struct http_loop *loop);

/* work.c */

/* Starts the pool; false when that cannot be. */
bool work_start(struct http_server *server);
/* Runs the handler on the pool, the connection then being suspended, unless too many are there. */
enum pool_answer work_queue_handler(struct http_exchange *exchange);
/* Makes the stream's next block there, likewise; false when memory is out. */
bool work_queue_block(struct http_exchange *exchange);
/* Takes back what has not begun and ends it so; false when it has begun. */
bool work_withdraw(struct http_exchange *exchange, enum work_end end);
/* Ends what waits there in vain. */
void work_look(struct http_exchange *exchange);
/* Goes on with what has come back. */
void work_collect(struct http_loop *loop);

/* connections.c */

/* Takes a new connection into the loop's list; NULL when memory is out. */
struct http_connection *connection_open(struct http_loop *loop, struct MHD_Connection *mhd, int fd,
                                        const struct sockaddr *peer);
void connection_close(struct http_connection *connection);
/* Whether the client has more than its share. */
bool connection_is_too_many(const struct http_connection *connection);
/* A request's first line is there. */
void connection_begins(struct http_connection *connection, struct http_exchange *exchange);
/* The answer is out, the connection waits for the next request. */
void connection_idles(struct http_connection *connection);
/* Cuts it off; libmicrohttpd notices and closes it. */
void connection_cut(struct http_connection *connection);
/* Calls off what waits for the pool though its client has left; returns how much that was. */
unsigned connections_drop_left(struct http_loop *loop);
/* Ends requests that took too long to arrive, and work that nobody waits for. */
void connections_sweep(struct http_loop *loop);
/* Tells connections between two requests that no further one will be read. */
void connections_drain(struct http_loop *loop);
/* Cuts off every connection, and calls off what waits for the pool. */
void connections_cut(struct http_loop *loop);

#endif
