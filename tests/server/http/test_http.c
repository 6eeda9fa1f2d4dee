/*
 * HTTP over real sockets: requests and answers, bodies both ways, connections that stay open.
 */
#include "tests/support/http/client.h"
#include "tests/support/http/fixture.h"
#include "tests/support/unit.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct fixture fixture;
static struct client client;
static struct client_answer answer;

static void start(void)
{
    fixture_init(&fixture);
    fixture_start(&fixture);
    ck_assert(client_open(&client, fixture_address(&fixture)));
}

static void stop(void)
{
    client_close(&client);
    fixture_stop(&fixture);
}

static uint8_t *new_body(size_t size)
{
    uint8_t *body = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        body[i] = fixture_pattern(i * 3 + 1);
    return body;
}

/* The answer to what has been sent; checked and released but for its head. */
static void expect(unsigned status, const char *body)
{
    ck_assert_msg(client_receive(&client, false, &answer), "no answer");
    ck_assert_uint_eq(answer.status, status);
    if (body)
        ck_assert_str_eq((const char *)answer.body, body);
    answer_release(&answer);
}

static void get(const char *target, unsigned status, const char *body)
{
    ck_assert(client_print(&client, "GET %s HTTP/1.1\r\nHost: test\r\n\r\n", target));
    expect(status, body);
}

static void expect_pattern(size_t size)
{
    size_t same = 0;
    ck_assert_uint_eq(answer.body_size, size);
    while (same < size && answer.body[same] == fixture_pattern(same))
        same++;
    ck_assert_uint_eq(same, size);
    answer_release(&answer);
}

static const char *header_of_answer(const char *name)
{
    static char value[256];
    return answer_header(&answer, name, value, sizeof value) ? value : NULL;
}

/* ---- connections ---- */

FIXTURE(start, stop);
TIMEOUT(40);

TEST(a_connection_stays_open)
{
    for (unsigned i = 0; i < 2000; i++) {
        get("/hello", 200, "hello");
        ck_assert_ptr_null(header_of_answer("Connection"));
    }
    ck_assert_str_eq(header_of_answer("Content-Type"), "text/plain");
    ck_assert_ptr_nonnull(header_of_answer("Date"));
    fixture_await(&fixture.finished, 2000);
    ck_assert_uint_eq(atomic_load(&fixture.bytes), 2000 * 5);
    ck_assert_uint_eq(atomic_load(&fixture.incomplete), 0);
}

TEST(the_pool_wakes_the_loop)
{
    for (unsigned i = 0; i < 200; i++) {
        get("/pool", 200, "waited");
        ck_assert_ptr_null(header_of_answer("Connection"));
    }
}

TEST(pipelined_requests_are_answered_in_order)
{
    static char requests[100 * 64];
    size_t size = 0;
    for (unsigned i = 0; i < 100; i++) {
        size += (size_t)sprintf(requests + size, "GET /%s HTTP/1.1\r\nHost: test\r\n\r\n",
                                i % 3 == 0 ? "pool" : (i % 3 == 1 ? "hello" : "bytes?3000"));
    }
    ck_assert(client_send(&client, requests, size));
    for (unsigned i = 0; i < 100; i++) {
        if (i % 3 == 2) {
            ck_assert(client_receive(&client, false, &answer));
            expect_pattern(3000);
        } else {
            expect(200, i % 3 == 0 ? "waited" : "hello");
        }
    }
}

TEST(pipelined_bodies_are_kept_apart)
{
    ck_assert(client_print(&client, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\none"
                                    "POST /pool-echo HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nthree"
                                    "POST /forbidden HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\nGET "
                                    "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                                    "2\r\nfi\r\n2\r\nve\r\n0\r\n\r\n"
                                    "GET /hello HTTP/1.1\r\nHost: a\r\n\r\n"));
    expect(200, "one");
    expect(200, "three");
    expect(403, "forbidden");
    expect(200, "five");
    expect(200, "hello");
}

