/*
 * A request and its answer, from the request line to the log: refusals, the body, the handler. transport.c calls
 * these functions as libmicrohttpd reaches each step; this file does not depend on libmicrohttpd.
 */
#include "server/http/internal.h"

#include "server/http/raw.h"

#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    MAX_DROPPED_BODY = 64 * 1024, /* of a refused request, to keep the connection open */
    MIN_COUNTED = 32 * 1024, /* of a pending answer; smaller ones are bounded by the number of connections */
    SPARE_EXCHANGES = 64,    /* cached by a loop */
};

/* The connection is suspended while other threads call this, so its descriptor stays open. A client that
 * has only shut down its sending side still reads. */
static bool has_left(const struct api_request *request)
{
    const struct http_exchange *exchange =
        (const void *)((const char *)request - offsetof(struct http_exchange, request));
    struct pollfd peer = {.fd = exchange->connection->fd, .events = 0};
    return poll(&peer, 1, 0) > 0 && (peer.revents & (POLLERR | POLLHUP)) != 0;
}

struct http_exchange *exchange_new(struct http_connection *connection)
{
    struct http_loop *loop = connection->loop;
    struct http_exchange *exchange = loop->spare;
    if (exchange) {
        loop->spare = exchange->next_spare;
        loop->spare_count--;
    } else if (!(exchange = malloc(sizeof *exchange))) {
        return NULL;
    }
    exchange->connection = connection;
    exchange->stage = STAGE_HEADERS;
    exchange->close = false;
    exchange->is_watched = false;
    exchange->complete = false;
    exchange->is_making = false;
    exchange->is_idle = false;
    exchange->block = (struct http_block){.data = NULL};
    exchange->started_ns = uv_hrtime();
    exchange->dropped = 0;
    exchange->pending = 0;
    exchange->streamed = 0;
    exchange->target = exchange->small_target;
    exchange->target_size = 0;
    exchange->raw_end = NULL;
    exchange->is_chunked = false;
    exchange->request = (struct api_request){
        .method = "",
        .path = "",
        .query = "",
        .body = (const uint8_t *)"",
        .client = connection->client,
        .client_is_loopback = connection->is_loopback,
        .loop = loop->index,
        .is_side = loop->is_side,
        .header = transport_find_header,
        .header_count = transport_count_headers,
        .has_left = has_left,
        .transport = connection->mhd,
    };
    body_init(&exchange->body, &loop->server->bodies, 0, 0, NULL);
    response_init(&exchange->response, 200);
    return exchange;
}

bool exchange_is_bodiless(const struct http_exchange *exchange)
{
    return exchange->response.status == 204 || exchange->response.status == 304;
}

bool exchange_is_head(const struct http_exchange *exchange)
{
    return !strcmp(exchange->request.method, "HEAD");
}

/* Bytes of the body that were sent, as far as known. */
static uint64_t sent_bytes(const struct http_exchange *exchange, bool complete)
{
    if (exchange->stage < STAGE_ANSWERED || exchange_is_bodiless(exchange) || exchange_is_head(exchange))
        return 0;
    if (exchange->response.read)
        return exchange->streamed;
    return complete ? exchange->response.size : 0;
}

void exchange_end(struct http_exchange *exchange, unsigned status, bool complete)
{
    struct http_loop *loop = exchange->connection->loop;
    const struct http_application *application = &loop->server->application;
    if (status != 0 && application->finished) {
        const struct http_record record = {
            .method = exchange->request.method,
            .path = exchange->target_size > 0 ? exchange->target : "",
            .client = exchange->request.client,
            .status = status,
            .complete = complete,
            .bytes = sent_bytes(exchange, complete),
            .seconds = (double)(uv_hrtime() - exchange->started_ns) / 1e9,
            .response = &exchange->response,
        };
        application->finished(application->user, &record);
    }
    response_release(&exchange->response);
    body_release(&exchange->body);
    free(exchange->block.data);
    if (exchange->pending > 0)
        atomic_fetch_sub(&loop->server->pending, exchange->pending);
    if (exchange->target != exchange->small_target)
        free(exchange->target);
    if (loop->spare_count < SPARE_EXCHANGES) {
        exchange->next_spare = loop->spare;
        loop->spare = exchange;
        loop->spare_count++;
    } else {
        free(exchange);
    }
}

void exchanges_release(struct http_loop *loop)
{
    while (loop->spare) {
        struct http_exchange *exchange = loop->spare;
        loop->spare = exchange->next_spare;
        free(exchange);
    }
    loop->spare_count = 0;
}

void exchange_refuse(struct http_exchange *exchange, unsigned status, const char *detail)
{
    const struct http_application *application = &exchange->connection->loop->server->application;
    struct api_response *response = &exchange->response;
    response_release(response);
    response_init(response, status);
    application->refuse(application->user, &exchange->request, status, detail, response);
    if ((status == 503 || status == 429) && !response_find_header(response, "Retry-After"))
        response_header(response, "Retry-After", "1");
    exchange->stage = STAGE_REFUSED;
}

