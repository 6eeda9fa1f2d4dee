#include "server/events/webhook.h"

#include "lib/core/hex.h"
#include "pose.h"
#include "server/events/event_queue.h"
#include "server/events/post.h"
#include "server/events/queue_files.h"
#include "server/ops/clock.h"
#include "server/ops/files.h"
#include "server/ops/log.h"
#include "server/ops/modules/modules.h"

#include <errno.h>
#include <nettle/hmac.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRY_MS = 10000,
    FIRST_PAUSE_MS = 1000,
    MAX_PAUSE_MS = 10 * 60 * 1000,
    DAY_MS = 24 * 60 * 60 * 1000,
    MAX_KEY = 4096,
    SHOWN = 160,
    HEADER = 160,
};

struct webhook {
    struct webhook *next; /* the next address */
    char *url, shown[SHOWN];
    uint8_t key[MAX_KEY];
    size_t key_size; /* 0: none */
    const struct post_module *module;
    struct webhook_metrics counted; /* of all addresses, at the first one */
    atomic_bool ends;
    bool is_started;
    pthread_t thread;
    pthread_mutex_t lock; /* guards the following members */
    pthread_cond_t changed;
    pthread_cond_t kept; /* an event is on the disk */
    struct event_queue queue;
    uint64_t away_until_ms; /* the receiver did not answer: nothing is tried before */
    unsigned failures;      /* in a row, of the receiver */
    bool is_told;           /* the log has that the receiver is away */
};

/* ---------------------------------------------------------------------------------------------- queueing -- */

static void push(struct webhook *webhook, const struct change *change)
{
    struct event *event = event_of(change);
    if (!event) {
        atomic_fetch_add(&webhook->queue.metrics->failed, 1);
        return;
    }
    pthread_mutex_lock(&webhook->lock);
    event_queue_push(&webhook->queue, event);
    pthread_cond_signal(&webhook->changed);
    pthread_mutex_unlock(&webhook->lock);
}

static void settle(struct webhook *webhook)
{
    struct event *event;
    if (!webhook->queue.folder)
        return;
    pthread_mutex_lock(&webhook->lock);
    while ((event = event_queue_take_unkept(&webhook->queue))) {
        pthread_mutex_unlock(&webhook->lock);
        if (!queue_files_keep(webhook->queue.folder, event->number, event->body, event->size))
            log_message(LOG_WARNING, "webhook: an event cannot be written and would be lost by a restart: %s",
                        strerror(errno));
        pthread_mutex_lock(&webhook->lock);
        event_queue_set_kept(&webhook->queue, event);
        pthread_cond_signal(&webhook->changed);
        pthread_cond_broadcast(&webhook->kept);
    }
    /* Another thread may be writing what this one is to answer for. */
    while (webhook->queue.unkept)
        pthread_cond_wait(&webhook->kept, &webhook->lock);
    pthread_mutex_unlock(&webhook->lock);
}

void webhook_push(struct webhook *webhook, const struct change *change)
{
    for (; webhook; webhook = webhook->next)
        push(webhook, change);
}

void webhook_settle(struct webhook *webhook)
{
    for (; webhook; webhook = webhook->next)
        settle(webhook);
}

/* ------------------------------------------------------------------------------------------------ sending -- */

static void sign(const struct webhook *webhook, const char *stamp, const struct event *event,
                 char header[HEADER])
{
    struct hmac_sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    hmac_sha256_set_key(&context, webhook->key_size, webhook->key);
    hmac_sha256_update(&context, strlen(stamp), (const uint8_t *)stamp);
    hmac_sha256_update(&context, 1, (const uint8_t *)".");
    hmac_sha256_update(&context, event->size, (const uint8_t *)event->body);
    hmac_sha256_digest(&context, sizeof digest, digest);
    const int used = snprintf(header, HEADER, "X-Posed-Signature: sha256=");
    hex_write(digest, sizeof digest, header + used);
    explicit_bzero(&context, sizeof context);
}

/* The status, 0: no answer. Called without the lock; the event is marked. */
static long send_event(struct webhook *webhook, const struct event *event, char detail[POST_DETAIL])
{
    char stamp[24], agent[HEADER], delivery[HEADER], timestamp[HEADER], signature[HEADER];
    snprintf(stamp, sizeof stamp, "%lld", (long long)(clock_wall_ns() / 1000000000));
    snprintf(agent, sizeof agent, "User-Agent: posed/%s", pose_version());
    snprintf(delivery, sizeof delivery, "X-Posed-Delivery: %016llx", (unsigned long long)event->number);
    snprintf(timestamp, sizeof timestamp, "X-Posed-Timestamp: %s", stamp);
    if (webhook->key_size)
        sign(webhook, stamp, event, signature);
    const char *headers[] = {"Content-Type: application/json",     agent, delivery, timestamp,
                             webhook->key_size ? signature : NULL, NULL};
    const struct post post = {.url = webhook->url,
                              .headers = headers,
                              .body = event->body,
                              .size = event->size,
                              .timeout_ms = TRY_MS,
                              .is_off = &webhook->ends};
    return webhook->module->send(&post, detail);
}

