#include "lib/formats/sl/constraint.h"

#include "lib/core/text.h"
#include "lib/model/stand_in.h"

#include <math.h>
#include <string.h>

enum {
    VOLUME_SIZE = 16,
    TYPE_LAST = 1,    /* 0 point, 1 plane */
    CHAIN_LENGTH = 3, /* limit of the viewer */
};

struct constraint {
    uint8_t chain_length, type;
    uint8_t source_volume[VOLUME_SIZE]; /* ends with a NUL; the bytes after it are garbage */
    float source_offset[3];
    uint8_t target_volume[VOLUME_SIZE];
    float target_offset[3];
    float target_dir[3];
    float ease_in_start, ease_in_stop, ease_out_start, ease_out_stop;
};

/* ----------------------------------------------------------------------------------------------- reading -- */

static void read_vector(struct reader *reader, float vector[3], const char *field)
{
    for (int i = 0; i < 3; i++)
        vector[i] = reader_finite_f32le(reader, field, "not_finite");
}

static void read_volume(struct reader *reader, uint8_t volume[VOLUME_SIZE], const char *field)
{
    const uint8_t *bytes = reader_bytes(reader, VOLUME_SIZE, field);
    if (bytes)
        memcpy(volume, bytes, VOLUME_SIZE);
}

static bool read_constraint(struct reader *reader, uint32_t track_count, struct constraint *constraint)
{
    *constraint = (struct constraint){0};
    constraint->chain_length = reader_u8(reader, "chain_length");
    if (constraint->chain_length > track_count)
        return reader_fail(reader, "bad_constraint", "a chain of %u joints in a file of %u",
                           constraint->chain_length, track_count);
    constraint->type = reader_u8(reader, "type");
    if (constraint->type > TYPE_LAST)
        return reader_fail(reader, "bad_constraint", "type %u is neither 0 (point) nor 1 (plane)",
                           constraint->type);
    read_volume(reader, constraint->source_volume, "source_volume");
    read_vector(reader, constraint->source_offset, "source_offset");
    read_volume(reader, constraint->target_volume, "target_volume");
    read_vector(reader, constraint->target_offset, "target_offset");
    read_vector(reader, constraint->target_dir, "target_dir");
    constraint->ease_in_start = reader_finite_f32le(reader, "ease_in_start", "not_finite");
    constraint->ease_in_stop = reader_finite_f32le(reader, "ease_in_stop", "not_finite");
    constraint->ease_out_start = reader_finite_f32le(reader, "ease_out_start", "not_finite");
    constraint->ease_out_stop = reader_finite_f32le(reader, "ease_out_stop", "not_finite");
    return !reader->failed;
}

static size_t volume_length(const uint8_t volume[VOLUME_SIZE])
{
    return strnlen((const char *)volume, VOLUME_SIZE);
}

/* The name, and also all 16 bytes if the name alone cannot restore them. */
static void put_volume(struct value_list *object, const char *key, const char *bytes_key,
                       const uint8_t volume[VOLUME_SIZE])
{
    static const uint8_t zeros[VOLUME_SIZE];
    bool is_utf8;
    size_t length = volume_length(volume);
    value_put_string(object, key, text_from_bytes(object->arena, (const char *)volume, length, &is_utf8));
    if (!is_utf8 || memcmp(volume + length, zeros, VOLUME_SIZE - length) != 0)
        value_put_hex(object, bytes_key, volume, VOLUME_SIZE);
}

static void put_constraint(struct value_list *list, const struct constraint *constraint)
{
    struct value_list object = value_object(list->arena);
    value_put_int(&object, "chain_length", constraint->chain_length);
    value_put_int(&object, "type", constraint->type);
    put_volume(&object, "source_volume", "source_volume_bytes", constraint->source_volume);
    value_put_floats(&object, "source_offset", constraint->source_offset, 3);
    put_volume(&object, "target_volume", "target_volume_bytes", constraint->target_volume);
    value_put_floats(&object, "target_offset", constraint->target_offset, 3);
    value_put_floats(&object, "target_dir", constraint->target_dir, 3);
    value_put_float(&object, "ease_in_start", constraint->ease_in_start);
    value_put_float(&object, "ease_in_stop", constraint->ease_in_stop);
    value_put_float(&object, "ease_out_start", constraint->ease_out_start);
    value_put_float(&object, "ease_out_stop", constraint->ease_out_stop);
    value_put_list(list, NULL, &object);
}

