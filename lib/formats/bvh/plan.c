#include "lib/formats/bvh/plan.h"

#include "lib/core/numbers/numbers.h"
#include "lib/core/setting.h"
#include "lib/model/axes.h"
#include "lib/model/rate.h"
#include "lib/core/value.h"
#include "lib/formats/bvh_dialect.h"
#include "lib/sample/sampler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_FPS 30.0
#define SLOWEST_FPS 1.0
#define FASTEST_FPS 1000.0
#define READABLE_FPS 1e6 /* layout.c rejects shorter frames; so short a clip is over at once */

/* How far a Second Life clip may deviate from its frames: 0.06 degrees, 0.25 mm. */
#define MAX_RADIANS 1.05e-3
#define MAX_INCHES 0.01

/* Rotations of all frames; still within a reader's default limits. */
#define MAX_KEYS 4e6

/* ----------------------------------------------------------------------------------------- a clip's own frames -- */

/* Whether times are the same as those from reading a file. */
static bool are_frames(const struct pose_channel *channel, uint32_t count, float seconds)
{
    bool same = channel->count == count;
    for (uint32_t k = 0; same && k < count; k++)
        same = channel->times[k] == (float)(k * (double)seconds);
    return same;
}

/* Whether every key is on a frame of the file that the clip was read from. */
static bool is_native(const struct pose_clip *clip, float *seconds, const char **text)
{
    *text = value_get_string(clip->extras, "frame_time", NULL);
    if (!*text || clip->rules != POSE_RULES_PLAIN ||
        (clip->axes != POSE_AXES_GLTF && clip->axes != POSE_AXES_INCHES) ||
        !number_parse_float(*text, strlen(*text), seconds))
        return false;
    const float *checked = NULL;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            const struct pose_channel *channel = &clip->tracks[i].channels[part];
            if (!channel->count || (channel->times == checked && channel->count == clip->frame_count))
                continue;
            if (!are_frames(channel, clip->frame_count, *seconds))
                return false;
            checked = channel->times;
        }
    }
    return true;
}

/* -------------------------------------------------------------------------------------------------- rates -- */

static int compare_times(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* All key times, sorted, no duplicates. */
struct times {
    float *items;
    uint32_t count;
};

static bool gather_times(struct arena *arena, const struct pose_clip *clip, struct times *times)
{
    const float *last = NULL;
    times->count = 0;
    times->items = ARENA_NEW(arena, float, clip_count_keys(clip));
    if (!times->items)
        return false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            const struct pose_channel *channel = &clip->tracks[i].channels[part];
            if (!channel->count || channel->times == last)
                continue;
            last = channel->times;
            memcpy(times->items + times->count, last, channel->count * sizeof *last);
            times->count += channel->count;
        }
    }
    if (!times->count)
        return true;
    qsort(times->items, times->count, sizeof *times->items, compare_times);
    uint32_t kept = 1;
    for (uint32_t k = 1; k < times->count; k++) {
        if (times->items[k] > times->items[kept - 1])
            times->items[kept++] = times->items[k];
    }
    times->count = kept;
    return true;
}

/* Whether all keys lie on n equal steps of the clip, allowing for the rounding of times to 16 bits. */
static bool is_grid(const struct times *times, double duration, uint32_t n)
{
    for (uint32_t k = 0; k < times->count; k++) {
        double place = (double)times->items[k] / duration;
        if (fabs(place - round(place * n) / n) > BVH_TIME_SLACK)
            return false;
    }
    return true;
}

/* The fewest steps that hit all keys, up to 120 per second, subdivided until shorter than a twentieth of a
 * second; 0: none. */
static uint32_t find_grid(const struct times *times, double duration)
{
    double most = fmin(duration * 120, 8000);
    for (uint32_t n = 1; n <= most; n++) {
        if (is_grid(times, duration, n))
            return n * (uint32_t)fmax(1, ceil(duration * 20 / n));
    }
    return 0;
}

/* Half the angle between two rotations; accurate for small angles. */
static double rotation_distance(const float *a, const float *b)
{
    double same = 0, opposite = 0;
    for (int i = 0; i < 4; i++) {
        same += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        opposite += ((double)a[i] + (double)b[i]) * ((double)a[i] + (double)b[i]);
    }
    return sqrt(fmin(same, opposite));
}

/* Interpolates between two poses of so many rows. */
static void blend(const float *a, const float *b, size_t rows, double u, float *out)
{
    for (size_t r = 0; r < rows; r++, a += 10, b += 10, out += 10) {
        double dot = quat_dot(a + 3, b + 3), square = 0;
        for (int i = 0; i < 7; i++)
            out[i] = (float)((1 - u) * (double)a[i] + (i > 2 && dot < 0 ? -u : u) * (double)b[i]);
        for (int i = 3; i < 7; i++)
            square += (double)out[i] * (double)out[i];
        for (int i = 3; i < 7 && square > 0; i++)
            out[i] = (float)((double)out[i] / sqrt(square));
    }
}

