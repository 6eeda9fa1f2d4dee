#include "server/events/webhook.h"

#include "lib/core/hex.h"
#include "pose.h"
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
    MAX_WAITING = 10000, /* the oldest are given up for more */
    TRY_MS = 10000,
    FIRST_PAUSE_MS = 1000,
    MAX_PAUSE_MS = 10 * 60 * 1000,
    DAY_MS = 24 * 60 * 60 * 1000,
    MAX_KEY = 4096,
    SHOWN = 160,
    HEADER = 160,
};

static const char *const words[CHANGE_KINDS] = {"upload", "publish", "delete"};

/* One that waits to be sent. */
struct event {
    struct event *next;
    uint64_t number;
    uint64_t due_ms; /* by clock_ms; 0: at once */
    unsigned tries;
    bool is_kept; /* may be sent: it is on the disk, or need not be */
    bool is_sent; /* being sent: only that thread frees it */
    size_t size;
    char body[];
};

struct webhook {
    struct webhook *next; /* the next address */
    char *url, *folder, shown[SHOWN];
    uint8_t key[MAX_KEY];
    size_t key_size; /* 0: none */
    const struct post_module *module;
    struct webhook_metrics counted; /* of all addresses, at the first one */
    struct webhook_metrics *metrics;
    atomic_bool ends;
    bool is_started;
    pthread_t thread;
    pthread_mutex_t lock; /* guards the following members */
    pthread_cond_t changed;
    pthread_cond_t kept;        /* an event is on the disk */
    struct event *first, *last; /* by number */
    struct event *unkept;       /* the first that is not on the disk; NULL: all are */
    size_t count;
    uint64_t away_until_ms; /* the receiver did not answer: nothing is tried before */
    unsigned failures;      /* in a row, of the receiver */
    uint64_t newest;        /* number of what was on the disk */
    bool is_told;           /* the log has that the receiver is away */
};

/* ---------------------------------------------------------------------------------------------- the queue -- */

static void append(struct webhook *webhook, struct event *event)
{
    if (webhook->last)
        webhook->last->next = event;
    else
        webhook->first = event;
    webhook->last = event;
    if (!event->is_kept && !webhook->unkept)
        webhook->unkept = event;
    webhook->count++;
    atomic_fetch_add(&webhook->metrics->waiting, 1);
}

/* Takes it out of the list, and its file off the disk. */
static void drop(struct webhook *webhook, struct event *event)
{
    struct event *before = NULL;
    for (struct event *at = webhook->first; at != event; at = at->next)
        before = at;
    if (before)
        before->next = event->next;
    else
        webhook->first = event->next;
    if (webhook->last == event)
        webhook->last = before;
    webhook->count--;
    atomic_fetch_sub(&webhook->metrics->waiting, 1);
    if (webhook->folder && event->is_kept)
        queue_files_drop(webhook->folder, event->number);
    free(event);
}

/* Called with the lock held. */
static void give_up(struct webhook *webhook, struct event *event, const char *why)
{
    log_message(LOG_ERROR, "webhook: event %016llx is given up: %s", (unsigned long long)event->number, why);
    atomic_fetch_add(&webhook->metrics->failed, 1);
    drop(webhook, event);
}

/* Called with the lock held. */
static void make_room(struct webhook *webhook)
{
    struct event *oldest = webhook->first;
    while (oldest && (oldest->is_sent || !oldest->is_kept))
        oldest = oldest->next;
    if (webhook->count >= MAX_WAITING && oldest)
        give_up(webhook, oldest, "too many wait");
}

static struct event *make_event(uint64_t number, const void *body, size_t size)
{
    struct event *event = calloc(1, sizeof *event + size);
    if (!event)
        return NULL;
    event->number = number;
    event->size = size;
    memcpy(event->body, body, size);
    return event;
}

static struct event *event_of(const struct change *change)
{
    char delivery[17];
    struct pose_buffer body = {0};
    struct json_writer json;
    struct event *event = NULL;
    snprintf(delivery, sizeof delivery, "%016llx", (unsigned long long)change->number);
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "event", words[change->kind]);
    jsonw_string(&json, "delivery", delivery);
    change_members(&json, change, "archive", true);
    jsonw_end(&json);
    if (!json.to.failed && body.size <= QUEUE_MAX_BODY)
        event = make_event(change->number, body.data, body.size);
    pose_buffer_free(&body);
    return event;
}

static void push(struct webhook *webhook, const struct change *change)
{
    struct event *event = event_of(change);
    if (!event) {
        atomic_fetch_add(&webhook->metrics->failed, 1);
        return;
    }
    pthread_mutex_lock(&webhook->lock);
    make_room(webhook);
    event->is_kept = !webhook->folder;
    append(webhook, event);
    pthread_cond_signal(&webhook->changed);
    pthread_mutex_unlock(&webhook->lock);
}

