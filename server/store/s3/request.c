#include "server/store/s3/request.h"

#include "server/store/s3/xml.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
    LEAST_RATE = 256 << 10, /* bytes a second: a body that moves faster has time */
    MAX_REFUSAL = 4096,     /* of the text that explains it */
    MAX_IGNORED = 64 << 10, /* of a body that nobody wants: then the connection goes */
    MAX_HEADERS = 64 << 10,
    MAX_URL = 4096,
    EXPECT_MS = 300,
    POLL_MS = 1000,
};

/* A connection that is kept. */
struct line {
    CURL *easy;
    CURLM *multi;
    bool busy;
};

struct s3 {
    struct s3_place place; /* texts are our own */
    char *signing;
    pthread_mutex_t lock;
    pthread_cond_t freed;
    struct line *lines; /* [place.connections] */
};

/* What a request is about while curl works on it. */
struct exchange {
    const struct s3_request *request;
    struct s3_answer *answer;
    CURL *easy;
    size_t sent;
    uint64_t moved, taken;
    size_t headers, ignored;
    bool has_stopped, is_too_large, is_endless;
    char refusal[MAX_REFUSAL];
    size_t refusal_size;
};

bool s3_fail(struct s3_failure *failure, enum s3_outcome outcome, const char *format, ...)
{
    va_list arguments;
    failure->outcome = outcome;
    va_start(arguments, format);
    vsnprintf(failure->detail, sizeof failure->detail, format, arguments);
    va_end(arguments);
    return false;
}

const struct s3_place *s3_place_of(const struct s3 *s3)
{
    return &s3->place;
}

bool s3_encode(char *to, size_t capacity, const char *text)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t used = strlen(to);
    for (; *text; text++) {
        const unsigned char byte = (unsigned char)*text;
        const bool is_plain = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
                              (byte >= '0' && byte <= '9') || strchr("-._~", byte);
        if (capacity - used < 4)
            return false;
        if (is_plain) {
            to[used++] = *text;
        } else {
            to[used++] = '%';
            to[used++] = digits[byte >> 4];
            to[used++] = digits[byte & 15];
        }
        to[used] = 0;
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------- connections -- */

static uint64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The connection that was used last is the likeliest to be open. */
static struct line *find_free(struct s3 *s3)
{
    for (unsigned i = 0; i < s3->place.connections; i++) {
        if (!s3->lines[i].busy)
            return &s3->lines[i];
    }
    return NULL;
}

/* NULL if none becomes free in time. */
static struct line *take_line(struct s3 *s3)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)(s3->place.timeout_ms / 1000);
    until.tv_nsec += (long)(s3->place.timeout_ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    struct line *line;
    int status = 0;
    pthread_mutex_lock(&s3->lock);
    while (!(line = find_free(s3)) && !status)
        status = pthread_cond_timedwait(&s3->freed, &s3->lock, &until);
    if (line)
        line->busy = true;
    pthread_mutex_unlock(&s3->lock);
    return line;
}

static void give_line(struct s3 *s3, struct line *line)
{
    pthread_mutex_lock(&s3->lock);
    line->busy = false;
    pthread_cond_signal(&s3->freed);
    pthread_mutex_unlock(&s3->lock);
}

static bool prepare(struct line *line)
{
    if (!line->easy)
        line->easy = curl_easy_init();
    if (!line->multi)
        line->multi = curl_multi_init();
    return line->easy && line->multi;
}

/* ------------------------------------------------------------------------------------------------ callbacks -- */

static size_t on_read(char *to, size_t size, size_t count, void *user)
{
    struct exchange *exchange = user;
    size_t left = exchange->request->size - exchange->sent, wanted = size * count;
    if (wanted > left)
        wanted = left;
    if (wanted)
        memcpy(to, exchange->request->body + exchange->sent, wanted);
    exchange->sent += wanted;
    exchange->moved += wanted;
    return wanted;
}

/* A kept connection turned out to be closed: once more from the start. */
static int on_seek(void *user, curl_off_t offset, int origin)
{
    struct exchange *exchange = user;
    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > exchange->request->size)
        return CURL_SEEKFUNC_FAIL;
    exchange->sent = (size_t)offset;
    return CURL_SEEKFUNC_OK;
}

