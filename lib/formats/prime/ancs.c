/*
 * Metroid Prime 1 and 2: a set of characters (ANCS), which ties their resources together. Big-endian:
 *
 *     u16 1, u16 1, u32 count, characters (character.c)
 *     u16 tables, u32 count, animations: name, meta-animation (meta.c)
 *     u32 count, transitions: u32, u32 a, u32 b, meta-transition;  the default meta-transition
 *     tables >= 2: u32 count, additives: u32 index, f32 fade in, f32 fade out;  f32 default fade in, fade out
 *     tables >= 3: u32 count, half transitions: u32 index, meta-transition
 *     tables >= 4: mp1: u32 count, each u32 ANIM id, u32 EVNT id;  mp2: u32 count, bodies of events (events.c)
 *     padding
 *
 * Facts: prime-skeleton.md, 4; no file of the games is public. The version of the characters tells the game.
 */
#include "lib/core/text.h"
#include "lib/formats/pages.h"
#include "lib/formats/prime/events.h"
#include "lib/formats/prime/set.h"

enum {
    CHARACTER_SIZE = 4 + 2 + 1 + 12 + 4 + 12 + 3 * 4 + 4, /* minimum */
    AT_VERSION = 12,                                      /* of the first character */
    VERSION_MP2 = 10,
};

/* ------------------------------------------------------------------------------------- the animation set -- */

static void take_animation(struct prime_set *set, struct value_list *item)
{
    prime_take_text(set, item, "name");
    prime_take_meta(set, item, "animation");
}

static void take_transition(struct prime_set *set, struct value_list *item)
{
    prime_take_u32(set, item, "unknown_0");
    prime_take_u32(set, item, "a");
    prime_take_u32(set, item, "b");
    prime_take_transition(set, item, "transition");
}

static void take_additive(struct prime_set *set, struct value_list *item)
{
    prime_take_u32(set, item, "index");
    prime_take_float(set, item, "fade_in");
    prime_take_float(set, item, "fade_out");
}

static void take_half_transition(struct prime_set *set, struct value_list *item)
{
    prime_take_u32(set, item, "index");
    prime_take_transition(set, item, "transition");
}

static void take_anim_event(struct prime_set *set, struct value_list *item)
{
    prime_take_u32(set, item, "anim");
    prime_take_u32(set, item, "evnt");
}

static void take_event_set(struct prime_set *set, struct value_list *item)
{
    struct prime_events events;
    struct value_list list = value_array(item->arena);
    if (!prime_events_read(set->job, &set->reader, set->game, &events))
        return;
    value_put_int(item, "version", events.version);
    for (uint32_t i = 0; i < events.count; i++) {
        struct value_list event = value_object(item->arena);
        value_put_float(&event, "time", events.items[i].time);
        value_put_string(&event, "type", events.items[i].type);
        if (event.last && events.items[i].fields) /* whose fields are moved to this one */
            event.last->next = (struct pose_value *)events.items[i].fields->first;
        value_put_list(&list, NULL, &event);
    }
    value_put_list(item, "events", &list);
}

static bool read_animation_set(struct prime_set *set)
{
    struct value_list *extras = &set->extras;
    unsigned tables = reader_u16be(&set->reader, "table_count");
    value_put_int(extras, "table_count", tables);
    if (!prime_take_list(set, extras, "animations", 9, take_animation) ||
        !prime_take_list(set, extras, "transitions", 16, take_transition))
        return false;
    prime_take_transition(set, extras, "default_transition");
    if (tables >= 2) {
        prime_take_list(set, extras, "additives", 12, take_additive);
        prime_take_float(set, extras, "default_fade_in");
        prime_take_float(set, extras, "default_fade_out");
    }
    if (tables >= 3)
        prime_take_list(set, extras, "half_transitions", 8, take_half_transition);
    if (tables >= 4 && set->game == PRIME_MP1)
        prime_take_list(set, extras, "anim_events", 8, take_anim_event);
    else if (tables >= 4)
        prime_take_list(set, extras, "event_sets", 16, take_event_set);
    return !set->reader.failed && !set->job->arena->failed;
}

/* ----------------------------------------------------------------------------------------------- the file -- */

static bool check_one(struct reader *reader, const char *field)
{
    unsigned value = reader_u16be(reader, field);
    return !reader->failed &&
           (value == 1 || reader_fail(reader, "bad_version", "version %u, only 1 is supported", value));
}

static bool read_characters(struct prime_set *set)
{
    struct pose_document *document = set->job->document;
    struct reader *reader = &set->reader;
    if (!check_one(reader, "version") || !check_one(reader, "character_set_version"))
        return false;
    uint32_t count = reader_u32be(reader, "character_count");
    if (!reader_count(reader, count, CHARACTER_SIZE, "characters", "count_too_large"))
        return false;
    struct pose_character *characters = ARENA_NEW(set->job->arena, struct pose_character, count);
    for (uint32_t i = 0; i < count; i++) {
        reader_enter(reader, "characters", i);
        if (!characters || !prime_take_character(set, &characters[i]))
            return false;
        reader_leave(reader);
    }
    document->characters = characters;
    document->character_count = count;
    return !reader->failed;
}

/* The game, from the version of the first character. */
static enum prime_game find_game(struct pose_bytes bytes)
{
    struct reader reader;
    reader_init(&reader, bytes, NULL);
    reader_skip(&reader, AT_VERSION, NULL);
    return reader_u16be(&reader, NULL) == VERSION_MP2 ? PRIME_MP2 : PRIME_MP1;
}

static bool decode(struct decode_job *job)
{
    struct prime_set set = {
        .job = job, .game = find_game(job->source->bytes), .extras = value_object(job->arena)};
    reader_init(&set.reader, job->source->bytes, job->error);
    value_put_string(&set.extras, "game", prime_games[set.game]);
    if (!read_characters(&set) || !read_animation_set(&set) || !prime_check_end(&set.reader))
        return false;
    job->document->extras = value_done(&set.extras);
    return !job->arena->failed;
}

/* The only magic number follows the animations of the first character. */
static bool has_magic(struct pose_bytes bytes)
{
    struct reader reader;
    size_t length;
    reader_init(&reader, bytes, NULL);
    bool mp2 = find_game(bytes) == PRIME_MP2;
    if (reader_u32be(&reader, NULL) != 0x00010001)
        return false;
    reader_skip(&reader, AT_VERSION + 2 - 4, NULL);
    reader_cstring(&reader, &length, NULL);
    reader_skip(&reader, 12, NULL);
    uint32_t count = reader_u32be(&reader, NULL);
    for (uint32_t i = 0; i < count && !reader.failed; i++) {
        reader_skip(&reader, 4, NULL);
        reader_cstring(&reader, &length, NULL);
        if (!mp2)
            reader_cstring(&reader, &length, NULL);
    }
    return reader_u32be(&reader, NULL) == PRIME_PAS_MAGIC && !reader.failed;
}

static enum probe_result probe(const struct pose_source *source)
{
    if (has_magic(source->bytes))
        return PROBE_SURE;
    return PROBE_BY_NAME;
}

const struct codec codec_prime_ancs = {
    .format = {.id = "prime-ancs",
               .title = "Metroid Prime 1 and 2 character set",
               .extensions = ".ancs",
               .media_type = "application/x-prime-ancs",
               .kinds = "character"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(prime_ancs_encode),
};
