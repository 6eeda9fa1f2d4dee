/*
 * libmicrohttpd: requests in, answers out. The only file that includes its header.
 *
 * Behaviour of version 0.9.75 that this file works around (most of it applies to 1.0 as well):
 *  - an answer in the first call of the access handler closes the connection, so the first call only decides and
 *    the answer follows in the last one;
 *  - an answer cannot be queued while a body is arriving, nor before the headers are whole. Those answers are
 *    written to the socket by hand;
 *  - after each event MHD_run has to be repeated while the timeout is 0: client sockets are edge-triggered;
 *  - the target is decoded in place after the callback for the log, which therefore takes the raw copy;
 *  - HEAD of a stream of unknown size would be answered with the end mark of a chunked body, which the client
 *    takes for the next answer. Such an answer closes the connection instead;
 *  - the line before a chunk that is longer than the memory of the connection is neither read to its end nor refused,
 *    and the timeout stays 0;
 *  - a Content-Length that is no number, and cookies that are too large, are refused before any callback, and the headers
 *    of those answers come twice; so they are written by hand when the library's log speaks of it, see on_log;
 *  - a folded header is kept under a name and a value that nobody sent, a bare CR stays in a value, a NUL ends it. Names and
 *    values lie in the connection's memory as they came, so each line has to begin two bytes behind the one before;
 *  - since 0.9.77 it refuses folds, NULs and bare CRs by itself at the level of strictness chosen here, with answers in
 *    HTML, and closes without an answer on a NUL in the request line or a chunk's line that is too long;
 *  - it answers 100-continue though nothing follows but the next request, takes that for the body, and closes;
 *  - a 304 carries Content-Length: 0, which is not quite right. The ways around it hang real clients.
 */
#include "server/http/internal.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

enum {
    CONNECTION_MEMORY = 32 * 1024, /* for libmicrohttpd; larger headers are answered 431 */
    ANSWER_MEMORY = 2560,          /* reserved for the answer's headers */
    HEADER_MEMORY = 64,            /* libmicrohttpd's overhead for each header */
    SENT_AT_ONCE = 32 * 1024,      /* of a stream */
    LIGHT_AT_ONCE = 64 * 1024,     /* of one that is read on the loop, which keeps no block of its own */
    LIGHT_BLOCKS = 4,              /* in one run, since sending them keeps everybody else waiting */
    RUNS_PER_TURN = 64,            /* before timers and results of the pool are processed */
    SPARE_CONNECTIONS = 64,        /* above the limit, to send the refusal */
};

/* ---- what handlers ask for ---- */

const char *transport_find_header(const struct api_request *request, const char *name)
{
    const char *value = NULL;
    MHD_lookup_connection_value_n((struct MHD_Connection *)request->transport, MHD_HEADER_KIND, name,
                                  strlen(name), &value, NULL);
    return value;
}

struct header_search {
    const char *name;
    size_t prefix; /* number of characters to compare, 0: all */
    size_t count;
};

static enum MHD_Result count_name(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct header_search *search = cls;
    (void)kind;
    (void)value;
    search->count += search->prefix > 0 ? !strncasecmp(name, search->name, search->prefix)
                                        : !strcasecmp(name, search->name);
    return MHD_YES;
}

size_t transport_count_headers(const struct api_request *request, const char *name)
{
    const size_t length = strlen(name);
    struct header_search search = {
        .name = name, .prefix = length > 0 && name[length - 1] == '*' ? length - 1 : 0, .count = 0};

    MHD_get_connection_values((struct MHD_Connection *)request->transport, MHD_HEADER_KIND, count_name,
                              &search);
    return search.count;
}

/* ---- answers ---- */

static bool is_whole(const struct http_exchange *exchange)
{
    const size_t size = exchange->response.size;
    return !exchange->block.has_failed && (size == API_UNKNOWN_SIZE || exchange->streamed == size);
}

