/*
 * HTTP under pressure: requests that are too large, too many, or rubbish.
 */
#include "tests/support/http/talk.h"
#include "tests/support/unit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* ---- too large ---- */

static const char small_enough[MAX_FIXTURE_SMALL];

static void init(void)
{
    fixture_init(&fixture);
}

FIXTURE(init, NULL);
TIMEOUT(40);

TEST(a_body_over_the_limit_is_refused_and_the_connection_goes_on)
{
    fixture_start(&fixture);
    connect_client(&client);
    ck_assert(client_print(&client, "POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n",
                           MAX_FIXTURE_SMALL) &&
              client_send(&client, small_enough, MAX_FIXTURE_SMALL));
    expect(200, NULL);
    ck_assert(client_print(&client, "POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n",
                           MAX_FIXTURE_SMALL + 1) &&
              client_send(&client, small_enough, MAX_FIXTURE_SMALL) && client_send(&client, "x", 1));
    expect(413, "the body of this request may have at most 1000 bytes");
    ck_assert(answer_says("Posed-Refused", "yes") && !answer_closes());
    /* A target that expects no body at all. */
    ck_assert(client_print(&client, "POST /hello HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx"
                                    "POST /hello HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                                    "1\r\nx\r\n0\r\n\r\n"));
    expect(413, NULL);
    expect(413, NULL);
    get("/hello", 200, "hello");
    client_close(&client);
    fixture_stop(&fixture);
}

TEST(a_chunked_body_over_the_limit_is_refused_not_cut)
{
    fixture_start(&fixture);
    connect_client(&client);
    for (unsigned over = 0; over < 2; over++) {
        ck_assert(
            client_print(&client, "POST /small HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"));
        for (unsigned i = 0; i < 10; i++) {
            ck_assert(client_print(&client, "64\r\n") && client_send(&client, small_enough, 100) &&
                      client_print(&client, "\r\n"));
        }
        ck_assert(client_print(&client, over == 0 ? "0\r\n\r\n" : "1\r\nx\r\n0\r\n\r\n"));
        expect(over == 0 ? 200 : 413, NULL);
    }
    ck_assert(!answer_closes());
    get("/hello", 200, "hello");
    client_close(&client);
    fixture_stop(&fixture);
}

/* Sends count pieces; false when the server resets the connection meanwhile. */
static bool send_pieces(const char *before, const char *after, unsigned count)
{
    static const char piece[64 * 1024];
    for (unsigned i = 0; i < count; i++)
        if (!client_print(&client, "%s", before) || !client_send(&client, piece, sizeof piece) ||
            !client_print(&client, "%s", after))
            return false;
    return true;
}

/* The client is still sending when the answer comes. Many only read it after they have sent all, and report a reset
 * connection if that comes first. */
TEST(a_large_body_is_refused_at_once_and_the_answer_arrives)
{
    static const char *const targets[] = {"/small", "/forbidden", "/hello"};
    fixture_start(&fixture);
    for (unsigned i = 0; i < 6; i++) {
        const bool chunked = i >= 3;
        const char *target = targets[i % 3];
        connect_client(&client);
        ck_assert(client_print(&client, "POST %s HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n", target,
                               chunked ? "Transfer-Encoding: chunked" : "Content-Length: 99999999999"));
        ck_assert(send_pieces(chunked ? "10000\r\n" : "", chunked ? "\r\n" : "", 128));
        expect(i % 3 == 1 ? 403 : 413, NULL);
        ck_assert(answer_closes());
        client_close(&client);
    }
    fixture_await(&fixture.finished, 6);
    ck_assert_uint_eq(atomic_load(&fixture.incomplete), 0);
    fixture_stop(&fixture);
}

TEST(expect_continue_gets_the_final_status_when_refused)
{
    fixture_start(&fixture);
    connect_client(&client);
    ck_assert(client_print(&client, "POST /echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                                    "Content-Length: 3\r\n\r\n"));
    ck_assert(client.start == client.end && recv(client.fd, client.buffer, 12, MSG_WAITALL | MSG_PEEK) == 12);
    ck_assert_int_eq(memcmp(client.buffer, "HTTP/1.1 100", 12), 0);
    ck_assert(client_print(&client, "abc"));
    expect(200, "abc");
    ck_assert(client_print(&client, "POST /small HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                                    "Content-Length: 1001\r\n\r\n"));
    ck_assert(recv(client.fd, client.buffer, 12, MSG_WAITALL | MSG_PEEK) == 12);
    ck_assert_int_eq(memcmp(client.buffer, "HTTP/1.1 413", 12), 0);
    expect(413, NULL);
    ck_assert(client_sees_end(&client));
    client_close(&client);
    fixture_stop(&fixture);
}

TEST(a_body_that_cannot_be_kept_is_refused)
{
    static const char zeros[FIXTURE_THRESHOLD + 1];
    fixture.options.spool_dir = "/nowhere/at/all";
    fixture_start(&fixture);
    connect_client(&client);
    ck_assert(
        client_print(&client, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: %zu\r\n\r\n", sizeof zeros));
    client_send(&client, zeros, sizeof zeros);
    expect(500, "no space left for the request body");
    client_close(&client);
    connect_client(&client);
    get("/hello", 200, "hello");
    client_close(&client);
    fixture_stop(&fixture);
}

/* ---- too many ---- */

TEST(a_full_queue_is_503)
{
    struct client waiting[3];
    fixture.options.queue_limit = 3;
    fixture_start(&fixture);
    for (unsigned i = 0; i < 3; i++) {
        connect_client(&waiting[i]);
        send_get(&waiting[i], "/wait");
    }
    fixture_await(&fixture.waiting, 3);
    connect_client(&client);
    for (unsigned i = 0; i < 5; i++) {
        struct http_counters counters;
        get("/pool", 503, "too many waiting requests");
        ck_assert(answer_says("Retry-After", "1") && !answer_closes());
        get("/hello", 200, "hello");
        http_count(fixture.server, &counters);
        ck_assert_uint_eq(counters.queue_depth, 3);
        ck_assert_uint_eq(counters.queue_rejected, i + 1);
    }
    fixture_let_go(&fixture, 3);
    for (unsigned i = 0; i < 3; i++) {
        expect_from(&waiting[i], 200, "let go");
        client_close(&waiting[i]);
    }
    get("/pool", 200, "waited");
    client_close(&client);
    fixture_stop(&fixture);
}

/* libmicrohttpd's own threads stall when a multiple of 128 connections are ready at once. */
TEST_EACH(many_connections_at_once_are_all_answered, 4)
{
    const unsigned count = 128U << _i;
    struct client *clients = calloc(count, sizeof *clients);
    struct rlimit files;
    getrlimit(RLIMIT_NOFILE, &files);
    files.rlim_cur = 256; /* the server has to see to it that there are enough */
    setrlimit(RLIMIT_NOFILE, &files);
    ck_assert_ptr_nonnull(clients);
    fixture.options.threads = 1;
    fixture_start(&fixture);
    for (unsigned i = 0; i < count; i++)
        connect_client(&clients[i]);
    await_connections(count);
    for (unsigned round = 0; round < 5; round++) {
        for (unsigned i = 0; i < count; i++)
            send_get(&clients[i], round % 2 == 0 ? "/bytes?7500" : "/hello");
        for (unsigned i = 0; i < count; i++)
            expect_from(&clients[i], 200, round % 2 == 0 ? NULL : "hello");
    }
    for (unsigned i = 0; i < count; i++)
        client_close(&clients[i]);
    free(clients);
    fixture_stop(&fixture);
}

TEST(one_connection_too_many_is_told_so)
{
    struct client clients[5];
    fixture.options.max_connections = 5;
    fixture_start(&fixture);
    for (unsigned i = 0; i < 5; i++) {
        connect_client(&clients[i]);
        send_get(&clients[i], "/hello");
        expect_from(&clients[i], 200, "hello");
    }
    for (unsigned i = 0; i < 20; i++) {
        connect_client(&client);
        expect(503, "too many connections");
        ck_assert(answer_says("Retry-After", "1") && answer_closes());
        ck_assert(client_sees_end(&client));
        client_close(&client);
    }
    await_connections(5);
    client_close(&clients[0]);
    await_connections(4);
    connect_client(&client);
    get("/hello", 200, "hello");
    client_close(&client);
    for (unsigned i = 1; i < 5; i++)
        client_close(&clients[i]);
    fixture_stop(&fixture);
}

TEST(answers_that_nobody_reads_are_bounded)
{
    const int small = 4096;
    struct client holding[4];
    unsigned refused = 0;
    fixture.options.max_pending = 20 << 20;
    fixture_start(&fixture);
    for (unsigned i = 0; i < 4; i++) {
        connect_client(&holding[i]);
        setsockopt(holding[i].fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        send_get(&holding[i], "/bytes?15000000");
    }
    usleep(300000);
    for (unsigned i = 0; i < 4; i++) {
        char first[13] = "";
        ck_assert(recv(holding[i].fd, first, 12, MSG_WAITALL | MSG_PEEK) == 12);
        refused += !strcmp(first, "HTTP/1.1 503");
    }
    ck_assert_uint_eq(refused, 3);
    connect_client(&client);
    get("/hello", 200, "hello");
    for (unsigned i = 0; i < 4; i++)
        client_close(&holding[i]);
    await_connections(1);
    get("/bytes?15000000", 200, NULL);
    client_close(&client);
    fixture_stop(&fixture);
}

TEST(a_client_that_hardly_reads_is_cut_off)
{
    const int small = 4096;
    fixture.options.least_rate = 100000;
    fixture.options.rate_window_ms = 600;
    fixture.options.request_timeout_s = 1;
    fixture_start(&fixture);
    for (unsigned i = 0; i < 2; i++) {
        connect_client(&client);
        setsockopt(client.fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
        send_get(&client, i == 0 ? "/bytes?20000000" : "/stream?20000000");
        fixture_await(&fixture.finished, i + 1);
        ck_assert_uint_eq(atomic_load(&fixture.incomplete), i + 1);
        client_close(&client);
    }
    connect_client(&client);
    get("/stream?3000000", 200, NULL);
    client_close(&client);
    fixture_stop(&fixture);
}

TEST(a_client_may_leave_while_its_request_is_on_the_pool)
{
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};
    fixture_start(&fixture);
    connect_client(&client);
    send_get(&client, "/wait");
    fixture_await(&fixture.waiting, 1);
    setsockopt(client.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    client_close(&client);
    fixture_let_go(&fixture, 1);
    fixture_await(&fixture.finished, 1);
    ck_assert_uint_eq(atomic_load(&fixture.incomplete), 1);
    connect_client(&client);
    get("/hello", 200, "hello");
    client_close(&client);
    fixture_stop(&fixture);
}

TEST(a_client_may_leave_in_the_middle_of_an_answer)
{
    fixture_start(&fixture);
    for (unsigned i = 0; i < 20; i++) {
        connect_client(&client);
        send_get(&client, i % 2 == 0 ? "/bytes?20000000" : "/stream?20000000");
        ck_assert_int_eq(recv(client.fd, client.buffer, 10, MSG_WAITALL), 10);
        client_close(&client);
    }
    fixture_await(&fixture.finished, 20);
    ck_assert_uint_eq(atomic_load(&fixture.incomplete), 20);
    fixture_stop(&fixture);
}

/* Whole requests with a byte changed, left out or doubled, and the connection closed after each. */
static size_t damage(char *text, size_t size, unsigned seed)
{
    const size_t at = (seed * 2654435761U >> 8) % size;
    switch (seed % 4) {
    case 0:
        text[at] = (char)(seed >> 3);
        return size;
    case 1:
        memmove(text + at, text + at + 1, size - at - 1);
        return size - 1;
    case 2:
        memmove(text + at + 1, text + at, size - at);
        return size + 1;
    default:
        return at;
    }
}

TEST(rubbish_does_no_harm)
{
    static const char *const seeds[] = {
        "GET /hello?a=b HTTP/1.1\r\nHost: a\r\nX-One: 1\r\n folded\r\n\r\n",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhelloGET /pool HTTP/1.1\r\nHost: "
        "a\r\n\r\n",
        "POST /pool-echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nA: "
        "b\r\n\r\n",
        "HEAD http://a/stream?100 HTTP/1.0\r\nConnection: keep-alive\r\nExpect: 100-continue\r\n\r\n",
    };
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};

    fixture_start(&fixture);
    for (unsigned i = 0; i < 2000; i++) {
        char text[512];
        const size_t size = (size_t)snprintf(text, sizeof text, "%s", seeds[i / 4 % 4]);
        connect_client(&client);
        client_send(&client, text, damage(text, size, i));
        if (i % 3 == 0)
            setsockopt(client.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
        else if (i % 3 == 1)
            shutdown(client.fd, SHUT_WR);
        client_close(&client);
    }
    connect_client(&client);
    get("/hello", 200, "hello");
    client_close(&client);
    fixture_stop(&fixture);
}
