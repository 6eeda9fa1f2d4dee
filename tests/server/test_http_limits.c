/*
 * HTTP under pressure: too large, too many, too slow; and the way it stops.
 */
#include "tests/support/http_client.h"
#include "tests/support/http_fixture.h"
#include "tests/support/unit.h"

#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

static struct fixture fixture;
static struct client client;
static struct client_answer answer;

static void connect_client(struct client *to)
{
    ck_assert(client_open(to, fixture_address(&fixture)));
}

static void expect_from(struct client *from, unsigned status, const char *body)
{
    ck_assert_msg(client_receive(from, false, &answer), "no answer");
    ck_assert_uint_eq(answer.status, status);
    if (body != NULL) {
        ck_assert_str_eq((const char *)answer.body, body);
    }
    answer_release(&answer);
}

static void expect(unsigned status, const char *body)
{
    expect_from(&client, status, body);
}

static void send_get(struct client *to, const char *target)
{
    ck_assert(client_print(to, "GET %s HTTP/1.1\r\nHost: test\r\n\r\n", target));
}

static void get(const char *target, unsigned status, const char *body)
{
    send_get(&client, target);
    expect(status, body);
}

static bool answer_says(const char *name, const char *expected)
{
    char value[256];

    return answer_header(&answer, name, value, sizeof(value)) && strcmp(value, expected) == 0;
}

static bool answer_closes(void)
{
    return answer_says("Connection", "close");
}

static void await_connections(unsigned count)
{
    struct http_counters counters;

    for (unsigned i = 0; i < 30000; i++) {
        http_count(fixture.server, &counters);
        if (counters.connections == count) {
            return;
        }
        usleep(1000);
    }
    ck_abort_msg("%u connections, not %u", (unsigned)counters.connections, count);
}

/* ---- too large ---- */

static const char small_enough[FIXTURE_SMALL_MOST];

START_TEST(a_body_over_the_limit_is_refused_and_the_connection_goes_on)
{
    fixture_start(&fixture);
    connect_client(&client);
    ck_assert(client_print(&client, "POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n",
                           FIXTURE_SMALL_MOST) &&
              client_send(&client, small_enough, FIXTURE_SMALL_MOST));
    expect(200, NULL);
    ck_assert(client_print(&client, "POST /small HTTP/1.1\r\nHost: a\r\nContent-Length: %d\r\n\r\n",
                           FIXTURE_SMALL_MOST + 1) &&
              client_send(&client, small_enough, FIXTURE_SMALL_MOST) && client_send(&client, "x", 1));
    expect(413, "this request may have a body of at most 1000 bytes");
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
END_TEST

START_TEST(a_chunked_body_over_the_limit_is_refused_not_cut)
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
END_TEST

/* Sends pieces until the server has closed or count are out. */
static void send_pieces(const char *before, const char *after, unsigned count)
{
    static const char piece[64 * 1024];

    for (unsigned i = 0; i < count; i++) {
        if (!client_print(&client, "%s", before) || !client_send(&client, piece, sizeof(piece)) ||
            !client_print(&client, "%s", after)) {
            return;
        }
    }
}

/* The client is still sending when the answer comes; it has to be able to read it. */
START_TEST(a_large_body_is_refused_at_once_and_the_answer_arrives)
{
    static const char *const targets[] = {"/small", "/forbidden", "/hello"};

    fixture_start(&fixture);
    for (unsigned i = 0; i < 6; i++) {
        const bool chunked = i >= 3;
        const char *target = targets[i % 3];

        connect_client(&client);
        ck_assert(client_print(&client, "POST %s HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n", target,
                               chunked ? "Transfer-Encoding: chunked" : "Content-Length: 99999999999"));
        send_pieces(chunked ? "10000\r\n" : "", chunked ? "\r\n" : "", 128);
        expect(i % 3 == 1 ? 403 : 413, NULL);
        ck_assert(answer_closes());
        client_close(&client);
    }
    fixture_await(&fixture.finished, 6);
    ck_assert_uint_eq(atomic_load(&fixture.incomplete), 0);
    fixture_stop(&fixture);
}
END_TEST

START_TEST(expect_continue_gets_the_final_status_when_refused)
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
END_TEST

START_TEST(no_room_for_the_body_is_507_or_500)
{
    static const char zeros[FIXTURE_THRESHOLD + 1];

    fixture.options.spool_dir = "/nowhere/at/all";
    fixture_start(&fixture);
    connect_client(&client);
    ck_assert(client_print(&client, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: %zu\r\n\r\n",
                           sizeof(zeros)));
    client_send(&client, zeros, sizeof(zeros));
    expect(500, "there is no room to keep the body");
    client_close(&client);
    connect_client(&client);
    get("/hello", 200, "hello");
    client_close(&client);
    fixture_stop(&fixture);
}
END_TEST

/* ---- too many ---- */

START_TEST(a_full_queue_is_503)
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

        get("/pool", 503, "too many requests are waiting");
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
END_TEST

/* libmicrohttpd's own threads stall when a multiple of 128 connections are ready at once. */
START_TEST(many_connections_at_once_are_all_answered)
{
    const unsigned count = 128U << _i;
    struct client *clients = calloc(count, sizeof(*clients));
    const struct rlimit files = {.rlim_cur = 4096, .rlim_max = 4096};

    setrlimit(RLIMIT_NOFILE, &files);
    ck_assert_ptr_nonnull(clients);
    fixture.options.threads = 1;
    fixture_start(&fixture);
    for (unsigned i = 0; i < count; i++) {
        connect_client(&clients[i]);
    }
    await_connections(count);
    for (unsigned round = 0; round < 5; round++) {
        for (unsigned i = 0; i < count; i++) {
            send_get(&clients[i], round % 2 == 0 ? "/bytes?7500" : "/hello");
        }
        for (unsigned i = 0; i < count; i++) {
            expect_from(&clients[i], 200, round % 2 == 0 ? NULL : "hello");
        }
    }
    for (unsigned i = 0; i < count; i++) {
        client_close(&clients[i]);
    }
    free(clients);
    fixture_stop(&fixture);
}
END_TEST

START_TEST(one_connection_too_many_is_told_so)
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
    for (unsigned i = 1; i < 5; i++) {
        client_close(&clients[i]);
    }
    fixture_stop(&fixture);
}
END_TEST