/* Without a way to the pool and back, which takes longer than the data. 0: the stream has ended. */
static size_t read_here(struct http_exchange *exchange, char *buffer, size_t capacity)
{
    const struct api_response *response = &exchange->response;
    const ssize_t size = response->read(response->owner, (uint8_t *)buffer, capacity);
    exchange->connection->loop->light_blocks--;
    exchange->block.has_ended = size <= 0;
    exchange->block.has_failed = size < 0;
    return size > 0 ? (size_t)size : 0;
}

static size_t take_block(struct http_block *block, char *buffer, size_t capacity)
{
    const size_t left = block->size - block->sent, size = left < capacity ? left : capacity;
    memcpy(buffer, block->data + block->sent, size);
    block->sent += size;
    return size;
}

/* Blocks come from the pool, but those of light streams while there are few. Returns 0 if there is none; the connection is
 * suspended until there is. */
static ssize_t read_stream(void *cls, uint64_t position, char *buffer, size_t capacity)
{
    struct http_exchange *exchange = cls;
    struct http_block *block = &exchange->block;
    size_t size = 0;
    (void)position;
    if (block->size > block->sent)
        size = take_block(block, buffer, capacity);
    else if (!block->has_ended && exchange->response.is_light && exchange->connection->loop->light_blocks)
        size = read_here(exchange, buffer, capacity);
    exchange->streamed += size;
    if (size > 0)
        return (ssize_t)size;
    if (block->has_ended)
        return is_whole(exchange) ? MHD_CONTENT_READER_END_OF_STREAM : MHD_CONTENT_READER_END_WITH_ERROR;
    if (!work_queue_block(exchange))
        return MHD_CONTENT_READER_END_WITH_ERROR;
    MHD_suspend_connection(exchange->connection->mhd);
    return 0;
}

static struct MHD_Response *make_response(struct http_exchange *exchange)
{
    const struct api_response *answer = &exchange->response;
    /* The bytes are released when the request completes, not with the MHD_Response: hence persistent. */
    if (exchange_is_bodiless(exchange) || (!answer->read && answer->size == 0))
        return MHD_create_response_from_buffer(0, (void *)(uintptr_t) "", MHD_RESPMEM_PERSISTENT);
    if (!answer->read) {
        return MHD_create_response_from_buffer(answer->size, (void *)(uintptr_t)answer->data,
                                               MHD_RESPMEM_PERSISTENT);
    }
    struct MHD_Response *response = MHD_create_response_from_callback(
        answer->size == API_UNKNOWN_SIZE ? MHD_SIZE_UNKNOWN : answer->size,
        answer->is_light ? LIGHT_AT_ONCE : SENT_AT_ONCE, read_stream, exchange, NULL);
    if (response && answer->size == API_UNKNOWN_SIZE && exchange_is_head(exchange))
        MHD_set_response_options(response, MHD_RF_HTTP_1_0_SERVER, MHD_RO_END);
    return response;
}

/* Headers that libmicrohttpd treats specially. */
static bool is_special(const char *name, size_t length)
{
    return (length == 4 && !strcasecmp(name, "Date")) || (length == 10 && !strcasecmp(name, "Connection")) ||
           (length == 14 && !strcasecmp(name, "Content-Length")) ||
           (length == 17 && !strcasecmp(name, "Transfer-Encoding"));
}

/* All headers but the first in the first one's value. */
struct joined_headers {
    const char *first; /* its name; NULL: there is none */
    size_t end_count;
    uint16_t ends[API_HEADER_CAPACITY / 4];  /* where lines end; the shortest header is "A\0b\0" */
    char lines[2 * API_HEADER_CAPACITY + 1]; /* a header takes at most twice its stored size */
};

static char *append(char *to, const char *text, size_t length)
{
    memcpy(to, text, length);
    return to + length;
}

/* Writes "value of the first..name: value..name: value" with blanks where lines end. The special headers are added to the
 * response. */