/* Compares the clip between two frames with what a player interpolates. */
struct probe {
    const struct pose_sampler *sampler;
    size_t rows;
    double fps;
    float *before, *after, *real, *made; /* poses */
};

/* Loads the two frames around a position, which is measured in frames. */
static void take_frames(const struct probe *probe, double place)
{
    double frame = floor(place);
    pose_sample(probe->sampler, frame / probe->fps, POSE_CLAMP, POSE_IN_PLACE, probe->before, NULL);
    pose_sample(probe->sampler, (frame + 1) / probe->fps, POSE_CLAMP, POSE_IN_PLACE, probe->after, NULL);
}

static bool is_near(const struct probe *probe, double place)
{
    pose_sample(probe->sampler, place / probe->fps, POSE_CLAMP, POSE_IN_PLACE, probe->real, NULL);
    blend(probe->before, probe->after, probe->rows, place - floor(place), probe->made);
    for (size_t r = 0; r < probe->rows; r++) {
        const float *x = probe->real + r * ROW_FLOATS, *y = probe->made + r * ROW_FLOATS;
        double inches = hypot(hypot((double)(x[0] - y[0]), (double)(x[1] - y[1])), (double)(x[2] - y[2]));
        if (2 * rotation_distance(x + ROTATION_PLACE, y + ROTATION_PLACE) > MAX_RADIANS ||
            inches > MAX_INCHES)
            return false;
    }
    return true;
}

/* Whether frames at that rate reproduce all keys, and the motion between two frames. */
static bool is_fast_enough(const struct probe *probe, const struct times *times, double duration)
{
    for (uint32_t k = 0; k < times->count; k++) {
        double place = (double)times->items[k] * probe->fps;
        take_frames(probe, place);
        if (!is_near(probe, place))
            return false;
    }
    for (double frame = 0; frame < duration * probe->fps - 0.5; frame++) {
        take_frames(probe, frame);
        for (int part = 1; part < 8; part++) {
            if (!is_near(probe, frame + part / 8.0))
                return false;
        }
    }
    return true;
}

/* The steps of a Second Life clip, which has no frame rate; 0 if out of memory. */
static uint32_t choose_steps(struct encode_job *job, const struct bvh_plan *plan)
{
    struct times times;
    double duration = (double)plan->clip->duration;
    size_t rows = pose_sampler_row_count(plan->sampler), size = rows * ROW_FLOATS;
    float *poses = ARENA_NEW(job->arena, float, size * 4);
    if (!poses || !gather_times(job->arena, plan->clip, &times))
        return 0;
    struct probe probe = {plan->sampler, rows, 0, poses, poses + size, poses + 2 * size, poses + 3 * size};
    uint32_t steps = find_grid(&times, duration);
    steps = steps ? steps : (uint32_t)fmax(1, round(duration * DEFAULT_FPS));
    for (;; steps *= 2) {
        probe.fps = steps / duration;
        if (probe.fps > FASTEST_FPS / 2 || is_fast_enough(&probe, &times, duration))
            return steps;
    }
}

/* Of a clip without a rate: that of its keys; else about the default, with the last frame at the end. */
static double choose_rate(const struct pose_clip *clip)
{
    const double duration = (double)clip->duration, rate = clip_find_rate(clip);
    const double fps = rate > 0 ? rate : ceil(duration * DEFAULT_FPS) / duration;
    return duration > 0 && fps <= FASTEST_FPS ? fps : DEFAULT_FPS;
}

/* ------------------------------------------------------------------------------------------------- frames -- */

static bool get_fps(struct encode_job *job, double *fps)
{
    const struct pose_value *asked = pose_value_find(job->settings, "fps");
    float value;
    *fps = 0;
    if (!asked)
        return true;
    if (!value_number(asked, &value) || !(value >= (float)SLOWEST_FPS && value <= (float)FASTEST_FPS))
        return setting_refuse(job->error, "fps", "not a number from 1 to 1000");
    *fps = (double)value;
    return true;
}

/* Frames at that rate. If the clip is a whole number of frames, up to rounding, the last one is at its end. */
static bool set_rate(struct bvh_plan *plan, struct encode_job *job, double fps)
{
    double duration = (double)plan->clip->duration, steps = duration * fps, whole = round(steps);
    if (!(steps * plan->skeleton->joint_count < MAX_KEYS))
        return error_limit(job->error, "keys", "%g frames of %u joints are too many", steps,
                           plan->skeleton->joint_count);
    bool ends_whole = whole >= 1 && fabs(steps - whole) < 0.01;
    plan->frame_seconds = (float)(ends_whole ? duration / whole : 1 / fps);
    plan->frame_count = (uint32_t)(ends_whole ? whole : ceil(steps)) + 1;
    return true;
}

