/* The target's clock: where it can have keys, how long the result is, and whether its end leads to its start. */
#include "lib/bake/bake.h"

#include "lib/core/setting.h"
#include "lib/core/value.h"
#include "lib/model/rate.h"
#include "lib/sample/curve.h"

#include <math.h>

enum { MAX_FRAME_NUMBER = 65535 }; /* of The Sims 3 and of Prime */

static const double DEFAULT_FPS = 30;
/* Values of a clip out of this range are ignored as mistakes. */
#define MIN_FPS 0.1f
#define MAX_FPS 10000.0f
#define MIN_FRAME 1e-4f /* seconds */
#define MAX_FRAME 10.0f
/* No warning if rounding changes the duration by less. */
static const double DURATION_TOLERANCE = 0.001;
/* A clip ends as it begins if no joint differs by more: radians, and the clip's unit of length. */
#define SEAM_ANGLE 0.01
#define SEAM_LENGTH 0.005
/* Less is no movement: radians, and the clip's unit of length. */
#define STILL 1e-4

bool bake_is_even(const struct pose_channel *channel, float duration, uint32_t count)
{
    double step = (double)duration / count, tolerance = 0.01 * step + 1e-6 * (double)duration;
    for (uint32_t k = 0; k < channel->count; k++) {
        if (fabs((double)channel->times[k] - k * step) > tolerance)
            return false;
    }
    return channel->count <= 1 || duration > 0;
}

/* ------------------------------------------------------------------------------------------------- looping -- */

static bool ends_as_it_begins(const struct pose_clip *clip)
{
    bool moves = false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_ROTATION; part++) {
            const struct pose_channel *channel = &clip->tracks[i].channels[part];
            size_t components = part == POSE_ROTATION ? 4 : 3;
            if (channel->count < 2)
                continue;
            moves = true;
            const float *last = channel->values + (channel->count - 1) * components;
            if (curve_distance(part, channel->values, last) >
                (part == POSE_ROTATION ? SEAM_ANGLE : SEAM_LENGTH))
                return false;
        }
    }
    return moves;
}

/* The setting, else the clip's flag, else derived from its poses. */
static bool choose_loop(struct baking *b)
{
    const struct pose_clip *clip = &b->clip;
    bool known = clip->loop == POSE_LOOP_YES;
    b->loops = known;
    if (!setting_flag(b->conversion->settings, "loop", &b->loops, b->error))
        return false;
    bool is_asked = pose_value_find(b->conversion->settings, "loop");
    bool has_flag = b->target.rules == POSE_RULES_SL || b->target.rules == POSE_RULES_PRIME;
    if (b->target.family == FAMILY_NONE)
        b->out->loop = is_asked ? (b->loops ? POSE_LOOP_YES : POSE_LOOP_NO) : clip->loop;
    else if (has_flag)
        b->out->loop = b->loops ? POSE_LOOP_YES : POSE_LOOP_NO;
    else if (b->loops)
        bake_warn(b, "loop_dropped", "the loop flag was dropped: %s has none, the game decides",
                  b->target.title);
    /* The end of a looped clip of The Sims leads to its start, so its poses do not show it. */
    bool is_seamless = clip->rules != POSE_RULES_SIMS && ends_as_it_begins(clip);
    b->goes_round = is_asked ? b->loops : is_seamless || (b->loops && clip->rules == POSE_RULES_SIMS);
    return true;
}

static bool has_range(const struct pose_clip *clip)
{
    return clip->loop == POSE_LOOP_YES && (clip->loop_in > 0 || clip->loop_out < clip->duration);
}

static void choose_range(struct baking *b)
{
    const struct pose_clip *clip = &b->clip;
    struct pose_clip *out = b->out;
    bool takes_ranges = b->target.family == FAMILY_SL || b->target.family == FAMILY_NONE;
    bool is_own = clip->rules == POSE_RULES_SL || clip->rules == POSE_RULES_PLAIN;
    out->loop_in = 0;
    out->loop_out = out->duration;
    if (takes_ranges && is_own && isfinite(clip->loop_in) && isfinite(clip->loop_out)) {
        out->loop_in = clip->loop_in;
        out->loop_out = clip->loop_out;
    } else if (has_range(clip)) {
        bake_warn(b, "loop_range_dropped",
                  "the loop from %g to %g s was extended to the whole clip: %s has no loop range",
                  (double)clip->loop_in, (double)clip->loop_out, b->target.title);
    }
}

