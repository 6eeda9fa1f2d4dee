/*
 * A server with a test application. See http_fixture.h.
 */
#include "tests/support/http/fixture.h"

#include "server/store/draft.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct piece {
    struct fixture *fixture;
    uint8_t *bytes;
    size_t size;  /* of the whole stream */
    size_t given; /* of it */
    size_t end;   /* where it fails or stops */
};

uint8_t fixture_pattern(size_t offset)
{
    return (uint8_t)(offset * 31 + (offset >> 8) * 7 + (offset >> 16));
}

const char *fixture_long_value(void)
{
    static char value[1500];
    memset(value, 'v', sizeof value - 1);
    return value;
}

static void release_piece(void *owner)
{
    struct piece *piece = owner;
    atomic_fetch_sub(&piece->fixture->bodies, 1);
    free(piece->bytes);
    free(piece);
}

static struct piece *new_piece(struct fixture *fixture, size_t size)
{
    struct piece *piece = calloc(1, sizeof *piece);
    piece->fixture = fixture;
    piece->size = size;
    piece->end = size;
    atomic_fetch_add(&fixture->bodies, 1);
    return piece;
}

static void give_bytes(struct fixture *fixture, struct api_response *response, const void *bytes, size_t size)
{
    struct piece *piece = new_piece(fixture, size);
    piece->bytes = malloc(size + 1);
    memcpy(piece->bytes, bytes, size);
    response_borrow(response, "application/octet-stream", piece->bytes, size, release_piece, piece);
}

static void give_text(struct fixture *fixture, struct api_response *response, const char *text)
{
    give_bytes(fixture, response, text, strlen(text));
}

static void give_pattern(struct fixture *fixture, struct api_response *response, size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = fixture_pattern(i);
    give_bytes(fixture, response, bytes, size);
    free(bytes);
}

/* Pieces of odd sizes. */
static ssize_t read_piece(void *owner, uint8_t *buffer, size_t capacity)
{
    struct piece *piece = owner;
    size_t size = piece->end - piece->given;
    size = size < capacity ? size : capacity;
    size = size < 5003 ? size : 5003;
    for (size_t i = 0; i < size; i++)
        buffer[i] = fixture_pattern(piece->given + i);
    piece->given += size;
    return size == 0 && piece->end < piece->size ? -1 : (ssize_t)size;
}

static bool is_path(const struct api_request *request, const char *path)
{
    return !strcmp(request->path, path);
}

static size_t query_number(const struct api_request *request)
{
    return strtoull(request->query, NULL, 10);
}

static bool admit(void *user, const struct api_request *request, uint64_t *max_body,
                  struct api_response *response)
{
    struct fixture *fixture = user;
    if (is_path(request, "/forbidden")) {
        response->status = 403;
        give_text(fixture, response, "forbidden");
        return false;
    }
    if (is_path(request, "/echo") || is_path(request, "/pool-echo") || is_path(request, "/file"))
        *max_body = MAX_FIXTURE_ECHO;
    else if (is_path(request, "/small"))
        *max_body = MAX_FIXTURE_SMALL;
    return true;
}

static bool file_holds_body(const struct api_request *request)
{
    uint8_t *copy = malloc(request->body_size);
    bool same =
        pread((*request->body_draft)->fd, copy, request->body_size, 0) == (ssize_t)request->body_size &&
        !memcmp(copy, request->body, request->body_size);
    free(copy);
    return same;
}

static void handle_stream(struct fixture *fixture, struct api_request *request, struct api_response *response)
{
    struct piece *piece = new_piece(fixture, query_number(request));
    if (is_path(request, "/short"))
        piece->end = piece->size / 2;
    response_stream(response, "application/octet-stream",
                    is_path(request, "/stream") ? API_UNKNOWN_SIZE : piece->size, read_piece, release_piece,
                    piece);
}

/* N headers "X-0: 0", and some that libmicrohttpd has ideas about. */
static void give_headers(struct fixture *fixture, size_t count, struct api_response *response)
{
    char name[32];
    char value[32];
    response_header(response, "Content-Length", "99");
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "X-%zu", i);
        snprintf(value, sizeof value, "%zu", i);
        response_header(response, name, value);
    }
    response_header(response, "Link", "</a>");
    response_header(response, "Link", "</b>");
    response_header(response, "Transfer-Encoding", "gzip");
    response_header(response, "Date", "today");
    response_header(response, "X-Long", fixture_long_value());
    give_text(fixture, response, "headers");
}

static void handle_shown(struct fixture *fixture, struct api_request *request, struct api_response *response)
{
    char text[2048];
    if (is_path(request, "/client")) {
        snprintf(text, sizeof text, "%s %s", request->client, request->client_is_loopback ? "here" : "there");
    } else if (is_path(request, "/count")) {
        const char *value = request->header(request, request->query);
        snprintf(text, sizeof text, "%zu %s", request->header_count(request, request->query),
                 value ? value : "-");
    } else if (is_path(request, "/file")) {
        snprintf(text, sizeof text, "%s",
                 request->body_draft && *request->body_draft && file_holds_body(request) ? "file" : "memory");
    } else if (!strncmp(request->path, "/raw", 4)) {
        snprintf(text, sizeof text, "%s\n%s", request->path, request->query);
    } else {
        response->status = 404;
        snprintf(text, sizeof text, "nothing at %s", request->path);
    }
    give_text(fixture, response, text);
}