TEST(the_client_may_close)
{
    ck_assert(client_print(&client, "GET /hello HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
    expect(200, "hello");
    ck_assert_str_eq(header_of_answer("Connection"), "close");
    ck_assert(client_sees_end(&client));
}

TEST(http_1_0_is_understood)
{
    ck_assert(client_print(&client, "GET /hello HTTP/1.0\r\n\r\n"));
    expect(200, "hello");
    ck_assert(client_sees_end(&client));
    client_close(&client);
    ck_assert(client_open(&client, fixture_address(&fixture)));
    ck_assert(client_print(&client, "GET /stream?70000 HTTP/1.0\r\n\r\n"));
    ck_assert(client_receive(&client, false, &answer));
    ck_assert(!answer.is_chunked);
    expect_pattern(70000);
    ck_assert(client_sees_end(&client));
}

/* ---- targets and headers ---- */

TEST(paths_stay_raw)
{
    get("/raw%2Fa%00b%2", 200, "/raw%2Fa%00b%2\n");
    get("/raw/x+y?a=%20&b=c+d?e=%00%2F&&=", 200, "/raw/x+y\na=%20&b=c+d?e=%00%2F&&=");
    get("/raw?", 200, "/raw\n");
    get("/raw/l\xc3\xa4uft/../.", 200, "/raw/l\xc3\xa4uft/../.\n");
}

TEST(long_paths_are_whole)
{
    static char target[9000];
    static char expected[9001];
    for (size_t length = 500; length < sizeof target; length += length < 520 ? 1 : 1717) {
        memset(target, 'p', length);
        memcpy(target, "/raw", 4);
        target[length] = '\0';
        ck_assert(client_send(&client, "GET ", 4) && client_send(&client, target, length) &&
                  client_print(&client, " HTTP/1.1\r\nHost: a\r\n\r\n"));
        memcpy(expected, target, length);
        memcpy(expected + length, "\n", 2);
        /* The fixture's own buffer cuts it after 2047 bytes. */
        expected[2047] = '\0';
        expect(200, expected);
    }
}

/* libmicrohttpd would keep each of them, and hang when its memory is full. */
TEST(many_parameters_are_no_trouble)
{
    for (unsigned count = 100; count <= 3000; count += 100) {
        ck_assert(client_print(&client, "GET /hello?"));
        for (unsigned i = 0; i < count; i++)
            ck_assert(client_send(&client, "a=1&", 4));
        ck_assert(client_print(&client, " HTTP/1.1\r\nHost: a\r\n\r\n"));
        expect(200, "hello");
    }
}

TEST(an_absolute_target_loses_its_authority)
{
    get("http://posed.example:8080/raw/a?b=http://c/d", 200, "/raw/a\nb=http://c/d");
    get("HTTPS://posed.example/raw", 200, "/raw\n");
    get("http://posed.example", 404, "nothing at /");
    get("http://posed.example?raw", 404, "nothing at /");
}

TEST(what_is_no_path_is_refused)
{
    static const char *const targets[] = {"hello", "*", "ftp://a/hello", "?a"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        get(targets[i], 400, "the request's target is not a path");
        ck_assert_str_eq(header_of_answer("Posed-Refused"), "yes");
        get("/hello", 200, "hello");
    }
}

TEST(control_characters_in_the_target_end_the_connection)
{
    static const char *const targets[] = {"/a\tb", "/a\x7f", "/a?b\x01", "?\x01"};
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        get(targets[i], 400, "the request's target has blanks or control characters");
        ck_assert_str_eq(header_of_answer("Connection"), "close");
        client_close(&client);
        ck_assert(client_open(&client, fixture_address(&fixture)));
    }
}

/* Since 0.9.77 libmicrohttpd refuses it by itself, in its own words. */
TEST(a_blank_in_the_target_is_refused)
{
    get("/a b", 400, NULL);
}

TEST(headers_are_found_and_counted)
{
    ck_assert(client_print(&client, "GET /count?x-one HTTP/1.1\r\nHost: a\r\nX-One: 1\r\nX-Two: 2\r\n\r\n"
                                    "GET /count?X-Two HTTP/1.1\r\nHost: a\r\nx-two: a\r\nX-TWO: b\r\n\r\n"
                                    "GET /count?X-Three HTTP/1.1\r\nHost: a\r\nX-Thre: a\r\n\r\n"));
    expect(200, "1 1");
    expect(200, "2 a");
    expect(200, "0 -");
}

TEST(the_client_is_known)
{
    get("/client", 200, "127.0.0.1 here");
}

TEST(exactly_one_host_is_needed)
{
    static const char *const hosts[] = {"", "Host: a\r\nHost: b\r\n", "Host: a\r\nHost: a\r\n"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        client_close(&client);
        ck_assert(client_open(&client, fixture_address(&fixture)));
        ck_assert(client_print(&client, "GET /hello HTTP/1.1\r\n%s\r\nGET /hello HTTP/1.1\r\nHost: a\r\n\r\n",
                               hosts[i]));
        expect(400, "HTTP/1.1 needs exactly one Host header");
        ck_assert(client_sees_end(&client));
    }
}

TEST(doubtful_framing_is_refused_and_closes)
{
    static const struct {
        const char *headers;
        unsigned status;
    } cases[] = {
        {"Content-Length: 3\r\nContent-Length: 4\r\n", 400},
        {"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", 400},
        {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", 400},
        {"Content-Length : 3\r\n", 400},
        {"Content-Length\t: 3\r\n", 400},
        {"Transfer-Encoding: gzip, chunked\r\n", 501},
        {"Transfer-Encoding: identity\r\n", 501},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        client_close(&client);
        ck_assert(client_open(&client, fixture_address(&fixture)));
        ck_assert(client_print(&client, "POST /echo HTTP/1.1\r\nHost: a\r\n%s\r\nGET /hello HTTP/1.1\r\n\r\n",
                               cases[i].headers));
        ck_assert_msg(client_receive(&client, false, &answer), "%s", cases[i].headers);
        ck_assert_msg(answer.status == cases[i].status, "%s: %u", cases[i].headers, answer.status);
        answer_release(&answer);
        ck_assert_msg(client_sees_end(&client), "%s", cases[i].headers);
    }
}

/* libmicrohttpd refuses these by itself; it sends the headers of its answer twice, but the connection ends. */
TEST(a_broken_content_length_is_refused)
{
    static const char *const lengths[] = {"3x", "-3", "", "0x3", "3, 3", "99999999999999999999"};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        client_close(&client);
        ck_assert(client_open(&client, fixture_address(&fixture)));
        ck_assert(client_print(&client, "POST /echo HTTP/1.1\r\nHost: a\r\nContent-Length: %s\r\n\r\n",
                               lengths[i]));
        ck_assert_msg(client_receive(&client, false, &answer), "%s", lengths[i]);
        ck_assert_msg(answer.status == (i == 5 ? 413 : 400), "%s: %u", lengths[i], answer.status);
        answer_release(&answer);
        while (client_receive(&client, false, &answer)) {
            ck_assert_uint_ne(answer.status, 200);
            answer_release(&answer);
        }
        answer_release(&answer);
    }
}

/* 16 to 30 KB of headers fill libmicrohttpd's first buffer: it has to be asked again without another event. */
TEST(large_headers_do_not_hang)
{
    static char filler[32 * 1024];
    memset(filler, 'h', sizeof filler);
    for (size_t size = 1000; size <= 29000; size += 2000) {
        ck_assert(client_print(&client, "GET /hello HTTP/1.1\r\nHost: a\r\nX-Filler: ") &&
                  client_send(&client, filler, size) && client_print(&client, "\r\n\r\n"));
        expect(200, "hello");
    }
    /* The answer comes before all is read, and the connection is closed: the last bytes may not be taken any more. */
    if (client_print(&client, "GET /hello HTTP/1.1\r\nHost: a\r\nX-Filler: ") &&
        client_send(&client, filler, sizeof filler) && client_print(&client, "\r\n\r\n"))
        expect(431, NULL);
    fixture_await(&fixture.finished, 16);
    ck_assert_uint_eq(atomic_load(&fixture.last_status), 431);
}

/* ---- answers ---- */

TEST(headers_are_sent_as_given)
{
    for (unsigned count = 0; count <= 100; count += 50) {
        char target[32];
        char expected[4096];
        size_t size = 0;
        for (unsigned i = 0; i < count; i++)
            size += (size_t)sprintf(expected + size, "X-%u: %u\r\n", i, i);
        sprintf(expected + size,
                "Link: </a>\r\nLink: </b>\r\nX-Long: %s\r\nContent-Type: application/octet-stream\r\n",
                fixture_long_value());
        sprintf(target, "/headers?%u", count);
        get(target, 200, "headers");
        ck_assert_msg(strstr(answer.head, expected), "%s", answer.head);
        ck_assert_str_eq(header_of_answer("Date"), "today");
        ck_assert_str_eq(header_of_answer("Content-Length"), "7");
        ck_assert_ptr_null(header_of_answer("Transfer-Encoding"));
    }
}

TEST(head_is_get_without_the_body)
{
    static const char *const targets[] = {"/hello", "/bytes?100000", "/known?5000", "/pool", "/nothing"};
    char length[64];
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        ck_assert(client_ask(&client, "GET", targets[i], &answer));
        snprintf(length, sizeof length, "%zu", answer.body_size);
        answer_release(&answer);
        ck_assert(client_ask(&client, "HEAD", targets[i], &answer));
        ck_assert_uint_eq(answer.status, i == 4 ? 404 : 200);
        ck_assert_str_eq(header_of_answer("Content-Length"), length);
        answer_release(&answer);
    }
    get("/hello", 200, "hello");
}