/* -------------------------------------------------------------------------------------------------- frames -- */

/* Frames per second of a clip that has a rate. */
static double rate_of(const struct baking *b)
{
    float fps = b->conversion->fps > 0 ? b->conversion->fps : b->clip.fps;
    return fps >= MIN_FPS && fps <= MAX_FPS ? (double)fps : DEFAULT_FPS;
}

/* Seconds per frame: from the clip's own file, else from the rate; in single precision, as in files. */
static double choose_frame(const struct baking *b, const char *stored_as)
{
    float stored = value_get_float(b->clip.extras, stored_as, 0);
    bool is_kept = b->keeps_extras && !(b->conversion->fps > 0) && stored >= MIN_FRAME && stored <= MAX_FRAME;
    return (double)(is_kept ? stored : (float)(1 / rate_of(b)));
}

/*
 * The last frame shows the clip's end, so it is at or shortly after it; a clip that loops should keep about the
 * same duration instead.
 */
static double choose_last(const struct baking *b)
{
    double frames = (double)b->clip.duration / b->frame;
    bool is_whole = fabs(frames - round(frames)) < 0.02;
    return is_whole || b->goes_round ? round(frames) : ceil(frames);
}

/* Sets the frame length, unless it is out of range: a clip's duration may be almost 0. */
static void stretch_to(struct baking *b, double frame)
{
    if (frame >= (double)MIN_FRAME && frame <= (double)MAX_FRAME)
        b->frame = (double)(float)frame;
}

/*
 * Prime's frames may have any length: chooses the one nearest to the clip's rate at which the duration is a whole
 * number of frames. For a clip without a rate, looks for one at which all its keys are on frames.
 */
static void stretch_frame(struct baking *b)
{
    static const double rates[] = {30, 24, 25, 20, 15, 45, 50, 60};
    const struct pose_clip *clip = &b->clip;
    double duration = (double)clip->duration, frames = duration / b->frame;
    bool is_even = clip->rules == POSE_RULES_SIMS && clip->frame_count;
    bool is_asked = b->conversion->fps > 0 || b->keeps_extras;
    if (is_asked || !(duration > 0) || !isfinite(frames))
        return;
    stretch_to(b, duration / (is_even ? clip->frame_count : fmax(round(frames), 1)));
    for (size_t i = 0; !is_even && !(clip->fps > 0) && i < sizeof rates / sizeof *rates; i++) {
        double frame = duration / fmax(round(duration * rates[i]), 1);
        if (clip_is_on_frames(clip, frame, 0.02)) {
            stretch_to(b, frame);
            return;
        }
    }
}

static bool set_frames(struct baking *b, uint32_t fewest, const char *stored_as)
{
    double duration = (double)b->clip.duration;
    b->frame = choose_frame(b, stored_as);
    if (b->target.family == FAMILY_PRIME)
        stretch_frame(b);
    double last = fmax(choose_last(b), fewest);
    if (last > MAX_FRAME_NUMBER)
        return error_set(b->error, POSE_BAD_DATA, "too_long",
                         "a clip of %.0f frames of %g s; at most %d fit: cut it first", last, b->frame,
                         MAX_FRAME_NUMBER);
    b->last = (uint32_t)last;
    bool is_exact = b->keeps_extras && fabs(duration - last * b->frame) < 0.5 * b->frame;
    b->out->duration = is_exact ? b->clip.duration : (float)(last * b->frame);
    b->out->frame_count = b->last + 1;
    double fps = 1 / b->frame;
    b->out->fps = (float)(fabs(fps - round(fps)) < 1e-4 * fps ? round(fps) : fps);
    return true;
}

