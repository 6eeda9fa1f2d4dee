/* Writing ANCS of Metroid Prime 1 and 2 (prime-skeleton.md, 4): a document's characters and its animation set. */
#include "lib/formats/prime/evnt_write.h"

#include "lib/core/value.h"

#include <string.h>

enum {
    MP1_VERSION = 6,
    MP2_VERSION = 10, /* distinguishes the games */
    PAS_FLOAT = 2,
    PAS_BOOL = 3,
    TABLES = 4,
};

/* --------------------------------------------------------------------------------------------- characters -- */

/* A number in a state's table: a float, a byte for a bool, otherwise a word, by its parameter's type. */
static void write_pas_number(struct prime_put *put, int64_t type, const struct pose_value *value,
                             const char *key)
{
    struct pose_value alone = value ? *value : (struct pose_value){.kind = POSE_NULL};
    alone.key = key;
    alone.next = NULL;
    const struct pose_value object = {.kind = POSE_OBJECT, .first = &alone};
    if (type == PAS_FLOAT)
        prime_put_float(put, &object, key, 0);
    else
        prime_put_int(put, &object, key, type == PAS_BOOL ? 1 : 4, 0);
}

static void write_pas_state(struct prime_put *put, const struct pose_value *state)
{
    const struct pose_value *parameters = pose_value_find(state, "parameters"),
                            *animations = pose_value_find(state, "animations");
    prime_put_int(put, state, "type", 4, 0);
    writer_u32be(put->writer, (uint32_t)value_count(parameters));
    writer_u32be(put->writer, (uint32_t)value_count(animations));
    for (const struct pose_value *item = value_items(state, "parameters"); item; item = item->next) {
        int64_t type = value_get_int(item, "type", 0);
        prime_put_int(put, item, "type", 4, 0);
        prime_put_int(put, item, "weight_function", 4, 0);
        prime_put_float(put, item, "weight", 0);
        write_pas_number(put, type, pose_value_find(item, "min"), "min");
        write_pas_number(put, type, pose_value_find(item, "max"), "max");
    }
    for (const struct pose_value *item = value_items(state, "animations"); item; item = item->next) {
        const struct pose_value *value = value_items(item, "values");
        prime_put_int(put, item, "index", 4, 0);
        for (const struct pose_value *parameter = value_items(state, "parameters"); parameter;
             parameter = parameter->next) {
            write_pas_number(put, value_get_int(parameter, "type", 0), value, "values");
            value = value ? value->next : NULL;
        }
    }
}

static void write_pas(struct prime_put *put, const struct pose_value *extras)
{
    const struct pose_value *pas = pose_value_find(extras, "pas");
    writer_text(put->writer, "PAS4");
    writer_u32be(put->writer, (uint32_t)value_count(pose_value_find(pas, "states")));
    prime_put_int(put, pas, "default_state", 4, 0);
    for (const struct pose_value *state = value_items(pas, "states"); state; state = state->next)
        write_pas_state(put, state);
}

static void write_boxes(struct prime_put *put, const struct pose_value *extras)
{
    for (const struct pose_value *item = prime_put_count(put, extras, "boxes"); item; item = item->next) {
        prime_put_text(put, item, "name");
        prime_put_floats(put, item, "box", 6);
    }
}

static void write_effects(struct prime_put *put, const struct pose_value *extras, int64_t version)
{
    for (const struct pose_value *effect = prime_put_count(put, extras, "effects"); effect;
         effect = effect->next) {
        prime_put_text(put, effect, "name");
        for (const struct pose_value *item = prime_put_count(put, effect, "components"); item;
             item = item->next) {
            prime_put_text(put, item, "name");
            prime_put_type(put, item, "type");
            prime_put_int(put, item, "id", 4, 0);
            if (version < MP2_VERSION)
                prime_put_text(put, item, "bone");
            else
                prime_put_int(put, item, "bone", 4, 0);
            prime_put_float(put, item, "scale", 1);
            prime_put_int(put, item, "mode", 4, 0);
            prime_put_int(put, item, "flags", 4, 0);
        }
    }
}

static void write_particles(struct prime_put *put, const struct pose_value *extras, int64_t version)
{
    prime_put_ints(put, extras, "part", 4);
    prime_put_ints(put, extras, "swhc", 4);
    if (version >= 6)
        prime_put_int(put, extras, "unknown_particles", 4, 0);
    prime_put_ints(put, extras, "elsc", 4);
    if (version >= MP2_VERSION)
        prime_put_ints(put, extras, "spsc", 4);
    prime_put_int(put, extras, "unknown_1", 4, 0);
    if (version >= MP2_VERSION)
        prime_put_int(put, extras, "unknown_2", 4, 0);
}

