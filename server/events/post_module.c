#include "server/events/post.h"

#include <curl/curl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    MAX_TAKEN = 64 << 10, /* bytes of an answer, and of its headers */
    POLL_MS = 200,
};

struct exchange {
    size_t body, headers;
};

static _Thread_local CURLM *multi; /* keeps the connection; no two threads may use one */

/* curl_easy_init would do it, but not for two threads at once. */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void begin(void)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
}

static size_t count(size_t *taken, size_t size)
{
    *taken += size;
    return *taken > MAX_TAKEN ? 0 : size;
}

static size_t on_body(char *bytes, size_t size, size_t number, void *user)
{
    struct exchange *exchange = user;
    (void)bytes;
    return count(&exchange->body, size * number);
}

static size_t on_header(char *bytes, size_t size, size_t number, void *user)
{
    struct exchange *exchange = user;
    (void)bytes;
    return count(&exchange->headers, size * number);
}

static long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct curl_slist *make_headers(const struct post *post)
{
    struct curl_slist *list = curl_slist_append(NULL, "Expect:");
    for (const char *const *header = post->headers; list && *header; header++) {
        struct curl_slist *longer = curl_slist_append(list, *header);
        if (!longer)
            curl_slist_free_all(list);
        list = longer;
    }
    return list;
}

/* Redirects are answers like others. */
static void set_up(CURL *easy, const struct post *post, struct curl_slist *headers, struct exchange *exchange)
{
    curl_easy_setopt(easy, CURLOPT_URL, post->url);
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, post->timeout_ms);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
#if LIBCURL_VERSION_NUM >= 0x075700
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* its resolver's thread is not waited for */
#endif
    curl_easy_setopt(easy, CURLOPT_POST, 1L);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, post->body);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->size);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, exchange);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, exchange);
}

static CURLcode run(const struct post *post, CURL *easy)
{
    const long end = now_ms() + post->timeout_ms;
    CURLcode result = CURLE_OPERATION_TIMEDOUT;
    int running = 1, left;
    if (curl_multi_add_handle(multi, easy))
        return CURLE_OUT_OF_MEMORY;
    while (!curl_multi_perform(multi, &running) && running && now_ms() < end && !atomic_load(post->is_off))
        curl_multi_poll(multi, NULL, 0, POLL_MS, NULL);
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
        if (message->msg == CURLMSG_DONE)
            result = message->data.result;
    }
    curl_multi_remove_handle(multi, easy);
    return result;
}

static long send_post(const struct post *post, char detail[POST_DETAIL])
{
    struct exchange exchange = {0, 0};
    pthread_once(&once, begin);
    struct curl_slist *headers = make_headers(post);
    CURL *easy = curl_easy_init();
    long status = 0;
    if (!multi)
        multi = curl_multi_init();
    CURLcode result = CURLE_OUT_OF_MEMORY;
    if (headers && easy && multi) {
        set_up(easy, post, headers, &exchange);
        result = run(post, easy);
        curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    }
    /* A status whose answer went on for too long, or had not ended in time, is one all the same; 1xx is none. */
    if (status < 200)
        status = 0;
    snprintf(detail, POST_DETAIL, "%s", status ? "" : curl_easy_strerror(result));
    curl_slist_free_all(headers);
    curl_easy_cleanup(easy);
    return status;
}

static void end(void)
{
    if (multi)
        curl_multi_cleanup(multi);
    multi = NULL;
}

extern const struct post_module post_module;
__attribute__((visibility("default"))) const struct post_module post_module = {.send = send_post, .end = end};
