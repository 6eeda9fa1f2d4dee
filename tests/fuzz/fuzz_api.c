/*
 * libFuzzer's target for the API behind the socket: the input is a request as text, "METHOD TARGET", a line a header, an
 * empty line, the body. It goes the way that server/http/transport.c sends one: admission, the loop, the pool, the answer read to
 * its end. The service is the daemon's, on the sample library and with a store in memory that is emptied after each
 * input. An answer that breaks a promise of api/protocol/message.h, or JSON that is none, ends it as a crash does.
 *
 *     build/fuzz/tests/fuzz/fuzz_api -max_len=65536 -dict=tests/fuzz/api.dict FOLDER tests/fuzz/seeds/api
 */
#include "api/dispatch.h"
#include "server/uploads/loading.h"
#include "server/uploads/uploads.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* What fontconfig keeps for the life of a process. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}

enum { MAX_HEADERS = 16, STREAM_STEP = 32 * 1024 };

/* Every text in a block of its own, so that a sanitizer sees each read past its end. */
struct message {
    char *method, *path, *query;
    char *names[MAX_HEADERS], *values[MAX_HEADERS];
    unsigned header_count;
    uint8_t *body;
    size_t body_size;
};

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "broken promise: %s\n", what);
    abort();
}

/* ------------------------------------------------------------------------------------------- the request -- */

/* The next line without its end, NULL at the end of the bytes. */
static const uint8_t *next_line(const uint8_t **at, const uint8_t *end, size_t *length)
{
    const uint8_t *begin = *at, *line_end = memchr(begin, '\n', (size_t)(end - begin));
    if (!line_end)
        return NULL;
    *at = line_end + 1;
    *length = (size_t)(line_end - begin);
    return begin;
}

static char *copy_text(const uint8_t *text, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy)
        abort();
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* What the transport lets through: no control characters and no blanks in a target. */
static bool is_target(const uint8_t *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] <= ' ' || text[i] == 0x7f)
            return false;
    }
    return length && text[0] == '/';
}

static bool is_field(const uint8_t *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if ((text[i] < ' ' && text[i] != '\t') || text[i] == 0x7f)
            return false;
    }
    return true;
}

static bool parse_line(struct message *message, const uint8_t *line, size_t length)
{
    const uint8_t *blank = memchr(line, ' ', length);
    size_t method = blank ? (size_t)(blank - line) : 0;
    if (!method || !is_field(line, method) || !is_target(blank + 1, length - method - 1))
        return false;
    const uint8_t *target = blank + 1;
    length -= method + 1;
    const uint8_t *mark = memchr(target, '?', length);
    size_t path = mark ? (size_t)(mark - target) : length;
    message->method = copy_text(line, method);
    message->path = copy_text(target, path);
    message->query = mark ? copy_text(mark + 1, length - path - 1) : copy_text(target, 0);
    return true;
}

static void add_header(struct message *message, const uint8_t *line, size_t length)
{
    const uint8_t *colon = memchr(line, ':', length);
    size_t name = colon ? (size_t)(colon - line) : 0, skip = name + 1;
    if (!name || message->header_count == MAX_HEADERS || !is_field(line, length))
        return;
    while (skip < length && line[skip] == ' ')
        skip++;
    message->names[message->header_count] = copy_text(line, name);
    message->values[message->header_count++] = copy_text(line + skip, length - skip);
}

static bool parse_message(struct message *message, const uint8_t *data, size_t size)
{
    const uint8_t *at = data, *end = data + size, *line;
    size_t length;
    line = next_line(&at, end, &length);
    if (!line || !parse_line(message, line, length))
        return false;
    while ((line = next_line(&at, end, &length)) && length)
        add_header(message, line, length);
    message->body_size = line ? (size_t)(end - at) : 0;
    message->body = malloc(message->body_size ? message->body_size : 1);
    if (!message->body)
        abort();
    memcpy(message->body, at, message->body_size);
    return true;
}

static void release_message(struct message *message)
{
    for (unsigned i = 0; i < message->header_count; i++) {
        free(message->names[i]);
        free(message->values[i]);
    }
    free(message->method);
    free(message->path);
    free(message->query);
    free(message->body);
}

static bool is_called(const char *header, const char *name)
{
    size_t length = strlen(name);
    if (length && name[length - 1] == '*')
        return !strncasecmp(header, name, length - 1);
    return !strcasecmp(header, name);
}

static const char *find_header(const struct api_request *request, const char *name)
{
    const struct message *message = request->transport;
    for (unsigned i = 0; i < message->header_count; i++) {
        if (!strcasecmp(message->names[i], name))
            return message->values[i];
    }
    return NULL;
}

static size_t count_headers(const struct api_request *request, const char *name)
{
    const struct message *message = request->transport;
    size_t count = 0;
    for (unsigned i = 0; i < message->header_count; i++)
        count += is_called(message->names[i], name);
    return count;
}

/* -------------------------------------------------------------------------------------------- the answer -- */

