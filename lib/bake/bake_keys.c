/*
 * Keys on the target's clock. Each channel is a curve by the rules of its own engine; keys are placed on it until
 * the target's engine reproduces the same curve between them.
 */
#include "lib/bake/bake.h"

#include "lib/model/axes.h"
#include "lib/model/build.h"
#include "lib/sample/curve.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    PROBES = LANES - 1, /* times between two keys at which the curves are compared */
    DEPTH = 24,         /* halvings of the span between two keys; more than frames or times allow */
    DEPTH_ANYWHERE = 10,
};

#define ANGLE_TOLERANCE 1e-4  /* radians */
#define LENGTH_TOLERANCE 1e-4 /* metres */
/* Keys this near a frame are on it: fraction of a frame. */
#define ON_FRAME 2e-3

/* A key under construction. */
struct knot {
    double time; /* of the source */
    uint32_t frame;
    float value[4];
};

struct key_list {
    uint32_t count, time_room, value_room;
    float *times;
    float (*values)[4];
};

struct fitting {
    struct baking *b;
    struct sample_kernels kernels; /* of the target */
    double tolerance[POSE_PART_COUNT];
    uint64_t keys;
    /* The deviation that remains between the target's frames. */
    uint32_t off;
    double worst[POSE_PART_COUNT];
    /* The channel. */
    enum pose_part part;
    struct curve curve;
    struct key_list list;
    bool is_off;
};

/* ------------------------------------------------------------------------------------------------- source -- */

/* The time in the clip that a frame of the result shows; the last frame shows the end. */
static double time_of(const struct baking *b, uint32_t frame)
{
    double duration = (double)b->clip.duration;
    if (b->places != PLACES_EVEN && frame >= b->last && (b->places != PLACES_ANY))
        return duration;
    double time = fmin(frame * b->frame, duration);
    return b->places == PLACES_ANY && duration - time < ON_FRAME * b->frame ? duration : time;
}

static void flip(float *q)
{
    for (int i = 0; i < 4; i++)
        q[i] = 0 - q[i];
}

/* Chooses the sign of a quaternion, if the target stores only one. */
static void settle_sign(const struct fitting *f, float *value)
{
    if (f->part == POSE_ROTATION && f->b->target.rules == POSE_RULES_SL && value[3] < 0)
        flip(value);
}

static void take_value(const struct fitting *f, const float *value, struct knot *knot)
{
    memcpy(knot->value, value, part_components(f->part) * sizeof *value);
    if (f->part == POSE_ROTATION)
        quat_normalise(knot->value);
    settle_sign(f, knot->value);
}

static void sample_knot(const struct fitting *f, struct knot *knot)
{
    float value[4];
    curve_sample(&f->curve, &knot->time, 1, value);
    take_value(f, value, knot);
}

/* --------------------------------------------------------------------------------------------------- result -- */

static bool append(struct fitting *f, const struct knot *knot)
{
    struct key_list *list = &f->list;
    struct baking *b = f->b;
    if (!arena_step(b->scratch))
        return false;
    if (++f->keys > b->key_limit)
        return error_limit(b->error, "keys", "more than the limit of %llu keys",
                           (unsigned long long)b->key_limit);
    float *times = arena_grow(b->scratch, list->times, list->count, &list->time_room, sizeof *times);
    float(*values)[4] = arena_grow(b->scratch, list->values, list->count, &list->value_room, sizeof *values);
    if (!times || !values)
        return false;
    list->times = times;
    list->values = values;
    double at = b->places == PLACES_ANY ? knot->time : knot->frame * b->frame;
    times[list->count] = fminf((float)at, b->out->duration);
    memcpy(values[list->count], knot->value, sizeof *values);
    list->count++;
    return true;
}

/* The largest distance between the curve and the target's interpolation from one knot to another. */
static double find_error(const struct fitting *f, const struct knot *from, const struct knot *to)
{
    double times[PROBES], fractions[PROBES], worst = 0;
    float wanted[PROBES * 4], got[PROBES * 4];
    uint32_t components = part_components(f->part);
    for (int i = 0; i < PROBES; i++) {
        fractions[i] = (i + 1) / (double)LANES;
        times[i] = from->time + (to->time - from->time) * fractions[i];
    }
    curve_sample(&f->curve, times, PROBES, wanted);
    curve_blend(&f->kernels, f->part, from->value, to->value, fractions, PROBES, got);
    for (uint32_t i = 0; i < PROBES; i++)
        worst = fmax(worst, curve_distance(f->part, wanted + i * components, got + i * components));
    return worst;
}

