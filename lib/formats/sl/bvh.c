#include "lib/formats/sl/bvh.h"

#include "lib/core/numbers/numbers.h"
#include "lib/core/text.h"
#include "lib/formats/sl/curve.h"
#include "lib/formats/sl/layout.h"
#include "lib/formats/sl/names.h"
#include "lib/model/axes.h"
#include "lib/formats/sl/bvh_upload.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What the viewer considers no motion: inches, or how far the tips of the unit X and Y axes move, added. */
#define STILL 0.001

/* Keys are dropped only within these tolerances, radians and metres: less than half the resolution of a key. */
#define ROTATION_TOLERANCE 1e-5
#define POSITION_TOLERANCE 2e-5

/* ------------------------------------------------------------------------------------------------- motion -- */

/* conj(a) * b, rotations of column vectors. */
static void multiply_conjugate(const float a[4], const float b[4], float product[4])
{
    double x = -(double)a[0], y = -(double)a[1], z = -(double)a[2], w = (double)a[3];
    double bx = (double)b[0], by = (double)b[1], bz = (double)b[2], bw = (double)b[3];
    product[0] = (float)(w * bx + x * bw + y * bz - z * by);
    product[1] = (float)(w * by + y * bw + z * bx - x * bz);
    product[2] = (float)(w * bz + z * bw + x * by - y * bx);
    product[3] = (float)(w * bw - x * bx - y * by - z * bz);
}

/* Rotates v by the inverse of q. */
static void turn_back(const float q[4], float v[3])
{
    double x = -(double)q[0], y = -(double)q[1], z = -(double)q[2], w = (double)q[3];
    const double a = (double)v[0], b = (double)v[1], c = (double)v[2];
    const double t[3] = {2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)};
    v[0] = (float)(a + w * t[0] + y * t[2] - z * t[1]);
    v[1] = (float)(b + w * t[1] + z * t[0] - x * t[2]);
    v[2] = (float)(c + w * t[2] + x * t[1] - y * t[0]);
}

static bool rotation_differs(const float *first, const float *key)
{
    float turn[4];
    multiply_conjugate(first, key, turn);
    double x = (double)turn[0], y = (double)turn[1], z = (double)turn[2];
    return 2 * (hypot(y, z) + hypot(x, z)) > STILL;
}

static bool position_differs(const float *first, const float *key)
{
    double x = (double)(key[0] - first[0]), y = (double)(key[1] - first[1]), z = (double)(key[2] - first[2]);
    return hypot(hypot(x, y), z) > STILL;
}

/* Whether any frame differs from frame 0, or there is only that one. Joints that do not move are left out. */
static bool moves(const struct pose_track *track)
{
    const struct pose_channel *rotation = &track->channels[POSE_ROTATION],
                              *position = &track->channels[POSE_TRANSLATION];
    bool found = rotation->count == 1;
    for (uint32_t k = 1; k < rotation->count && !found; k++)
        found = rotation_differs(rotation->values, rotation->values + (size_t)k * 4);
    for (uint32_t k = 1; k < position->count && !found; k++)
        found = position_differs(position->values, position->values + (size_t)k * 3);
    return found;
}

static double frame_seconds(const struct pose_clip *clip)
{
    const char *text = value_get_string(clip->extras, "frame_time", "");
    float seconds = 0;
    if (!number_parse_float(text, strlen(text), &seconds))
        seconds = clip->fps > 0 ? 1 / clip->fps : 0;
    return (double)seconds;
}

/* The reference frame is not played, and the last frame only ends the one before it. */
static float upload_duration(const struct pose_clip *clip)
{
    double seconds = frame_seconds(clip);
    double frames = seconds > 0 ? round((double)clip->duration / seconds) + 1 : 1;
    return (float)(fmax(frames - 2, 1) * seconds);
}

/* ------------------------------------------------------------------------------------------------ reasons -- */

typedef bool tell_reason(void *user, const struct sl_bvh_reason *reason);

