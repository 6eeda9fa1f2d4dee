/* Makes a clip of the target's joints: sampled at a rate, with keys where the target engine can have them. */
#include "lib/core/value.h"
#include "lib/formats/rules.h"
#include "lib/core/warn.h"
#include "lib/model/build.h"
#include "lib/model/copy.h"
#include "lib/model/document.h"
#include "lib/retarget/motion.h"
#include "lib/sample/curve.h"

#include <string.h>

enum { DEFAULT_KEY_LIMIT = 4 * 1000 * 1000 };
static const double REACH_SAID = 0.02;

struct retarget_bake {
    const struct pose_retarget *r;
    const struct pose_retarget_baking *wishes;
    struct arena *arena, *scratch;
    struct pose_error *error;
    enum pose_rules rules;
    enum pose_axes axes;
    uint32_t samples;
    float *times;       /* [samples] */
    float *rotations;   /* [target_count][samples][4], for driven joints */
    float *way;         /* [samples][3] of the carrier */
    bool *has_rotation; /* [target_count] */
    double reach;
    struct pose_clip *out;
};

/* -------------------------------------------------------------------------------------------------- sampling -- */

/* The rules of engines with a clock of their own; others allow keys at any time. */
static enum pose_rules rules_for(const char *format)
{
    enum pose_rules rules = format_rules(format);
    bool has_clock = rules == POSE_RULES_SL || rules == POSE_RULES_SIMS || rules == POSE_RULES_SIMS3;
    return has_clock ? rules : POSE_RULES_PLAIN;
}

static double rate_of(const struct retarget_bake *b)
{
    if (b->wishes->fps > 0)
        return b->wishes->fps;
    double own = (double)b->r->clip->fps;
    return isfinite(own) && own >= 1 && own <= 1000 ? own : 30;
}

static bool make_times(struct retarget_bake *b, uint64_t key_limit)
{
    double duration = (double)b->r->clip->duration, fps = rate_of(b), frames = duration * fps;
    bool is_even = b->rules == POSE_RULES_SIMS, is_on_frames = b->rules == POSE_RULES_SIMS3;
    double count = is_even ? fmax(round(frames), 1) : floor(frames + 1e-3) + 1;
    bool has_end = !is_even && count - 1 < frames - 1e-3;
    if (!isfinite(duration) || duration < 0)
        return error_set(b->error, POSE_BAD_DATA, "bad_duration", "a clip of %g seconds", duration);
    if (!((count + 1) * (b->r->target_count + 1) <= (double)key_limit))
        return error_limit(b->error, "keys", "%.0f frames of %u joints, more than the limit of %llu keys",
                           count, b->r->target_count, (unsigned long long)key_limit);
    b->samples = (uint32_t)count + has_end;
    b->times = ARENA_NEW(b->scratch, float, b->samples);
    if (!b->times)
        return false;
    for (uint32_t i = 0; i < b->samples; i++)
        b->times[i] = (float)fmin(is_even ? i * duration / count : i / fps, duration);
    if (has_end)
        b->times[b->samples - 1] = (float)(is_on_frames ? ceil(frames) / fps : duration);
    return true;
}

static void keep_sign(float *values, uint32_t sample)
{
    float *q = values + (size_t)sample * 4, *before = q - 4;
    float dot = sample ? q[0] * before[0] + q[1] * before[1] + q[2] * before[2] + q[3] * before[3] : q[3];
    for (int i = 0; i < 4 && dot < 0; i++)
        q[i] = 0 - q[i];
}

static void take_sample(struct retarget_bake *b, const struct moment *moment, uint32_t sample)
{
    const struct pose_retarget *r = b->r;
    float row[ROW_FLOATS];
    for (uint32_t i = 0; i < r->target_count; i++) {
        bool is_carrier = (int32_t)i == r->carrier;
        if (!b->has_rotation[i] && !is_carrier)
            continue;
        pose_joint_rest(r->target->skeleton, r->nodes[i].joint, r->axes, row);
        retarget_row(r, moment, i, row);
        float *q = b->rotations + ((size_t)i * b->samples + sample) * 4;
        memcpy(q, row + ROTATION_PLACE, 4 * sizeof *q);
        keep_sign(b->rotations + (size_t)i * b->samples * 4, sample);
        if (is_carrier)
            memcpy(b->way + (size_t)sample * 3, row, 3 * sizeof *row);
    }
    for (int side = 0; side < 2; side++) {
        if (moment->weights[side] >= 1)
            b->reach = fmax(b->reach, moment->missed[side]);
    }
}

