#include "lib/formats/sims3/clip/events.h"

#include "lib/core/hash.h"

#include <math.h>
#include <stdlib.h>

enum { UNKNOWN_TYPE_DIGITS = 5 };

/* A hash as "0x…"; otherwise computed from the name beside it. */
static uint64_t find_hash(const struct pose_value *fields, const struct sims3_field *field,
                          const char *event_name)
{
    const char *text = value_get_string(fields, field->key, NULL);
    const char *name = value_get_string(fields, field->name_key, NULL);
    bool is_effect = field->kind == SIMS3_FIELD_EFFECT;
    if (text && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return strtoull(text + 2, NULL, 16);
    if (is_effect && !name)
        name = event_name;
    if (!name)
        return 0;
    return is_effect ? hash_fnv64(name, strlen(name)) : hash_fnv32(name, strlen(name));
}

static float finite_or(float value, float fallback)
{
    return isfinite(value) ? value : fallback;
}

static void write_matrix(struct writer *writer, const struct pose_value *fields, const char *key)
{
    float matrix[SIMS3_MATRIX_FLOATS] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    value_get_floats(fields, key, matrix, SIMS3_MATRIX_FLOATS);
    for (int i = 0; i < SIMS3_MATRIX_FLOATS; i++)
        writer_f32le(writer, finite_or(matrix[i], 0));
}

static bool write_sound(struct encode_job *job, const struct pose_value *fields, const char *key)
{
    const char *sound = value_get_string(fields, key, "");
    size_t length = strlen(sound);
    if (length >= SIMS3_SOUND_SIZE)
        return error_set(job->error, POSE_BAD_ARGUMENT, "text_too_long",
                         "a sound name of %zu bytes, longer than %d", length, SIMS3_SOUND_SIZE - 1);
    writer_bytes(job->writer, sound, length);
    writer_zeros(job->writer, SIMS3_SOUND_SIZE - length);
    return true;
}

static bool write_field(struct encode_job *job, const struct pose_value *fields,
                        const struct sims3_field *field, const char *event_name)
{
    struct writer *writer = job->writer;
    switch (field->kind) {
    case SIMS3_FIELD_HASH:
        writer_u32le(writer, (uint32_t)find_hash(fields, field, NULL));
        break;
    case SIMS3_FIELD_EFFECT:
        writer_u64le(writer, find_hash(fields, field, event_name));
        break;
    case SIMS3_FIELD_NUMBER:
        writer_u32le(writer, (uint32_t)value_get_int(fields, field->key, 0));
        break;
    case SIMS3_FIELD_FLOAT:
        writer_f32le(writer, finite_or(value_get_float(fields, field->key, 0), 0));
        break;
    case SIMS3_FIELD_MATRIX:
        write_matrix(writer, fields, field->key);
        break;
    case SIMS3_FIELD_SOUND:
        return write_sound(job, fields, field->key);
    case SIMS3_FIELD_END:
        break;
    }
    return true;
}

static bool write_payload(struct encode_job *job, const struct pose_value *fields,
                          const struct sims3_event_kind *kind, const char *name)
{
    if (kind) {
        for (const struct sims3_field *field = kind->fields; field->kind; field++) {
            if (!write_field(job, fields, field, name))
                return false;
        }
        return true;
    }
    size_t capacity = strlen(value_get_string(fields, "payload", "")) / 2;
    uint8_t *bytes = arena_alloc(job->arena, capacity, 1);
    int64_t size = bytes ? value_get_hex(fields, "payload", bytes, capacity) : 0;
    if (size > 0)
        writer_bytes(job->writer, bytes, (size_t)size);
    return bytes != NULL;
}

/* The number of a type: by its name if known, or from "type_N". 0: not supported by the format. */
static uint16_t find_number(const char *type)
{
    const struct sims3_event_kind *kind = sims3_event_kind_find(type);
    size_t length = strlen(type);
    if (kind)
        return kind->number;
    if (length < 6 || length > 5 + UNKNOWN_TYPE_DIGITS || memcmp(type, "type_", 5) != 0 ||
        strspn(type + 5, "0123456789") != length - 5)
        return 0;
    unsigned long number = strtoul(type + 5, NULL, 10);
    return number <= UINT16_MAX ? (uint16_t)number : 0;
}

static bool write_event(struct encode_job *job, const struct pose_event *event, uint16_t number)
{
    struct writer *writer = job->writer;
    const struct pose_value *fields = event->fields;
    const char *name = value_get_string(fields, "name", "");
    size_t length = strlen(name);
    if (length >= SIMS3_TEXT_LIMIT)
        return error_set(job->error, POSE_BAD_ARGUMENT, "text_too_long",
                         "an event name of %zu bytes, longer than %d", length, SIMS3_TEXT_LIMIT - 1);
    writer_u16le(writer, number);
    writer_u16le(writer, SIMS3_EVENT_MARK);
    writer_u32le(writer, (uint32_t)value_get_int(fields, "id", 0));
    writer_f32le(writer, finite_or(event->time, 0));
    writer_u32le(writer, value_get_float_bits(fields, "unknown_12", -1));
    writer_u32le(writer, value_get_float_bits(fields, "unknown_16", -1));
    /* 7 in script calls, 3 otherwise, in all files except those of one exporter. */
    writer_u32le(writer,
                 (uint32_t)value_get_int(fields, "unknown_20", !strcmp(event->type, "script") ? 7 : 3));
    writer_u32le(writer, (uint32_t)length);
    writer_bytes(writer, name, length);
    writer_zeros(writer, (length + 4) / 4 * 4 - length);
    return write_payload(job, fields, sims3_event_kind_of(number), name);
}

bool sims3_events_write(struct encode_job *job, const struct pose_clip *clip)
{
    struct writer *writer = job->writer;
    uint32_t written = 0;
    size_t at = writer->out->size;
    writer_text(writer, SIMS3_EVENTS_MAGIC);
    writer_u32le(writer, SIMS3_EVENTS_VERSION);
    writer_zeros(writer, 12); /* count, size and start, below */
    for (uint32_t i = 0; i < clip->event_count; i++) {
        uint16_t number = find_number(clip->events[i].type);
        if (!number)
            continue;
        if (!write_event(job, &clip->events[i], number))
            return false;
        written++;
    }
    if (writer->failed)
        return false;
    writer_patch_u32le(writer, at + 8, written);
    writer_patch_u32le(writer, at + 12, (uint32_t)(writer->out->size - at - SIMS3_EVENTS_HEAD));
    writer_patch_u32le(writer, at + 16, written ? 4 : 0);
    if (written < clip->event_count)
        encode_warn(job, "events_dropped", "%u events are of types that The Sims 3 does not have",
                    clip->event_count - written);
    return true;
}
