#include "lib/formats/sl/anim_write.h"

#include "lib/core/text.h"
#include "lib/core/setting.h"
#include "lib/core/value.h"
#include "lib/formats/sl/bvh.h"
#include "lib/formats/sl/constraint.h"
#include "lib/formats/sl/fit.h"
#include "lib/formats/sl/keys.h"
#include "lib/formats/sl/layout.h"
#include "lib/formats/sl/bvh_upload.h"

#include <math.h>
#include <string.h>

/* The defaults of the viewer's uploader (sl-anim.md, 7). */
enum { DEFAULT_PRIORITY = 2, DEFAULT_HAND_POSE = 1 };
#define DEFAULT_EASE 0.3f

struct writing {
    struct encode_job *job;
    const struct pose_clip *clip;
    int32_t base_priority;
    int32_t old_priority; /* the clip's base priority, which a setting may replace */
    bool loop;
    bool is_conversion;
    uint32_t clamped_positions, times_outside; /* reported once per clip */
};

/* --------------------------------------------------------------------------------------- settings and extras -- */

static bool choose_priority(struct writing *writing)
{
    const struct pose_value *settings = writing->job->settings;
    int64_t old = value_get_int(writing->clip->extras, "base_priority", DEFAULT_PRIORITY);
    writing->old_priority = old < -1 || old > INT32_MAX ? DEFAULT_PRIORITY : (int32_t)old;
    writing->base_priority = writing->old_priority;
    if (!pose_value_find(settings, "priority"))
        return true;
    int64_t asked = value_get_int(settings, "priority", INT64_MIN);
    if (asked < -1 || asked > SL_MAX_PRIORITY)
        return setting_refuse(writing->job->error, "priority", "not a whole number from -1 to 6");
    writing->base_priority = (int32_t)asked;
    return true;
}

/* A track whose priority was the clip's base follows the new base. */
static int32_t choose_track_priority(const struct writing *writing, const struct pose_track *track)
{
    int64_t own = value_get_int(track->extras, "priority", writing->old_priority);
    return own < -1 || own > INT32_MAX || own == writing->old_priority ? writing->base_priority
                                                                       : (int32_t)own;
}

/* The setting, or else the clip's value; *given is false if there is neither. */
static bool choose_ease(struct writing *writing, const char *name, float *ease, bool *given)
{
    const struct pose_value *asked = pose_value_find(writing->job->settings, name);
    *given = true;
    if (asked && (!value_number(asked, ease) || !isfinite(*ease) || *ease < 0))
        return setting_refuse(writing->job->error, name, "not a number of seconds");
    if (asked || (value_number(pose_value_find(writing->clip->extras, name), ease) && isfinite(*ease)))
        return true;
    *ease = DEFAULT_EASE;
    *given = false;
    return true;
}

static bool choose_eases(struct writing *writing, float *in, float *out)
{
    bool in_given, out_given;
    if (!choose_ease(writing, "ease_in", in, &in_given) || !choose_ease(writing, "ease_out", out, &out_given))
        return false;
    float sum = *in + *out, duration = writing->clip->duration;
    if (!in_given && !out_given && !writing->loop && sum > duration) {
        *in *= duration / sum;
        *out *= duration / sum;
    }
    return true;
}

/* --------------------------------------------------------------------------------------------------- text -- */

/* Text with its NUL: the original bytes if they were kept and still match the text. */
static void write_string(struct writing *writing, const char *text, const struct pose_value *extras,
                         const char *bytes_key)
{
    struct encode_job *job = writing->job;
    const char *hex = value_get_string(extras, bytes_key, NULL);
    size_t capacity = hex ? strlen(hex) / 2 : 0;
    char *bytes = hex ? arena_alloc(job->arena, capacity + 1, 1) : NULL;
    bool is_utf8;
    if (bytes && value_get_hex(extras, bytes_key, (uint8_t *)bytes, capacity) == (int64_t)capacity &&
        strlen(bytes) == capacity) {
        const char *same = text_from_bytes(job->arena, bytes, capacity, &is_utf8);
        if (same && !strcmp(same, text))
            text = bytes;
    }
    writer_bytes(job->writer, text, strlen(text) + 1);
}

/* --------------------------------------------------------------------------------------------------- keys -- */

static uint8_t *put_word(uint8_t *to, uint16_t word)
{
    to[0] = (uint8_t)word;
    to[1] = (uint8_t)(word >> 8);
    return to + 2;
}

static bool is_beyond(const float position[3])
{
    return fabsf(position[0]) > SL_POSITION_LIMIT || fabsf(position[1]) > SL_POSITION_LIMIT ||
           fabsf(position[2]) > SL_POSITION_LIMIT;
}

static void encode_value(struct writing *writing, int kind, const float *value, uint16_t words[3])
{
    if (kind == SL_ROTATION) {
        sl_rotation_encode(value, !writing->is_conversion, words);
        return;
    }
    sl_position_encode(value, words);
    writing->clamped_positions += is_beyond(value);
}