TEST(head_of_a_stream_sends_nothing_behind_the_headers)
{
    ck_assert(client_ask(&client, "HEAD", "/stream?5000", &answer));
    ck_assert_uint_eq(answer.status, 200);
    ck_assert_ptr_null(header_of_answer("Content-Length"));
    answer_release(&answer);
    ck_assert(client_sees_end(&client));
}

TEST(some_answers_have_no_body)
{
    get("/none", 204, "");
    ck_assert_ptr_null(header_of_answer("Content-Length"));
    get("/same", 304, "");
    ck_assert_str_eq(header_of_answer("ETag"), "\"tag\"");
    get("/bytes?0", 200, "");
    ck_assert_str_eq(header_of_answer("Content-Length"), "0");
    get("/hello", 200, "hello");
    fixture_await(&fixture.finished, 4);
    ck_assert_uint_eq(atomic_load(&fixture.bytes), 5);
}

TEST(answers_of_every_size_are_whole)
{
    static const size_t sizes[] = {1, 1399, 7500, 32768, 100001, 3000000};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char target[64];
        snprintf(target, sizeof target, "/bytes?%zu", sizes[i]);
        ck_assert(client_ask(&client, "GET", target, &answer));
        expect_pattern(sizes[i]);
        sum += sizes[i];
    }
    fixture_await(&fixture.finished, 6);
    ck_assert_uint_eq(atomic_load(&fixture.bytes), sum);
}

