#include "lib/sample/clock.h"

#include <float.h>
#include <math.h>

/* t modulo length, never negative. length > 0. */
static double floor_modulo(double t, double length)
{
    if (t >= 0 && t < length)
        return t;
    double rest = fmod(t, length);
    if (rest < 0)
        rest += length;
    /* A tiny negative remainder may round to the length itself. */
    return rest < length ? rest : 0;
}

/*
 * Second Life's loop clock (sl-anim.md, 4): an intro up to loop_out that plays once, then the loop, in single
 * precision. Loop points may lie anywhere and in any order.
 */
static double sl_loop(const struct pose_clip *clip, double t)
{
    bool loops = clip->loop == POSE_LOOP_YES;
    float in = loops ? clip->loop_in : 0, out = loops ? clip->loop_out : clip->duration;
    float time = (float)fmin(fmax(t, 0), (double)FLT_MAX);
    if (!(clip->duration > 0))
        return 0;
    if (time <= out)
        return (double)time;
    if (in == out)
        return (double)out;
    float looped = in + fmodf(time - out, out - in);
    /* Loop points near the ends of the range overflow. */
    return isfinite(looped) ? (double)looped : (double)out;
}

/* Whether a clip without engine rules has a loop range. */
static bool has_loop_range(const struct pose_clip *clip)
{
    return clip->rules == POSE_RULES_PLAIN && clip->loop == POSE_LOOP_YES && clip->loop_in >= 0 &&
           clip->loop_in < clip->loop_out && clip->loop_out <= clip->duration &&
           (clip->loop_in > 0 || clip->loop_out < clip->duration);
}

static double wrap_time(const struct pose_clip *clip, double t)
{
    if (clip->rules == POSE_RULES_SL)
        return sl_loop(clip, t);
    if (has_loop_range(clip)) {
        double in = (double)clip->loop_in, out = (double)clip->loop_out;
        return t <= out ? fmax(t, 0) : in + floor_modulo(t - out, out - in);
    }
    return floor_modulo(t, (double)clip->duration);
}

/* The greatest float <= number: comparing it with floats is the same as comparing the number. */
static float float_below(double number)
{
    float near = (float)number;
    return (double)near > number ? nextafterf(near, -INFINITY) : near;
}

struct clock clock_read(const struct pose_clip *clip, double t, enum pose_wrap wrap)
{
    double duration = (double)clip->duration;
    if (!(duration > 0))
        return (struct clock){.wraps = wrap == POSE_WRAP};
    double time = wrap == POSE_WRAP ? wrap_time(clip, t) : fmin(fmax(t, 0), duration);
    return (struct clock){
        .time = time,
        .below = float_below(time),
        .phase = fmin(fmax(time / duration, 0), 1),
        .wraps = wrap == POSE_WRAP,
    };
}