/* Of keys that round to the same time only the last is written: a reader would drop the others. */
static void write_keys(struct writing *writing, int kind, const struct sl_fit_keys *keys)
{
    struct writer *writer = writing->job->writer;
    float duration = writing->clip->duration;
    uint8_t *start = writer_reserve(writer, 4 + (size_t)keys->count * SL_KEY_SIZE),
            *to = start ? start + 4 : NULL;
    uint32_t written = 0;
    size_t count_at = writer->out->size;
    for (uint32_t k = 0; to && k < keys->count; k++) {
        uint16_t time = sl_time_encode(keys->times[k], duration), words[3];
        if (k + 1 < keys->count && sl_time_encode(keys->times[k + 1], duration) == time)
            continue;
        encode_value(writing, kind, keys->values + (size_t)k * part_components(sl_part_of(kind)), words);
        to = put_word(to, time);
        for (int i = 0; i < 3; i++)
            to = put_word(to, words[i]);
        written++;
    }
    if (keys->count)
        writing->times_outside += keys->times[0] < 0 || keys->times[keys->count - 1] > duration;
    writer_commit(writer, 4 + (size_t)written * SL_KEY_SIZE);
    writer_patch_u32le(writer, count_at, written);
}

/* --------------------------------------------------------------------------------------------------- file -- */

static bool check_clip(const struct pose_clip *clip, struct pose_error *error)
{
    if (!isfinite(clip->duration) || clip->duration < 0)
        return error_set(error, POSE_BAD_DATA, "bad_duration", "a clip of %g seconds",
                         (double)clip->duration);
    if (clip->duration > SL_DURATION_LIMIT)
        return error_set(error, POSE_BAD_DATA, "too_long",
                         "a clip of %g seconds; Second Life plays up to %g: cut it first",
                         (double)clip->duration, (double)SL_DURATION_LIMIT);
    if (!isfinite(clip->loop_in) || !isfinite(clip->loop_out))
        return error_set(error, POSE_BAD_DATA, "not_finite", "the loop points are not finite numbers");
    return true;
}

static bool write_head(struct writing *writing, uint32_t track_count)
{
    struct writer *writer = writing->job->writer;
    const struct pose_clip *clip = writing->clip;
    float ease_in, ease_out;
    writing->loop = clip->loop == POSE_LOOP_YES;
    if (!choose_priority(writing) ||
        !setting_flag(writing->job->settings, "loop", &writing->loop, writing->job->error) ||
        !choose_eases(writing, &ease_in, &ease_out))
        return false;
    int64_t hand_pose = value_get_int(clip->extras, "hand_pose", DEFAULT_HAND_POSE);
    if (hand_pose < 0 || hand_pose > SL_MAX_HAND_POSE)
        hand_pose = DEFAULT_HAND_POSE;
    writer_u16le(writer, 1);
    writer_u16le(writer, 0);
    writer_u32le(writer, (uint32_t)writing->base_priority);
    writer_f32le(writer, clip->duration);
    write_string(writing, value_get_string(clip->extras, "emote", ""), clip->extras, "emote_bytes");
    writer_f32le(writer, clip->loop_in);
    writer_f32le(writer, clip->loop_out);
    writer_u32le(writer, writing->loop);
    writer_f32le(writer, ease_in);
    writer_f32le(writer, ease_out);
    writer_u32le(writer, (uint32_t)hand_pose);
    writer_u32le(writer, track_count);
    return true;
}

static void write_tracks(struct writing *writing, const struct sl_fit *fit)
{
    for (uint32_t i = 0; i < fit->track_count; i++) {
        const struct pose_track *track = fit->tracks[i].from;
        write_string(writing, track->name, track->extras, "name_bytes");
        writer_u32le(writing->job->writer, (uint32_t)choose_track_priority(writing, track));
        for (int kind = 0; kind < SL_KEY_KINDS; kind++)
            write_keys(writing, kind, &fit->tracks[i].keys[kind]);
    }
    if (writing->clamped_positions)
        encode_warn(writing->job, "position_clamped", "%u positions beyond 5 m were clamped",
                    writing->clamped_positions);
    if (writing->times_outside)
        encode_warn(writing->job, "key_outside_clip",
                    "keys outside of the clip's %g s were moved to its ends",
                    (double)writing->clip->duration);
}

bool sl_anim_encode(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    if (content->clip_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_clip",
                         "a Second Life animation holds one clip, not %u: name one", content->clip_count);
    struct writing writing = {.job = job, .clip = &content->clips[0]};
    struct pose_clip upload;
    struct sl_fit fit;
    if (clip_is_upload(writing.clip)) {
        if (!sl_bvh_convert(job, writing.clip, &upload))
            return false;
        writing.clip = &upload;
    }
    if (!check_clip(writing.clip, job->error) || !sl_fit_clip(job, writing.clip, &fit))
        return false;
    if (!write_head(&writing, fit.track_count))
        return false;
    writing.is_conversion = fit.is_conversion || writing.clip == &upload;
    write_tracks(&writing, &fit);
    return sl_constraints_write(pose_value_find(writing.clip->extras, "constraints"), fit.track_count, job);
}
