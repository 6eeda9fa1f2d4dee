/*
 * The life of the server: requests that are too slow, the way it stops, and where it listens.
 */
#include "tests/support/http/talk.h"
#include "tests/support/unit.h"

#include <check.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

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
        if (!client_print(&client, "%s", drop))
            break;
    }
}

static void init(void)
{
    fixture_init(&fixture);
}

FIXTURE(init, NULL);
TIMEOUT(40);

TEST_EACH(a_slow_request_is_dropped, 4)
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
    expect(408, "the request was not complete in time");
    ck_assert(answer_closes());
    client_close(&client);
    fixture_await(&fixture.finished, 1);
    ck_assert_uint_eq(atomic_load(&fixture.last_status), 408);
    connect_client(&client);
    get("/hello", 200, "hello");
    client_close(&client);
    fixture_stop(&fixture);
}

TEST_EACH(a_slow_request_after_others_is_dropped, 2)
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

/* The end of the client's side comes with its last bytes, so that libmicrohttpd misses it. */
TEST(a_client_that_has_ended_is_noticed)
{
    static const char *const texts[] = {
        "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /pool HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /hello HTTP/1.1\r\nHo",
        "GET /hel",
        "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nhello",
    };

    fixture_start(&fixture);
    for (unsigned i = 0; i < 5; i++) {
        connect_client(&client);
        ck_assert(client_print(&client, "%s", texts[i]));
        shutdown(client.fd, SHUT_WR);
        if (i < 2)
            expect(200, i == 0 ? "hello" : "waited");
        ck_assert(client_sees_end(&client));
        client_close(&client);
    }
    fixture_stop(&fixture);
}

TEST(a_refused_body_that_trickles_in_gets_its_refusal)
{
    fixture.options.request_timeout_s = 1;
    fixture_start(&fixture);
    trickle("POST /forbidden HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n", "x");
    expect(403, "forbidden");
    client_close(&client);
    fixture_stop(&fixture);
}

TEST(an_idle_connection_outlives_the_request_timeout)
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

TEST(a_slow_handler_outlives_the_request_timeout)
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

TEST(an_idle_connection_is_closed_in_the_end)
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

/* ---- stopping ---- */

TEST(what_is_in_flight_is_finished)
{
    struct client idle;
    struct client waiting;
    struct client sending;
    struct client refused;
    char address[128];
    fixture_start(&fixture);
    snprintf(address, sizeof address, "%s", fixture_address(&fixture));
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

TEST(grace_has_an_end)
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
    for (unsigned i = 0; i < 6; i++)
        client_close(&waiting[i]);
    client_close(&client);
    fixture_end(&fixture);
    client_close(&stalled);
}

TEST(it_stops_while_nobody_is_there)
{
    fixture_start(&fixture);
    fixture_stop(&fixture);
}

TEST(it_can_be_closed_without_having_run)
{
    const struct http_application application = {.user = NULL};
    char error[256];
    struct http_server *server = http_open(&fixture.options, &application, error, sizeof error);
    ck_assert_msg(server, "%s", error);
    ck_assert_ptr_nonnull(http_main_loop(server));
    http_close(server);
    fixture.options.listen = "nowhere";
    ck_assert_ptr_null(http_open(&fixture.options, &application, error, sizeof error));
    ck_assert_ptr_nonnull(strstr(error, "nowhere"));
}

/* ---- addresses ---- */

TEST(ipv6_is_served)
{
    fixture.options.listen = "[::1]:0";
    fixture_start(&fixture);
    ck_assert_int_eq(strncmp(fixture_address(&fixture), "[::1]:", 6), 0);
    connect_client(&client);
    get("/client", 200, "::1 here");
    client_close(&client);
    fixture_stop(&fixture);
}

TEST(every_loop_serves_the_one_free_port)
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

TEST(a_socket_that_is_handed_over_is_served_and_left_open)
{
    struct http_options *options = &fixture.options;
    const struct http_application application = {.user = NULL};
    char error[256];
    /* The address of a server that is only open, not running, and its socket. */
    struct http_server *first = http_open(options, &application, error, sizeof error);
    ck_assert_msg(first, "%s", error);
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
