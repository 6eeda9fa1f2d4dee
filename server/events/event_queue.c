#include "server/events/event_queue.h"

#include "server/events/queue_files.h"
#include "server/ops/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_WAITING = 10000 }; /* the oldest are given up for more */

/* ---------------------------------------------------------------------------------------------- an event -- */

static const char *const words[CHANGE_KINDS] = {"upload", "publish", "delete"};

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

struct event *event_of(const struct change *change)
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

/* --------------------------------------------------------------------------------------------- the queue -- */

static void append(struct event_queue *queue, struct event *event)
{
    if (queue->last)
        queue->last->next = event;
    else
        queue->first = event;
    queue->last = event;
    if (!event->is_kept && !queue->unkept)
        queue->unkept = event;
    queue->count++;
    atomic_fetch_add(&queue->metrics->waiting, 1);
}

void event_queue_drop(struct event_queue *queue, struct event *event)
{
    struct event *before = NULL;
    for (struct event *at = queue->first; at != event; at = at->next)
        before = at;
    if (before)
        before->next = event->next;
    else
        queue->first = event->next;
    if (queue->last == event)
        queue->last = before;
    queue->count--;
    atomic_fetch_sub(&queue->metrics->waiting, 1);
    if (queue->folder && event->is_kept)
        queue_files_drop(queue->folder, event->number);
    free(event);
}

void event_queue_give_up(struct event_queue *queue, struct event *event, const char *why)
{
    log_message(LOG_ERROR, "webhook: event %016llx is given up: %s", (unsigned long long)event->number, why);
    atomic_fetch_add(&queue->metrics->failed, 1);
    event_queue_drop(queue, event);
}

static void make_room(struct event_queue *queue)
{
    struct event *oldest = queue->first;
    while (oldest && (oldest->is_sent || !oldest->is_kept))
        oldest = oldest->next;
    if (queue->count >= MAX_WAITING && oldest)
        event_queue_give_up(queue, oldest, "too many wait");
}

void event_queue_push(struct event_queue *queue, struct event *event)
{
    make_room(queue);
    event->is_kept = !queue->folder;
    append(queue, event);
}

struct event *event_queue_take_unkept(struct event_queue *queue)
{
    for (struct event *event = queue->unkept; event; event = event->next) {
        if (!event->is_kept && !event->is_sent) {
            event->is_sent = true;
            return event;
        }
    }
    return NULL;
}

void event_queue_set_kept(struct event_queue *queue, struct event *event)
{
    event->is_kept = true;
    event->is_sent = false;
    while (queue->unkept && queue->unkept->is_kept)
        queue->unkept = queue->unkept->next;
}

struct event *event_queue_next(const struct event_queue *queue)
{
    struct event *best = NULL;
    for (struct event *event = queue->first; event; event = event->next) {
        if (event->is_kept && (!best || event->due_ms < best->due_ms))
            best = event;
        if (best && !best->due_ms)
            break;
    }
    return best;
}

void event_queue_load(struct event_queue *queue)
{
    size_t count = 0;
    uint64_t *numbers = queue_files_list(queue->folder, MAX_WAITING, &count);
    for (size_t i = 0; i < count; i++) {
        size_t size;
        char *body = queue_files_read(queue->folder, numbers[i], &size);
        struct event *event = body ? make_event(numbers[i], body, size) : NULL;
        if (event) {
            event->is_kept = true;
            append(queue, event);
        }
        queue->newest = numbers[i];
        free(body);
    }
    free(numbers);
    if (queue->count)
        log_message(LOG_INFO, "webhook: %zu events wait to be sent", queue->count);
}

void event_queue_release(struct event_queue *queue)
{
    for (struct event *next; queue->first; queue->first = next) {
        next = queue->first->next;
        free(queue->first);
    }
    free(queue->folder);
}
