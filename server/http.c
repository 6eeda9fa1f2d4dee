/*
 * libmicrohttpd: requests in, answers out. The only file that includes its header.
 *
 * What was found in version 0.9.75, and why things are as they are:
 *  - an answer in the first call of the access handler closes the connection, so the first call only decides and
 *    the answer follows in the last one;
 *  - an answer cannot be queued while a body is arriving, nor before the headers are whole. Those answers are
 *    written to the socket by hand;
 *  - after each event MHD_run has to be repeated while the timeout is 0: client sockets are edge-triggered;
 *  - the target is decoded in place after the callback for the log, which therefore takes the raw copy;
 *  - HEAD of a stream of unknown size would be answered with the end mark of a chunked body, which the client
 *    takes for the next answer. Such an answer closes the connection instead.
 */
#include "server/http_internal.h"

#include "server/http_raw.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    MEMORY_A_CONNECTION = 32 * 1024, /* of libmicrohttpd; larger headers are 431 */
    DROPPED_BODY_MOST = 64 * 1024,   /* of a refused request, so that the connection can go on */
    STREAM_BLOCK = 32 * 1024,
    RUNS_A_TURN = 64,       /* before timers and the pool's results get their turn */
    SPARE_EXCHANGES = 64,   /* kept by a loop */
    SPARE_CONNECTIONS = 64, /* over the limit: time to tell them so */
};

/* ---- exchanges ---- */

struct http_exchange *exchange_new(struct http_connection *connection)
{
    struct http_loop *loop = connection->loop;
    struct http_exchange *exchange = loop->spare;

    if (exchange != NULL) {
        loop->spare = exchange->next_spare;
        loop->spare_count--;
    } else if ((exchange = malloc(sizeof(*exchange))) == NULL) {
        return NULL;
    }
    exchange->connection = connection;
    exchange->stage = STAGE_HEADERS;
    exchange->close = false;
    exchange->complete = false;
    exchange->started_ns = uv_hrtime();
    exchange->dropped = 0;
    exchange->streamed = 0;
    exchange->target = exchange->small_target;
    exchange->request = (struct api_request){
        .method = "",
        .path = "",
        .query = "",
        .body = (const uint8_t *)"",
        .body_fd = -1,
        .client = connection->client,
        .client_is_loopback = connection->is_loopback,
        .loop = loop->index,
        .transport = connection->mhd,
    };
    body_init(&exchange->body, &loop->server->bodies, 0, 0);
    response_init(&exchange->response, 200);
    return exchange;
}

void exchange_end(struct http_exchange *exchange, unsigned status, bool complete, uint64_t bytes)
{
    struct http_loop *loop = exchange->connection->loop;
    const struct http_application *application = &loop->server->application;

    if (status != 0 && application->finished != NULL) {
        const struct http_record record = {
            .method = exchange->request.method,
            .path = exchange->request.path,
            .client = exchange->request.client,
            .status = status,
            .complete = complete,
            .bytes = bytes,
            .seconds = (double)(uv_hrtime() - exchange->started_ns) / 1e9,
            .response = &exchange->response,
        };
        application->finished(application->user, &record);
    }
    response_release(&exchange->response);
    body_release(&exchange->body);
    if (exchange->target != exchange->small_target) {
        free(exchange->target);
    }
    if (loop->spare_count < SPARE_EXCHANGES) {
        exchange->next_spare = loop->spare;
        loop->spare = exchange;
        loop->spare_count++;
    } else {
        free(exchange);
    }
}

void exchange_refuse(struct http_exchange *exchange, unsigned status, const char *detail)
{
    const struct http_application *application = &exchange->connection->loop->server->application;
    struct api_response *response = &exchange->response;

    response_release(response);
    response_init(response, status);
    application->refuse(application->user, &exchange->request, status, detail, response);
    if (status == 503 && response_find_header(response, "Retry-After") == NULL) {
        response_header(response, "Retry-After", "1");
    }
    exchange->stage = STAGE_REFUSED;
}

void exchange_answer_raw(struct http_exchange *exchange)
{
    exchange->complete = raw_answer(exchange->connection->fd, &exchange->response);
    exchange->stage = STAGE_RAW;
}

/* ---- what is known when the headers are there ---- */

