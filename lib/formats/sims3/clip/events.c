#include "lib/formats/sims3/clip/events.h"

#include "lib/core/hash.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------- kinds -- */

/* Fields of unknown meaning are named by their offset, within the payload if they belong to it. */
static const struct sims3_event_kind kinds[] = {
    {1,
     "attach_object",
     {{SIMS3_FIELD_HASH, "prop", "prop_name"},
      {SIMS3_FIELD_HASH, "object", "object_name"},
      {SIMS3_FIELD_HASH, "slot", "slot_name"},
      {SIMS3_FIELD_NUMBER, "payload_12", NULL},
      {SIMS3_FIELD_MATRIX, "matrix", NULL}}},
    {2, "unparent", {{SIMS3_FIELD_HASH, "object", "object_name"}}},
    {3, "sound", {{SIMS3_FIELD_SOUND, "sound", NULL}}},
    {4, "script", {{SIMS3_FIELD_END, NULL, NULL}}},
    {5,
     "effect_start",
     {{SIMS3_FIELD_EFFECT, "effect", "effect_name"},
      {SIMS3_FIELD_HASH, "instance", "instance_name"},
      {SIMS3_FIELD_HASH, "actor", "actor_name"},
      {SIMS3_FIELD_HASH, "slot", "slot_name"},
      {SIMS3_FIELD_NUMBER, "payload_20", NULL}}},
    {6, "visibility", {{SIMS3_FIELD_FLOAT, "visibility", NULL}}},
    {9, "destroy_prop", {{SIMS3_FIELD_HASH, "prop", "prop_name"}}},
    {10,
     "effect_stop",
     {{SIMS3_FIELD_HASH, "instance", "instance_name"}, {SIMS3_FIELD_NUMBER, "payload_4", NULL}}},
};

enum { KINDS = sizeof kinds / sizeof *kinds };

const struct sims3_event_kind *sims3_event_kind_of(uint16_t number)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (kinds[i].number == number)
            return &kinds[i];
    }
    return NULL;
}

const struct sims3_event_kind *sims3_event_kind_find(const char *type)
{
    for (size_t i = 0; i < KINDS; i++) {
        if (!strcmp(kinds[i].type, type))
            return &kinds[i];
    }
    return NULL;
}

/* ----------------------------------------------------------------------------------------------- payloads -- */

/* The event being read. */
struct building {
    struct sims3_file *file;
    struct reader *reader;
    struct value_list fields;
    const char *name;
};

static void put_hash(struct building *building, const struct sims3_field *field)
{
    uint32_t hash = reader_u32le(building->reader, field->key);
    const char *name = sims3_name_hash(building->file, hash);
    /* An effect's instance may have the event's name. */
    if (!name && building->name && *building->name &&
        hash_fnv32(building->name, strlen(building->name)) == hash)
        name = building->name;
    value_put_string(&building->fields, field->key, arena_format(building->fields.arena, "0x%08X", hash));
    if (name)
        value_put_string(&building->fields, field->name_key, name);
}

static void put_effect(struct building *building, const struct sims3_field *field)
{
    uint64_t hash = reader_u64le(building->reader, field->key);
    value_put_string(&building->fields, field->key,
                     arena_format(building->fields.arena, "0x%016llX", (unsigned long long)hash));
    if (building->name && hash_fnv64(building->name, strlen(building->name)) == hash)
        value_put_string(&building->fields, field->name_key, building->name);
}

static void put_matrix(struct building *building, const struct sims3_field *field)
{
    float matrix[SIMS3_MATRIX_FLOATS];
    for (int i = 0; i < SIMS3_MATRIX_FLOATS; i++)
        matrix[i] = reader_finite_f32le(building->reader, field->key, "not_finite");
    value_put_floats(&building->fields, field->key, matrix, SIMS3_MATRIX_FLOATS);
}