static uint32_t line_of(const struct pose_value *extras, const char *key)
{
    int64_t line = value_get_int(extras, key, 0);
    return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

static bool is_pelvis(const char *name)
{
    return name && sl_joint_find(name, strlen(name), NULL) == SL_PELVIS;
}

static bool check_names(const struct pose_clip *clip, uint32_t *count, tell_reason *tell, void *user)
{
    struct sl_bvh_reason reason;
    *count = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        const char *name = track->name ? track->name : "";
        if (!moves(track))
            continue;
        ++*count;
        reason.line = line_of(track->extras, "line");
        reason.code = sl_joint_is_forbidden(name, strlen(name))     ? "forbidden_joint"
                      : sl_joint_find(name, strlen(name), NULL) < 0 ? "unknown_joint"
                                                                    : NULL;
        snprintf(reason.message, sizeof reason.message, "the avatar has no joint named \"%.60s\"", name);
        if (reason.code && !tell(user, &reason))
            return false;
    }
    return true;
}

/* Reports problems of names and motion until tell returns false. */
static bool check_clip(const struct pose_clip *clip, tell_reason *tell, void *user)
{
    struct sl_bvh_reason reason = {.line = clip->track_count ? line_of(clip->tracks[0].extras, "line") : 0};
    uint32_t count;
    const char *root = clip->track_count && clip->tracks[0].name ? clip->tracks[0].name : "";
    reason.code = "bad_root";
    snprintf(reason.message, sizeof reason.message,
             "the root is \"%.60s\"; it must be hip, or another name of mPelvis", root);
    if (!is_pelvis(root) && !tell(user, &reason))
        return false;
    if (!check_names(clip, &count, tell, user))
        return false;
    reason.line = line_of(clip->extras, "frames_line");
    reason.code = "no_joints";
    snprintf(reason.message, sizeof reason.message, "%s",
             "no joint differs from frame 0, which is a reference and not played");
    if (!count && !tell(user, &reason))
        return false;
    reason.code = "too_many_joints";
    snprintf(reason.message, sizeof reason.message, "%u joints move, and the limit is %d", count,
             SL_TRACK_LIMIT);
    if (count > SL_TRACK_LIMIT && !tell(user, &reason))
        return false;
    float duration = upload_duration(clip);
    reason.code = "too_long";
    snprintf(reason.message, sizeof reason.message, "%g seconds, and the limit is %g", (double)duration,
             (double)SL_DURATION_LIMIT);
    return duration <= SL_DURATION_LIMIT || tell(user, &reason);
}

static bool list_reason(void *user, const struct sl_bvh_reason *reason)
{
    struct value_list *list = user;
    if (value_count(list->value) >= WARNINGS_PER_CODE)
        return false;
    struct value_list item = value_object(list->arena);
    value_put_string(&item, "code", reason->code);
    value_put_string(&item, "message", arena_copy_text(list->arena, reason->message));
    if (reason->line)
        value_put_int(&item, "line", reason->line);
    value_put_list(list, NULL, &item);
    return true;
}

struct value_list sl_bvh_reasons(struct arena *arena, struct pose_bytes bytes, const struct pose_clip *clip)
{
    struct value_list list = value_array(arena);
    struct sl_bvh_reason reason;
    if (!sl_bvh_check_lines(bytes, clip->frame_count, &reason))
        list_reason(&list, &reason);
    check_clip(clip, list_reason, &list);
    return list;
}

/* ------------------------------------------------------------------------------------------- the conversion -- */

static bool refuse(struct encode_job *job, const char *code, uint32_t line, const char *message)
{
    if (line)
        error_set(job->error, POSE_BAD_DATA, code, "at line %u: %s", line, message);
    else
        error_set(job->error, POSE_BAD_DATA, code, "%s", message);
    job->error->line = line;
    return false;
}

/* The viewer ignores unknown names and plays the rest of the clip. */
static bool refuse_reason(void *user, const struct sl_bvh_reason *reason)
{
    return !strcmp(reason->code, "unknown_joint") ||
           refuse(user, reason->code, reason->line, reason->message);
}