static uint64_t pause_after(unsigned failures)
{
    uint64_t pause = FIRST_PAUSE_MS;
    for (unsigned i = 1; i < failures && pause < MAX_PAUSE_MS; i++)
        pause *= 2;
    return pause < MAX_PAUSE_MS ? pause : MAX_PAUSE_MS;
}

static bool is_too_old(const struct event *event)
{
    const int64_t age = clock_wall_ns() - (int64_t)event->number;
    return age / 1000000 > DAY_MS;
}

/* What is temporary by its nature is the receiver's state, not the event's. */
static bool is_away(long status)
{
    return !status || status / 100 == 5 || status == 408 || status == 429;
}

/* Once for a time without answers; the address may hold a secret, so only its host is logged. */
static void tell(struct webhook *webhook, long status, const char *detail)
{
    if (webhook->is_told)
        return;
    webhook->is_told = true;
    if (status)
        log_message(LOG_WARNING, "webhook: %s answers %ld; it is tried again for a day", webhook->shown,
                    status);
    else
        log_message(LOG_WARNING, "webhook: %s: %s; it is tried again for a day", webhook->shown, detail);
}

/* Called with the lock held. */
static void conclude(struct webhook *webhook, struct event *event, long status, const char *detail)
{
    event->is_sent = false;
    if (status / 100 == 2) {
        atomic_fetch_add(&webhook->queue.metrics->sent, 1);
        webhook->failures = 0;
        webhook->is_told = false;
        event_queue_drop(&webhook->queue, event);
        return;
    }
    if (atomic_load(&webhook->ends))
        return;
    tell(webhook, status, detail);
    event->tries++;
    if (is_too_old(event)) {
        event_queue_give_up(&webhook->queue, event, "the receiver has not taken it for a day");
        return;
    }
    atomic_fetch_add(&webhook->queue.metrics->retried, 1);
    if (is_away(status))
        webhook->away_until_ms = clock_ms() + pause_after(++webhook->failures);
    else
        event->due_ms = clock_ms() + pause_after(event->tries);
}

/* Nothing is tried while the receiver is away. */
static uint64_t due_of(const struct webhook *webhook, const struct event *event)
{
    return event->due_ms > webhook->away_until_ms ? event->due_ms : webhook->away_until_ms;
}

static void wait_until(struct webhook *webhook, uint64_t due_ms)
{
    const uint64_t now = clock_ms();
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += (time_t)((due_ms - now) / 1000);
    clock_add_ns(&until, (long)((due_ms - now) % 1000) * 1000000);
    pthread_cond_timedwait(&webhook->changed, &webhook->lock, &until);
}

