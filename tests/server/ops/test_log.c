/*
 * The log: exact lines of both kinds, what comes from outside escaped and cut, whole lines from many threads, and a
 * reader that does not keep up.
 */
#include "server/ops/log.h"
#include "server/ops/log_line.h"
#include "tests/support/unit.h"

#include <stdbool.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* 2026-11-20T12:34:56.789 */
static const struct timespec now = {.tv_sec = 1795178096, .tv_nsec = 789999999};

static const struct log_request usual = {
    .id = "4f2a",
    .client = "127.0.0.1",
    .method = "GET",
    .route = "/v1/clips/{id}/pose",
    .path = "/v1/clips/0123/pose",
    .status = 200,
    .bytes = 7512,
    .seconds = 0.0000214,
    .cache = "hit",
};

/* The line as a string; it must end in the only line feed. */
static const char *line_of(enum log_format format, const struct log_request *request)
{
    static struct log_line line;
    static char text[LOG_LINE_CAPACITY + 1];
    log_line_request(&line, format, &now, request);
    ck_assert_uint_le(line.length, LOG_LINE_CAPACITY);
    ck_assert_ptr_eq(memchr(line.text, '\n', line.length), line.text + line.length - 1);
    memcpy(text, line.text, line.length - 1);
    text[line.length - 1] = '\0';
    return text;
}

static const char *message_of(enum log_format format, const char *message)
{
    static struct log_line line;
    static char text[LOG_LINE_CAPACITY + 1];
    log_line_message(&line, format, &now, LOG_WARNING, message);
    ck_assert_ptr_eq(memchr(line.text, '\n', line.length), line.text + line.length - 1);
    memcpy(text, line.text, line.length - 1);
    text[line.length - 1] = '\0';
    return text;
}

TEST(a_request_as_text_and_as_json)
{
    ck_assert_str_eq(line_of(LOG_TEXT, &usual),
                     "2026-11-20T12:34:56.789Z info 127.0.0.1 GET /v1/clips/0123/pose 200 "
                     "7512B 0.021ms hit 4f2a");
    ck_assert_str_eq(line_of(LOG_JSON, &usual),
                     "{\"time\":\"2026-11-20T12:34:56.789Z\",\"level\":\"info\",\"id\":\"4f2a\",\"client\":"
                     "\"127.0.0.1\",\"method\":\"GET\",\"route\":\"/v1/clips/{id}/pose\",\"path\":"
                     "\"/v1/clips/0123/pose\",\"status\":200,\"bytes\":7512,\"ms\":0.021,\"cache\":\"hit\"}");
}

TEST(what_is_absent_is_a_dash_or_null)
{
    struct log_request request = {.status = 400, .route = "", .seconds = -1};
    ck_assert_str_eq(line_of(LOG_TEXT, &request),
                     "2026-11-20T12:34:56.789Z warning - - - 400 0B 0.000ms - -");
    ck_assert_str_eq(
        line_of(LOG_JSON, &request),
        "{\"time\":\"2026-11-20T12:34:56.789Z\",\"level\":\"warning\",\"id\":null,\"client\":null,"
        "\"method\":null,\"route\":\"\",\"path\":null,\"status\":400,\"bytes\":0,\"ms\":0.000,"
        "\"cache\":null}");
}