TEST(streams_are_whole)
{
    static const size_t sizes[] = {0, 1, 5003, 32767, 2000000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        char target[64];
        snprintf(target, sizeof target, "/stream?%zu", sizes[i]);
        ck_assert(client_ask(&client, "GET", target, &answer));
        ck_assert(answer.is_chunked);
        expect_pattern(sizes[i]);
        snprintf(target, sizeof target, "/known?%zu", sizes[i]);
        ck_assert(client_ask(&client, "GET", target, &answer));
        ck_assert(!answer.is_chunked);
        expect_pattern(sizes[i]);
    }
    fixture_await(&fixture.finished, 10);
    ck_assert_uint_eq(atomic_load(&fixture.bytes), 2 * (1 + 5003 + 32767 + 2000000));
}

TEST(a_stream_that_fails_cuts_the_connection)
{
    ck_assert(!client_ask(&client, "GET", "/short?100000", &answer));
    ck_assert_uint_eq(answer.status, 200);
    answer_release(&answer);
    fixture_await(&fixture.finished, 1);
    ck_assert_uint_eq(atomic_load(&fixture.incomplete), 1);
    ck_assert_uint_eq(atomic_load(&fixture.bytes), 50000);
}

/* ---- bodies ---- */

static void post(const char *target, const uint8_t *body, size_t size)
{
    ck_assert(
        client_print(&client, "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: %zu\r\n\r\n", target, size));
    ck_assert(client_send(&client, body, size));
}