static void join_headers(const struct api_response *answer, struct MHD_Response *response,
                         struct joined_headers *joined)
{
    const char *name = answer->headers;
    char *at = joined->lines;
    joined->first = NULL;
    joined->end_count = 0;
    for (unsigned i = 0; i < answer->header_count; i++) {
        const size_t name_length = strlen(name);
        const char *value = name + name_length + 1;
        const size_t value_length = strlen(value);
        if (is_special(name, name_length)) {
            MHD_add_response_header(response, name, value);
        } else if (!joined->first) {
            joined->first = name;
            at = append(at, value, value_length);
        } else {
            joined->ends[joined->end_count++] = (uint16_t)(at - joined->lines);
            at = append(at, "  ", 2);
            at = append(at, name, name_length);
            at = append(at, ": ", 2);
            at = append(at, value, value_length);
        }
        name = value + value_length + 1;
    }
    *at = '\0';
}

/*
 * Adds all headers as one header whose value contains the others. Separately, each would cost libmicrohttpd three
 * allocations and half a dozen searches; a pose has ten headers, which took an eighth of its response time. As a
 * value may not contain line ends, these are written into libmicrohttpd's copy afterwards. False if out of memory.
 */
static bool add_headers(struct MHD_Response *response, const struct api_response *answer)
{
    struct joined_headers joined;
    join_headers(answer, response, &joined);
    if (!joined.first)
        return true;
    if (MHD_add_response_header(response, joined.first, joined.lines) != MHD_YES)
        return false;
    char *copy = (char *)(uintptr_t)MHD_get_response_header(response, joined.first);
    for (size_t i = 0; i < joined.end_count; i++)
        memcpy(copy + joined.ends[i], "\r\n", 2);
    return true;
}

/* Queues the answer with libmicrohttpd. */
static enum MHD_Result answer(struct http_exchange *exchange)
{
    if (!exchange_may_wait(exchange))
        exchange_refuse(exchange, 503, "too many answers are waiting to be read by clients");
    struct MHD_Response *response = make_response(exchange);
    if (!response)
        return MHD_NO;
    if (!add_headers(response, &exchange->response)) {
        MHD_destroy_response(response);
        return MHD_NO;
    }
    /* After a 411 it is unknown whether the following bytes are a body. */
    if (exchange->connection->loop->draining || exchange->response.status == 411)
        MHD_add_response_header(response, "Connection", "close");
    exchange->stage = STAGE_ANSWERED;
    exchange->connection->deadline_ms = 0;
    enum MHD_Result result =
        MHD_queue_response(exchange->connection->mhd, exchange->response.status, response);
    MHD_destroy_response(response);
    if (result != MHD_YES)
        exchange->stage = STAGE_READY; /* never sent */
    return result;
}

/* ---- a request, call by call ---- */

#if MHD_VERSION < 0x00097701
/* Whether the header begins right after the previous line and ends with CRLF. Name and value are
 * terminated by a NUL in place of the colon and the CR. */
static void check_place(struct framing *framing, const char *name, const char *value, size_t value_size)
{
    framing->is_off |= !value || name != framing->line_end || memchr(value, '\r', value_size);
    framing->line_end = value ? value + value_size + 2 : NULL;
}
#else
static void check_place(struct framing *framing, const char *name, const char *value, size_t value_size)
{
    (void)framing, (void)name, (void)value, (void)value_size;
}
#endif

static enum MHD_Result note_header(void *cls, enum MHD_ValueKind kind, const char *name, size_t name_size,
                                   const char *value, size_t value_size)
{
    struct framing *framing = cls;
    framing->header_bytes += name_size + value_size + sizeof ": \r\n" - 1 + HEADER_MEMORY;
    if (kind == MHD_HEADER_KIND) {
        check_place(framing, name, value, value_size);
        framing_note(framing, name, name_size, value);
    }
    return MHD_YES;
}

/*
 * libmicrohttpd keeps the request in the connection's memory and writes the answer's headers after it; without
 * room for them it closes the connection silently. Cookies are stored twice.
 */
static void weigh(const struct http_exchange *exchange, struct framing *framing)
{
    framing->fills_memory = exchange->target_size + framing->header_bytes > CONNECTION_MEMORY - ANSWER_MEMORY;
}

/* While a body arrives, only the deadline applies: libmicrohttpd would close a connection that is idle in
 * the middle of it without a 408. */