START_TEST(a_client_may_leave_while_its_request_is_on_the_pool)
{
    const struct linger reset = {.l_onoff = 1, .l_linger = 0};

    fixture_start(&fixture);
    connect_client(&client);
    send_get(&client, "/wait");
    fixture_await(&fixture.waiting, 1);
    setsockopt(client.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset));
    client_close(&client);
    fixture_let_go(&fixture, 1);
    fixture_await(&fixture.finished, 1);
    ck_assert_uint_eq(atomic_load(&fixture.incomplete), 1);
    connect_client(&client);
    get("/hello", 200, "hello");
    client_close(&client);
    fixture_stop(&fixture);
}
END_TEST

START_TEST(a_client_may_leave_in_the_middle_of_an_answer)
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
END_TEST

/* ---- too slow ---- */

/* Sends text and then a byte every tenth of a second, until the server has had enough. */
static void trickle(const char *text, const char *drop)
{
    struct pollfd answered = {.events = POLLIN};
    unsigned bytes = 0;

    connect_client(&client);
    ck_assert(client_print(&client, "%s", text));
    answered.fd = client.fd;
    while (poll(&answered, 1, 100) == 0) {
        ck_assert_msg(++bytes < 300, "the server still listens after %u bytes", bytes);
        if (!client_print(&client, "%s", drop)) {
            break;
        }
    }
}

START_TEST(a_slow_request_is_dropped)
{
    static const struct {
        const char *start;
        const char *drop;
    } cases[] = {
        {"", "G"},                                                                 /* the request line */
        {"GET /hello HTTP/1.1\r\nHost: a\r\nX-Slow: ", "x"},                       /* a header */
        {"POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n", "x"}, /* a body */
        {"POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n"},
    };

    fixture.options.request_timeout_s = 1;
    fixture_start(&fixture);
    trickle(cases[_i].start, cases[_i].drop);
    expect(408, "the request was not whole in time");
    ck_assert(answer_closes());
    client_close(&client);
    fixture_await(&fixture.finished, 1);
    ck_assert_uint_eq(atomic_load(&fixture.last_status), 408);
    connect_client(&client);
    get("/hello", 200, "hello");
    client_close(&client);
    fixture_stop(&fixture);
}
END_TEST

START_TEST(a_slow_request_after_others_is_dropped)
{
    static const char *const first[] = {"GET /hello HTTP/1.1\r\nHost: a\r\n\r\n",
                                        "GET /pool HTTP/1.1\r\nHost: a\r\n\r\nGET"};
    unsigned bytes = 0;

    fixture.options.request_timeout_s = 1;
    fixture_start(&fixture);
    connect_client(&client);
    ck_assert(client_print(&client, "%s", first[_i]));
    expect(200, NULL);
    while (client_print(&client, "G")) { /* fails when the server has closed */
        ck_assert_msg(++bytes < 300, "the server still listens after %u bytes", bytes);
        usleep(100 * 1000);
    }
    client_close(&client);
    await_connections(0);
    ck_assert_uint_eq(atomic_load(&fixture.last_status), 408);
    fixture_stop(&fixture);
}
END_TEST