static const char *find_header(const struct api_request *request, const char *name)
{
    const char *value = NULL;

    MHD_lookup_connection_value_n((struct MHD_Connection *)request->transport, MHD_HEADER_KIND, name,
                                  strlen(name), &value, NULL);
    return value;
}

struct header_search {
    const char *name;
    size_t count;
};

static enum MHD_Result count_name(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct header_search *search = cls;

    (void)kind;
    (void)value;
    search->count += strcasecmp(name, search->name) == 0;
    return MHD_YES;
}

static size_t count_headers(const struct api_request *request, const char *name)
{
    struct header_search search = {.name = name, .count = 0};

    MHD_get_connection_values((struct MHD_Connection *)request->transport, MHD_HEADER_KIND, count_name,
                              &search);
    return search.count;
}

/* Skips "http://host" of a target in absolute form (RFC 9112, 3.2.2). */
static const char *skip_authority(const char *target)
{
    if (strncasecmp(target, "http://", 7) == 0) {
        target += 7;
    } else if (strncasecmp(target, "https://", 8) == 0) {
        target += 8;
    } else {
        return target;
    }
    return target + strcspn(target, "/?");
}

/* Copies the raw target into the exchange and cuts it at the '?'. */
static bool take_target(struct http_exchange *exchange, const char *raw)
{
    const char *target = skip_authority(raw);
    const bool adds_slash = target != raw && *target != '/'; /* http://host, http://host?query */
    const size_t length = strlen(target);
    char *at;

    if (length + 2 > sizeof(exchange->small_target)) {
        exchange->target = malloc(length + 2);
        if (exchange->target == NULL) {
            exchange->target = exchange->small_target;
            return false;
        }
    }
    at = exchange->target;
    if (adds_slash) {
        *at++ = '/';
    }
    memcpy(at, target, length + 1);
    exchange->request.path = exchange->target;
    at = strchr(exchange->target, '?');
    if (at != NULL) {
        *at = '\0';
        exchange->request.query = at + 1;
    }
    return true;
}

static bool has_control(const char *text)
{
    while ((unsigned char)*text > 0x20 && *text != 0x7f) {
        text++;
    }
    return *text != '\0';
}

/* What the headers say about the end of the request. */
struct framing {
    unsigned lengths;
    unsigned codings;
    unsigned hosts;
    bool is_chunked;
    bool expects_continue;
    bool has_blank_name;
    uint64_t length;
};

static enum MHD_Result note_header(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                   const char *value, size_t value_size)
{
    struct framing *framing = cls;

    (void)kind;
    (void)value_size;
    if (name_size == 4 && strcasecmp(name, "Host") == 0) {
        framing->hosts++;
    } else if (name_size == 6 && strcasecmp(name, "Expect") == 0) {
        framing->expects_continue = value != NULL && strcasecmp(value, "100-continue") == 0;
    } else if (name_size == 14 && strcasecmp(name, "Content-Length") == 0) {
        framing->lengths++;
        framing->length = strtoull(value, NULL, 10); /* libmicrohttpd has seen that it is a number */
    } else if (name_size == 17 && strcasecmp(name, "Transfer-Encoding") == 0) {
        framing->codings++;
        framing->is_chunked = value != NULL && strcasecmp(value, "chunked") == 0;
    }
    /* "Content-Length : 5": another server may take it for what this one does not (RFC 9112, 5.1). */
    framing->has_blank_name |= name_size == 0 || name[name_size - 1] == ' ' || name[name_size - 1] == '\t';
    return MHD_YES;
}

/* Refuses a request whose end is a matter of opinion: the bytes after it could be taken for another request. */
static bool refuse_framing(struct http_exchange *exchange, const struct framing *framing)
{
    if (framing->lengths + framing->codings > 1) {
        exchange_refuse(exchange, 400, "more than one header says how long the body is");
    } else if (framing->has_blank_name) {
        exchange_refuse(exchange, 400, "a header's name is empty or ends with a blank");
    } else if (framing->codings == 1 && !framing->is_chunked) {
        exchange_refuse(exchange, 501, "no transfer coding but chunked is understood");
    } else {
        return false;
    }
    return true;
}