/* Names may have been mapped and keys edited since reading; the lines of the file cannot change. */
static bool is_about_lines(const char *code)
{
    static const char *const others[] = {
        "bad_root", "unknown_joint", "forbidden_joint", "no_joints", "too_many_joints", "too_long", NULL};
    return !text_is_among(code, others);
}

static bool check_upload(struct encode_job *job, const struct pose_clip *clip)
{
    if (!check_clip(clip, refuse_reason, job))
        return false;
    const struct pose_value *reasons = pose_value_find(clip->extras, UPLOAD_REASONS);
    for (const struct pose_value *reason = reasons->first; reason; reason = reason->next) {
        const char *code = value_get_string(reason, "code", "");
        if (is_about_lines(code))
            return refuse(job, code, line_of(reason, "line"), value_get_string(reason, "message", ""));
    }
    return true;
}

/* Copies the keys that are played, with their times in the clip. */
static bool copy_keys(struct encode_job *job, const struct pose_channel *from, enum pose_part part,
                      double seconds, float duration, struct channel_builder *to, uint32_t *count)
{
    uint32_t skipped = from->count > 1;
    *count = from->count - skipped;
    if (!channel_new(job->arena, part, *count, to))
        return false;
    memcpy(to->values, from->values + skipped * to->components,
           (size_t)*count * to->components * sizeof *to->values);
    for (uint32_t k = 0; k < *count; k++) {
        double frame = seconds > 0 ? round((double)from->times[k + skipped] / seconds) : 0;
        to->times[k] = fminf((float)(fmax(frame - 1, 0) * seconds), duration);
    }
    return true;
}

/* Drops keys that follow from the others. */
static struct pose_channel reduce(struct encode_job *job, enum pose_part part, struct channel_builder *keys,
                                  uint32_t count)
{
    struct sl_curve curve = {.is_rotation = part == POSE_ROTATION,
                             .count = count,
                             .times = keys->times,
                             .values = keys->values,
                             .tolerance = part == POSE_ROTATION ? ROTATION_TOLERANCE : POSITION_TOLERANCE};
    uint32_t *kept = ARENA_NEW(job->arena, uint32_t, count);
    if (!kept || !count)
        return (struct pose_channel){0};
    uint32_t left = sl_curve_is_constant(&curve) ? 1 : sl_curve_reduce(&curve, kept);
    for (uint32_t k = 0; k < left; k++) {
        keys->times[k] = keys->times[kept[k]];
        memmove(keys->values + (size_t)k * keys->components,
                keys->values + (size_t)kept[k] * keys->components, keys->components * sizeof(float));
    }
    return channel_done(keys, left);
}

/* The viewer turns the axes of the joints that it knows; of others it changes the unit alone. */
static enum pose_axes axes_of(int number)
{
    return number < 0 ? POSE_AXES_GLTF : POSE_AXES_SL;
}

static bool convert_rotation(struct encode_job *job, const struct pose_track *from, double seconds,
                             float duration, int number, struct pose_channel *to)
{
    bool relative = number == SL_PELVIS;
    const struct pose_channel *channel = &from->channels[POSE_ROTATION];
    struct channel_builder keys;
    uint32_t count;
    if (!channel->count)
        return true;
    if (!copy_keys(job, channel, POSE_ROTATION, seconds, duration, &keys, &count))
        return false;
    for (uint32_t k = 0; k < count; k++) {
        float *q = keys.values + (size_t)k * 4;
        if (relative)
            multiply_conjugate(channel->values, q, q);
        quat_normalise(q);
        for (int i = 0; q[3] < 0 && i < 4; i++)
            q[i] = -q[i];
    }
    pose_convert_axes(POSE_ROTATION, keys.values, count, POSE_AXES_INCHES, axes_of(number));
    *to = reduce(job, POSE_ROTATION, &keys, count);
    return !job->arena->failed;
}