static void *run(void *user)
{
    struct webhook *webhook = user;
    pthread_mutex_lock(&webhook->lock);
    while (!atomic_load(&webhook->ends)) {
        struct event *event = event_queue_next(&webhook->queue);
        const uint64_t due_ms = event ? due_of(webhook, event) : 0;
        if (!event) {
            pthread_cond_wait(&webhook->changed, &webhook->lock);
        } else if (due_ms > clock_ms()) {
            wait_until(webhook, due_ms);
        } else {
            char detail[POST_DETAIL];
            event->is_sent = true;
            pthread_mutex_unlock(&webhook->lock);
            const long status = send_event(webhook, event, detail);
            pthread_mutex_lock(&webhook->lock);
            conclude(webhook, event, status, detail);
        }
    }
    pthread_mutex_unlock(&webhook->lock);
    webhook->module->end();
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ opening -- */

static bool read_key(struct webhook *webhook, const char *path, char *error, size_t error_size)
{
    FILE *file = fopen(path, "re");
    char line[MAX_KEY + 2] = "";
    const bool is_read = file && fgets(line, sizeof line, file);
    const int reason = errno;
    if (file)
        fclose(file);
    const size_t length = strcspn(line, "\r\n");
    if (!file)
        snprintf(error, error_size, "--webhook-key: %s: %s", path, strerror(reason));
    else if (!is_read || !length || length > MAX_KEY)
        snprintf(error, error_size, "--webhook-key: %s: its first line is to be the key, 1 to %d bytes", path,
                 MAX_KEY);
    else
        memcpy(webhook->key, line, webhook->key_size = length);
    explicit_bzero(line, sizeof line);
    return webhook->key_size;
}

/* "https://host:port", of what may have a password and a secret path. */
static void show(struct webhook *webhook)
{
    const char *host = strstr(webhook->url, "://") + 3;
    size_t length = strcspn(host, "/?#");
    for (const char *at; (at = memchr(host, '@', length));) {
        length -= (size_t)(at + 1 - host);
        host = at + 1;
    }
    snprintf(webhook->shown, sizeof webhook->shown, "%.*s://%.*s", (int)strcspn(webhook->url, ":"),
             webhook->url, (int)(length < SHOWN ? length : SHOWN), host);
}

/* A folder of its own per address, so that what waits for one never goes to another, in whatever order they are given. */
static char *folder_of(const char *data, const char *url)
{
    struct sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char name[] = "webhooks/0123456789abcdef";
    sha256_init(&context);
    sha256_update(&context, strlen(url), (const uint8_t *)url);
    sha256_digest(&context, sizeof digest, digest);
    hex_write(digest, 8, strchr(name, '/') + 1);
    return path_join(data, name);
}

/* One address, of so many characters. */
static struct webhook *open_one(const struct webhook_options *options, const char *url, size_t length,
                                char *error, size_t error_size)
{
    struct webhook *webhook = calloc(1, sizeof *webhook);
    pthread_condattr_t attributes;
    if (!webhook || !(webhook->url = strndup(url, length))) {
        snprintf(error, error_size, "out of memory");
        free(webhook);
        return NULL;
    }
    webhook->queue.metrics = &webhook->counted;
    show(webhook);
    pthread_mutex_init(&webhook->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&webhook->changed, &attributes);
    pthread_cond_init(&webhook->kept, NULL);
    pthread_condattr_destroy(&attributes);
    webhook->queue.folder = options->folder ? folder_of(options->folder, webhook->url) : NULL;
    webhook->module = module_symbol(POST_MODULE, POST_MODULE_SYMBOL, error, error_size);
    if (webhook->module && (!options->key_file || read_key(webhook, options->key_file, error, error_size)))
        return webhook;
    webhook_close(webhook);
    return NULL;
}

struct webhook *webhook_open(const struct webhook_options *options, char *error, size_t error_size)
{
    struct webhook *first = NULL, **end = &first;
    size_t length;
    for (const char *url = options->urls; (length = strcspn(url += strspn(url, " "), " ")); url += length) {
        *end = open_one(options, url, length, error, error_size);
        if (!*end) {
            webhook_close(first);
            return NULL;
        }
        (*end)->queue.metrics = &first->counted;
        end = &(*end)->next;
    }
    return first;
}

/* The folder of all addresses, and the one of this. */
static bool open_folders(const struct webhook *webhook, char *error, size_t error_size)
{
    char *whole =
        strndup(webhook->queue.folder, (size_t)(strrchr(webhook->queue.folder, '/') - webhook->queue.folder));
    const bool done = whole && queue_files_open(whole) && queue_files_open(webhook->queue.folder);
    if (!done)
        snprintf(error, error_size, "%s: %s", whole ? whole : webhook->queue.folder, strerror(errno));
    free(whole);
    return done;
}

static bool start(struct webhook *webhook, char *error, size_t error_size)
{
    if (webhook->queue.folder && !open_folders(webhook, error, error_size))
        return false;
    if (webhook->queue.folder)
        event_queue_load(&webhook->queue);
    webhook->is_started = !pthread_create(&webhook->thread, NULL, run, webhook);
    if (!webhook->is_started)
        snprintf(error, error_size, "the thread for the webhook cannot be started");
    return webhook->is_started;
}

bool webhook_start(struct webhook *webhook, char *error, size_t error_size)
{
    for (; webhook; webhook = webhook->next) {
        if (!start(webhook, error, error_size))
            return false;
    }
    return true;
}

static void end(struct webhook *webhook)
{
    if (webhook->is_started) {
        pthread_mutex_lock(&webhook->lock);
        atomic_store(&webhook->ends, true);
        pthread_cond_signal(&webhook->changed);
        pthread_mutex_unlock(&webhook->lock);
        pthread_join(webhook->thread, NULL);
    }
    explicit_bzero(webhook->key, sizeof webhook->key);
    pthread_mutex_destroy(&webhook->lock);
    pthread_cond_destroy(&webhook->changed);
    pthread_cond_destroy(&webhook->kept);
    event_queue_release(&webhook->queue);
    free(webhook->url);
}

void webhook_close(struct webhook *webhook)
{
    for (struct webhook *each = webhook; each; each = each->next)
        end(each); /* all before the first is freed, whose metrics they count in */
    for (struct webhook *next; webhook; webhook = next) {
        next = webhook->next;
        free(webhook);
    }
}

const struct webhook_metrics *webhook_metrics_of(const struct webhook *webhook)
{
    return webhook->queue.metrics;
}

uint64_t webhook_newest(const struct webhook *webhook)
{
    uint64_t newest = 0;
    for (; webhook; webhook = webhook->next) {
        if (webhook->queue.newest > newest)
            newest = webhook->queue.newest;
    }
    return newest;
}