START_TEST(a_refused_body_that_trickles_in_gets_its_refusal)
{
    fixture.options.request_timeout_s = 1;
    fixture_start(&fixture);
    trickle("POST /forbidden HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", "x");
    expect(403, "forbidden");
    client_close(&client);
    fixture_stop(&fixture);
}
END_TEST

START_TEST(an_idle_connection_outlives_the_request_timeout)
{
    fixture.options.request_timeout_s = 1;
    fixture_start(&fixture);
    connect_client(&client);
    for (unsigned i = 0; i < 2; i++) {
        sleep(2);
        get("/hello", 200, "hello");
    }
    client_close(&client);
    fixture_stop(&fixture);
}
END_TEST

START_TEST(a_slow_handler_outlives_the_request_timeout)
{
    fixture.options.request_timeout_s = 1;
    fixture_start(&fixture);
    connect_client(&client);
    send_get(&client, "/wait");
    sleep(2);
    fixture_let_go(&fixture, 1);
    expect(200, "let go");
    client_close(&client);
    fixture_stop(&fixture);
}
END_TEST

START_TEST(an_idle_connection_is_closed_in_the_end)
{
    fixture.options.idle_timeout_s = 1;
    fixture_start(&fixture);
    connect_client(&client);
    get("/hello", 200, "hello");
    ck_assert(client_sees_end(&client));
    client_close(&client);
    connect_client(&client);
    ck_assert(client_sees_end(&client));
    client_close(&client);
    fixture_stop(&fixture);
}
END_TEST

/* ---- stopping ---- */