/* ---------------------------------------------------------------------------------- the viewer's own checks -- */

static int find_volume(const uint8_t volume[VOLUME_SIZE])
{
    int number = sl_joint_find((const char *)volume, volume_length(volume), NULL);
    return number >= SL_FIRST_VOLUME && number < SL_FIRST_ATTACHMENT ? number : -1;
}

static int parent_of(int number)
{
    const char *parent = stand_in_sl.joints[number].parent;
    return parent ? sl_joint_find(parent, strlen(parent), NULL) : -1;
}

void sl_drivers_init(struct sl_drivers *drivers, uint32_t track_count)
{
    *drivers = (struct sl_drivers){.track_count = track_count, .first_unknown = -1};
    for (int i = 0; i < SL_JOINT_COUNT; i++)
        drivers->tracks[i] = -1;
}

void sl_drivers_add(struct sl_drivers *drivers, uint32_t track, int number)
{
    int16_t *first = number < 0 ? &drivers->first_unknown : &drivers->tracks[number];
    if (*first < 0)
        *first = (int16_t)track;
}

/* Driven by a track that precedes any track unknown to the viewer. */
static bool is_driven(const struct sl_drivers *drivers, int number)
{
    int16_t track = drivers->tracks[number];
    return track >= 0 && (drivers->first_unknown < 0 || track < drivers->first_unknown);
}

static void check_constraint(const struct constraint *constraint, const struct sl_drivers *drivers,
                             uint64_t offset, uint64_t index, struct warning_list *warnings)
{
    unsigned long long k = index;
    if (constraint->chain_length > CHAIN_LENGTH)
        warning_add(warnings, POSE_WARNING, "long_chain", offset,
                    "constraint %llu: a chain of %u joints; the viewer supports %d", k,
                    constraint->chain_length, CHAIN_LENGTH);
    int target = find_volume(constraint->target_volume), source = find_volume(constraint->source_volume);
    if (target < 0 && strncmp((const char *)constraint->target_volume, "GROUND", VOLUME_SIZE) != 0)
        warning_add(warnings, POSE_WARNING, "unknown_target_volume", offset,
                    "constraint %llu: the target is neither a collision volume nor GROUND", k);
    if (source < 0) {
        warning_add(warnings, POSE_WARNING, "unknown_source_volume", offset,
                    "constraint %llu: the source is not a collision volume", k);
        return;
    }
    int bone = parent_of(source);
    for (unsigned i = 0; i <= constraint->chain_length; i++, bone = parent_of(bone)) {
        if (bone >= 0 && is_driven(drivers, bone))
            continue;
        /* Only mRoot is above the pelvis, and no file may drive it. */
        warning_add(
            warnings, POSE_WARNING, "undriven_chain", offset,
            "constraint %llu: its chain holds %s, which no track drives (or only one after an unknown "
            "joint)",
            k, bone < 0 ? "mRoot" : stand_in_sl.joints[bone].name);
        return;
    }
}

static bool read_used(struct reader *reader, uint32_t count, const struct sl_drivers *drivers,
                      struct value_list *list, struct warning_list *warnings)
{
    for (uint32_t i = 0; i < count; i++) {
        struct constraint constraint;
        uint64_t offset = reader_offset(reader);
        reader_enter(reader, "constraints", i);
        if (!read_constraint(reader, drivers->track_count, &constraint))
            return false;
        reader_leave(reader);
        check_constraint(&constraint, drivers, offset, i, warnings);
        put_constraint(list, &constraint);
    }
    return true;
}

/* The viewer ignores these, so nothing in here is an error. */
static void read_ignored(struct reader *reader, uint32_t count, uint32_t track_count, struct value_list *list)
{
    struct reader quiet = *reader;
    struct value_list found = value_array(list->arena);
    quiet.error = NULL;
    if (!reader_count(&quiet, count, SL_CONSTRAINT_SIZE, "constraints", "truncated"))
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct constraint constraint;
        if (!read_constraint(&quiet, track_count, &constraint))
            return;
        put_constraint(&found, &constraint);
    }
    *list = found;
    reader->at = quiet.at;
}