static void keep_refusal(struct exchange *exchange, const char *bytes, size_t size)
{
    size_t room = sizeof exchange->refusal - exchange->refusal_size;
    if (size > room)
        size = room;
    memcpy(exchange->refusal + exchange->refusal_size, bytes, size);
    exchange->refusal_size += size;
}

/* What is not wanted is read for the sake of the connection, up to a bound. */
static size_t ignore(struct exchange *exchange, size_t size)
{
    exchange->is_endless = size > MAX_IGNORED - exchange->ignored;
    if (exchange->is_endless)
        return 0;
    exchange->ignored += size;
    return size;
}

static size_t on_write(char *bytes, size_t size, size_t count, void *user)
{
    struct exchange *exchange = user;
    const struct s3_request *request = exchange->request;
    long status = 0;
    curl_easy_getinfo(exchange->easy, CURLINFO_RESPONSE_CODE, &status);
    size *= count;
    if (status / 100 != 2)
        keep_refusal(exchange, bytes, size);
    if (status / 100 != 2 || !request->sink)
        return ignore(exchange, size);
    exchange->moved += size;
    exchange->is_too_large = size > request->most - exchange->taken;
    if (exchange->is_too_large)
        return 0;
    exchange->taken += size;
    exchange->has_stopped = !request->sink(request->user, bytes, size);
    return exchange->has_stopped ? 0 : size;
}

/* The value of a header of that name, without the blanks around it. */
static bool is_header(const char *line, size_t size, const char *name, char *value, size_t capacity)
{
    size_t length = strlen(name);
    if (size <= length || strncasecmp(line, name, length) || line[length] != ':')
        return false;
    line += length + 1;
    size -= length + 1;
    while (size && (*line == ' ' || *line == '\t')) {
        line++;
        size--;
    }
    while (size && strchr(" \t\r\n", line[size - 1]))
        size--;
    if (size >= capacity)
        return false;
    memcpy(value, line, size);
    value[size] = 0;
    return true;
}

static size_t on_header(char *line, size_t size, size_t count, void *user)
{
    struct exchange *exchange = user;
    struct s3_answer *answer = exchange->answer;
    char value[S3_ETAG];
    size *= count;
    exchange->is_endless = size > MAX_HEADERS - exchange->headers;
    if (exchange->is_endless)
        return 0;
    exchange->headers += size;
    if (is_header(line, size, "etag", value, sizeof value))
        memcpy(answer->etag, value, sizeof value);
    else if (is_header(line, size, "last-modified", value, sizeof value))
        answer->modified_s = (int64_t)curl_getdate(value, NULL);
    else if (is_header(line, size, "date", value, sizeof value))
        answer->now_s = (int64_t)curl_getdate(value, NULL);
    return size;
}

/* ------------------------------------------------------------------------------------------------- requests -- */

static struct curl_slist *add_header(struct curl_slist *list, const char *name, const char *value)
{
    char text[2100];
    int length = snprintf(text, sizeof text, "%s: %s", name, value);
    struct curl_slist *longer = length < (int)sizeof text ? curl_slist_append(list, text) : NULL;
    if (!longer)
        curl_slist_free_all(list);
    return longer;
}

static bool has_body(const struct s3_request *request)
{
    return !strcmp(request->method, "PUT") || !strcmp(request->method, "POST");
}

/* Every request says the hash of its body, even of none: it is signed, and the store checks it. */
static struct curl_slist *make_headers(const struct s3 *s3, const struct s3_request *request)
{
    static const char nothing[] = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    char hash[S3_HASH_TEXT];
    if (request->hash) {
        for (int i = 0; i < S3_HASH; i++)
            sprintf(hash + 2 * i, "%02x", request->hash[i]);
    } else {
        memcpy(hash, nothing, sizeof nothing);
    }
    struct curl_slist *list = add_header(NULL, "x-amz-content-sha256", hash);
    if (list && has_body(request))
        list = add_header(list, "Content-Type", "application/octet-stream");
    return list && s3->place.token ? add_header(list, "x-amz-security-token", s3->place.token) : list;
}