/* An answer larger than the limit on pending bytes is allowed if nothing else is pending, so that a single
 * client can get it. */
bool exchange_may_wait(struct http_exchange *exchange)
{
    const struct api_response *response = &exchange->response;
    struct http_server *server = exchange->connection->loop->server;
    const uint64_t size = response->read ? STREAM_BLOCK + response->held : response->size;
    if (response->is_ready)
        return true; /* it waits for something to say, and their number is bounded */
    if (size < MIN_COUNTED || server->options.max_pending == 0 || exchange_is_bodiless(exchange) ||
        exchange_is_head(exchange))
        return true;
    uint64_t sum = atomic_fetch_add(&server->pending, size) + size;
    if (sum > server->options.max_pending && sum != size) {
        atomic_fetch_sub(&server->pending, size);
        return false;
    }
    exchange->pending = size;
    return true;
}

void exchange_answer_raw(struct http_exchange *exchange)
{
    exchange->complete = raw_answer(exchange->connection->fd, &exchange->response);
    exchange->stage = STAGE_RAW;
}

/* ---- the first line ---- */

/* Skips "http://host" of a target in absolute form (RFC 9112, 3.2.2). */
static const char *skip_authority(const char *target)
{
    if (!strncasecmp(target, "http://", 7))
        target += 7;
    else if (!strncasecmp(target, "https://", 8))
        target += 8;
    else
        return target;
    return target + strcspn(target, "/?");
}

/* Copies the raw target into the exchange and cuts it at the '?'. */
bool exchange_take_target(struct http_exchange *exchange, const char *raw)
{
    const char *target = skip_authority(raw);
    const bool adds_slash = target != raw && *target != '/'; /* http://host, http://host?query */
    const size_t length = strlen(target);
    exchange->target_size = strlen(raw);
    exchange->raw_end = raw + exchange->target_size;
    if (length + 2 > sizeof exchange->small_target) {
        exchange->target = malloc(length + 2);
        if (!exchange->target) {
            exchange->target = exchange->small_target;
            return false;
        }
    }
    char *at = exchange->target;
    if (adds_slash)
        *at++ = '/';
    memcpy(at, target, length + 1);
    exchange->request.path = exchange->target;
    at = strchr(exchange->target, '?');
    if (at) {
        *at = '\0';
        exchange->request.query = at + 1;
    }
    return true;
}

static bool has_control(const char *text)
{
    while ((unsigned char)*text > 0x20 && *text != 0x7f)
        text++;
    return *text != '\0';
}

/* ---- the headers ---- */

/* RFC 9110, 5.6.2. */
static bool is_token(const char *text, size_t size)
{
    static const char marks[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < size; i++) {
        const char c = text[i];
        const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        if (!is_letter && !(c >= '0' && c <= '9') && !(c && strchr(marks, c)))
            return false;
    }
    return size > 0;
}

void framing_note(struct framing *framing, const char *name, size_t name_size, const char *value)
{
    if (name_size == 4 && !strcasecmp(name, "Host")) {
        framing->hosts++;
    } else if (name_size == 6 && !strcasecmp(name, "Expect")) {
        framing->expects_continue = value && !strcasecmp(value, "100-continue");
    } else if (name_size == 14 && !strcasecmp(name, "Content-Length")) {
        framing->lengths++;
        framing->length =
            value ? strtoull(value, NULL, 10) : 0; /* libmicrohttpd checks that it is a number */
    } else if (name_size == 17 && !strcasecmp(name, "Transfer-Encoding")) {
        framing->codings++;
        framing->is_chunked = value && !strcasecmp(value, "chunked");
    }
    /* "Content-Length : 5", " Content-Length: 5": another server may take it for what this one does not (RFC 9112, 2.2
     * and 5.1). */
    framing->has_bad_name |= !is_token(name, name_size);
}

bool exchange_refuse_framing(struct http_exchange *exchange, const struct framing *framing)
{
    if (framing->lengths + framing->codings > 1)
        exchange_refuse(exchange, 400, "conflicting body lengths");
    else if (framing->is_off)
        exchange_refuse(exchange, 400, "a header is folded or contains NUL, bare CR or bare LF");
    else if (framing->has_bad_name)
        exchange_refuse(exchange, 400,
                        "a header's name is empty or has a blank or another character that no name has");
    else if (framing->codings == 1 && !framing->is_chunked)
        exchange_refuse(exchange, 501, "unsupported Transfer-Encoding (only chunked)");
    else
        return false;
    return true;
}

void exchange_refuse_host(struct http_exchange *exchange)
{
    exchange_refuse(exchange, 400, "HTTP/1.1 needs exactly one Host header");
}