bool sl_constraints_read(struct reader *reader, const struct sl_drivers *drivers, struct value_list *list,
                         struct warning_list *warnings)
{
    int32_t count = reader_i32le(reader, "num_constraints");
    if (reader->failed)
        return false;
    if (count >= 0 && count <= SL_CONSTRAINTS_USED)
        return read_used(reader, (uint32_t)count, drivers, list, warnings);
    warning_add(warnings, POSE_WARNING, "constraints_ignored", reader_last_offset(reader),
                "%d constraints; the viewer ignores all of them unless there are 0 to %d", count,
                SL_CONSTRAINTS_USED);
    if (count > 0)
        read_ignored(reader, (uint32_t)count, drivers->track_count, list);
    return true;
}

/* ----------------------------------------------------------------------------------------------- writing -- */

/* The original bytes if they still match the name, else the name. */
static bool get_volume(struct arena *arena, const struct pose_value *object, const char *key,
                       const char *bytes_key, uint8_t volume[VOLUME_SIZE])
{
    const char *name = value_get_string(object, key, "");
    bool is_utf8, is_raw = value_get_hex(object, bytes_key, volume, VOLUME_SIZE) == VOLUME_SIZE;
    const char *text =
        is_raw ? text_from_bytes(arena, (const char *)volume, volume_length(volume), &is_utf8) : NULL;
    if (text && !strcmp(text, name))
        return true;
    size_t length = strlen(name);
    if (length > VOLUME_SIZE)
        return false;
    memset(volume, 0, VOLUME_SIZE);
    memcpy(volume, name, length);
    return true;
}

static bool get_float(const struct pose_value *object, const char *key, float *value)
{
    *value = value_get_float(object, key, 0);
    return isfinite(*value);
}

static bool get_vector(const struct pose_value *object, const char *key, float vector[3])
{
    vector[0] = vector[1] = vector[2] = 0;
    value_get_floats(object, key, vector, 3);
    return isfinite(vector[0]) && isfinite(vector[1]) && isfinite(vector[2]);
}

static bool get_constraint(struct arena *arena, const struct pose_value *object,
                           struct constraint *constraint)
{
    int64_t chain_length = value_get_int(object, "chain_length", 0), type = value_get_int(object, "type", 0);
    if (chain_length < 0 || chain_length > UINT8_MAX || type < 0 || type > TYPE_LAST)
        return false;
    constraint->chain_length = (uint8_t)chain_length;
    constraint->type = (uint8_t)type;
    return get_volume(arena, object, "source_volume", "source_volume_bytes", constraint->source_volume) &&
           get_vector(object, "source_offset", constraint->source_offset) &&
           get_volume(arena, object, "target_volume", "target_volume_bytes", constraint->target_volume) &&
           get_vector(object, "target_offset", constraint->target_offset) &&
           get_vector(object, "target_dir", constraint->target_dir) &&
           get_float(object, "ease_in_start", &constraint->ease_in_start) &&
           get_float(object, "ease_in_stop", &constraint->ease_in_stop) &&
           get_float(object, "ease_out_start", &constraint->ease_out_start) &&
           get_float(object, "ease_out_stop", &constraint->ease_out_stop);
}

static void write_vector(struct writer *writer, const float vector[3])
{
    for (int i = 0; i < 3; i++)
        writer_f32le(writer, vector[i]);
}

static void write_constraint(struct writer *writer, const struct constraint *constraint)
{
    writer_u8(writer, constraint->chain_length);
    writer_u8(writer, constraint->type);
    writer_bytes(writer, constraint->source_volume, VOLUME_SIZE);
    write_vector(writer, constraint->source_offset);
    writer_bytes(writer, constraint->target_volume, VOLUME_SIZE);
    write_vector(writer, constraint->target_offset);
    write_vector(writer, constraint->target_dir);
    writer_f32le(writer, constraint->ease_in_start);
    writer_f32le(writer, constraint->ease_in_stop);
    writer_f32le(writer, constraint->ease_out_start);
    writer_f32le(writer, constraint->ease_out_stop);
}

bool sl_constraints_write(const struct pose_value *list, uint32_t track_count, struct encode_job *job)
{
    uint32_t count = list && list->kind == POSE_ARRAY ? (uint32_t)value_count(list) : 0;
    writer_u32le(job->writer, count);
    const struct pose_value *object = count ? list->first : NULL;
    for (uint32_t i = 0; object; object = object->next, i++) {
        struct constraint constraint;
        if (!get_constraint(job->arena, object, &constraint) || constraint.chain_length > track_count)
            return error_set(job->error, POSE_BAD_DATA, "bad_constraint",
                             "constraints[%u] is not valid in this format", i);
        write_constraint(job->writer, &constraint);
    }
    return true;
}
