/* Writing EVNT of Metroid Prime 1 and 2 (prime-skeleton.md, 3): a document's events, or those of its one clip. */
#include "lib/formats/prime/evnt_write.h"

#include "lib/core/value.h"

#include <math.h>

/* For events without a head of their own. */
static const int64_t default_heads[] = {[PRIME_MP1] = 1, [PRIME_MP2] = 2};

enum { EVERY_CHARACTER = -1 };

struct event_place {
    int kind; /* enum prime_event_kind, -1: of none */
    int64_t type;
};

/* The stream of each type: loop, bool, int32, -, sound (as int32), particle, user event, random rate, sound. */
static const enum prime_event_kind streams[PRIME_EVENT_TYPES] = {PRIME_BOOL,  PRIME_BOOL,  PRIME_INT32,
                                                                 PRIME_INT32, PRIME_INT32, PRIME_PARTICLE,
                                                                 PRIME_INT32, PRIME_INT32, PRIME_SOUND};
static const int64_t default_types[PRIME_EVENT_KINDS] = {
    [PRIME_BOOL] = 1, [PRIME_INT32] = 2, [PRIME_PARTICLE] = 5, [PRIME_SOUND] = 8};

static struct event_place place_of(const struct pose_event *event)
{
    int word = prime_word_find(prime_event_types, PRIME_EVENT_TYPES, event->type);
    int kind =
        prime_word_find(prime_event_kinds, PRIME_EVENT_KINDS, value_get_string(event->fields, "kind", NULL));
    int64_t type = value_get_int(event->fields, "event_type", word);
    if (kind < 0 && type >= 0 && type < PRIME_EVENT_TYPES)
        kind = (int)streams[type];
    if (kind >= 0 && type < 0)
        type = default_types[kind];
    return (struct event_place){kind, type};
}

static void write_effect(struct prime_put *put, const struct pose_value *fields)
{
    prime_put_int(put, fields, "duration_frames", 4, 0);
    prime_put_type(put, fields, "effect_type");
    prime_put_int(put, fields, "effect_id", 4, 0);
    if (put->game == PRIME_MP1)
        prime_put_text(put, fields, "locator");
    else
        prime_put_int(put, fields, "bone_id", 4, 0);
    prime_put_float(put, fields, "scale", 1);
    prime_put_int(put, fields, "parented_mode", 4, 0);
}

static void write_sound(struct prime_put *put, const struct pose_value *fields)
{
    prime_put_int(put, fields, "sound_id", 4, 0);
    prime_put_float(put, fields, "fall_off", 0);
    prime_put_float(put, fields, "max_distance", 0);
    if (put->game == PRIME_MP1)
        return;
    prime_put_int(put, fields, "unknown_12", 4, 0);
    prime_put_int(put, fields, "unknown_16", 2, 0);
    prime_put_int(put, fields, "unknown_18", 2, 0);
    prime_put_float(put, fields, "unknown_20", 0);
}

static void write_event(struct prime_put *put, const struct pose_event *event, struct event_place place)
{
    const struct pose_value *fields = event->fields;
    prime_put_int(put, fields, "head", 2, default_heads[put->game]);
    prime_put_text(put, fields, "name");
    if (place.type < 0 || place.type > UINT16_MAX)
        prime_put_refuse(put, "event_type", "the number does not fit into its field");
    writer_u16be(put->writer, (uint16_t)place.type);
    if (!isfinite(event->time))
        prime_put_refuse(put, "time", "not a finite number");
    writer_f32be(put->writer, event->time);
    prime_put_int(put, fields, "time_kind", 4, 0);
    prime_put_int(put, fields, "index", 4, 0);
    prime_put_int(put, fields, "unique", 1, 0);
    prime_put_float(put, fields, "weight", 1);
    prime_put_int(put, fields, "character_index", 4, EVERY_CHARACTER);
    prime_put_int(put, fields, "flags", 4, 0);
    switch (place.kind) {
    case PRIME_BOOL:
        prime_put_int(put, fields, "value", 1, 0);
        break;
    case PRIME_INT32:
        prime_put_int(put, fields, "value", 4, 0);
        prime_put_text(put, fields, "locator");
        break;
    case PRIME_PARTICLE:
        write_effect(put, fields);
        break;
    default:
        write_sound(put, fields);
        break;
    }
}

/* An effect is attached by a locator's name in one game, and by a bone's id in the other. */
static bool loses_bone(const struct prime_put *put, const struct pose_event *event)
{
    const char *own = put->game == PRIME_MP1 ? "locator" : "bone_id",
               *other = put->game == PRIME_MP1 ? "bone_id" : "locator";
    return !pose_value_find(event->fields, own) && pose_value_find(event->fields, other);
}

void prime_evnt_write(struct prime_put *put, int64_t version, const struct pose_event *events, uint32_t count)
{
    uint32_t counts[PRIME_EVENT_KINDS] = {0}, left_out = 0, unheld = 0;
    for (uint32_t i = 0; i < count; i++) {
        int kind = place_of(&events[i]).kind;
        unheld += kind == PRIME_PARTICLE && loses_bone(put, &events[i]);
        if (kind < 0)
            left_out++;
        else
            counts[kind]++;
    }
    bool has_sounds = version == 2 || counts[PRIME_SOUND];
    writer_u32be(put->writer, has_sounds ? 2 : 1);
    for (int kind = 0; kind < PRIME_EVENT_KINDS - !has_sounds; kind++) {
        writer_u32be(put->writer, counts[kind]);
        for (uint32_t i = 0; i < count; i++) {
            struct event_place place = place_of(&events[i]);
            if (place.kind == kind)
                write_event(put, &events[i], place);
        }
    }
    if (left_out)
        encode_warn(put->job, "events_dropped", "%u events were left out: the game has none of their kinds",
                    left_out);
    if (unheld)
        encode_warn(put->job, "effect_bone_dropped", "%u effects have bones that the other game lacks",
                    unheld);
}

bool prime_evnt_encode(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    struct prime_put put;
    bool from_clip = !content->event_count && content->clip_count == 1;
    const struct pose_event *events = from_clip ? content->clips->events : content->events;
    uint32_t count = from_clip ? content->clips->event_count : content->event_count;
    if (!prime_put_init(&put, job, content->extras))
        return false;
    prime_evnt_write(&put, value_get_int(content->extras, "version", 2), events, count);
    return !put.failed;
}