/* Prime interpolates on the arc given by the signs, even the longer one: chooses the clip's arc. */
static double choose_way(const struct fitting *f, const struct knot *from, struct knot *to)
{
    bool has_choice = f->part == POSE_ROTATION && (f->b->target.rules == POSE_RULES_PRIME ||
                                                   f->b->target.rules == POSE_RULES_PRIME_FRAMES);
    if (!has_choice)
        return find_error(f, from, to);
    if (quat_dot(from->value, to->value) < 0)
        flip(to->value);
    double error = find_error(f, from, to);
    if (error <= f->tolerance[f->part])
        return error;
    flip(to->value);
    double other = find_error(f, from, to);
    if (other < 0.5 * error)
        return other;
    flip(to->value);
    return error;
}

static bool halve(const struct fitting *f, const struct knot *from, const struct knot *to,
                  struct knot *middle)
{
    const struct baking *b = f->b;
    if (b->every_frame || b->places == PLACES_EVEN)
        return false;
    if (b->places == PLACES_ANY) {
        float time = (float)(0.5 * (from->time + to->time));
        /* Second Life stores times in 65535 steps of the duration. */
        double least = (double)b->out->duration / 30000;
        if (!((double)time - from->time > least) || !(to->time - (double)time > least))
            return false;
        *middle = (struct knot){.time = (double)time};
    } else {
        if (to->frame <= from->frame + 1)
            return false;
        uint32_t frame = from->frame + (to->frame - from->frame) / 2;
        *middle = (struct knot){.time = time_of(b, frame), .frame = frame};
    }
    sample_knot(f, middle);
    return true;
}

static void note_error(struct fitting *f, double error)
{
    if (error <= f->tolerance[f->part])
        return;
    f->is_off = true;
    f->worst[f->part] = fmax(f->worst[f->part], error);
}