static bool refuse_line(struct http_exchange *exchange, const struct framing *framing, const char *version)
{
    const struct api_request *request = &exchange->request;

    if (request->path[0] != '/' || has_control(request->path) || has_control(request->query)) {
        exchange_refuse(exchange, 400, "the request's target is not a path");
    } else if (framing->hosts > 1 || (framing->hosts == 0 && strcmp(version, "HTTP/1.0") != 0)) {
        exchange_refuse(exchange, 400, "HTTP/1.1 needs exactly one Host header");
    } else {
        return false;
    }
    return true;
}

/* Whether the application takes the request; sets up the body. */
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
        snprintf(detail, sizeof(detail), "this request may have a body of at most %llu bytes",
                 (unsigned long long)most);
        exchange_refuse(exchange, 413, detail);
        return false;
    }
    body_init(&exchange->body, &server->bodies, most, framing->length);
    exchange->stage = STAGE_BODY;
    return true;
}

/* ---- answers ---- */

static ssize_t read_stream(void *cls, uint64_t position, char *buffer, size_t capacity)
{
    struct http_exchange *exchange = cls;
    struct api_response *response = &exchange->response;
    const ssize_t size = response->read(response->owner, (uint8_t *)buffer, capacity);

    (void)position;
    if (size > 0) {
        exchange->streamed += (uint64_t)size;
        return size;
    }
    if (size == 0 && (response->size == API_UNKNOWN_SIZE || exchange->streamed == response->size)) {
        return MHD_CONTENT_READER_END_OF_STREAM;
    }
    return MHD_CONTENT_READER_END_WITH_ERROR;
}

static bool is_bodiless(const struct http_exchange *exchange)
{
    return exchange->response.status == 204 || exchange->response.status == 304;
}

static bool is_head(const struct http_exchange *exchange)
{
    return strcmp(exchange->request.method, "HEAD") == 0;
}

static struct MHD_Response *make_response(struct http_exchange *exchange)
{
    const struct api_response *answer = &exchange->response;
    struct MHD_Response *response;

    /* The bytes are released when the request is completed, not with the MHD_Response: hence persistent. */
    if (is_bodiless(exchange) || (answer->read == NULL && answer->size == 0)) {
        return MHD_create_response_from_buffer(0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT);
    }
    if (answer->read == NULL) {
        return MHD_create_response_from_buffer(answer->size, (void *)(uintptr_t)answer->data,
                                               MHD_RESPMEM_PERSISTENT);
    }
    response =
        MHD_create_response_from_callback(answer->size == API_UNKNOWN_SIZE ? MHD_SIZE_UNKNOWN : answer->size,
                                          STREAM_BLOCK, read_stream, exchange, NULL);
    if (response != NULL && answer->size == API_UNKNOWN_SIZE && is_head(exchange)) {
        MHD_set_response_options(response, MHD_RF_HTTP_1_0_SERVER, MHD_RO_END);
    }
    return response;
}

static void add_headers(struct MHD_Response *response, const struct api_response *answer)
{
    const char *name = answer->headers;

    for (unsigned i = 0; i < answer->header_count; i++) {
        const char *value = name + strlen(name) + 1;

        MHD_add_response_header(response, name, value);
        name = value + strlen(value) + 1;
    }
}

/* Gives the answer to libmicrohttpd. */
static enum MHD_Result answer(struct http_exchange *exchange)
{
    struct MHD_Response *response = make_response(exchange);
    enum MHD_Result result;

    if (response == NULL) {
        return MHD_NO;
    }
    add_headers(response, &exchange->response);
    if (exchange->connection->loop->draining) {
        MHD_add_response_header(response, "Connection", "close");
    }
    exchange->stage = STAGE_ANSWERED;
    exchange->connection->deadline_ms = 0;
    result = MHD_queue_response(exchange->connection->mhd, exchange->response.status, response);
    MHD_destroy_response(response);
    if (result != MHD_YES) {
        exchange->stage = STAGE_READY; /* never sent */
    }
    return result;
}

/* ---- a request, call by call ---- */

static enum MHD_Result begin(struct http_exchange *exchange, const char *method, const char *version)
{
    struct framing framing = {.length = 0};
    struct api_request *request = &exchange->request;
    bool has_body;

