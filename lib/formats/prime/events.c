/*
 *     u32 version (1, 2), then streams of u32 count and events: bool, int32, particle, and in version 2 sound
 *     event:     u16 (1 in mp1, 2 in mp2), name with its NUL, u16 type, f32 time, u32 time kind, s32 index, u8
 *                unique, f32 weight, s32 character (-1: all), s32 flags, then
 *     bool       u8 value
 *     int32      s32 value, locator with its NUL
 *     particle   u32 frames, char[4] type, u32 id, mp1: locator, mp2: u32 bone id, f32 scale, u32 mode
 *     sound      u32 id, f32 fall-off, f32 largest distance; mp2: u32, u16, u16, f32 unknown
 *
 * Facts: prime-skeleton.md, 3.
 */
#include "lib/formats/prime/events.h"

#include "lib/core/value.h"

enum { HEAD_SIZE = 2 + 1 + 2 + 8 + 4 + 1 + 4 + 4 + 4 };

/* The state of a reader. */
struct reading {
    struct decode_job *job; /* NULL: only a walk */
    struct reader *reader;
    enum prime_game game;
    struct value_list fields; /* of the current event */
};

static void put_int(struct reading *reading, const char *key, int64_t value)
{
    if (reading->job)
        value_put_int(&reading->fields, key, value);
}

static void put_float(struct reading *reading, const char *key)
{
    float value = reader_finite_f32be(reading->reader, key, "not_finite");
    if (reading->job)
        value_put_float(&reading->fields, key, value);
}

static void put_text(struct reading *reading, const char *key)
{
    struct prime_text text = prime_read_text(reading->reader, key);
    if (reading->job)
        value_put_string(&reading->fields, key, prime_keep_text(reading->job, &text));
}

/* ------------------------------------------------------------------------------------------------- events -- */

static void read_int32(struct reading *reading, unsigned type)
{
    int32_t value = reader_i32be(reading->reader, "value");
    put_int(reading, "value", value);
    put_text(reading, "locator");
    if (reading->job && type == PRIME_USER_EVENT && value >= 0 && value < PRIME_ACTIONS)
        value_put_string(&reading->fields, "action", prime_actions[value]);
}

static void read_particle(struct reading *reading)
{
    struct reader *reader = reading->reader;
    put_int(reading, "duration_frames", reader_u32be(reader, "duration_frames"));
    if (reading->job)
        value_put_string(&reading->fields, "effect_type",
                         prime_read_type(reader, reading->job->arena, "effect_type"));
    else
        reader_skip(reader, 4, "effect_type");
    put_int(reading, "effect_id", reader_u32be(reader, "effect_id"));
    if (reading->game == PRIME_MP1)
        put_text(reading, "locator");
    else
        put_int(reading, "bone_id", reader_u32be(reader, "bone_id"));
    put_float(reading, "scale");
    put_int(reading, "parented_mode", reader_u32be(reader, "parented_mode"));
}

static void read_sound(struct reading *reading)
{
    struct reader *reader = reading->reader;
    put_int(reading, "sound_id", reader_u32be(reader, "sound_id"));
    put_float(reading, "fall_off");
    put_float(reading, "max_distance");
    if (reading->game == PRIME_MP1)
        return;
    put_int(reading, "unknown_12", reader_u32be(reader, "unknown_12"));
    put_int(reading, "unknown_16", reader_u16be(reader, "unknown_16"));
    put_int(reading, "unknown_18", reader_u16be(reader, "unknown_18"));
    put_float(reading, "unknown_20");
}

static void read_payload(struct reading *reading, enum prime_event_kind kind, unsigned type)
{
    if (kind == PRIME_BOOL)
        put_int(reading, "value", reader_u8(reading->reader, "value"));
    else if (kind == PRIME_INT32)
        read_int32(reading, type);
    else if (kind == PRIME_PARTICLE)
        read_particle(reading);
    else
        read_sound(reading);
}

/* Adds fields in the order of prime.h, beginning with kind, which is not in the file. */
static bool read_event(struct reading *reading, enum prime_event_kind kind, struct prime_events *events,
                       struct pose_event *event)
{
    struct reader *reader = reading->reader;
    unsigned head = reader_u16be(reader, "head");
    if (head == 1 || head == 2)
        events->heads[head - 1]++;
    if (reading->job) {
        reading->fields = value_object(reading->job->arena);
        value_put_string(&reading->fields, "kind", prime_event_kinds[kind]);
    }
    put_text(reading, "name");
    put_int(reading, "head", head);
    unsigned type = reader_u16be(reader, "event_type");
    put_int(reading, "event_type", type);
    event->time = reader_finite_f32be(reader, "time", "not_finite");
    put_int(reading, "time_kind", reader_u32be(reader, "time_kind"));
    put_int(reading, "index", reader_i32be(reader, "index"));
    put_int(reading, "unique", reader_u8(reader, "unique"));
    put_float(reading, "weight");
    put_int(reading, "character_index", reader_i32be(reader, "character_index"));
    put_int(reading, "flags", reader_i32be(reader, "flags"));
    read_payload(reading, kind, type);
    event->type = type < PRIME_EVENT_TYPES && prime_event_types[type] ? prime_event_types[type] : "unknown";
    event->fields = reading->job ? value_done(&reading->fields) : NULL;
    return !reader->failed;
}

/* ------------------------------------------------------------------------------------------------- streams -- */

static bool keep(struct reading *reading, struct prime_events *events, const struct pose_event *event)
{
    if (!reading->job) {
        events->count++;
        return true;
    }
    events->items = arena_grow(reading->job->arena, events->items, events->count, &events->capacity,
                               sizeof *events->items);
    if (!events->items)
        return false;
    events->items[events->count++] = *event;
    return true;
}

static bool read_stream(struct reading *reading, enum prime_event_kind kind, struct prime_events *events)
{
    static const char *const paths[PRIME_EVENT_KINDS] = {"bool_events", "int32_events", "particle_events",
                                                         "sound_events"};
    struct reader *reader = reading->reader;
    uint32_t count = reader_u32be(reader, paths[kind]);
    if (!reader_count(reader, count, HEAD_SIZE + 1, "events", "count_too_large"))
        return false;
    float last = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct pose_event event = {0};
        uint64_t offset = reader_offset(reader);
        reader_enter(reader, paths[kind], i);
        if (!read_event(reading, kind, events, &event) || !keep(reading, events, &event))
            return false;
        if (reading->job && i && event.time < last)
            warning_add(&reading->job->warnings, POSE_WARNING, "unsorted_events", offset,
                        "event %u of %s is earlier than the one before it", i, paths[kind]);
        last = event.time;
        reader_leave(reader);
    }
    return true;
}

bool prime_events_read(struct decode_job *job, struct reader *reader, enum prime_game game,
                       struct prime_events *events)
{
    struct reading reading = {.job = job, .reader = reader, .game = game};
    *events = (struct prime_events){.version = reader_u32be(reader, "version")};
    if (!reader->failed && events->version != 1 && events->version != 2)
        return reader_fail(reader, "bad_version", "events of version %u, only 1 and 2 are supported",
                           events->version);
    int kinds = events->version == 2 ? PRIME_EVENT_KINDS : PRIME_SOUND;
    for (int kind = 0; kind < kinds; kind++) {
        if (!read_stream(&reading, (enum prime_event_kind)kind, events))
            return false;
    }
    return !reader->failed && (!job || events_sort(job->arena, events->items, events->count));
}