static enum api_outcome handle(void *user, struct api_request *request, struct api_response *response)
{
    struct fixture *fixture = user;
    if (!strncmp(request->path, "/pool", 5) && !request->may_wait) {
        give_text(fixture, response, "to be discarded");
        return API_WAIT;
    }
    if (is_path(request, "/wait")) {
        if (!request->may_wait)
            return API_WAIT;
        atomic_fetch_add(&fixture->waiting, 1);
        uv_sem_wait(&fixture->gate);
        give_text(fixture, response, "let go");
    } else if (is_path(request, "/hello")) {
        response_static(response, "text/plain", "hello", 5);
    } else if (is_path(request, "/headers")) {
        give_headers(fixture, query_number(request), response);
    } else if (is_path(request, "/pool")) {
        give_text(fixture, response, "waited");
    } else if (is_path(request, "/none") || is_path(request, "/same")) {
        response->status = is_path(request, "/none") ? 204 : 304;
        response_header(response, "ETag", "\"tag\"");
        give_text(fixture, response, "never sent");
    } else if (is_path(request, "/bytes")) {
        give_pattern(fixture, response, query_number(request));
    } else if (is_path(request, "/stream") || is_path(request, "/known") || is_path(request, "/short")) {
        handle_stream(fixture, request, response);
    } else if (is_path(request, "/echo") || is_path(request, "/pool-echo") || is_path(request, "/small")) {
        give_bytes(fixture, response, request->body, request->body_size);
    } else {
        handle_shown(fixture, request, response);
    }
    return API_DONE;
}

static void refuse(void *user, const struct api_request *request, unsigned status, const char *detail,
                   struct api_response *response)
{
    const char *id = request->header(request, "X-Request-Id"); /* may be asked of every request */
    response->status = status;
    response_header(response, "X-Request-Id", id ? id : "made");
    response_header(response, "Posed-Refused", "yes");
    give_text(user, response, detail);
}

static void note_finished(void *user, const struct http_record *record)
{
    struct fixture *fixture = user;
    ck_assert_ptr_nonnull(record->response);
    ck_assert_ptr_nonnull(record->method);
    ck_assert_ptr_nonnull(record->path);
    ck_assert(record->seconds >= 0);
    atomic_fetch_add(&fixture->bytes, record->bytes);
    atomic_store(&fixture->last_status, record->status);
    atomic_fetch_add(&fixture->incomplete, !record->complete);
    atomic_fetch_add(&fixture->finished, 1);
}

void fixture_init(struct fixture *fixture)
{
    memset(fixture, 0, sizeof *fixture);
    fixture->options = (struct http_options){
        .listen = "127.0.0.1:0",
        .listen_fd = -1,
        .threads = 2,
        .max_connections = 4096,
        .idle_timeout_s = 60,
        .request_timeout_s = 60,
        .queue_limit = 64,
        .spool_threshold = FIXTURE_THRESHOLD,
        .spool_dir = "/tmp",
    };
    ck_assert_int_eq(uv_sem_init(&fixture->gate, 0), 0);
}

static void run(void *server)
{
    http_run(server);
}

void fixture_start(struct fixture *fixture)
{
    const struct http_application application = {
        .user = fixture, .admit = admit, .handle = handle, .refuse = refuse, .finished = note_finished};
    char error[256];

    fixture->server = http_open(&fixture->options, &application, error, sizeof error);
    ck_assert_msg(fixture->server, "%s", error);
    ck_assert_int_eq(uv_thread_create(&fixture->thread, run, fixture->server), 0);
}

const char *fixture_address(const struct fixture *fixture)
{
    return http_address(fixture->server);
}

void fixture_let_go(struct fixture *fixture, unsigned count)
{
    while (count-- > 0)
        uv_sem_post(&fixture->gate);
}

void fixture_await(const atomic_uint *value, unsigned count)
{
    for (unsigned i = 0; atomic_load(value) < count; i++) {
        ck_assert_msg(i < 30000, "%u after half a minute, not %u", atomic_load(value), count);
        usleep(1000);
    }
}

void fixture_end(struct fixture *fixture)
{
    struct http_counters counters;
    uv_thread_join(&fixture->thread);
    http_count(fixture->server, &counters);
    ck_assert_uint_eq(counters.connections, 0);
    ck_assert_uint_eq(counters.queue_depth, 0);
    http_close(fixture->server);
    ck_assert_int_eq(atomic_load(&fixture->bodies), 0);
    uv_sem_destroy(&fixture->gate);
}

void fixture_stop(struct fixture *fixture)
{
    http_stop(fixture->server, 3600);
    fixture_end(fixture);
}