static void watch(struct http_exchange *exchange, bool on)
{
    const struct http_options *options = &exchange->connection->loop->server->options;
    if (options->request_timeout_s > 0 && exchange->is_watched != on) {
        exchange->is_watched = on;
        MHD_set_connection_option(exchange->connection->mhd, MHD_CONNECTION_OPTION_TIMEOUT,
                                  on ? 0U : options->idle_timeout_s);
    }
}

/* Whether the last header ends where the empty line begins. */
static void check_end(const struct http_exchange *exchange, struct framing *framing, const char *version)
{
#if MHD_VERSION < 0x00097701
    const union MHD_ConnectionInfo *size =
        MHD_get_connection_info(exchange->connection->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

    (void)version;
    framing->is_off |= !size || framing->line_end + 2 != exchange->request.method + size->header_size;
#else
    (void)exchange, (void)framing, (void)version;
#endif
}

/* Keeps the library from sending 100-continue for a request without a body, by changing the header in its
 * memory. */
static void hide_expect(struct MHD_Connection *mhd)
{
    char *value = (char *)(uintptr_t)MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, "Expect");
    if (value && value[0] != '\0')
        value[0] = '-';
}

/* The headers are there. */
static enum MHD_Result begin(struct http_exchange *exchange, const char *method, const char *version)
{
    struct framing framing = {.line_end = version + strlen(version) + 2};
    exchange->request.method = method;
    MHD_get_connection_values_n(exchange->connection->mhd, MHD_HEADER_KIND | MHD_COOKIE_KIND, note_header,
                                &framing);
    weigh(exchange, &framing);
    check_end(exchange, &framing, version);
    /* Words are terminated in place, so the target begins right after the method and the version right after the target,
     * unless a NUL has cut it short or there are more blanks. */
    framing.has_bad_line = version != exchange->raw_end + 1 ||
                           method + strlen(method) + 1 + exchange->target_size != exchange->raw_end;
    if (exchange_begin(exchange, &framing, version)) {
        if (framing.expects_continue && !framing.is_chunked && framing.length == 0)
            hide_expect(exchange->connection->mhd);
        if (framing.is_chunked || framing.length > 0)
            watch(exchange, true);
        return MHD_YES;
    }
    return exchange->stage == STAGE_RAW ? MHD_NO : answer(exchange);
}

/* The request is whole. */
static enum MHD_Result conclude(struct http_exchange *exchange)
{
    watch(exchange, false);
    if (exchange->stage == STAGE_BODY && !exchange_handle(exchange)) {
        MHD_suspend_connection(exchange->connection->mhd);
        return MHD_YES;
    }
    return answer(exchange);
}

#if MHD_VERSION < 0x00097701
/*
 * Whether the size line before these bytes of a body, or the end of the chunk before that, is a bare LF. Both are seen if they
 * arrived together with the bytes. Otherwise a NUL comes before these: libmicrohttpd has put it at the end of the headers, and
 * reads to the place after it.
 */
static bool is_after_bare_lf(const char *data)
{
    enum { MOST_DIGITS = 16 };
    const char *at = data - 1;
    if (*at != '\n')
        return false;
    if (*--at != '\r')
        return true;
    for (int i = 0; i < MOST_DIGITS && isxdigit((unsigned char)at[-1]); i++)
        at--;
    return at[-1] == '\n' && at[-2] != '\r';
}
#else
static bool is_after_bare_lf(const char *data)
{
    (void)data;
    return false;
}
#endif

static enum MHD_Result on_access(void *cls, struct MHD_Connection *mhd, const char *url, const char *method,
                                 const char *version, const char *data, size_t *size, void **context)
{
    struct http_exchange *exchange = *context;
    const size_t data_size = *size;
    (void)cls;
    (void)mhd;
    (void)url;
    if (!exchange)
        return MHD_NO; /* memory ran out at the request line */
    if (exchange->stage == STAGE_RAW)
        return MHD_NO;
    if (exchange->stage == STAGE_HEADERS)
        return begin(exchange, method, version);
    if (data_size > 0) {
        *size = 0;
        if (exchange->is_chunked && is_after_bare_lf(data)) {
            exchange_refuse_chunk(exchange);
            return MHD_NO;
        }
        return exchange_take_body(exchange, data, data_size) ? MHD_YES : MHD_NO;
    }
    return conclude(exchange);
}

