/* GET /v1/changes: what happens to uploads, as server-sent events. */
#include "api/handlers/handlers.h"
#include "api/protocol/access.h"
#include "api/protocol/reply.h"
#include "server/events/changes.h"
#include "server/ops/addresses.h"
#include "server/ops/clock.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    HEARTBEAT_MS = 15000,
    LIFE_MS = 60 * 60 * 1000, /* so that what a token permits is looked at again */
    RETRY_MS = 3000,
};

/* One reader. */
struct feed {
    struct changes *changes;
    uint64_t client;
    uint64_t end_ms;
    _Atomic uint64_t after, beat_ms; /* changed on the pool, read on the loop */
    bool has_begun, is_lost;
    bool sees_all;
    char name[TOKEN_NAME];   /* sees what waits of that name; "": nothing that waits */
    struct pose_buffer rest; /* what did not fit yet */
};

/* What waits is seen by who may see it in lists, and so is the end of it. */
static bool may_see(const struct feed *feed, const struct change *change)
{
    return !change->is_waiting || feed->sees_all || (feed->name[0] && !strcmp(feed->name, change->uploader));
}

static const char *word_of(const struct change *change)
{
    static const char *const words[CHANGE_KINDS] = {"archive-added", "archive-published", "archive-removed"};
    return words[change->kind];
}

static void put(struct pose_buffer *text, const char *string)
{
    pose_buffer_append(text, string, strlen(string));
}

/* JSON has no line ends, so it is one line of data. Without memory the text stays empty, and the change is told next time. */
static bool write_change(const struct feed *feed, const struct change *change, struct pose_buffer *text)
{
    struct pose_buffer data = {0};
    struct json_writer json;
    char head[96], version[17];
    snprintf(version, sizeof version, "%016llx", (unsigned long long)change->number);
    snprintf(head, sizeof head, "id: %s\nevent: %s\ndata: ", version, word_of(change));
    jsonw_init(&json, &data);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "version", version);
    change_members(&json, change, "id", feed->sees_all);
    jsonw_end(&json);
    const bool done = !json.to.failed && pose_buffer_append(text, head, strlen(head)) &&
                      pose_buffer_append(text, data.data, data.size) && pose_buffer_append(text, "\n\n", 2);
    pose_buffer_free(&data);
    return done;
}

/* The reader has missed some: it goes on from now. */
static void write_reset(struct feed *feed, struct pose_buffer *text)
{
    char line[96];
    const uint64_t newest = changes_newest(feed->changes);
    snprintf(line, sizeof line, "id: %016llx\nevent: reset\ndata: {}\n\n", (unsigned long long)newest);
    put(text, line);
    atomic_store(&feed->after, newest);
}

/* Whether there is something to send. */
static bool write_next(struct feed *feed, struct pose_buffer *text)
{
    char line[64];
    struct change change;
    if (!feed->has_begun) {
        feed->has_begun = true;
        snprintf(line, sizeof line, ": posed\nretry: %d\n\n", RETRY_MS);
        put(text, line);
        if (feed->is_lost)
            write_reset(feed, text);
        return true;
    }
    for (unsigned i = 0; i <= CHANGES_KEPT; i++) {
        const enum changes_answer answer = changes_next(feed->changes, atomic_load(&feed->after), &change);
        if (answer == CHANGES_NONE)
            break;
        if (answer == CHANGES_LOST) {
            write_reset(feed, text);
            return true;
        }
        const bool is_seen = may_see(feed, &change);
        if (is_seen && !write_change(feed, &change, text))
            return false;
        atomic_store(&feed->after, change.number);
        if (is_seen)
            return true;
    }
    if (clock_ms() < atomic_load(&feed->beat_ms))
        return false;
    put(text, ": still here\n\n");
    return true;
}

static ssize_t read_feed(void *owner, uint8_t *buffer, size_t capacity)
{
    struct feed *feed = owner;
    if (clock_ms() >= feed->end_ms)
        return 0;
    if (!feed->rest.size && !write_next(feed, &feed->rest)) {
        pose_buffer_free(&feed->rest);
        return API_LATER;
    }
    const size_t size = feed->rest.size < capacity ? feed->rest.size : capacity;
    if (size)
        memcpy(buffer, feed->rest.data, size);
    memmove(feed->rest.data, feed->rest.data + size, feed->rest.size - size);
    feed->rest.size -= size;
    atomic_store(&feed->beat_ms, clock_ms() + HEARTBEAT_MS);
    return size ? (ssize_t)size : API_LATER;
}

static bool is_ready(const void *owner)
{
    const struct feed *feed = owner;
    const uint64_t now = clock_ms();
    return changes_newest(feed->changes) != atomic_load(&feed->after) || now >= atomic_load(&feed->beat_ms) ||
           now >= feed->end_ms;
}

static void release(void *owner)
{
    struct feed *feed = owner;
    changes_leave(feed->changes, feed->client);
    pose_buffer_free(&feed->rest);
    free(feed);
}

/* Where the reader was, of Last-Event-ID: 16 hex digits that we gave, or 0: before all that is kept. What is no such text is a
 * place that is not known. */
static void set_place(struct feed *feed, const struct api_request *request)
{
    const char *text = request->header(request, "Last-Event-ID");
    uint64_t number = changes_newest(feed->changes);
    if (text && !strcmp(text, "0")) {
        number = changes_floor(feed->changes);
    } else if (text) {
        const bool is_ours = strlen(text) == 16 && strspn(text, "0123456789abcdef") == 16;
        struct change ignored;
        number = is_ours ? strtoull(text, NULL, 16) : 0;
        feed->is_lost = changes_next(feed->changes, number, &ignored) == CHANGES_LOST;
    }
    atomic_store(&feed->after, number);
}

enum api_outcome handle_changes(struct api_call *call)
{
    static const char *const types[] = {"text/event-stream", NULL};
    struct changes *changes = call->service->changes;
    const char *client = call->response->client[0] ? call->response->client : call->request->client;
    int type = -1;
    if (!accept_choose(call, types, &type))
        return API_DONE;
    access_identify(call);
    struct feed *feed = changes ? calloc(1, sizeof *feed) : NULL;
    if (!feed)
        return reply_no_memory(call);
    feed->changes = changes;
    feed->client = address_client(client);
    if (!changes_enter(changes, feed->client)) {
        free(feed);
        response_header(call->response, "Retry-After", "60");
        return reply_problem(call, 503, "too_many_readers",
                             "too many connections read the changes; try again later");
    }
    feed->sees_all = call->grant.scopes & SCOPE_ADMIN;
    snprintf(feed->name, sizeof feed->name, "%s", call->grant.name);
    feed->end_ms = clock_ms() + LIFE_MS;
    set_place(feed, call->request);
    response_header(call->response, "Cache-Control", "no-store");
    response_header(call->response, "X-Accel-Buffering", "no");
    response_stream(call->response, "text/event-stream", API_UNKNOWN_SIZE, read_feed, release, feed);
    call->response->is_ready = is_ready;
    return API_DONE;
}