/* Appends the knots needed between *last and to, and to itself. *last becomes the last one appended. */
static bool connect(struct fitting *f, struct knot *last, const struct knot *to)
{
    struct knot ahead[DEPTH + 1];
    unsigned count = 1, depth = f->b->places == PLACES_ANY ? DEPTH_ANYWHERE : DEPTH;
    ahead[0] = *to;
    while (count) {
        struct knot *next = &ahead[count - 1], middle;
        double error = choose_way(f, last, next);
        if (error > f->tolerance[f->part] && count <= depth && halve(f, last, next, &middle)) {
            ahead[count++] = middle;
            continue;
        }
        note_error(f, error);
        if (!append(f, next))
            return false;
        *last = *next;
        count--;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------- places -- */

/* Knots in sequence, with ascending times. */
struct walk {
    bool has_last;
    struct knot last;
};

static bool visit(struct fitting *f, struct walk *walk, struct knot *knot)
{
    if (walk->has_last)
        return connect(f, &walk->last, knot);
    if (f->part == POSE_ROTATION && f->b->places == PLACES_COMMON && knot->value[3] < 0)
        flip(knot->value); /* the sign of Prime's first key cannot be stored */
    walk->has_last = true;
    walk->last = *knot;
    return append(f, knot);
}

/* The clip's own key k, or the curve's value if the key is not on the frame. */
static void take_knot(const struct fitting *f, const struct pose_channel *channel, uint32_t k,
                      struct knot *knot)
{
    const struct baking *b = f->b;
    double time = (double)channel->times[k];
    if (b->places == PLACES_ANY)
        knot->time = fmin(fmax(time, 0), (double)b->clip.duration);
    if (fabs(time - knot->time) <= ON_FRAME * b->frame)
        take_value(f, f->curve.values + (size_t)k * part_components(f->part), knot);
    else
        sample_knot(f, knot);
}

static bool is_still(const struct fitting *f, const struct pose_channel *channel)
{
    size_t size = part_components(f->part) * sizeof *channel->values;
    for (uint32_t k = 1; k < channel->count; k++) {
        if (memcmp(channel->values, (const char *)channel->values + k * size, size) != 0)
            return false;
    }
    return true;
}

static bool fit_still(struct fitting *f)
{
    struct knot knot = {0};
    take_value(f, f->curve.values, &knot);
    return append(f, &knot);
}

/* The nearest frame, but not after the first key nor before the last one, as the channel is constant outside. */
static uint32_t frame_of(const struct baking *b, const struct pose_channel *channel, uint32_t k)
{
    double frames = (double)channel->times[k] / b->frame, near = round(frames);
    if (k + 1 == channel->count && frames - near > ON_FRAME)
        near++;
    else if (k == 0 && near - frames > ON_FRAME)
        near--;
    return (uint32_t)fmin(fmax(near, 0), b->last);
}

/* The clip's own keys, each at its time or on the nearest frame. */
static bool fit_keys(struct fitting *f, const struct pose_channel *channel)
{
    const struct baking *b = f->b;
    struct walk walk = {0};
    double end = (double)b->clip.duration;
    for (uint32_t k = 0; k < channel->count; k++) {
        struct knot knot = {0};
        if (b->places != PLACES_ANY) {
            knot.frame = frame_of(b, channel, k);
            knot.time = time_of(b, knot.frame);
        }
        bool is_taken = walk.has_last && b->places != PLACES_ANY && knot.frame == walk.last.frame;
        if (is_taken && k + 1 < channel->count)
            continue;
        take_knot(f, channel, k, &knot);
        if (is_taken || (walk.has_last && b->places == PLACES_ANY && knot.time <= walk.last.time))
            continue;
        if (!visit(f, &walk, &knot))
            return false;
    }
    if (f->curve.wraps && walk.last.time < end) {
        struct knot knot = {.time = end, .frame = b->last};
        sample_knot(f, &knot);
        return visit(f, &walk, &knot);
    }
    return true;
}

/* Keys on all frames, or on those that are marked. */
static bool fit_frames(struct fitting *f, const struct pose_channel *channel, const bool *marked)
{
    const struct baking *b = f->b;
    struct walk walk = {0};
    uint32_t k = 0, count = b->places == PLACES_EVEN ? b->last : b->last + 1;
    for (uint32_t frame = 0; frame < count; frame++) {
        struct knot knot = {.time = time_of(b, frame), .frame = frame};
        if (marked && !marked[frame])
            continue;
        while (k + 1 < channel->count && (double)channel->times[k] < knot.time - ON_FRAME * b->frame)
            k++;
        if (b->places == PLACES_ANY)
            sample_knot(f, &knot);
        else
            take_knot(f, channel, k, &knot);
        if (!visit(f, &walk, &knot))
            return false;
    }
    if (b->places == PLACES_ANY && walk.last.time < (double)b->clip.duration) {
        struct knot knot = {.time = (double)b->clip.duration};
        sample_knot(f, &knot);
        return visit(f, &walk, &knot);
    }
    return true;
}

/* ----------------------------------------------------------------------------------------------- channels -- */

/* Converts to the target's axes, in whose unit a value may overflow. */
static void turn(const struct fitting *f, float *values, uint32_t count)
{
    pose_convert_axes(f->part, values, count, f->b->clip.axes, f->b->target.axes);
    for (size_t i = 0; i < (size_t)count * part_components(f->part); i++) {
        if (!isfinite(values[i]))
            values[i] = copysignf(FLT_MAX, values[i]);
    }
}

/* Copies the fitted keys into the document. */
static bool finish(struct fitting *f, const struct bake_track *source, struct pose_channel *to)
{
    struct baking *b = f->b;
    struct channel_builder builder;
    uint32_t components = part_components(f->part);
    if (!channel_new(b->arena, f->part, f->list.count, &builder))
        return false;
    memcpy(builder.times, f->list.times, f->list.count * sizeof *builder.times);
    for (uint32_t k = 0; k < f->list.count; k++) {
        for (uint32_t i = 0; i < components; i++) {
            float value = f->list.values[k][i];
            bool moves = f->part == POSE_TRANSLATION && source->offset[i] != 0;
            builder.values[k * components + i] = moves ? (float)((double)value + source->offset[i]) : value;
        }
    }
    turn(f, builder.values, f->list.count);
    *to = channel_done(&builder, f->list.count);
    return true;
}

/* The clip's own keys, unchanged. */
static bool keep(struct fitting *f, const struct bake_track *source, const struct pose_channel *channel,
                 struct pose_channel *to)
{
    struct baking *b = f->b;
    struct channel_builder builder;
    uint32_t components = part_components(f->part);
    if (!channel_new(b->arena, f->part, channel->count, &builder))
        return false;
    memcpy(builder.times, channel->times, channel->count * sizeof *builder.times);
    memcpy(builder.values, channel->values, (size_t)channel->count * components * sizeof *builder.values);
    for (size_t i = 0; f->part == POSE_TRANSLATION && i < (size_t)channel->count * 3; i++) {
        if (source->offset[i % 3] != 0)
            builder.values[i] = (float)((double)builder.values[i] + source->offset[i % 3]);
    }
    turn(f, builder.values, channel->count);
    *to = channel_done(&builder, channel->count);
    return true;
}

static bool open_channel(struct fitting *f, const struct pose_channel *channel, enum pose_part part)
{
    const struct baking *b = f->b;
    f->part = part;
    f->list.count = 0;
    f->is_off = false;
    if (!curve_init(&f->curve, b->scratch, &b->clip, part, channel))
        return false;
    f->curve.wraps = b->clip.rules == POSE_RULES_SIMS && (b->goes_round || b->places == PLACES_EVEN);
    return true;
}

static bool fit_channel(struct fitting *f, const struct bake_track *source, enum pose_part part,
                        const bool *marked, struct pose_channel *to)
{
    const struct baking *b = f->b;
    const struct pose_channel *channel = &source->from->channels[part];
    if (!channel->count || !b->target.holds[part])
        return true;
    if (!open_channel(f, channel, part))
        return false;
    if (b->keeps_keys)
        return keep(f, source, channel, to);
    bool is_even = b->places == PLACES_EVEN;
    bool done = marked                             ? fit_frames(f, channel, marked)
                : !is_even && is_still(f, channel) ? fit_still(f)
                : is_even || b->every_frame        ? fit_frames(f, channel, NULL)
                                                   : fit_keys(f, channel);
    f->off += f->is_off;
    return done && finish(f, source, to);
}

/* ------------------------------------------------------------------------------------------ the whole clip -- */

/* The frames of Prime's keys: the clip's own, and those that the channels need. */
static bool mark_frames(struct fitting *f, bool *marked)
{
    struct baking *b = f->b;
    for (uint32_t i = 0; i <= b->last; i++)
        marked[i] = b->every_frame;
    marked[0] = marked[b->last] = true;
    for (uint32_t i = 0; i < b->track_count && !b->every_frame; i++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
            const struct pose_track *from = b->sources[i].from;
            const struct pose_channel *channel = from ? &from->channels[part] : NULL;
            if (!channel || !channel->count || !b->target.holds[part])
                continue;
            if (!open_channel(f, channel, part))
                return false;
            if (!is_still(f, channel) && !fit_keys(f, channel))
                return false;
            for (uint32_t k = 0; k < f->list.count; k++)
                marked[(uint32_t)fmin(round((double)f->list.times[k] / b->frame), b->last)] = true;
        }
    }
    f->keys = 0;
    memset(f->worst, 0, sizeof f->worst);
    return true;
}

static void mark_kept(const struct baking *b, bool *marked)
{
    for (uint32_t i = 0; i < b->track_count; i++) {
        for (int part = 0; b->sources[i].from && part <= POSE_SCALE; part++) {
            const struct pose_channel *channel = &b->sources[i].from->channels[part];
            for (uint32_t k = 0; k < channel->count; k++)
                marked[(uint32_t)fmin(fmax(round((double)channel->times[k] / b->frame), 0), b->last)] = true;
        }
    }
}

/* Adds a rotation to a bone, if the target requires one. */
static bool put_rest(struct fitting *f, const struct bake_track *source, const bool *marked,
                     struct pose_channel *to)
{
    const struct baking *b = f->b;
    f->part = POSE_ROTATION;
    f->list.count = 0;
    for (uint32_t frame = 0; frame <= b->last; frame++) {
        struct knot knot = {.frame = frame};
        memcpy(knot.value, source->rest_rotation, sizeof knot.value);
        if (knot.value[3] < 0)
            flip(knot.value);
        if (marked[frame] && !append(f, &knot))
            return false;
    }
    return finish(f, source, to);
}

static void tell(const struct fitting *f)
{
    if (!f->off)
        return;
    double unit = f->b->clip.axes == POSE_AXES_SIMS ? 0.3048 : 1;
    bake_warn(
        f->b, "keys_off_frames",
        "%u channels move between the frames of %s in ways it cannot reproduce: by up to %.2g degrees and "
        "%.2g mm",
        f->off, f->b->target.title, f->worst[POSE_ROTATION] * 57.29577951308232,
        f->worst[POSE_TRANSLATION] * unit * 1000);
}

bool bake_keys(struct baking *b)
{
    double unit = b->clip.axes == POSE_AXES_SIMS ? 0.3048 : 1;
    struct fitting f = {.b = b,
                        .kernels = curve_kernels(b->target.rules),
                        .tolerance = {LENGTH_TOLERANCE / unit, ANGLE_TOLERANCE, 1e-4, 1e-4}};
    bool *marked = NULL;
    if (b->places == PLACES_COMMON) {
        marked = ARENA_NEW(b->scratch, bool, (size_t)b->last + 1);
        if (!marked || (!b->keeps_keys && !mark_frames(&f, marked)))
            return false;
        if (b->keeps_keys)
            mark_kept(b, marked);
    }
    for (uint32_t i = 0; i < b->track_count; i++) {
        const struct bake_track *source = &b->sources[i];
        for (int part = 0; source->from && part < POSE_PART_COUNT; part++) {
            if (!fit_channel(&f, source, (enum pose_part)part, marked, &b->tracks[i].channels[part]))
                return false;
        }
        if (source->wants_rotation && !put_rest(&f, source, marked, &b->tracks[i].channels[POSE_ROTATION]))
            return false;
    }
    tell(&f);
    return !b->arena->failed && !b->scratch->failed;
}