static bool make_url(const struct s3 *s3, const struct s3_request *request, char url[MAX_URL])
{
    int length = snprintf(url, MAX_URL, "%s/%s%s%s%s%s", s3->place.endpoint, s3->place.bucket,
                          request->key ? "/" : "", request->key ? request->key : "",
                          request->query ? "?" : "", request->query ? request->query : "");
    return length > 0 && length < MAX_URL;
}

static void set_up(const struct s3 *s3, CURL *easy, struct exchange *exchange, const char *url,
                   struct curl_slist *headers)
{
    const struct s3_request *request = exchange->request;
    curl_easy_reset(easy); /* keeps the connection */
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)s3->place.timeout_ms);
    curl_easy_setopt(easy, CURLOPT_EXPECT_100_TIMEOUT_MS, (long)EXPECT_MS);
    curl_easy_setopt(easy, CURLOPT_AWS_SIGV4, s3->signing);
    curl_easy_setopt(easy, CURLOPT_USERNAME, s3->place.key_id);
    curl_easy_setopt(easy, CURLOPT_PASSWORD, s3->place.secret);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, exchange);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_write);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
    if (!strcmp(request->method, "HEAD")) {
        curl_easy_setopt(easy, CURLOPT_NOBODY, 1L);
    } else if (has_body(request)) {
        /* As for a POST whatever the method: CURLOPT_UPLOAD would wait for "100 Continue" before every body, this way only
         * before one of more than a megabyte. */
        curl_easy_setopt(easy, CURLOPT_POST, 1L);
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->size);
        curl_easy_setopt(easy, CURLOPT_READFUNCTION, on_read);
        curl_easy_setopt(easy, CURLOPT_READDATA, exchange);
        curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, on_seek);
        curl_easy_setopt(easy, CURLOPT_SEEKDATA, exchange);
        curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 256L << 10);
    } else {
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 256L << 10);
    }
    curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, request->method);
}

/* Runs the request until it is done or its time is over, which grows with what has moved. */
static CURLcode run(const struct s3 *s3, const struct line *line, const struct exchange *exchange)
{
    const uint64_t began = now_ms();
    CURLcode result = CURLE_OPERATION_TIMEDOUT;
    int running = 1, left;
    if (curl_multi_add_handle(line->multi, line->easy))
        return CURLE_OUT_OF_MEMORY;
    while (!curl_multi_perform(line->multi, &running) && running) {
        const uint64_t spent = now_ms() - began;
        const uint64_t allowed = s3->place.timeout_ms + exchange->moved * 1000 / LEAST_RATE;
        if (spent >= allowed)
            break;
        const uint64_t wait = allowed - spent;
        curl_multi_poll(line->multi, NULL, 0, wait < POLL_MS ? (int)wait : POLL_MS, NULL);
    }
    for (CURLMsg *message; (message = curl_multi_info_read(line->multi, &left));) {
        if (message->msg == CURLMSG_DONE)
            result = message->data.result;
    }
    curl_multi_remove_handle(line->multi, line->easy);
    return result;
}

static bool refuse(const struct exchange *exchange, struct s3_failure *failure)
{
    char code[S3_TEXT];
    const long status = exchange->answer->status;
    if (!s3_parse_text(exchange->refusal, exchange->refusal_size, "Error", "Code", code))
        *code = 0;
    const bool is_bucket = !strcmp(code, "NoSuchBucket");
    if (status == 404 && !is_bucket && exchange->request->key)
        return s3_fail(failure, S3_MISSING, "there is no such object");
    const bool is_passing =
        status / 100 == 5 || status == 429 || status == 408 || !strcmp(code, "RequestTimeout");
    return s3_fail(failure, is_passing ? S3_AWAY : S3_REFUSED, "%s answered %ld%s%.60s",
                   exchange->request->method, status, *code ? " " : "", code);
}

