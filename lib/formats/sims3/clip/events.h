/*
 * The table of events of a Sims 3 clip: sounds, effects, props, and script calls.
 *
 *     "=CE="   u32 version = 0x103, count, size, start (4, or 0 without events), then size bytes of events
 *     u16 type, 0xc1e4   u32 id   f32 time, unknown_12, unknown_16   u32 unknown_20, name length
 *     name with its NUL, padded with zeros to a multiple of 4, then a payload by type
 */
#ifndef POSE_FORMATS_SIMS3_CLIP_EVENTS_H
#define POSE_FORMATS_SIMS3_CLIP_EVENTS_H

#include "lib/core/value.h"
#include "lib/formats/sims3/file.h"

#define SIMS3_EVENTS_MAGIC "=CE="

enum {
    SIMS3_EVENTS_VERSION = 0x103,
    SIMS3_EVENTS_HEAD = 20, /* bytes before the events */
    SIMS3_EVENT_HEAD = 28,  /* bytes before the name */
    SIMS3_EVENT_MARK = 0xc1e4,
    SIMS3_EVENT_TYPE_LAST = 63, /* limit for recognising the event after an unknown one */
};

enum sims3_field_kind {
    SIMS3_FIELD_END,
    SIMS3_FIELD_HASH,   /* u32 FNV-32: "0x…", and "…_name" if it is known */
    SIMS3_FIELD_EFFECT, /* u64 FNV-64, low word first: usually of the event's name */
    SIMS3_FIELD_NUMBER, /* u32 */
    SIMS3_FIELD_FLOAT,
    SIMS3_FIELD_MATRIX, /* 16 floats, row by row */
    SIMS3_FIELD_SOUND,  /* 128 bytes: a text with its NUL, the rest is garbage */
};

enum { SIMS3_SOUND_SIZE = 128, SIMS3_MATRIX_FLOATS = 16 };

struct sims3_field {
    enum sims3_field_kind kind;
    const char *key;
    const char *name_key; /* of a hash */
};

/* The data of a known event type after its name, in the file and in the model. */
struct sims3_event_kind {
    uint16_t number;
    const char *type;
    struct sims3_field fields[6]; /* ends with SIMS3_FIELD_END */
};

/* NULL if the type is unknown. */
const struct sims3_event_kind *sims3_event_kind_of(uint16_t number);
const struct sims3_event_kind *sims3_event_kind_find(const char *type);

struct sims3_events {
    struct pose_event *items; /* sorted by time */
    uint32_t count;
};

/* at 0: no table. */
bool sims3_events_read(struct sims3_file *file, uint64_t at, struct sims3_events *events);
/* Writes the clip's events; reports those whose type the format does not have. */
bool sims3_events_write(struct encode_job *job, const struct pose_clip *clip);

#endif