/* A line that another server may read differently ends the connection. */
static bool refuse_line(struct http_exchange *exchange, const struct framing *framing)
{
    const struct api_request *request = &exchange->request;
    exchange->close = true;
    if (framing->has_bad_line || !is_token(request->method, strlen(request->method)))
        exchange_refuse(exchange, 400,
                        "the request line is not METHOD TARGET VERSION with one blank between");
    else if (has_control(request->path) || has_control(request->query))
        exchange_refuse(exchange, 400, "the request's target has blanks or control characters");
    else
        exchange->close = false;
    if (!exchange->close && request->path[0] != '/')
        exchange_refuse(exchange, 400, "the request's target is not a path");
    return exchange->stage == STAGE_REFUSED;
}

/* Asks the application whether it accepts the request; sets up the body. */
static bool admit(struct http_exchange *exchange, const struct framing *framing)
{
    struct http_server *server = exchange->connection->loop->server;
    uint64_t most = 0;
    char detail[96];
    if (!server->application.admit(server->application.user, &exchange->request, &most,
                                   &exchange->response)) {
        exchange->stage = STAGE_REFUSED;
        return false;
    }
    if (framing->length > most || (most == 0 && framing->is_chunked)) {
        snprintf(detail, sizeof detail, "the body of this request may have at most %llu bytes",
                 (unsigned long long)most);
        exchange_refuse(exchange, 413, detail);
        return false;
    }
    body_init(&exchange->body, &server->bodies, most, framing->length,
              exchange->request.header(&exchange->request, "Content-Type"));
    exchange->stage = STAGE_BODY;
    return true;
}

/* 414 if the target is larger than the headers, otherwise 431. */
static void refuse_size(struct http_exchange *exchange, const struct framing *framing)
{
    if (exchange->target_size > framing->header_bytes)
        exchange_refuse(exchange, 414, "the request's target is too long");
    else
        exchange_refuse(exchange, 431, "the request's headers are too large");
}

bool exchange_begin(struct http_exchange *exchange, const struct framing *framing, const char *version)
{
    const bool has_body = framing->is_chunked || framing->length > 0;
    if (framing->fills_memory) {
        refuse_size(exchange, framing);
        exchange_answer_raw(exchange);
        exchange->close = true;
        return false;
    }
    if (exchange_refuse_framing(exchange, framing)) {
        exchange->close = true;
        return false;
    }
    if (framing->hosts > 1 || (framing->hosts == 0 && strcmp(version, "HTTP/1.0") != 0)) {
        exchange_refuse_host(exchange);
        exchange->close = true;
        return false;
    }
    exchange->is_chunked = framing->is_chunked;
    const bool is_refused = refuse_line(exchange, framing);
    if (exchange->close)
        return false;
    if (is_refused || !admit(exchange, framing))
        exchange->close = has_body && (framing->expects_continue || framing->length > MAX_DROPPED_BODY);
    return !exchange->close;
}

/* ---- the body ---- */

bool exchange_take_body(struct http_exchange *exchange, const char *data, size_t size)
{
    if (exchange->stage == STAGE_BODY) {
        const unsigned status = body_add(&exchange->body, data, size);
        if (status == 0)
            return true;
        exchange_refuse(exchange, status,
                        status == 413 ? "the request body is too large"
                                      : "no space left for the request body");
        body_release(&exchange->body);
    }
    exchange->dropped += size;
    if (exchange->dropped <= MAX_DROPPED_BODY)
        return true;
    exchange_answer_raw(exchange);
    exchange->close = true;
    return false;
}

void exchange_refuse_chunk(struct http_exchange *exchange)
{
    exchange_refuse(exchange, 400, "a line of a chunk ends in a bare LF");
    body_release(&exchange->body);
    exchange_answer_raw(exchange);
    exchange->close = true;
}

/* ---- the answer ---- */

bool exchange_handle(struct http_exchange *exchange)
{
    const struct http_application *application = &exchange->connection->loop->server->application;
    struct api_request *request = &exchange->request;
    struct http_body *body = &exchange->body;
    if (body_finish(body) != 0) {
        exchange_refuse(exchange, 500, "the body cannot be read back");
        return true;
    }
    request->form = body->form;
    if (body->form) {
        request->body_draft = &body->draft;
    } else if (body->size > 0) {
        request->body = body->data;
        request->body_size = (size_t)body->size;
        request->body_draft = &body->draft;
    }
    request->may_wait = false;
    if (application->handle(application->user, request, &exchange->response) == API_DONE) {
        body_release(body);
        exchange->stage = STAGE_READY;
        return true;
    }
    response_release(&exchange->response);
    response_init(&exchange->response, 200);
    const enum pool_answer answer = work_queue_handler(exchange);
    if (answer != POOL_TAKEN) {
        if (answer == POOL_SHARE_FULL)
            exchange_refuse(exchange, 429, "too many waiting requests from this client");
        else
            exchange_refuse(exchange, 503, "too many waiting requests");
        return true;
    }
    exchange->stage = STAGE_POOL;
    exchange->connection->deadline_ms = 0;
    return false;
}