void transport_resume(struct http_exchange *exchange)
{
    MHD_resume_connection(exchange->connection->mhd);
}

void transport_expire(struct http_connection *connection)
{
    MHD_set_connection_option(connection->mhd, MHD_CONNECTION_OPTION_TIMEOUT, 1U);
    connection->loop->turn_wanted = true;
}

/* ---- what libmicrohttpd tells ---- */

static struct http_connection *connection_of(struct MHD_Connection *mhd)
{
    return MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
}

/*
 * libmicrohttpd (0.9.75) stores each parameter of the query in the connection's memory and ignores that it is
 * full: with about 500 of them the request hangs until its deadline. We use our own copy of the query, so its text
 * in the connection's buffer, which is parsed only after on_target, is cut before the first parameter.
 */
static void hide_query(const char *target)
{
    char *mark = (char *)(uintptr_t)strchr(target, '?');
    if (mark && mark[1] != '\0')
        mark[1] = '\0';
}

/* Called for the request line; the return value becomes the context of all further calls. */
static void *on_target(void *cls, const char *target, struct MHD_Connection *mhd)
{
    struct http_connection *connection = connection_of(mhd);
    struct http_exchange *exchange;
    (void)cls;
    if (!connection || !(exchange = exchange_new(connection)))
        return NULL;
    if (!exchange_take_target(exchange, target ? target : "")) {
        exchange_end(exchange, 0, false);
        return NULL;
    }
    if (target)
        hide_query(target);
    connection_begins(connection, exchange);
    return exchange;
}

/* Keeps the target as sent. */
static size_t keep_escapes(void *cls, struct MHD_Connection *mhd, char *text)
{
    (void)cls;
    (void)mhd;
    return strlen(text);
}

/* The status that libmicrohttpd answered by itself (431, 400 …), 0 if none. */
static unsigned own_status(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_HTTP_STATUS);
    return info ? info->http_status : 0;
}

static void on_completed(void *cls, struct MHD_Connection *mhd, void **context,
                         enum MHD_RequestTerminationCode reason)
{
    struct http_exchange *exchange = *context;
    const bool complete = reason == MHD_REQUEST_TERMINATED_COMPLETED_OK;
    (void)cls;
    *context = NULL;
    if (!exchange)
        return;
    struct http_connection *connection = exchange->connection;
    if (exchange->close && !connection->cut)
        linger_start(&connection->loop->lingering, connection->fd);
    if (exchange->stage == STAGE_ANSWERED)
        exchange_end(exchange, exchange->response.status, complete);
    else if (exchange->stage == STAGE_RAW)
        exchange_end(exchange, exchange->response.status, exchange->complete);
    else
        exchange_end(exchange, own_status(mhd), true);
    connection_idles(connection);
}

/* Whether a line of the library's log is about a request that it refuses. Until 0.9.77 it logs nothing else of a
 * request whose headers are complete. */
static bool is_refusal(const char *format)
{
#if MHD_VERSION < 0x00097701
    return format != NULL;
#else
    return !strncmp(format, "Error processing request", strlen("Error processing request"));
#endif
}

/* Since 0.9.77 the library refuses HTTP/1.1 without Host. */
static bool lacks_host(const struct framing *framing)
{
    return MHD_VERSION >= 0x00097701 && framing->hosts == 0;
}