static bool set_frames(struct bvh_plan *plan, struct encode_job *job)
{
    const struct pose_clip *clip = plan->clip;
    double fps;
    if (!isfinite(clip->duration) || clip->duration < 0)
        return error_set(job->error, POSE_BAD_DATA, "bad_duration", "a clip of %g seconds",
                         (double)clip->duration);
    if (!get_fps(job, &fps))
        return false;
    const bool is_even = clip->rules == POSE_RULES_SIMS && clip->frame_count && clip->duration > 0;
    const double own = is_even ? clip->frame_count / (double)clip->duration : (double)clip->fps;
    if (!(fps > 0) && own >= SLOWEST_FPS && own <= FASTEST_FPS)
        fps = own; /* frames of The Sims share out the duration, whatever its rate is called */
    if (fps > 0 || !plan->is_upload || !(clip->duration > 0))
        return set_rate(plan, job, fps > 0 ? fps : choose_rate(clip));
    if (clip->duration > 3600)
        return set_rate(plan, job, DEFAULT_FPS);
    uint32_t steps = choose_steps(job, plan);
    if (!steps)
        return false;
    double rate = steps / (double)clip->duration;
    return set_rate(plan, job, rate < READABLE_FPS ? rate : DEFAULT_FPS);
}

double bvh_plan_time(const struct bvh_plan *plan, uint32_t frame)
{
    return fmin((double)(float)(frame * (double)plan->frame_seconds), (double)plan->clip->duration);
}

/* --------------------------------------------------------------------------------------------------- plan -- */

static uint32_t count_roots(const struct pose_skeleton *skeleton)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++)
        count += skeleton->joints[i].parent < 0;
    return count;
}

/* The dialect that readers recognise by the file's root; NULL: none. If a foreign clip has several roots,
 * another root is added above them. */
static const struct bvh_dialect *find_dialect(const struct bvh_plan *plan)
{
    const char *root = plan->skeleton->joints[0].name;
    for (unsigned i = 0; root && bvh_dialect(i); i++) {
        const struct bvh_dialect *dialect = bvh_dialect(i);
        if (dialect->has_root(root))
            return dialect->has_clip(plan->clip) || plan->is_native || count_roots(plan->skeleton) == 1
                       ? dialect
                       : NULL;
    }
    return NULL;
}

/* A dialect has a fixed unit; all other files have none and get the requested one. */
static bool choose_unit(struct bvh_plan *plan, struct encode_job *job)
{
    enum { METRE, CENTIMETRE, INCH };
    static const char *const words[] = {[METRE] = "m", [CENTIMETRE] = "cm", [INCH] = "inch"};
    unsigned word = METRE;
    if (!setting_word(job->settings, "unit", words, 3, &word, job->error))
        return false;
    const struct bvh_dialect *dialect = find_dialect(plan);
    plan->axes = dialect ? dialect->axes : word == INCH ? POSE_AXES_INCHES : POSE_AXES_GLTF;
    plan->unit = !dialect && word == CENTIMETRE ? 100 : 1;
    plan->is_upload = !plan->is_native && dialect && dialect->has_clip(plan->clip);
    if (dialect && word != INCH && pose_value_find(job->settings, "unit"))
        encode_note(job, "unit_inch",
                    "under a root named %.40s Second Life's viewer takes all lengths as inches: they are "
                    "written so",
                    plan->skeleton->joints[0].name);
    return true;
}

static bool choose_content(struct bvh_plan *plan, struct encode_job *job)
{
    const struct pose_content *content = job->content;
    if (content->clip_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_clip", "BVH holds one clip, not %u: name one",
                         content->clip_count);
    if (!content->skeleton_count || !content->skeletons[0].joint_count) {
        error_set(job->error, POSE_BAD_ARGUMENT, "needs_skeleton",
                  "skeleton: BVH needs a hierarchy of joints; name a skeleton");
        snprintf(job->error->field, sizeof job->error->field, "skeleton");
        return false;
    }
    *plan = (struct bvh_plan){.clip = &content->clips[0], .skeleton = &content->skeletons[0]};
    return true;
}

bool bvh_plan_init(struct bvh_plan *plan, struct encode_job *job)
{
    *plan = (struct bvh_plan){0};
    if (!choose_content(plan, job))
        return false;
    const struct pose_clip *clip = plan->clip;
    plan->is_native =
        !pose_value_find(job->settings, "fps") && is_native(clip, &plan->frame_seconds, &plan->frame_time);
    if (!choose_unit(plan, job))
        return false;
    if (plan->is_native) {
        plan->frame_count = clip->frame_count;
        return true;
    }
    plan->frame_time = NULL;
    const struct pose_options options = {.allocator = job->arena->allocator};
    plan->sampler = pose_sampler_new(clip, plan->skeleton, plan->axes, &options, job->error);
    return plan->sampler && set_frames(plan, job);
}

void bvh_plan_release(struct bvh_plan *plan)
{
    pose_sampler_free(plan->sampler);
}