/* The fields of later versions. */
static void write_tail(struct prime_put *put, const struct pose_value *extras, int64_t version)
{
    if (version >= 2) {
        write_boxes(put, extras);
        write_effects(put, extras, version);
    }
    if (version >= 4) {
        prime_put_int(put, extras, "frozen_cmdl", 4, 0);
        prime_put_int(put, extras, "frozen_cskr", 4, 0);
    }
    if (version >= 5)
        prime_put_ints(put, extras, "animation_map", 4);
    if (version < MP2_VERSION)
        return;
    prime_put_int(put, extras, "cspp", 4, 0);
    prime_put_int(put, extras, "unknown_3", 1, 0);
    for (const struct pose_value *item = prime_put_count(put, extras, "indexed_boxes"); item;
         item = item->next) {
        prime_put_int(put, item, "id", 4, 0);
        prime_put_floats(put, item, "box", 6);
    }
}

/* The version distinguishes the games, so it must be one of this game's. */
static int64_t version_of(const struct prime_put *put, const struct pose_value *extras)
{
    bool is_mp2 = put->game == PRIME_MP2;
    int64_t fallback = is_mp2 ? MP2_VERSION : MP1_VERSION, own = value_get_int(extras, "version", fallback);
    bool fits = own >= 0 && own <= UINT16_MAX && (own >= MP2_VERSION) == is_mp2;
    return fits ? own : fallback;
}

static void write_character(struct prime_put *put, const struct pose_character *character)
{
    const struct pose_value *extras = character->extras;
    int64_t version = version_of(put, extras);
    const char *name = character->name ? character->name : "";
    prime_put_int(put, extras, "id", 4, 0);
    writer_u16be(put->writer, (uint16_t)version);
    writer_bytes(put->writer, name, strlen(name) + 1);
    prime_put_int(put, extras, "cmdl", 4, 0);
    prime_put_int(put, extras, "cskr", 4, 0);
    prime_put_int(put, extras, "cinf", 4, 0);
    for (const struct pose_value *item = prime_put_count(put, extras, "animations"); item;
         item = item->next) {
        prime_put_int(put, item, "index", 4, 0);
        if (version < MP2_VERSION)
            prime_put_text(put, item, "string");
        prime_put_text(put, item, "name");
    }
    write_pas(put, extras);
    write_particles(put, extras, version);
    write_tail(put, extras, version);
}

/* ---------------------------------------------------------------------------------------- meta-animations -- */

/* A meta-animation being written, and its remaining children. */
struct open_meta {
    enum prime_meta type;
    const struct pose_value *meta;
    const struct pose_value *next; /* child */
    const struct pose_value *probability;
};

static bool open_meta(struct prime_put *put, const struct pose_value *meta, struct open_meta *open)
{
    int type = prime_word_find(prime_metas, PRIME_METAS, value_get_string(meta, "type", NULL));
    if (type < 0)
        return prime_put_refuse(put, "animation", "a meta-animation of unknown type");
    *open = (struct open_meta){.type = (enum prime_meta)type, .meta = meta};
    writer_u32be(put->writer, (uint32_t)type);
    if (type == PRIME_PLAY) {
        prime_put_int(put, meta, "anim", 4, 0);
        prime_put_int(put, meta, "primitive_index", 4, 0);
        prime_put_text(put, meta, "name");
        prime_put_time(put, meta, "start_time", "start_time_kind");
        return true;
    }
    open->next = value_items(meta, "animations");
    open->probability = value_items(meta, "probabilities");
    size_t count = value_count(pose_value_find(meta, "animations"));
    if (type == PRIME_RANDOM || type == PRIME_SEQUENCE)
        writer_u32be(put->writer, (uint32_t)count);
    else if (count != 2)
        return prime_put_refuse(put, "animations", "a blend needs two animations");
    if (type == PRIME_RANDOM && value_count(pose_value_find(meta, "probabilities")) != count)
        return prime_put_refuse(put, "probabilities", "must be one per animation");
    return true;
}

/* Writes what follows the children. */
static void close_meta(struct prime_put *put, const struct open_meta *open)
{
    if (open->type != PRIME_BLEND && open->type != PRIME_PHASE_BLEND)
        return;
    prime_put_float(put, open->meta, "weight", 0);
    prime_put_int(put, open->meta, "unknown", 1, 0);
}

/* Writes what follows a child. */
static void end_child(struct prime_put *put, struct open_meta *parent)
{
    if (parent->type != PRIME_RANDOM)
        return;
    const struct pose_value *probability = parent->probability;
    if (probability->kind != POSE_INT || probability->as.integer < 0 || probability->as.integer > UINT32_MAX)
        prime_put_refuse(put, "probabilities", "not whole numbers");
    writer_u32be(put->writer, (uint32_t)probability->as.integer);
    parent->probability = probability->next;
}