static void put_sound(struct building *building, const struct sims3_field *field)
{
    uint64_t at = reader_offset(building->reader);
    const char *sound = sims3_read_text(building->file, building->reader, SIMS3_SOUND_SIZE, field->key);
    reader_seek(building->reader, at, field->key);
    reader_skip(building->reader, SIMS3_SOUND_SIZE, field->key);
    value_put_string(&building->fields, field->key, sound);
}

static void put_field(struct building *building, const struct sims3_field *field)
{
    switch (field->kind) {
    case SIMS3_FIELD_HASH:
        put_hash(building, field);
        break;
    case SIMS3_FIELD_EFFECT:
        put_effect(building, field);
        break;
    case SIMS3_FIELD_NUMBER:
        value_put_int(&building->fields, field->key, reader_u32le(building->reader, field->key));
        break;
    case SIMS3_FIELD_FLOAT:
        value_put_float(&building->fields, field->key,
                        reader_finite_f32le(building->reader, field->key, "not_finite"));
        break;
    case SIMS3_FIELD_MATRIX:
        put_matrix(building, field);
        break;
    case SIMS3_FIELD_SOUND:
        put_sound(building, field);
        break;
    case SIMS3_FIELD_END:
        break;
    }
}

/* Whether an event begins here. */
static bool begins_event(const uint8_t *bytes, size_t left)
{
    unsigned type = left >= 4 ? (unsigned)bytes[0] | (unsigned)bytes[1] << 8 : 0;
    return type >= 1 && type <= SIMS3_EVENT_TYPE_LAST &&
           ((unsigned)bytes[2] | (unsigned)bytes[3] << 8) == SIMS3_EVENT_MARK;
}

/* The data of an unknown event: up to the next event or the end of the table. */
static void put_unknown(struct building *building, uint16_t type, uint64_t at)
{
    struct reader *reader = building->reader;
    size_t left = reader_left(reader), size = 0;
    while (size < left && !begins_event(reader->at + size, left - size))
        size += left - size < 4 ? left - size : 4;
    const uint8_t *bytes = reader_bytes(reader, size, "payload");
    if (!bytes)
        return;
    value_put_hex(&building->fields, "payload", bytes, size);
    warning_add(&building->file->job->warnings, POSE_WARNING, "unknown_event", at,
                "unknown event type %u; the %zu bytes after the name were kept", type, size);
}

/* ------------------------------------------------------------------------------------------------- events -- */

static uint16_t read_type(struct reader *reader)
{
    uint16_t type = reader_u16le(reader, "type"), mark = reader_u16le(reader, "mark");
    if (!reader->failed && mark != SIMS3_EVENT_MARK)
        reader_fail(reader, "bad_event", "0x%04x instead of 0x%04x", mark, SIMS3_EVENT_MARK);
    return type;
}

/* After the length: the name, its NUL, and zeros up to a multiple of 4. */
static void read_name(struct building *building)
{
    struct reader *reader = building->reader;
    uint64_t length = reader_u32le(reader, "name_length"), at = reader_offset(reader);
    uint64_t size = (length + 4) / 4 * 4;
    const uint8_t *bytes = reader_bytes(reader, size, "name");
    bool is_short = bytes && length + 1 <= SIMS3_TEXT_LIMIT;
    if (bytes && !is_short)
        reader_fail_at(reader, at, "name", "unterminated_string", "no NUL within %d bytes", SIMS3_TEXT_LIMIT);
    reader_seek(reader, at, "name");
    building->name = sims3_read_text(building->file, reader, (size_t)length + 1, "name");
    reader_seek(reader, at, "name");
    reader_skip(reader, size, "name");
}