    request->method = method;
    request->header = find_header;
    request->header_count = count_headers;
    MHD_get_connection_values_n(exchange->connection->mhd, MHD_HEADER_KIND, note_header, &framing);
    if (refuse_framing(exchange, &framing)) {
        exchange->close = true;
        return answer(exchange);
    }
    if (!refuse_line(exchange, &framing, version) && admit(exchange, &framing)) {
        return MHD_YES;
    }
    has_body = framing.is_chunked || framing.length > 0;
    if (has_body && (framing.expects_continue || framing.length > DROPPED_BODY_MOST)) {
        exchange->close = true;
        return answer(exchange);
    }
    return MHD_YES;
}

static enum MHD_Result take_body(struct http_exchange *exchange, const char *data, size_t size)
{
    if (exchange->stage == STAGE_BODY) {
        const unsigned status = body_add(&exchange->body, data, size);

        if (status == 0) {
            return MHD_YES;
        }
        exchange_refuse(exchange, status,
                        status == 413 ? "the body is larger than this request may have"
                                      : "there is no room to keep the body");
        body_release(&exchange->body);
    }
    exchange->dropped += size;
    if (exchange->dropped <= DROPPED_BODY_MOST) {
        return MHD_YES;
    }
    exchange_answer_raw(exchange);
    exchange->close = true;
    return MHD_NO;
}

static enum MHD_Result handle(struct http_exchange *exchange)
{
    struct http_server *server = exchange->connection->loop->server;
    struct api_request *request = &exchange->request;
    struct http_body *body = &exchange->body;

    if (body_finish(body) != 0) {
        exchange_refuse(exchange, 500, "the body cannot be read back");
        return answer(exchange);
    }
    if (body->size > 0) {
        request->body = body->data;
        request->body_size = (size_t)body->size;
        request->body_fd = body->fd;
    }
    request->may_wait = false;
    if (server->application.handle(server->application.user, request, &exchange->response) == API_DONE) {
        body_release(body);
        return answer(exchange);
    }
    response_release(&exchange->response);
    response_init(&exchange->response, 200);
    if (!loop_queue(exchange)) {
        exchange_refuse(exchange, 503, "too many requests are waiting");
        return answer(exchange);
    }
    exchange->stage = STAGE_POOL;
    exchange->connection->deadline_ms = 0;
    MHD_suspend_connection(exchange->connection->mhd);
    return MHD_YES;
}

static enum MHD_Result on_access(void *cls, struct MHD_Connection *mhd, const char *url, const char *method,
                                 const char *version, const char *data, size_t *size, void **context)
{
    struct http_exchange *exchange = *context;
    const size_t data_size = *size;

    (void)cls;
    (void)mhd;
    (void)url;
    if (exchange == NULL) {
        return MHD_NO; /* memory was out when the request line came */
    }
    if (exchange->stage == STAGE_HEADERS) {
        return begin(exchange, method, version);
    }
    if (data_size > 0) {
        *size = 0;
        return take_body(exchange, data, data_size);
    }
    return exchange->stage == STAGE_BODY ? handle(exchange) : answer(exchange);
}

void transport_resume(struct http_exchange *exchange)
{
    exchange->stage = STAGE_READY;
    MHD_resume_connection(exchange->connection->mhd);
}

/* ---- what libmicrohttpd tells ---- */

static struct http_connection *connection_of(struct MHD_Connection *mhd)
{
    return MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/* The request line is there; what is returned comes back as the context of all further calls. */
static void *on_target(void *cls, const char *target, struct MHD_Connection *mhd)
{
    struct http_connection *connection = connection_of(mhd);
    struct http_exchange *exchange;

    (void)cls;
    if (connection == NULL || (exchange = exchange_new(connection)) == NULL) {
        return NULL;
    }
    if (!take_target(exchange, target != NULL ? target : "")) {
        exchange_end(exchange, 0, false, 0);
        return NULL;
    }
    connection_begins(connection, exchange);
    return exchange;
}

/* The target stays as it was sent. */
static size_t keep_escapes(void *cls, struct MHD_Connection *mhd, char *text)
{
    (void)cls;
    (void)mhd;
    return strlen(text);
}

/* The answer that libmicrohttpd has given by itself (431, 400 …), 0 when there is none. */
static unsigned own_status(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_HTTP_STATUS);

    return info != NULL ? info->http_status : 0;
}