/*
 * Of six channels the viewer takes the first three as positions along X, Y and Z, whatever their names. If the
 * file's three positions have another order, sets order to the one taken for each axis; false if the order
 * agrees.
 */
static bool takes_positions_otherwise(const struct pose_track *track, unsigned order[3])
{
    enum { WORD = sizeof "Xposition " - 1, SIX_WORDS = 6 * WORD - 1 };
    const char *channels = value_get_string(track->extras, "channels", "");
    unsigned found = 0;
    if (strlen(channels) != SIX_WORDS)
        return false;
    for (int i = 0; i < 3; i++) {
        const char *word = channels + (size_t)i * WORD;
        order[i] = (unsigned)(word[0] - 'X');
        if (order[i] > 2 || strncmp(word + 1, "position ", WORD - 1) != 0)
            return false;
        found |= 1u << order[i];
    }
    return found == 7 && (order[0] != 0 || order[1] != 1);
}

static void reorder(const unsigned order[3], float p[3])
{
    const float from[3] = {p[0], p[1], p[2]};
    for (int i = 0; i < 3; i++)
        p[i] = from[order[i]];
}

static bool convert_position(struct encode_job *job, const struct pose_track *from, double seconds,
                             float duration, int number, struct pose_channel *to)
{
    bool relative = number == SL_PELVIS;
    const struct pose_channel *channel = &from->channels[POSE_TRANSLATION],
                              *rotation = &from->channels[POSE_ROTATION];
    struct channel_builder keys;
    uint32_t count;
    if (!channel->count)
        return true;
    if (!copy_keys(job, channel, POSE_TRANSLATION, seconds, duration, &keys, &count))
        return false;
    unsigned order[3];
    bool is_reordered = takes_positions_otherwise(from, order);
    if (is_reordered)
        encode_warn(
            job, "position_order",
            "line %u: the viewer takes the positions of \"%.60s\" as X, Y and Z, whatever their names",
            line_of(from->extras, "line"), from->name ? from->name : "");
    for (uint32_t k = 0; k < count; k++) {
        float *p = keys.values + (size_t)k * 3;
        for (int i = 0; i < 3 && relative; i++)
            p[i] -= channel->values[i];
        if (is_reordered)
            reorder(order, p);
        if (relative && rotation->count)
            turn_back(rotation->values, p);
    }
    pose_convert_axes(POSE_TRANSLATION, keys.values, count, POSE_AXES_INCHES, axes_of(number));
    *to = reduce(job, POSE_TRANSLATION, &keys, count);
    return !job->arena->failed;
}

static bool convert_track(struct encode_job *job, const struct pose_clip *clip, const struct pose_track *from,
                          float duration, struct pose_track *to)
{
    const char *name = from->name ? from->name : "";
    int number = sl_joint_find(name, strlen(name), NULL);
    double seconds = frame_seconds(clip);
    to->name = number < 0 ? name : sl_joint_name(number);
    if (number < 0)
        encode_warn(job, "unknown_joint", "the avatar has no joint named \"%.60s\"; the viewer ignores it",
                    name);
    return convert_rotation(job, from, seconds, duration, number, &to->channels[POSE_ROTATION]) &&
           convert_position(job, from, seconds, duration, number, &to->channels[POSE_TRANSLATION]);
}

bool sl_bvh_convert(struct encode_job *job, const struct pose_clip *clip, struct pose_clip *to)
{
    if (!check_upload(job, clip))
        return false;
    struct pose_track *tracks = ARENA_NEW(job->arena, struct pose_track, clip->track_count);
    if (!tracks)
        return false;
    float duration = upload_duration(clip);
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        if (moves(&clip->tracks[i]) &&
            !convert_track(job, clip, &clip->tracks[i], duration, &tracks[count++]))
            return false;
    }
    *to = (struct pose_clip){.name = clip->name,
                             .axes = POSE_AXES_SL,
                             .rules = POSE_RULES_SL,
                             .duration = duration,
                             .loop = clip->loop,
                             .loop_out = duration,
                             .track_count = count,
                             .tracks = tracks};
    return true;
}