/* Whether the channel has its last value at that time already. */
static bool is_still_from(const struct pose_channel *channel, enum pose_part part, double time)
{
    const size_t components = part == POSE_ROTATION ? 4 : 3;
    for (uint32_t k = channel->count; k > 1 && (double)channel->times[k - 1] > time; k--) {
        const float *value = channel->values + (k - 1) * components;
        if (curve_distance(part, value - components, value) > STILL)
            return false;
    }
    return true;
}

/* Whether the last pose is there a frame before the end, as in what was a clip of The Sims before. */
static bool ends_still(const struct pose_clip *clip, double frame)
{
    const double time = (double)clip->duration - 0.99 * frame;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
            if (!is_still_from(&clip->tracks[i].channels[part], part, time))
                return false;
        }
    }
    return true;
}

/*
 * Key k is at k * duration / count, and the span from the last key to the first is part of the clip. A clip that
 * does not end as it starts gets one more frame, as otherwise its last pose would never be reached, unless it
 * stands still in its last one.
 */
static bool set_even(struct baking *b)
{
    double duration = (double)b->clip.duration;
    double rate = b->conversion->fps > 0 ? (double)b->conversion->fps : DEFAULT_FPS;
    double count = fmax(round(duration * rate), 1);
    bool is_own = b->family == FAMILY_SIMS;
    if (is_own && b->clip.frame_count && !(b->conversion->fps > 0))
        count = b->clip.frame_count;
    double frame = duration / count;
    if (duration <= 0)
        frame = 1 / rate;
    else if (!b->goes_round && !is_own && !(count > 1 && ends_still(&b->clip, frame)))
        count++;
    if (count * fmax(b->track_count, 1) > (double)b->key_limit)
        return error_limit(b->error, "keys", "%.0f frames of %u tracks, more than the limit of %llu keys",
                           count, b->track_count, (unsigned long long)b->key_limit);
    b->last = (uint32_t)count;
    b->frame = frame;
    b->out->duration = is_own && duration > 0 ? b->clip.duration : (float)(count * frame);
    b->out->frame_count = b->last;
    b->out->fps = (float)DEFAULT_FPS;
    return true;
}

static bool set_anywhere(struct baking *b)
{
    b->out->duration = b->clip.duration;
    if (b->target.family == FAMILY_NONE) {
        b->out->fps = b->clip.fps;
        b->out->frame_count = b->clip.frame_count;
    }
    if (!(b->conversion->fps > 0))
        return true;
    b->frame = 1 / (double)b->conversion->fps;
    b->last = (uint32_t)fmin(floor((double)b->clip.duration / b->frame + 1e-4), (double)UINT32_MAX - 2);
    b->out->fps = b->target.family == FAMILY_NONE ? b->conversion->fps : 0;
    return true;
}

static bool choose_places(struct baking *b)
{
    b->every_frame = b->conversion->fps > 0;
    switch (b->target.rules) {
    case POSE_RULES_SIMS:
        b->places = PLACES_EVEN;
        return set_even(b);
    case POSE_RULES_SIMS3:
        b->places = PLACES_FRAMES;
        return set_frames(b, 0, "frame_duration");
    case POSE_RULES_PRIME_FRAMES:
        b->every_frame = true;
        b->places = PLACES_COMMON;
        return set_frames(b, 1, "interval");
    case POSE_RULES_PRIME:
        b->places = PLACES_COMMON;
        return set_frames(b, 1, "interval");
    case POSE_RULES_PLAIN:
    case POSE_RULES_SL:
        break;
    }
    b->places = PLACES_ANY;
    return set_anywhere(b);
}

bool bake_clock(struct baking *b)
{
    if (!choose_loop(b) || !choose_places(b))
        return false;
    if (b->keeps_keys) {
        b->out->duration = b->clip.duration;
        b->out->fps = b->clip.fps;
        b->out->frame_count = b->clip.frame_count;
    }
    choose_range(b);
    double change = (double)b->out->duration - (double)b->clip.duration;
    if (fabs(change) > DURATION_TOLERANCE)
        bake_warn(b, "duration_changed", "the clip is %.4g s long, not %.4g: %s has whole frames",
                  (double)b->out->duration, (double)b->clip.duration, b->target.title);
    return true;
}