static bool take_samples(struct retarget_bake *b)
{
    const struct pose_retarget *r = b->r;
    void *memory = arena_alloc(b->scratch, moment_size(r), 1);
    b->rotations = arena_alloc(b->scratch, (size_t)r->target_count * b->samples, 4 * sizeof(float));
    b->way = arena_alloc(b->scratch, b->samples, 3 * sizeof(float));
    b->has_rotation = ARENA_NEW(b->scratch, bool, r->target_count);
    if (!memory || !b->rotations || !b->way || !b->has_rotation)
        return false;
    struct moment moment = moment_in(r, memory);
    for (uint32_t i = 0; i < r->target_count; i++)
        b->has_rotation[i] = r->nodes[i].is_driven || r->nodes[i].holds;
    /* In The Sims, carrier and hips are always driven. */
    int32_t hips = r->target_node_of[r->target->joint[SLOT_HIPS]];
    if (b->rules == POSE_RULES_SIMS)
        b->has_rotation[r->carrier] = b->has_rotation[hips] = true;
    for (uint32_t i = 0; i < b->samples; i++) {
        bool wraps = b->wishes->loops && i + 1 == b->samples && b->rules != POSE_RULES_SIMS;
        moment_at(r, (double)b->times[i], wraps ? POSE_WRAP : POSE_CLAMP, b->wishes->flags, &moment);
        take_sample(b, &moment, i);
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------------ keys -- */

/* Second Life stores the pelvis' offset from its rest. */
static void take_off_rest(const struct retarget_bake *b, uint32_t joint, float *values, uint32_t count)
{
    const struct pose_skeleton *skeleton = b->r->target->skeleton;
    float rest[10];
    if (b->rules != POSE_RULES_SL || skeleton->root_joint != (int32_t)joint)
        return;
    pose_joint_rest(skeleton, joint, b->axes, rest);
    for (uint32_t i = 0; i < count * 3; i++)
        values[i] = (float)((double)values[i] - (double)rest[i % 3]);
}

static void settle_signs(const struct retarget_bake *b, float *values, uint32_t count)
{
    for (uint32_t k = 0; k < count && b->rules == POSE_RULES_SL; k++) {
        float *q = values + (size_t)k * 4;
        for (int i = 0; i < 4 && q[3] <= 0; i++)
            q[i] = 0 - q[i];
    }
}

static bool make_channel(struct retarget_bake *b, enum pose_part part, uint32_t joint, const float *values,
                         struct pose_channel *channel)
{
    struct channel_builder builder;
    struct sample_kernels kernels = curve_kernels(b->rules);
    double degree = 0.017453292519943295;
    double tolerance = b->wishes->tolerance * (part == POSE_ROTATION ? degree : 0.01);
    uint32_t components = part_components(part), at = 0;
    bool *kept = ARENA_NEW(b->scratch, bool, b->samples);
    if (!kept)
        return false;
    /* The Sims' lengths are in feet, but all its keys are kept anyway. */
    uint32_t count = b->rules == POSE_RULES_SIMS
                         ? b->samples
                         : reduce_keys(&kernels, part, b->times, values, b->samples, tolerance, kept);
    if (!channel_new(b->arena, part, count, &builder))
        return false;
    for (uint32_t k = 0; k < b->samples; k++) {
        if (b->rules != POSE_RULES_SIMS && !kept[k])
            continue;
        builder.times[at] = b->times[k];
        memcpy(builder.values + (size_t)at++ * components, values + (size_t)k * components,
               components * sizeof *values);
    }
    pose_convert_axes(part, builder.values, count, b->r->axes, b->axes);
    if (part == POSE_TRANSLATION)
        take_off_rest(b, joint, builder.values, count);
    else
        settle_signs(b, builder.values, count);
    *channel = channel_done(&builder, count);
    return true;
}

static bool make_tracks(struct retarget_bake *b)
{
    const struct pose_retarget *r = b->r;
    struct pose_track *tracks = ARENA_NEW(b->arena, struct pose_track, r->target_count);
    uint32_t count = 0;
    if (!tracks)
        return false;
    for (uint32_t i = 0; i < r->target_count; i++) {
        const struct pose_joint *joint = &r->target->skeleton->joints[r->nodes[i].joint];
        bool translates = (int32_t)i == r->carrier && (r->moves || b->rules == POSE_RULES_SIMS);
        if (!b->has_rotation[i] && !translates)
            continue;
        struct pose_track *track = &tracks[count++];
        track->name = arena_copy_text(b->arena, joint->name);
        track->has_id = joint->has_id;
        track->id = joint->id;
        track->node = r->nodes[i].joint + 1;
        if (b->has_rotation[i] &&
            !make_channel(b, POSE_ROTATION, r->nodes[i].joint, b->rotations + (size_t)i * b->samples * 4,
                          &track->channels[POSE_ROTATION]))
            return false;
        if (translates &&
            !make_channel(b, POSE_TRANSLATION, r->nodes[i].joint, b->way, &track->channels[POSE_TRANSLATION]))
            return false;
    }
    b->out->tracks = tracks;
    b->out->track_count = count;
    b->out->key_count = clip_count_keys(b->out);
    return !b->arena->failed;
}

/* ------------------------------------------------------------------------------------------------------ clip -- */

/* Extras are specific to an engine; distances in them are scaled with the figure. */
static void make_extras(struct retarget_bake *b)
{
    static const char *const without[] = {"distance", "constraints", "file", "duration_ms", NULL};
    const struct pose_retarget *r = b->r;
    bool is_own = r->clip->rules == b->rules && b->rules != POSE_RULES_PLAIN;
    struct value_list extras = value_object(b->arena);
    const struct pose_value *own = is_own ? value_copy_object(b->arena, r->clip->extras, without) : NULL;
    value_put_members(&extras, own, NULL);
    if (b->rules == POSE_RULES_SIMS) {
        double distance = is_own ? (double)value_get_float(r->clip->extras, "distance", 0) * r->scale : 0;
        if (r->moves && r->flags & POSE_RETARGET_REMOVE_TRAVEL)
            distance = r->report.travel[2] / 0.3048; /* with the clip's own distance */
        value_put_float(&extras, "distance", (float)distance);
    }
    b->out->extras = value_done(&extras);
}

/* A name that says for whom the clip is now, where the target's names do. */
static bool name_clip(struct retarget_bake *b)
{
    const char *name = b->out->name ? b->out->name : b->wishes->name;
    const char *prefix = format_clip_prefix(b->wishes->to, name, b->r->target->skeleton->name);
    if (!name || !*prefix)
        return true;
    b->out->name = arena_format(b->arena, "%s%s", prefix, name);
    return b->out->name;
}

static bool make_clip(struct retarget_bake *b)
{
    struct pose_clip bare = *b->r->clip;
    bare.tracks = NULL;
    bare.track_count = 0;
    bare.extras = NULL;
    bare.companion = bare.origin = bare.game = NULL;
    if (!copy_clip(b->arena, &bare, b->out))
        return false;
    /* Names may be those of another figure as well, and nodes above the bones may have to be folded. */
    if (b->rules == POSE_RULES_PLAIN)
        b->out->tree = b->r->target->skeleton->tree;
    b->out->axes = b->axes;
    b->out->rules = b->rules;
    b->out->frame_count = b->samples;
    if (b->wishes->fps > 0 || b->rules == POSE_RULES_SIMS || b->rules == POSE_RULES_SIMS3)
        b->out->fps = (float)rate_of(b);
    if (b->rules == POSE_RULES_SIMS3)
        b->out->duration = b->times[b->samples - 1];
    make_extras(b);
    return name_clip(b);
}

static void say(pose_warn *warn, void *user, const char *code, const char *format, ...) POSE_PRINTF(4, 5);
static void say(pose_warn *warn, void *user, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    warn_vtell(warn, user, POSE_WARNING, code, POSE_NO_OFFSET, format, arguments);
    va_end(arguments);
}

static void tell(const struct retarget_bake *b, pose_warn *warn, void *user)
{
    const struct pose_retarget_report *report = &b->r->report;
    for (uint32_t i = 0; i < report->warning_count && warn; i++)
        warn(user, &report->warnings[i]);
    if (b->reach > REACH_SAID)
        say(warn, user, "retarget_reach",
            "a standing foot stays up to %.1f cm off its place: the leg does not reach it", b->reach * 100);
}

static bool bake(struct retarget_bake *b, const struct pose_options *options)
{
    uint64_t limit = options && options->limits.keys ? options->limits.keys : DEFAULT_KEY_LIMIT;
    if (!(b->wishes->tolerance >= 0 && b->wishes->tolerance <= 5))
        return error_set(b->error, POSE_BAD_ARGUMENT, "bad_setting", "tolerance: not from 0 to 5 degrees");
    if (b->wishes->fps != 0 && !(b->wishes->fps >= 0.1 && b->wishes->fps <= 1000))
        return error_set(b->error, POSE_BAD_ARGUMENT, "bad_fps",
                         "fps: neither 0 nor a number from 0.1 to 1000");
    b->rules = rules_for(b->wishes->to);
    b->axes = rules_row(b->rules)->axes;
    return make_times(b, limit) && take_samples(b) && make_clip(b) && make_tracks(b);
}

struct pose_document *pose_retarget_bake(const struct pose_retarget *retarget,
                                         const struct pose_retarget_baking *baking,
                                         const struct pose_options *options, pose_warn *warn, void *user,
                                         struct pose_error *error)
{
    struct pose_error local;
    struct arena arena, scratch;
    error = error ? error : &local;
    pose_error_init(error);
    arena_init(&arena, options ? options->allocator : NULL, options ? options->limits.memory : 0, error);
    arena_init(&scratch, options ? options->allocator : NULL, options ? options->limits.memory : 0, error);
    struct document *document = ARENA_NEW(&arena, struct document, 1);
    struct retarget_bake b = {.r = retarget,
                              .wishes = baking,
                              .arena = &arena,
                              .scratch = &scratch,
                              .error = error,
                              .out = ARENA_NEW(&arena, struct pose_clip, 1)};
    bool done = document && b.out && bake(&b, options) && !arena.failed;
    arena_release(&scratch);
    if (!done) {
        error_no_memory(error);
        arena_release(&arena);
        return NULL;
    }
    tell(&b, warn, user);
    arena.error = NULL;
    document->view = (struct pose_document){
        .format = rules_row(b.rules)->format, .clips = b.out, .clip_count = 1, .size = arena.held};
    document->arena = arena;
    return &document->view;
}