static uint64_t sent_bytes(const struct http_exchange *exchange, bool complete)
{
    if (is_bodiless(exchange) || is_head(exchange)) {
        return 0;
    }
    if (exchange->response.read != NULL) {
        return exchange->streamed;
    }
    return complete ? exchange->response.size : 0;
}

static void on_completed(void *cls, struct MHD_Connection *mhd, void **context,
                         enum MHD_RequestTerminationCode reason)
{
    struct http_exchange *exchange = *context;
    struct http_connection *connection;
    const bool complete = reason == MHD_REQUEST_TERMINATED_COMPLETED_OK;

    (void)cls;
    *context = NULL;
    if (exchange == NULL) {
        return;
    }
    connection = exchange->connection;
    if (exchange->close && !connection->cut) {
        linger_start(&connection->loop->lingering, connection->fd);
    }
    if (exchange->stage == STAGE_ANSWERED) {
        exchange_end(exchange, exchange->response.status, complete, sent_bytes(exchange, complete));
    } else if (exchange->stage == STAGE_RAW) {
        exchange_end(exchange, exchange->response.status, exchange->complete, exchange->response.size);
    } else {
        exchange_end(exchange, own_status(mhd), true, 0);
    }
    connection_idles(connection);
}

/* A connection over the limit: told so, and closed. */
static void turn_away(struct http_connection *connection)
{
    struct http_exchange *exchange = exchange_new(connection);

    if (exchange != NULL) {
        exchange_refuse(exchange, 503, "too many connections");
        exchange_answer_raw(exchange);
        exchange_end(exchange, 503, exchange->complete, exchange->response.size);
    }
    connection_cut(connection);
}

static void on_connection(void *cls, struct MHD_Connection *mhd, void **context,
                          enum MHD_ConnectionNotificationCode what)
{
    struct http_loop *loop = cls;
    struct http_connection *connection = *context;
    const int fd = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;

    if (what == MHD_CONNECTION_NOTIFY_CLOSED) {
        if (connection != NULL) {
            connection_close(connection);
        }
        return;
    }
    connection = connection_open(
        loop, mhd, fd, MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
    *context = connection;
    if (connection != NULL && atomic_load_explicit(&loop->server->connections, memory_order_relaxed) >
                                  loop->server->options.max_connections) {
        turn_away(connection);
    }
}

/* ---- the daemon of a loop ---- */

bool transport_open(struct http_loop *loop, int listen_fd)
{
    const struct http_options *options = &loop->server->options;

    loop->daemon = MHD_start_daemon(
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, on_access, loop,                       /**/
        MHD_OPTION_LISTEN_SOCKET, listen_fd,                                                            /**/
        MHD_OPTION_CONNECTION_LIMIT, options->max_connections + SPARE_CONNECTIONS,                      /**/
        MHD_OPTION_CONNECTION_TIMEOUT, options->idle_timeout_s,                                         /**/
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)MEMORY_A_CONNECTION,                                /**/
        MHD_OPTION_URI_LOG_CALLBACK, on_target, NULL, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, /**/
        MHD_OPTION_NOTIFY_COMPLETED, on_completed, NULL,                                                /**/
        MHD_OPTION_NOTIFY_CONNECTION, on_connection, loop, MHD_OPTION_END);
    return loop->daemon != NULL;
}

int transport_epoll_fd(const struct http_loop *loop)
{
    return MHD_get_daemon_info(loop->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int64_t transport_turn(struct http_loop *loop)
{
    MHD_UNSIGNED_LONG_LONG wait_ms = 0;

    for (unsigned i = 0; i < RUNS_A_TURN; i++) {
        MHD_run(loop->daemon);
        if (MHD_get_timeout(loop->daemon, &wait_ms) != MHD_YES) {
            return -1;
        }
        if (wait_ms > 0) {
            return (int64_t)wait_ms;
        }
    }
    return 0;
}

int transport_quiesce(struct http_loop *loop)
{
    return MHD_quiesce_daemon(loop->daemon);
}

void transport_close(struct http_loop *loop)
{
    MHD_stop_daemon(loop->daemon);
    loop->daemon = NULL;
    while (loop->spare != NULL) {
        struct http_exchange *exchange = loop->spare;

        loop->spare = exchange->next_spare;
        free(exchange);
    }
}
