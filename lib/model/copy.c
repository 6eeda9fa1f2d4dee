#include "lib/model/copy.h"

#include "lib/model/build.h"

#include <string.h>

const char *copy_text(struct arena *arena, const char *text)
{
    return text ? arena_text(arena, text, strlen(text)) : NULL;
}

/* ------------------------------------------------------------------------------------------------- values -- */

/* A list whose members are still those of the original. */
struct pending {
    struct pose_value *list;
};

struct copier {
    struct arena *arena;
    struct pending *pending;
    uint32_t count, capacity;
};

static void copy_scalar(struct copier *copier, const struct pose_value *from, struct pose_value *to)
{
    *to = *from;
    to->key = copy_text(copier->arena, from->key);
    to->next = NULL;
    if (from->kind == POSE_STRING)
        to->as.string = copy_text(copier->arena, from->as.string);
    if (from->kind != POSE_ARRAY && from->kind != POSE_OBJECT)
        return;
    struct pending *pending =
        arena_grow(copier->arena, copier->pending, copier->count, &copier->capacity, sizeof *copier->pending);
    if (!pending) {
        to->first = NULL;
        return;
    }
    copier->pending = pending;
    pending[copier->count++] = (struct pending){to};
}

static bool is_among(const char *key, const char *const *names)
{
    for (; key && names && *names; names++) {
        if (!strcmp(key, *names))
            return true;
    }
    return false;
}

static void copy_members(struct copier *copier, struct pose_value *list, const char *const *without)
{
    const struct pose_value *from = list->first;
    const struct pose_value **link = &list->first;
    list->first = NULL;
    for (; from; from = from->next) {
        if (is_among(from->key, without))
            continue;
        struct pose_value *to = ARENA_NEW(copier->arena, struct pose_value, 1);
        if (!to)
            return;
        copy_scalar(copier, from, to);
        *link = to;
        link = &to->next;
    }
}

const struct pose_value *copy_object_without(struct arena *arena, const struct pose_value *object,
                                             const char *const *names)
{
    struct copier copier = {.arena = arena};
    struct pose_value *copy = object ? ARENA_NEW(arena, struct pose_value, 1) : NULL;
    if (!copy)
        return NULL;
    copy_scalar(&copier, object, copy);
    for (bool top = true; copier.count && !arena->failed; top = false)
        copy_members(&copier, copier.pending[--copier.count].list, top ? names : NULL);
    return names && copy->kind == POSE_OBJECT && !copy->first ? NULL : copy;
}

const struct pose_value *copy_value(struct arena *arena, const struct pose_value *value)
{
    return copy_object_without(arena, value, NULL);
}

/* -------------------------------------------------------------------------------------------------- clips -- */

static bool copy_channel(struct arena *arena, enum pose_part part, const struct pose_channel *from,
                         struct pose_channel *to)
{
    struct channel_builder builder;
    *to = (struct pose_channel){0};
    if (!from->count)
        return true;
    if (!channel_new(arena, part, from->count, &builder))
        return false;
    memcpy(builder.times, from->times, from->count * sizeof *from->times);
    memcpy(builder.values, from->values, (size_t)from->count * builder.components * sizeof *from->values);
    *to = channel_done(&builder, from->count);
    return true;
}

static bool copy_track(struct arena *arena, const struct pose_track *from, struct pose_track *to)
{
    *to = *from;
    to->name = copy_text(arena, from->name);
    to->extras = copy_value(arena, from->extras);
    for (int part = 0; part < POSE_PART_COUNT; part++) {
        if (!copy_channel(arena, (enum pose_part)part, &from->channels[part], &to->channels[part]))
            return false;
    }
    return !arena->failed;
}

bool copy_clip(struct arena *arena, const struct pose_clip *from, struct pose_clip *to)
{
    struct pose_track *tracks = ARENA_NEW(arena, struct pose_track, from->track_count);
    struct pose_event *events = ARENA_NEW(arena, struct pose_event, from->event_count);
    *to = *from;
    if (!tracks || !events)
        return false;
    for (uint32_t i = 0; i < from->track_count; i++) {
        if (!copy_track(arena, &from->tracks[i], &tracks[i]))
            return false;
    }
    for (uint32_t i = 0; i < from->event_count; i++)
        events[i] = (struct pose_event){.time = from->events[i].time,
                                        .type = copy_text(arena, from->events[i].type),
                                        .fields = copy_value(arena, from->events[i].fields)};
    to->name = copy_text(arena, from->name);
    to->tracks = tracks;
    to->events = events;
    to->extras = copy_value(arena, from->extras);
    to->companion = copy_text(arena, from->companion);
    to->game = copy_text(arena, from->game);
    to->origin = copy_text(arena, from->origin);
    to->warnings = NULL;
    to->warning_count = 0;
    return !arena->failed;
}