TEST(bodies_arrive_as_sent)
{
    static const size_t sizes[] = {0,      1,       16384,           16385, 300000, FIXTURE_THRESHOLD,
                                   262145, 1000003, MAX_FIXTURE_ECHO};
    uint8_t *body = new_body(MAX_FIXTURE_ECHO);
    for (size_t i = 0; i < 2 * sizeof sizes / sizeof *sizes; i++) {
        const size_t size = sizes[i / 2];
        post(i % 2 == 0 ? "/echo" : "/pool-echo", body, size);
        ck_assert_msg(client_receive(&client, false, &answer), "%zu bytes", size);
        ck_assert_uint_eq(answer.status, 200);
        ck_assert_uint_eq(answer.body_size, size);
        ck_assert_int_eq(memcmp(answer.body, body, size), 0);
        ck_assert_ptr_null(header_of_answer("Connection"));
        answer_release(&answer);
    }
    free(body);
}

TEST(large_bodies_are_kept_in_a_file)
{
    uint8_t *body = new_body(2 * FIXTURE_THRESHOLD);
    post("/file", body, FIXTURE_THRESHOLD);
    expect(200, "memory");
    post("/file", body, FIXTURE_THRESHOLD + 1);
    expect(200, "file");
    post("/file", body, 2 * FIXTURE_THRESHOLD);
    expect(200, "file");
    free(body);
}

static void post_chunks(const char *target, const uint8_t *body, size_t size, size_t chunk,
                        const char *extension)
{
    ck_assert(
        client_print(&client, "POST %s HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", target));
    for (size_t at = 0; at < size; at += chunk) {
        const size_t piece = size - at < chunk ? size - at : chunk;
        /* The server may refuse and close before the end. */
        if (!client_print(&client, "%zx%s\r\n", piece, extension) ||
            !client_send(&client, body + at, piece) || !client_print(&client, "\r\n"))
            return;
    }
    client_print(&client, "0\r\nX-Trailer: 1\r\n\r\n");
}

TEST(chunked_bodies_arrive_as_sent)
{
    static const size_t chunks[] = {1, 7, 4096, 16384, 100000};
    uint8_t *body = new_body(700001);
    for (size_t i = 0; i < sizeof chunks / sizeof *chunks; i++) {
        const size_t size = chunks[i] < 10 ? 3001 : 700001;
        post_chunks("/echo", body, size, chunks[i], "");
        ck_assert(client_receive(&client, false, &answer));
        ck_assert_uint_eq(answer.status, 200);
        ck_assert_uint_eq(answer.body_size, size);
        ck_assert_int_eq(memcmp(answer.body, body, size), 0);
        answer_release(&answer);
    }
    post_chunks("/file", body, 700001, 50000, "");
    expect(200, "file");
    free(body);
}

/* libmicrohttpd 1.0.1 takes the end of such a line for the first byte of the chunk, and refuses what follows. */
TEST(extensions_of_chunks_are_ignored)
{
    uint8_t *body = new_body(3001);
    post_chunks("/echo", body, 3001, 100, ";name=value");
    ck_assert(client_receive(&client, false, &answer));
    if (!MHD_MAY_REFUSE_EXTENSIONS || answer.status != 400) {
        ck_assert_uint_eq(answer.status, 200);
        ck_assert_uint_eq(answer.body_size, 3001);
        ck_assert_int_eq(memcmp(answer.body, body, 3001), 0);
    }
    answer_release(&answer);
    free(body);
}

TEST(a_broken_chunk_is_refused)
{
    ck_assert(client_print(&client, "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                                    "5\r\nhello\r\nxyz\r\n"));
    expect(400, NULL);
    ck_assert(client_sees_end(&client));
}