/* Refuses headers that the library refuses, in words of our own. */
static void refuse_headers(struct http_exchange *exchange)
{
    const char *length = transport_find_header(&exchange->request, "Content-Length");
    const bool is_number = length && length[0] != '\0' && length[strspn(length, "0123456789")] == '\0';
    struct framing framing = {.lengths = 0};
    MHD_get_connection_values_n(exchange->connection->mhd, MHD_HEADER_KIND, note_header, &framing);
    framing.is_off = false; /* the version, from where the lines are compared, is not known here */
    errno = 0;
    if (exchange_refuse_framing(exchange, &framing))
        return;
    if (is_number && strtoull(length, NULL, 10) == ULLONG_MAX && errno == ERANGE)
        exchange_refuse(exchange, 413, "no body may be as large as Content-Length says");
    else if (length && !is_number)
        exchange_refuse(exchange, 400, "Content-Length is not a number");
    else if (lacks_host(&framing))
        exchange_refuse_host(exchange);
    else
        exchange_refuse(exchange, 431, "the request's cookies are too large");
}

/*
 * The library logs an error. If the headers of a request are complete and the access handler has not been called
 * yet, it is about to refuse them by itself, with two heads or as HTML. There is at most one such request, since the
 * refusal follows at once. It is answered here, and what the library writes afterwards is discarded.
 */
static void on_log(void *cls, const char *format, va_list values)
{
    struct http_loop *loop = cls;
    (void)values;
    if (!is_refusal(format))
        return;
    for (struct http_connection *at = loop->connections; at; at = at->next) {
        struct http_exchange *exchange = at->exchange;
        if (!exchange || exchange->stage != STAGE_HEADERS)
            continue;
        const union MHD_ConnectionInfo *size =
            MHD_get_connection_info(at->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
        if (size && size->header_size > 0) {
            refuse_headers(exchange);
            exchange_answer_raw(exchange);
            exchange->close = true;
            shutdown(at->fd, SHUT_WR);
        }
    }
}

/* Answers a connection above the limit with the refusal and closes it. */
static void turn_away(struct http_connection *connection, unsigned status, const char *detail)
{
    struct http_exchange *exchange = exchange_new(connection);
    if (exchange) {
        exchange_refuse(exchange, status, detail);
        exchange_answer_raw(exchange);
        exchange_end(exchange, status, exchange->complete);
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
        if (connection)
            connection_close(connection);
        return;
    }
    connection = connection_open(
        loop, mhd, fd, MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
    *context = connection;
    if (!connection)
        return;
    if (loop->is_side)
        return; /* libmicrohttpd's limit is enough: who watches is to see that the others are too many */
    if (atomic_load_explicit(&loop->server->connections, memory_order_relaxed) >
        loop->server->options.max_connections)
        turn_away(connection, 503, "too many connections");
    else if (connection_is_too_many(connection))
        turn_away(connection, 429, "too many connections from this client");
}

/* ---- the daemon of a loop ---- */

bool transport_open(struct http_loop *loop, int listen_fd)
{
    const struct http_options *options = &loop->server->options;
    const struct MHD_OptionItem items[] = {
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)on_log, loop}, /* must come first */
        {MHD_OPTION_LISTEN_SOCKET, listen_fd, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, (intptr_t)options->max_connections + SPARE_CONNECTIONS, NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)options->idle_timeout_s, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT, CONNECTION_MEMORY, NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)on_target, NULL},
        {MHD_OPTION_UNESCAPE_CALLBACK, (intptr_t)keep_escapes, NULL},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)on_completed, NULL},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_connection, loop},
#if MHD_VERSION >= 0x00097701
        {MHD_OPTION_CLIENT_DISCIPLINE_LVL, 1, NULL},
#endif
        {MHD_OPTION_END, 0, NULL},
    };

    loop->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL,
                                    NULL, on_access, loop, MHD_OPTION_ARRAY, items, MHD_OPTION_END);
    return loop->daemon != NULL;
}

int transport_epoll_fd(const struct http_loop *loop)
{
    return MHD_get_daemon_info(loop->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
}

int64_t transport_turn(struct http_loop *loop)
{
    MHD_UNSIGNED_LONG_LONG wait_ms = 0;
    for (unsigned i = 0; i < RUNS_PER_TURN; i++) {
        loop->light_blocks = LIGHT_BLOCKS;
        MHD_run(loop->daemon);
        if (MHD_get_timeout(loop->daemon, &wait_ms) != MHD_YES)
            return -1;
        if (wait_ms > 0)
            return (int64_t)wait_ms;
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
}