static void check_headers(const struct api_response *response)
{
    const char *at = response->headers, *end = at + response->header_size;
    unsigned texts = 0;
    for (; at < end; texts++) {
        size_t length = strnlen(at, (size_t)(end - at));
        if (at + length == end || !is_field((const uint8_t *)at, length))
            give_up("a header that would split the answer");
        at += length + 1;
    }
    if (texts != 2u * response->header_count)
        give_up("headers that are not counted");
}

static void check_json(const struct api_response *response)
{
    json_error_t error;
    json_t *value =
        json_loadb(response->data, response->size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, &error);
    if (!value) {
        fprintf(stderr, "%s at %d\n", error.text, error.position);
        give_up("JSON that is none");
    }
    json_int_t status = json_integer_value(json_object_get(value, "status"));
    if (response->status >= 400 && status != (json_int_t)response->status)
        give_up("a problem of another status");
    json_decref(value);
}

static void read_stream(struct api_response *response)
{
    static uint8_t buffer[STREAM_STEP];
    uint64_t total = 0;
    ssize_t got;
    while ((got = response->read(response->owner, buffer, sizeof buffer)) > 0)
        total += (uint64_t)got;
    if (got == 0 && response->size != API_UNKNOWN_SIZE && total != response->size)
        give_up("a stream of another size");
}

static void check_response(struct api_response *response, const char *method)
{
    if (response->status < 200 || response->status > 599 || response->status == 500)
        give_up("no status that may be");
    check_headers(response);
    if (response->read) {
        read_stream(response);
        return;
    }
    const char *type = response_find_header(response, "Content-Type");
    bool is_plain = !response_find_header(response, "Content-Encoding");
    /* A browser gets it as a page, if the program was built with its pages. */
    if (response->status >= 400 &&
        (!type || (strcmp(type, "application/problem+json") != 0 && !strstr(type, "text/html"))))
        give_up("an error that is neither a problem nor a page");
    if (type && strstr(type, "json") && !strstr(type, "ndjson") && is_plain && response->size &&
        strcmp(method, "HEAD") != 0)
        check_json(response);
}

/* ------------------------------------------------------------------------------------------- the service -- */

static struct service *open_service(void)
{
    static char name[] = "posed", samples[] = POSED_SAMPLES;
    static char *arguments[] = {name,  "--threads",  "1",  "--cache-size", "4M",   "--max-unpacked",
                                "8M",  "--max-time", "2s", "--max-frames", "2000", "--max-entries",
                                "500", samples,      NULL};
    static struct config config;
    char error[OPTION_ERROR_CAPACITY];
    struct pose_error problem;
    struct store_error broken;
    bool unsettled;
    int count = (int)(sizeof arguments / sizeof *arguments) - 1;
    if (!config_parse(&config, count, arguments, NULL, error))
        give_up(error);
    struct service *service = service_new(&config, api_route_templates());
    if (!service || !service_index(service, &unsettled, &problem))
        give_up("no sample library");
    service->store = store_open(NULL, 16u << 20, &broken);
    if (!service->store || !uploads_load(service, &broken))
        give_up("no store");
    atomic_store(&service->state, SERVICE_READY);
    return service;
}

struct ids {
    unsigned count;
    struct asset_id items[8];
};

static bool note_id(void *user, const struct upload_row *row)
{
    struct ids *ids = user;
    ids->items[ids->count++] = row->id;
    return ids->count < sizeof ids->items / sizeof *ids->items;
}

static void empty_store(struct service *service)
{
    struct ids ids = {0};
    struct store_error error;
    store_each(service->store, note_id, &ids, &error);
    for (unsigned i = 0; i < ids.count; i++) {
        if (!upload_remove(service, &ids.items[i], NULL, &error))
            give_up("an upload that cannot be removed");
    }
    if (store_bytes(service->store))
        give_up("a store that is not empty");
}

/* As server/http/exchange.c does it. */
static void serve(struct service *service, struct api_request *request)
{
    struct api_response response;
    uint64_t most = 0;
    response_init(&response, 200);
    if (!api_admit(service, request, &most, &response)) {
        check_response(&response, request->method);
    } else if (request->body_size > most) {
        api_refuse(service, request, 413, "the request body is too large", &response);
        check_response(&response, request->method);
    } else {
        enum api_outcome outcome = api_handle(service, request, &response);
        if (outcome == API_WAIT) {
            response_release(&response);
            response_init(&response, 200);
            request->may_wait = true;
            outcome = api_handle(service, request, &response);
        }
        if (outcome != API_DONE)
            give_up("a handler that waits on the pool");
        check_response(&response, request->method);
    }
    response_release(&response);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct service *service;
    struct message message = {0};
    if (!service)
        service = open_service();
    if (parse_message(&message, data, size)) {
        struct api_request request = {.method = message.method,
                                      .path = message.path,
                                      .query = message.query,
                                      .body = message.body,
                                      .body_size = message.body_size,
                                      .client = "127.0.0.1",
                                      .client_is_loopback = true,
                                      .header = find_header,
                                      .header_count = count_headers,
                                      .transport = &message};
        serve(service, &request);
        empty_store(service);
    }
    release_message(&message);
    return 0;
}