static void write_meta(struct prime_put *put, const struct pose_value *meta)
{
    struct open_meta open[PRIME_META_DEPTH];
    unsigned depth = 0;
    while (!put->failed) {
        if (depth == PRIME_META_DEPTH) {
            prime_put_refuse(put, "animation", "meta-animations are nested too deep");
            return;
        }
        if (!open_meta(put, meta, &open[depth]))
            return;
        depth++;
        while (!open[depth - 1].next) {
            close_meta(put, &open[--depth]);
            if (!depth)
                return;
            end_child(put, &open[depth - 1]);
        }
        meta = open[depth - 1].next;
        open[depth - 1].next = meta->next;
    }
}

static void write_transition(struct prime_put *put, const struct pose_value *transition)
{
    int type =
        prime_word_find(prime_transitions, PRIME_TRANSITIONS, value_get_string(transition, "type", NULL));
    if (type < 0) {
        prime_put_refuse(put, "transition", "a meta-transition of unknown type");
        return;
    }
    writer_u32be(put->writer, (uint32_t)type);
    if (type == PRIME_TRANSITION_ANIMATION)
        write_meta(put, pose_value_find(transition, "animation"));
    if (type != PRIME_TRANSITION && type != PRIME_PHASE_TRANSITION)
        return;
    prime_put_time(put, transition, "duration", "duration_kind");
    prime_put_int(put, transition, "unknown", 1, 0);
    prime_put_int(put, transition, "run_outgoing", 1, 0);
    prime_put_int(put, transition, "flags", 4, 0);
}

/* ------------------------------------------------------------------------------------- the animation set -- */

static void write_animations(struct prime_put *put, const struct pose_value *extras)
{
    for (const struct pose_value *item = prime_put_count(put, extras, "animations"); item;
         item = item->next) {
        prime_put_text(put, item, "name");
        write_meta(put, pose_value_find(item, "animation"));
    }
    for (const struct pose_value *item = prime_put_count(put, extras, "transitions"); item;
         item = item->next) {
        prime_put_int(put, item, "unknown_0", 4, 0);
        prime_put_int(put, item, "a", 4, 0);
        prime_put_int(put, item, "b", 4, 0);
        write_transition(put, pose_value_find(item, "transition"));
    }
    static const struct pose_value snap_type = {.kind = POSE_STRING, .key = "type", .as.string = "snap"};
    static const struct pose_value snap = {.kind = POSE_OBJECT, .first = &snap_type};
    const struct pose_value *fallback = pose_value_find(extras, "default_transition");
    write_transition(put, fallback ? fallback : &snap);
}

static void write_event_set(struct prime_put *put, const struct pose_value *set)
{
    const struct pose_value *list = pose_value_find(set, "events");
    size_t count = value_count(list), at = 0;
    struct pose_event *events = ARENA_NEW(put->job->arena, struct pose_event, count);
    for (const struct pose_value *item = value_items(set, "events"); events && item; item = item->next)
        events[at++] = (struct pose_event){.time = value_get_float(item, "time", 0),
                                           .type = value_get_string(item, "type", NULL),
                                           .fields = item};
    prime_evnt_write(put, value_get_int(set, "version", 2), events, (uint32_t)at);
}

static void write_events(struct prime_put *put, const struct pose_value *extras)
{
    const struct pose_value *item;
    if (put->game == PRIME_MP1) {
        for (item = prime_put_count(put, extras, "anim_events"); item; item = item->next) {
            prime_put_int(put, item, "anim", 4, 0);
            prime_put_int(put, item, "evnt", 4, 0);
        }
        return;
    }
    for (item = prime_put_count(put, extras, "event_sets"); item && !put->failed; item = item->next)
        write_event_set(put, item);
}

static void write_set(struct prime_put *put, const struct pose_value *extras)
{
    int64_t tables = value_get_int(extras, "table_count", TABLES);
    prime_put_int(put, extras, "table_count", 2, TABLES);
    write_animations(put, extras);
    if (tables >= 2) {
        for (const struct pose_value *item = prime_put_count(put, extras, "additives"); item;
             item = item->next) {
            prime_put_int(put, item, "index", 4, 0);
            prime_put_float(put, item, "fade_in", 0);
            prime_put_float(put, item, "fade_out", 0);
        }
        prime_put_float(put, extras, "default_fade_in", 0);
        prime_put_float(put, extras, "default_fade_out", 0);
    }
    if (tables >= 3) {
        for (const struct pose_value *item = prime_put_count(put, extras, "half_transitions"); item;
             item = item->next) {
            prime_put_int(put, item, "index", 4, 0);
            write_transition(put, pose_value_find(item, "transition"));
        }
    }
    if (tables >= 4)
        write_events(put, extras);
}

bool prime_ancs_encode(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    struct prime_put put;
    if (!prime_put_init(&put, job, content->extras))
        return false;
    writer_u16be(job->writer, 1);
    writer_u16be(job->writer, 1);
    writer_u32be(job->writer, content->character_count);
    for (uint32_t i = 0; i < content->character_count && !put.failed; i++)
        write_character(&put, &content->characters[i]);
    write_set(&put, content->extras);
    return !put.failed;
}