/* The first that is not on the disk yet and that no other thread has taken, marked; NULL: none. */
static struct event *take_unkept(struct webhook *webhook)
{
    for (struct event *event = webhook->unkept; event; event = event->next) {
        if (!event->is_kept && !event->is_sent) {
            event->is_sent = true;
            return event;
        }
    }
    return NULL;
}

static void set_kept(struct webhook *webhook, struct event *event)
{
    event->is_kept = true;
    event->is_sent = false;
    while (webhook->unkept && webhook->unkept->is_kept)
        webhook->unkept = webhook->unkept->next;
    pthread_cond_signal(&webhook->changed);
    pthread_cond_broadcast(&webhook->kept);
}

static void settle(struct webhook *webhook)
{
    struct event *event;
    if (!webhook->folder)
        return;
    pthread_mutex_lock(&webhook->lock);
    while ((event = take_unkept(webhook))) {
        pthread_mutex_unlock(&webhook->lock);
        if (!queue_files_keep(webhook->folder, event->number, event->body, event->size))
            log_message(LOG_WARNING, "webhook: an event cannot be written and would be lost by a restart: %s",
                        strerror(errno));
        pthread_mutex_lock(&webhook->lock);
        set_kept(webhook, event);
    }
    /* Another thread may be writing what this one is to answer for. */
    while (webhook->unkept)
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
        atomic_fetch_add(&webhook->metrics->sent, 1);
        webhook->failures = 0;
        webhook->is_told = false;
        drop(webhook, event);
        return;
    }
    if (atomic_load(&webhook->ends))
        return;
    tell(webhook, status, detail);
    event->tries++;
    if (is_too_old(event)) {
        give_up(webhook, event, "the receiver has not taken it for a day");
        return;
    }
    atomic_fetch_add(&webhook->metrics->retried, 1);
    if (is_away(status))
        webhook->away_until_ms = clock_ms() + pause_after(++webhook->failures);
    else
        event->due_ms = clock_ms() + pause_after(event->tries);
}

/* The one to send next, and when: the oldest of those that are due first. */
static struct event *next_event(const struct webhook *webhook, uint64_t *due_ms)
{
    struct event *best = NULL;
    for (struct event *event = webhook->first; event; event = event->next) {
        if (event->is_kept && (!best || event->due_ms < best->due_ms))
            best = event;
        if (best && !best->due_ms)
            break;
    }
    if (best)
        *due_ms = best->due_ms > webhook->away_until_ms ? best->due_ms : webhook->away_until_ms;
    return best;
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
        uint64_t due_ms = 0;
        struct event *event = next_event(webhook, &due_ms);
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

static void load(struct webhook *webhook)
{
    size_t count = 0;
    uint64_t *numbers = queue_files_list(webhook->folder, MAX_WAITING, &count);
    for (size_t i = 0; i < count; i++) {
        size_t size;
        char *body = queue_files_read(webhook->folder, numbers[i], &size);
        struct event *event = body ? make_event(numbers[i], body, size) : NULL;
        if (event) {
            event->is_kept = true;
            append(webhook, event);
        }
        webhook->newest = numbers[i];
        free(body);
    }
    free(numbers);
    if (webhook->count)
        log_message(LOG_INFO, "webhook: %zu events wait to be sent", webhook->count);
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
    webhook->metrics = &webhook->counted;
    show(webhook);
    pthread_mutex_init(&webhook->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&webhook->changed, &attributes);
    pthread_cond_init(&webhook->kept, NULL);
    pthread_condattr_destroy(&attributes);
    webhook->folder = options->folder ? folder_of(options->folder, webhook->url) : NULL;
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
        (*end)->metrics = &first->counted;
        end = &(*end)->next;
    }
    return first;
}

/* The folder of all addresses, and the one of this. */
static bool open_folders(const struct webhook *webhook, char *error, size_t error_size)
{
    char *whole = strndup(webhook->folder, (size_t)(strrchr(webhook->folder, '/') - webhook->folder));
    const bool done = whole && queue_files_open(whole) && queue_files_open(webhook->folder);
    if (!done)
        snprintf(error, error_size, "%s: %s", whole ? whole : webhook->folder, strerror(errno));
    free(whole);
    return done;
}

static bool start(struct webhook *webhook, char *error, size_t error_size)
{
    if (webhook->folder && !open_folders(webhook, error, error_size))
        return false;
    if (webhook->folder)
        load(webhook);
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
    for (struct event *next; webhook->first; webhook->first = next) {
        next = webhook->first->next;
        free(webhook->first);
    }
    explicit_bzero(webhook->key, sizeof webhook->key);
    pthread_mutex_destroy(&webhook->lock);
    pthread_cond_destroy(&webhook->changed);
    pthread_cond_destroy(&webhook->kept);
    free(webhook->folder);
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
    return webhook->metrics;
}

uint64_t webhook_newest(const struct webhook *webhook)
{
    uint64_t newest = 0;
    for (; webhook; webhook = webhook->next) {
        if (webhook->newest > newest)
            newest = webhook->newest;
    }
    return newest;
}