static bool read_event(struct sims3_file *file, struct reader *reader, struct pose_event *event)
{
    struct building building = {file, reader, value_object(file->job->arena), NULL};
    uint64_t at = reader_offset(reader);
    uint16_t type = read_type(reader);
    value_put_int(&building.fields, "id", reader_u32le(reader, "id"));
    event->time = reader_finite_f32le(reader, "time", "not_finite");
    value_put_float_bits(&building.fields, "unknown_12", reader_u32le(reader, "unknown_12"));
    value_put_float_bits(&building.fields, "unknown_16", reader_u32le(reader, "unknown_16"));
    value_put_int(&building.fields, "unknown_20", reader_u32le(reader, "unknown_20"));
    read_name(&building);
    value_put_string(&building.fields, "name", building.name);
    if (reader->failed)
        return false;
    const struct sims3_event_kind *kind = sims3_event_kind_of(type);
    event->type = kind ? kind->type : arena_format(file->job->arena, "type_%u", type);
    for (const struct sims3_field *field = kind ? kind->fields : NULL; field && field->kind; field++)
        put_field(&building, field);
    if (!kind)
        put_unknown(&building, type, at);
    event->fields = value_done(&building.fields);
    return !reader->failed;
}

static bool read_events(struct sims3_file *file, struct reader *reader, struct sims3_events *events)
{
    events->items = ARENA_NEW(file->job->arena, struct pose_event, events->count);
    for (uint32_t i = 0; i < events->count && events->items; i++) {
        reader_enter(reader, "events", i);
        if (!read_event(file, reader, &events->items[i]))
            return false;
        reader_leave(reader);
    }
    if (reader_left(reader))
        warning_add(&file->job->warnings, POSE_WARNING, "trailing_bytes", reader_offset(reader),
                    "%zu bytes of the table follow the last event", reader_left(reader));
    return events->items && events_sort(file->job->arena, events->items, events->count);
}

static bool read_head(struct reader *reader, uint32_t *count, uint32_t *size, uint32_t *start)
{
    const uint8_t *magic = reader_bytes(reader, sizeof SIMS3_EVENTS_MAGIC - 1, "event_magic");
    if (magic && memcmp(magic, SIMS3_EVENTS_MAGIC, sizeof SIMS3_EVENTS_MAGIC - 1) != 0)
        return reader_fail(reader, "bad_magic", "the events do not begin with " SIMS3_EVENTS_MAGIC);
    uint32_t version = reader_u32le(reader, "event_version");
    if (!reader->failed && version != SIMS3_EVENTS_VERSION)
        return reader_fail(reader, "bad_version", "version 0x%x, only 0x%x is supported", version,
                           SIMS3_EVENTS_VERSION);
    *count = reader_u32le(reader, "event_count");
    uint64_t at = reader_last_offset(reader);
    *size = reader_u32le(reader, "event_size");
    if ((uint64_t)*count * SIMS3_EVENT_HEAD > *size)
        return reader_fail_at(reader, at, "event_count", "count_too_large",
                              "%u events of at least %d bytes in a table of %u", *count, SIMS3_EVENT_HEAD,
                              *size);
    *start = reader_u32le(reader, "event_start");
    if (*count && *start < 4)
        return reader_fail(reader, "bad_offset", "%u events overlap the header", *count);
    return !reader->failed;
}

bool sims3_events_read(struct sims3_file *file, uint64_t at, struct sims3_events *events)
{
    struct reader *reader = &file->reader, part;
    uint32_t size = 0, start = 0;
    *events = (struct sims3_events){0};
    if (!at)
        return true;
    sims3_go(reader, at, "event_table");
    if (!read_head(reader, &events->count, &size, &start))
        return false;
    if (!reader_part(reader, &part, at + SIMS3_EVENTS_HEAD, size, "events"))
        return false;
    if (events->count)
        sims3_go(&part, at + SIMS3_EVENTS_HEAD - 4 + start, "event_start");
    if (part.failed || !read_events(file, &part, events))
        return false;
    reader_seek(&part, at + SIMS3_EVENTS_HEAD + size, NULL);
    sims3_used(file, &part);
    return true;
}