TEST(the_level_follows_from_the_status)
{
    static const struct {
        unsigned status;
        const char *level;
    } cases[] = {{200, " info "},    {304, " info "},  {399, " info "}, {400, " warning "},
                 {499, " warning "}, {500, " error "}, {503, " error "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct log_request request = usual;
        request.status = cases[i].status;
        ck_assert_ptr_nonnull(strstr(line_of(LOG_TEXT, &request), cases[i].level));
    }
}

TEST(times_have_three_decimals)
{
    static const struct {
        double seconds;
        const char *text;
    } cases[] = {{0, " 0.000ms "},
                 {0.0000004, " 0.000ms "},
                 {0.0000006, " 0.001ms "},
                 {0.05, " 50.000ms "},
                 {1.2345678, " 1234.568ms "},
                 {-5, " 0.000ms "},
                 {1e300, " 1000000000000.000ms "}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct log_request request = usual;
        request.seconds = cases[i].seconds;
        ck_assert_msg(strstr(line_of(LOG_TEXT, &request), cases[i].text), "%s", line_of(LOG_TEXT, &request));
    }
}

TEST(what_could_forge_a_line_or_move_a_cursor_is_escaped)
{
    static const struct {
        const char *from, *text, *json;
    } cases[] = {
        {"a\nb", "a\\x0ab", "a\\nb"},
        {"\x1b[2J\r\t\x7f", "\\x1b[2J\\x0d\\x09\\x7f", "\\u001b[2J\\r\\t\\u007f"},
        {"say \"hi\"", "say \"hi\"", "say \\\"hi\\\""},
        {"back\\slash", "back\\\\slash", "back\\\\slash"},
        {"Grüße 日本 😀", "Grüße 日本 😀", "Grüße 日本 😀"},
        {"\xc2\x9b"
         "31m",
         "\\xc2\\x9b31m", "\\u009b31m"}, /* C1 as UTF-8 */
        {"a\xe2\x80\xae|\xe2\x81\xa6|\xd8\x9c", "a\\xe2\\x80\\xae|\\xe2\\x81\\xa6|\\xd8\\x9c",
         "a\\u202e|\\u2066|\\u061c"}, /* direction */
        {"a\xe2\x80\xa8"
         "b",
         "a\\xe2\\x80\\xa8"
         "b",
         "a\\u2028"
         "b"},                                                     /* a line separator */
        {"\xc2\xa0|", "\xc2\xa0|", "\xc2\xa0|"},                   /* the first one behind C1 */
        {"\xff|\xc3", "\\xff|\\xc3", "\xef\xbf\xbd|\xef\xbf\xbd"}, /* no UTF-8; cut off at the end */
        {"\xc0\xaf", "\\xc0\\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},    /* overlong */
        {"\xed\xa0\x80", "\\xed\\xa0\\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* a surrogate */
        {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80",
         "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* beyond Unicode */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char wanted[128];
        snprintf(wanted, sizeof wanted, "2026-11-20T12:34:56.789Z warning %s", cases[i].text);
        ck_assert_str_eq(message_of(LOG_TEXT, cases[i].from), wanted);
        snprintf(wanted, sizeof wanted,
                 "{\"time\":\"2026-11-20T12:34:56.789Z\",\"level\":\"warning\",\"message\":\"%s\"}",
                 cases[i].json);
        ck_assert_str_eq(message_of(LOG_JSON, cases[i].from), wanted);
    }
}

TEST(long_texts_are_cut_and_the_line_stays_whole)
{
    static char longest[100000];
    memset(longest, 1, sizeof longest - 1); /* six bytes each in JSON */
    struct log_request request = {.id = longest,
                                  .client = longest,
                                  .method = longest,
                                  .route = longest,
                                  .path = longest,
                                  .status = 4294967295u,
                                  .bytes = UINT64_MAX,
                                  .seconds = 1e300,
                                  .cache = longest};
    const char *line = line_of(LOG_JSON, &request);
    ck_assert_ptr_nonnull(strstr(line, "\\u0001…\",\"status\":4294967295,\"bytes\":18446744073709551615,"));
    ck_assert_str_eq(line + strlen(line) - 5, "…\"}");
    line_of(LOG_TEXT, &request);
    line = message_of(LOG_JSON, longest);
    ck_assert_str_eq(line + strlen(line) - 5, "…\"}");
    message_of(LOG_TEXT, longest);
}

/* -------------------------------------------------------------------------------------------------- threads -- */

enum { THREADS = 4, LINES = 2000, ROUNDS = 6 };

static void *log_many(void *user)
{
    char id[32];
    for (int i = 0; i < LINES; i++) {
        struct log_request request = usual;
        snprintf(id, sizeof id, "%d.%d", *(int *)user, i);
        request.id = id;
        log_request(&request);
    }
    return NULL;
}

static void run_threads(void)
{
    pthread_t threads[THREADS];
    static int numbers[THREADS];
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        ck_assert_int_eq(pthread_create(&threads[i], NULL, log_many, &numbers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* The number behind which a thread has got, or -1 when the line is none of log_many's. */
static bool parse_line(const char *line, int *thread, int *number)
{
    const char *id = strstr(line, " info 127.0.0.1 GET /v1/clips/0123/pose 200 7512B 0.021ms hit ");
    int end = 0;
    return id && id == line + 24 && sscanf(id + 62, "%d.%d%n", thread, number, &end) == 2 &&
           id[62 + end] == '\n';
}

TEST(threads_do_not_tear_or_lose_lines_or_change_their_order)
{
    FILE *file = tmpfile();
    log_init(LOG_TEXT, fileno(file));
    run_threads();
    log_message(LOG_ERROR, "%s", "the end");
    log_close();
    rewind(file);
    char line[LOG_LINE_CAPACITY];
    int next[THREADS] = {0}, thread, number;
    for (int i = 0; i < THREADS * LINES; i++) {
        ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
        ck_assert_msg(parse_line(line, &thread, &number), "%s", line);
        ck_assert_int_eq(number, next[thread]++);
    }
    ck_assert_ptr_nonnull(fgets(line, sizeof line, file));
    ck_assert_str_eq(line + 24, " error the end\n"); /* behind all that was logged before */
    ck_assert_ptr_null(fgets(line, sizeof line, file));
    fclose(file);
}

TEST(a_message_is_written_when_the_call_returns)
{
    int ends[2];
    char text[256];
    ck_assert_int_eq(pipe(ends), 0);
    log_init(LOG_JSON, ends[1]);
    log_message(LOG_INFO, "listening on %s:%d", "127.0.0.1", 8080);
    ssize_t size = read(ends[0], text, sizeof text - 1);
    ck_assert_int_gt(size, 0);
    text[size] = '\0';
    ck_assert_str_eq(text + 34, ",\"level\":\"info\",\"message\":\"listening on 127.0.0.1:8080\"}\n");
    log_close();
    close(ends[0]);
    close(ends[1]);
}

TEST(a_request_is_written_without_more_to_come)
{
    int ends[2];
    char text[256];
    ck_assert_int_eq(pipe(ends), 0);
    log_init(LOG_TEXT, ends[1]);
    for (int i = 0; i < 3; i++) {
        log_request(&usual);
        ck_assert_int_gt(read(ends[0], text, sizeof text), 0); /* would wait for ever */
    }
    log_close();
    close(ends[0]);
    close(ends[1]);
}

/* What came out of a pipe. */
struct received {
    int fd;
    uint64_t lines, lost;
};

static void *receive(void *user)
{
    struct received *received = user;
    FILE *file = fdopen(received->fd, "r");
    char line[LOG_LINE_CAPACITY];
    int thread, number;
    while (fgets(line, sizeof line, file)) {
        unsigned long long lost;
        if (sscanf(line + 24, " warning %llu lines of the log were lost", &lost) == 1)
            received->lost += lost;
        else if (parse_line(line, &thread, &number))
            received->lines++;
        else
            ck_abort_msg("%s", line);
    }
    fclose(file);
    return NULL;
}

TEST(who_does_not_read_in_time_hears_how_much_was_lost)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    log_init(LOG_TEXT, ends[1]);
    for (int i = 0; i < ROUNDS; i++)
        run_threads(); /* twice what pipe and buffers hold; returns though nobody reads */
    struct received received = {.fd = ends[0]};
    pthread_t reader;
    ck_assert_int_eq(pthread_create(&reader, NULL, receive, &received), 0);
    log_close();
    close(ends[1]);
    pthread_join(reader, NULL);
    ck_assert_uint_gt(received.lost, 0);
    ck_assert_uint_eq(received.lines + received.lost, ROUNDS * THREADS * LINES);
}

TEST(a_reader_that_left_is_no_harm)
{
    int ends[2];
    signal(SIGPIPE, SIG_IGN);
    ck_assert_int_eq(pipe(ends), 0);
    close(ends[0]);
    log_init(LOG_TEXT, ends[1]);
    run_threads();
    log_message(LOG_INFO, "nobody hears this");
    log_close();
    close(ends[1]);
}