START_TEST(what_is_in_flight_is_finished)
{
    struct client idle;
    struct client waiting;
    struct client sending;
    struct client refused;
    char address[128];

    fixture_start(&fixture);
    snprintf(address, sizeof(address), "%s", fixture_address(&fixture));
    connect_client(&idle);
    send_get(&idle, "/hello");
    expect_from(&idle, 200, "hello");
    connect_client(&waiting);
    send_get(&waiting, "/wait");
    fixture_await(&fixture.waiting, 1);
    connect_client(&sending);
    ck_assert(client_print(&sending, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello"));
    connect_client(&client);
    send_get(&client, "/bytes?30000000"); /* more than the sockets hold */
    ck_assert_int_eq(recv(client.fd, client.buffer, 10, MSG_PEEK), 10);

    http_stop(fixture.server, 3600);
    ck_assert(client_sees_end(&idle));
    for (unsigned i = 0; client_open(&refused, address); i++) {
        ck_assert_msg(i < 30000, "the listener stays open");
        client_close(&refused);
        usleep(1000);
    }
    ck_assert(client_print(&sending, "world"));
    expect_from(&sending, 200, "helloworld");
    ck_assert(answer_closes() && client_sees_end(&sending));
    fixture_let_go(&fixture, 1);
    expect_from(&waiting, 200, "let go");
    ck_assert(answer_closes() && client_sees_end(&waiting));
    ck_assert(client_receive(&client, false, &answer));
    ck_assert_uint_eq(answer.body_size, 30000000);
    answer_release(&answer);
    ck_assert(client_sees_end(&client));

    client_close(&idle);
    client_close(&waiting);
    client_close(&sending);
    client_close(&client);
    fixture_end(&fixture);
}
END_TEST

START_TEST(grace_has_an_end)
{
    struct client waiting[6];
    struct client stalled;

    fixture_start(&fixture);
    for (unsigned i = 0; i < 6; i++) { /* more than the pool has threads, in the usual case */
        connect_client(&waiting[i]);
        send_get(&waiting[i], "/wait");
    }
    fixture_await(&fixture.waiting, 2);
    connect_client(&client);
    ck_assert(client_print(&client, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello"));
    connect_client(&stalled);
    send_get(&stalled, "/bytes?30000000");
    ck_assert_int_eq(recv(stalled.fd, stalled.buffer, 10, MSG_PEEK), 10);
    http_stop(fixture.server, 3600);
    http_stop(fixture.server, 0);
    ck_assert(client_sees_end(&client));
    fixture_let_go(&fixture, 6); /* what runs is waited for */
    for (unsigned i = 0; i < 6; i++) {
        client_close(&waiting[i]);
    }
    client_close(&client);
    fixture_end(&fixture);
    client_close(&stalled);
}
END_TEST

START_TEST(it_stops_while_nobody_is_there)
{
    fixture_start(&fixture);
    fixture_stop(&fixture);
}
END_TEST

START_TEST(it_can_be_closed_without_having_run)
{
    const struct http_application application = {.user = NULL};
    char error[256];
    struct http_server *server = http_open(&fixture.options, &application, error, sizeof(error));

    ck_assert_msg(server != NULL, "%s", error);
    ck_assert_ptr_nonnull(http_main_loop(server));
    http_close(server);
    fixture.options.listen = "nowhere";
    ck_assert_ptr_null(http_open(&fixture.options, &application, error, sizeof(error)));
    ck_assert_ptr_nonnull(strstr(error, "nowhere"));
}
END_TEST

/* ---- addresses ---- */

START_TEST(ipv6_is_served)
{
    fixture.options.listen = "[::1]:0";
    fixture_start(&fixture);
    ck_assert_int_eq(strncmp(fixture_address(&fixture), "[::1]:", 6), 0);
    connect_client(&client);
    get("/client", 200, "::1 here");
    client_close(&client);
    fixture_stop(&fixture);
}
END_TEST

START_TEST(every_loop_serves_the_one_free_port)
{
    fixture.options.threads = 4;
    fixture_start(&fixture);
    ck_assert_int_ne(atoi(strrchr(fixture_address(&fixture), ':') + 1), 0);
    for (unsigned i = 0; i < 100; i++) { /* the kernel spreads them over the loops */
        connect_client(&client);
        get("/hello", 200, "hello");
        client_close(&client);
    }
    fixture_stop(&fixture);
}
END_TEST

START_TEST(a_socket_that_is_handed_over_is_served_and_left_open)
{
    struct http_options *options = &fixture.options;
    struct http_server *first;
    const struct http_application application = {.user = NULL};
    char error[256];

    /* The address of a server that is only open, not running, and its socket. */
    first = http_open(options, &application, error, sizeof(error));
    ck_assert_msg(first != NULL, "%s", error);
    http_close(first);

    options->listen_fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    ck_assert_int_eq(listen(options->listen_fd, 16), 0);
    options->threads = 3;
    fixture_start(&fixture);
    connect_client(&client);
    get("/hello", 200, "hello");
    client_close(&client);
    fixture_stop(&fixture);
    ck_assert_int_ge(fcntl(options->listen_fd, F_GETFD), 0);
    close(options->listen_fd);
}
END_TEST

static void init(void)
{
    fixture_init(&fixture);
}

static TCase *new_case(const char *name)
{
    TCase *tests = tcase_create(name);

    tcase_add_checked_fixture(tests, init, NULL);
    tcase_set_timeout(tests, 120);
    return tests;
}

int main(void)
{
    TCase *large = new_case("large");
    TCase *many = new_case("many");
    TCase *slow = new_case("slow");
    TCase *stopping = new_case("stopping");
    TCase *addresses = new_case("addresses");

    tcase_add_test(large, a_body_over_the_limit_is_refused_and_the_connection_goes_on);
    tcase_add_test(large, a_chunked_body_over_the_limit_is_refused_not_cut);
    tcase_add_test(large, a_large_body_is_refused_at_once_and_the_answer_arrives);
    tcase_add_test(large, expect_continue_gets_the_final_status_when_refused);
    tcase_add_test(large, no_room_for_the_body_is_507_or_500);
    tcase_add_test(many, a_full_queue_is_503);
    tcase_add_loop_test(many, many_connections_at_once_are_all_answered, 0, 4);
    tcase_add_test(many, one_connection_too_many_is_told_so);
    tcase_add_test(many, a_client_may_leave_while_its_request_is_on_the_pool);
    tcase_add_test(many, a_client_may_leave_in_the_middle_of_an_answer);
    tcase_add_loop_test(slow, a_slow_request_is_dropped, 0, 4);
    tcase_add_loop_test(slow, a_slow_request_after_others_is_dropped, 0, 2);
    tcase_add_test(slow, a_refused_body_that_trickles_in_gets_its_refusal);
    tcase_add_test(slow, an_idle_connection_outlives_the_request_timeout);
    tcase_add_test(slow, a_slow_handler_outlives_the_request_timeout);
    tcase_add_test(slow, an_idle_connection_is_closed_in_the_end);
    tcase_add_test(stopping, what_is_in_flight_is_finished);
    tcase_add_test(stopping, grace_has_an_end);
    tcase_add_test(stopping, it_stops_while_nobody_is_there);
    tcase_add_test(stopping, it_can_be_closed_without_having_run);
    tcase_add_test(addresses, ipv6_is_served);
    tcase_add_test(addresses, every_loop_serves_the_one_free_port);
    tcase_add_test(addresses, a_socket_that_is_handed_over_is_served_and_left_open);
    return unit_run("http limits", large, many, slow, stopping, addresses, NULL);
}
