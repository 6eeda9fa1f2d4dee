/*
 * A server in the test's own process, with an application whose paths show what the transport does.
 *
 *   /hello          "hello"                                  /pool        "waited", from the pool
 *   /wait           from the pool, once fixture_let_go has been called often enough
 *   /raw…           the raw path, a line feed, the raw query  /none 204    /same 304
 *   /bytes?N        N bytes of a pattern                      /client      the peer's address
 *   /stream?N       the same as a stream of unknown size      /known?N     as a stream of that size
 *   /short?N        a stream that promises N bytes and gives half
 *   /count?Name     how often a header was sent, and its first value
 *   /headers?N      "X-0: 0" … N of them, and a few more
 *   /echo, /small   the body; at most 4 MiB, at most 1000 bytes; /pool-echo from the pool
 *   /file           "file" when the body was kept in a file that holds the same, else "memory"
 *   /forbidden      refused (403) when the headers are there
 */
#ifndef POSED_TESTS_HTTP_FIXTURE_H
#define POSED_TESTS_HTTP_FIXTURE_H

#include "server/http/http.h"

#include <stdatomic.h>

struct fixture {
    struct http_options options; /* may be changed before fixture_start */
    struct http_server *server;
    uv_thread_t thread;
    uv_sem_t gate;              /* of /wait */
    atomic_uint waiting;        /* requests inside /wait */
    atomic_int bodies;          /* response bodies that have not been released */
    atomic_uint finished;       /* calls of finished */
    atomic_uint incomplete;     /* those that say so */
    atomic_uint last_status;    /* of the last call */
    atomic_uint_fast64_t bytes; /* the sum of theirs */
};

enum {
    MAX_FIXTURE_ECHO = 4 * 1024 * 1024,
    MAX_FIXTURE_SMALL = 1000,
    FIXTURE_THRESHOLD = 256 * 1024,
};

/* Sensible options on 127.0.0.1 with a free port and two loops. */
void fixture_init(struct fixture *fixture);
/* Starts the server in a thread; fails the test when it does not start. */
void fixture_start(struct fixture *fixture);
const char *fixture_address(const struct fixture *fixture);
/* Lets count requests pass the gate of /wait. */
void fixture_let_go(struct fixture *fixture, unsigned count);
/* Waits until value has grown to count; fails the test when that takes too long. */
void fixture_await(const atomic_uint *value, unsigned count);
/* Waits for http_run to return after http_stop, closes, and checks that nothing is left behind. */
void fixture_end(struct fixture *fixture);
/* http_stop with a long grace, then fixture_end. */
void fixture_stop(struct fixture *fixture);

/* The value of X-Long of /headers. */
const char *fixture_long_value(void);

/* The byte at an offset of /bytes, /stream and /known. */
uint8_t fixture_pattern(size_t offset);

#endif