static bool judge(const struct s3 *s3, const struct exchange *exchange, CURLcode result,
                  struct s3_failure *failure)
{
    const char *method = exchange->request->method;
    if (exchange->has_stopped)
        return s3_fail(failure, S3_STOPPED, "stopped");
    const long status = exchange->answer->status;
    if (exchange->is_endless && exchange->refusal_size)
        return refuse(exchange, failure);
    if (exchange->is_endless)
        return s3_fail(failure, S3_AWAY, "%s was answered %ld and more bytes than belong there", method,
                       status);
    if (exchange->is_too_large)
        return s3_fail(failure, S3_WRONG, "%s sends more bytes than the object has", method);
    if (result == CURLE_OPERATION_TIMEDOUT)
        return s3_fail(failure, S3_AWAY, "%s was not answered within %llu ms", method,
                       (unsigned long long)s3->place.timeout_ms);
    if (result)
        return s3_fail(failure, S3_AWAY, "%s: %s", method, curl_easy_strerror(result));
    return status / 100 == 2 || refuse(exchange, failure);
}

bool s3_ask(struct s3 *s3, const struct s3_request *request, struct s3_answer *answer,
            struct s3_failure *failure)
{
    char url[MAX_URL];
    *answer = (struct s3_answer){.modified_s = -1};
    failure->outcome = S3_DONE;
    if (!make_url(s3, request, url))
        return s3_fail(failure, S3_REFUSED, "the name of the object is too long");
    struct line *line = take_line(s3);
    if (!line)
        return s3_fail(failure, S3_AWAY, "all %u connections are busy", s3->place.connections);
    struct curl_slist *headers = prepare(line) ? make_headers(s3, request) : NULL;
    struct exchange exchange = {.request = request, .answer = answer, .easy = line->easy};
    bool done = false;
    if (headers) {
        curl_off_t length = 0;
        set_up(s3, line->easy, &exchange, url, headers);
        CURLcode result = run(s3, line, &exchange);
        curl_easy_getinfo(line->easy, CURLINFO_RESPONSE_CODE, &answer->status);
        curl_easy_getinfo(line->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
        answer->length = length > 0 ? (uint64_t)length : 0;
        done = judge(s3, &exchange, result, failure);
    } else {
        s3_fail(failure, S3_AWAY, "out of memory");
    }
    curl_slist_free_all(headers);
    give_line(s3, line);
    return done;
}

/* -------------------------------------------------------------------------------------------------- opening -- */

static bool copy(const char **text)
{
    if (*text)
        *text = strdup(*text);
    return *text;
}

static bool copy_place(struct s3_place *place)
{
    const bool has_token = place->token;
    const bool copied[] = {copy(&place->endpoint), copy(&place->region), copy(&place->bucket),
                           copy(&place->key_id),   copy(&place->secret), copy(&place->token) || !has_token};
    bool done = true;
    for (size_t i = 0; i < sizeof copied / sizeof *copied; i++)
        done &= copied[i];
    return done;
}

static void free_text(const char *text)
{
    union {
        const char *view;
        char *memory;
    } owned = {.view = text};
    if (text)
        explicit_bzero(owned.memory, strlen(text));
    free(owned.memory);
}

struct s3 *s3_open(const struct s3_place *place)
{
    struct s3 *s3 = calloc(1, sizeof *s3);
    pthread_condattr_t attributes;
    if (!s3)
        return NULL;
    s3->place = *place;
    bool done = copy_place(&s3->place);
    s3->lines = calloc(place->connections, sizeof *s3->lines);
    done &= s3->lines && asprintf(&s3->signing, "aws:amz:%s:s3", place->region) > 0;
    pthread_mutex_init(&s3->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&s3->freed, &attributes);
    pthread_condattr_destroy(&attributes);
    curl_global_init(CURL_GLOBAL_DEFAULT);
    if (done)
        return s3;
    s3_close(s3);
    return NULL;
}

void s3_close(struct s3 *s3)
{
    for (unsigned i = 0; s3->lines && i < s3->place.connections; i++) {
        curl_easy_cleanup(s3->lines[i].easy);
        curl_multi_cleanup(s3->lines[i].multi);
    }
    pthread_mutex_destroy(&s3->lock);
    pthread_cond_destroy(&s3->freed);
    free_text(s3->place.endpoint);
    free_text(s3->place.region);
    free_text(s3->place.bucket);
    free_text(s3->place.key_id);
    free_text(s3->place.secret);
    free_text(s3->place.token);
    free(s3->signing);
    free(s3->lines);
    free(s3);
    curl_global_cleanup();
}
