#include "lib/model/copy.h"

#include "lib/core/value.h"
#include "lib/model/build.h"

#include <string.h>

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
    to->name = arena_copy_text(arena, from->name);
    to->extras = value_copy(arena, from->extras);
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
                                        .type = arena_copy_text(arena, from->events[i].type),
                                        .fields = value_copy(arena, from->events[i].fields)};
    to->name = arena_copy_text(arena, from->name);
    to->tracks = tracks;
    to->events = events;
    to->extras = value_copy(arena, from->extras);
    to->companion = arena_copy_text(arena, from->companion);
    to->game = arena_copy_text(arena, from->game);
    to->origin = arena_copy_text(arena, from->origin);
    to->warnings = NULL;
    to->warning_count = 0;
    return !arena->failed;
}
