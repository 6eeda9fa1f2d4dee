/* Likely mistakes of a clip on a skeleton: the checks that modding guidelines recommend. */
#include "lib/core/text.h"
#include "lib/model/axes.h"
#include "lib/model/build.h"
#include "lib/model/lint.h"
#include "lib/model/match.h"
#include "lib/sample/sampler.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MAX_POSES = 64, MATRIX = 16 };

/* Lengths in metres, angles in degrees. */
#define STRETCH_SHARE 0.25
#define STRETCH_LENGTH 0.02
#define FLOOR_DEPTH 0.05
#define GAP_LENGTH 0.01
#define GAP_ANGLE 2.0
#define DEGREES 57.29577951308232

struct clip_lint {
    const struct lint *lint;
    const struct pose_clip *clip;
    const struct pose_skeleton *skeleton; /* NULL: none */
    struct arena arena;
};

/* A part of a message: 'joint 3 "NECK"'. */
struct joint_text {
    char text[100];
};

static struct joint_text joint_text(const char *what, uint32_t index, const char *name)
{
    struct joint_text out;
    if (name)
        snprintf(out.text, sizeof out.text, "%s %u \"%.60s\"", what, index, name);
    else
        snprintf(out.text, sizeof out.text, "%s %u", what, index);
    return out;
}

/* -------------------------------------------------------------------------------------------------- joints -- */

/* A joint that moves the whole body: one without a parent, Second Life's pelvis, one that rests at the position
 * of a root (The Sims' PELVIS), or The Sims 3's b__ROOT__ below b__ROOT_bind__. */
static bool is_root(const struct pose_skeleton *skeleton, uint32_t index)
{
    const struct pose_joint *joint = &skeleton->joints[index];
    if (joint->parent < 0 || (int64_t)skeleton->root_joint == (int64_t)index)
        return true;
    const float *rest = joint->translation;
    bool on_parent = rest[0] == 0 && rest[1] == 0 && rest[2] == 0;
    return skeleton->joints[joint->parent].parent < 0 && (on_parent || text_has_nocase(joint->name, "root"));
}

/* Slots, poles and the like of The Sims 3 (sims3-rig.md), and controls of rigs, which are not bones and move freely. */
static bool is_helper(const struct clip_lint *work, uint32_t index)
{
    const char *name = work->skeleton->joints[index].name;
    static const char *const controls[] = {"ctrl", "control", "pole", "ik_", "_ik", ".ik"};
    bool is_control = false;
    for (unsigned i = 0; i < sizeof controls / sizeof *controls && work->clip->rules == POSE_RULES_PLAIN; i++)
        is_control |= text_has_nocase(name, controls[i]);
    if (work->clip->rules == POSE_RULES_SIMS3)
        return text_has_nocase(name, "slot") || text_has_nocase(name, "pole") ||
               text_has_nocase(name, "_info");
    return is_control;
}

/* ------------------------------------------------------------------------------------------------ stretching -- */

struct stretch {
    double excess; /* the largest difference from the rest length, metres */
    double length, rest;
    float time;
    uint32_t joint;
    uint32_t count; /* of joints */
};

static double length_of(const float vector[3])
{
    return sqrt((double)vector[0] * (double)vector[0] + (double)vector[1] * (double)vector[1] +
                (double)vector[2] * (double)vector[2]);
}

static void check_stretch(const struct clip_lint *work, const struct pose_channel *channel, uint32_t joint,
                          struct stretch *worst)
{
    double unit = axes_map_between(work->clip->axes, POSE_AXES_GLTF).unit;
    float rest_row[ROW_FLOATS];
    pose_joint_rest(work->skeleton, joint, POSE_AXES_GLTF, rest_row);
    double rest = length_of(rest_row);
    bool stretched = false;
    for (uint32_t k = 0; k < channel->count; k++) {
        double length = length_of(channel->values + 3 * (size_t)k) * unit;
        double excess = fabs(length - rest);
        if (!(excess > STRETCH_LENGTH && excess > STRETCH_SHARE * rest))
            continue;
        stretched = true;
        if (excess > worst->excess) {
            uint32_t count = worst->count;
            *worst = (struct stretch){excess, length, rest, channel->times[k], joint, count};
        }
    }
    worst->count += stretched;
}

static bool changes(const struct pose_channel *channel, enum pose_part part)
{
    const size_t size = part_components(part);
    for (uint32_t k = 1; k < channel->count; k++) {
        if (memcmp(channel->values, channel->values + k * size, size * sizeof *channel->values) != 0)
            return true;
    }
    return false;
}

/* Joints whose keys differ. */
static bool *list_driven(struct clip_lint *work, const struct joint_index *index)
{
    bool *driven = ARENA_NEW(&work->arena, bool, work->skeleton->joint_count);
    for (uint32_t i = 0; driven && i < work->clip->track_count; i++) {
        const struct pose_track *track = &work->clip->tracks[i];
        int64_t joint = track_drives_joint(track) ? joint_index_find(index, track) : -1;
        for (enum pose_part part = POSE_TRANSLATION; joint >= 0 && part <= POSE_SCALE; part++)
            driven[joint] |= changes(&track->channels[part], part);
    }
    return driven;
}

/* Hips below an armature, and controls of a rig beside them: nothing above them moves, so they move freely. Games
 * say which joint is their root. */
static bool is_free(const struct clip_lint *work, const bool *driven, uint32_t joint)
{
    const struct pose_joint *joints = work->skeleton->joints;
    enum { MOST = 8 }; /* more than rigs have above their hips */
    int32_t at = joints[joint].parent;
    if (work->clip->rules != POSE_RULES_PLAIN)
        return false;
    for (int i = 0; i < MOST && at >= 0 && !driven[at]; i++)
        at = joints[at].parent;
    return at < 0;
}

static void lint_stretch(struct clip_lint *work, const struct joint_index *index)
{
    struct stretch worst = {0};
    const bool *driven = list_driven(work, index);
    for (uint32_t i = 0; driven && i < work->clip->track_count; i++) {
        const struct pose_track *track = &work->clip->tracks[i];
        int64_t joint = joint_index_find(index, track);
        if (joint >= 0 && !is_root(work->skeleton, (uint32_t)joint) && !is_helper(work, (uint32_t)joint) &&
            !is_free(work, driven, (uint32_t)joint))
            check_stretch(work, &track->channels[POSE_TRANSLATION], (uint32_t)joint, &worst);
    }
    if (worst.count)
        lint_report(work->lint, POSE_WARNING, "stretched_bone",
                    "%s is %.3g m from its parent at %.3g s, at rest %.3g m; %u stretched in all",
                    joint_text("joint", worst.joint, work->skeleton->joints[worst.joint].name).text,
                    worst.length, (double)worst.time, worst.rest, worst.count);
}

/* ------------------------------------------------------------------------------------------------- the floor -- */

/* Joints that the clip poses: those it drives, and their descendants. A root does not count, as a skeleton may
 * have the limbs of other creatures as well. */
static bool *list_posed(struct clip_lint *work, const struct pose_sampler *sampler)
{
    bool *posed = ARENA_NEW(&work->arena, bool, sampler->row_count);
    for (uint32_t i = 0; posed && i < sampler->row_count; i++) {
        int32_t parent = sampler->rows[i].parent;
        bool hangs = parent >= 0 && posed[parent] && !is_root(work->skeleton, (uint32_t)parent);
        posed[i] = (sampler->rows[i].driven || hangs) && !is_helper(work, i);
    }
    return posed;
}

/* The lowest posed joint, by the height of its origin. */
static double find_lowest(const struct pose_sampler *sampler, const bool *posed, const float *rows,
                          float *matrices, uint32_t *joint)
{
    double lowest = INFINITY;
    pose_model(sampler, rows, matrices);
    for (uint32_t i = 0; i < sampler->row_count; i++) {
        double height = (double)matrices[(size_t)i * MATRIX + 13];
        if (height < lowest && posed[i]) {
            lowest = height;
            *joint = i;
        }
    }
    return lowest;
}

static bool rests_below(const struct clip_lint *work, const struct pose_sampler *sampler, const bool *posed,
                        float *rows, float *matrices)
{
    uint32_t joint;
    for (uint32_t i = 0; i < sampler->row_count; i++)
        pose_joint_rest(work->skeleton, i, POSE_AXES_GLTF, rows + (size_t)i * ROW_FLOATS);
    return find_lowest(sampler, posed, rows, matrices, &joint) < -FLOOR_DEPTH;
}

static void lint_floor(struct clip_lint *work, const struct pose_sampler *sampler)
{
    float *rows = ARENA_NEW(&work->arena, float, (size_t)sampler->row_count *ROW_FLOATS);
    float *matrices = ARENA_NEW(&work->arena, float, (size_t)sampler->row_count *MATRIX);
    const bool *posed = list_posed(work, sampler);
    if (!rows || !matrices || !posed || rests_below(work, sampler, posed, rows, matrices))
        return;
    double lowest = 0, when = 0, duration = (double)work->clip->duration;
    uint32_t joint = 0, poses = duration > 0 ? MAX_POSES : 1;
    for (uint32_t i = 0; i < poses; i++) {
        uint32_t at = 0;
        double time = duration * i / (MAX_POSES - 1);
        pose_sample(sampler, time, POSE_CLAMP, POSE_IN_PLACE, rows, NULL);
        double height = find_lowest(sampler, posed, rows, matrices, &at);
        if (height < lowest) {
            lowest = height;
            joint = at;
            when = time;
        }
    }
    if (lowest < -FLOOR_DEPTH)
        lint_report(work->lint, POSE_NOTE, "below_floor", "%s is %.3g m below the floor at %.3g s",
                    joint_text("joint", joint, sampler->rows[joint].name).text, -lowest, when);
}

/* -------------------------------------------------------------------------------------------------- the loop -- */

/* "walk_loop", "walk-loop", and The Sims 3's "a_walk_loop_x", in which the last letter is the actor's. */
static bool is_called_loop(const char *name)
{
    static const char word[] = "loop";
    size_t length = name ? strlen(name) : 0;
    if (length > 2 && name[length - 2] == '_')
        length -= 2;
    if (length < sizeof word || !strchr("_-", name[length - sizeof word]))
        return false;
    for (size_t i = 0; i < sizeof word - 1; i++) {
        if (text_lower(name[length - sizeof word + 1 + i]) != word[i])
            return false;
    }
    return true;
}

/* These engines blend the last key into the first, so there is no gap. */
static bool closes_itself(enum pose_rules rules)
{
    return rules == POSE_RULES_SIMS || rules == POSE_RULES_PRIME_FRAMES;
}

static double angle_between(const float a[4], const float b[4])
{
    return 2 * acos(fmin(fabs(quat_dot(a, b)), 1)) * DEGREES;
}

/* How far a joint moved; for a root only its height, as it may travel. */
static double distance_between(const struct clip_lint *work, uint32_t row, const float a[3], const float b[3])
{
    if (!work->skeleton)
        return 0;
    float way[3] = {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
    if (is_root(work->skeleton, row))
        way[0] = way[2] = 0;
    return length_of(way);
}

static void lint_gap(struct clip_lint *work, const struct pose_sampler *sampler)
{
    size_t floats = (size_t)sampler->row_count * ROW_FLOATS;
    float *first = ARENA_NEW(&work->arena, float, floats);
    float *last = ARENA_NEW(&work->arena, float, floats);
    if (!first || !last)
        return;
    pose_sample(sampler, (double)work->clip->loop_in, POSE_CLAMP, POSE_IN_PLACE, first, NULL);
    pose_sample(sampler, (double)work->clip->loop_out, POSE_CLAMP, POSE_IN_PLACE, last, NULL);
    double worst = 1, worst_angle = 0,
           worst_length = 0; /* worst: the greater of both, in terms of what may be */
    uint32_t row = 0, count = 0;
    for (uint32_t i = 0; i < sampler->row_count; i++) {
        const float *a = first + (size_t)i * ROW_FLOATS, *b = last + (size_t)i * ROW_FLOATS;
        double angle = angle_between(a + ROTATION_PLACE, b + ROTATION_PLACE);
        double length = distance_between(work, i, a, b);
        double gap = fmax(angle / GAP_ANGLE, length / GAP_LENGTH);
        count += gap > 1;
        if (gap > worst) {
            worst = gap;
            worst_angle = angle;
            worst_length = length;
            row = i;
        }
    }
    if (count)
        lint_report(work->lint, POSE_WARNING, "loop_gap",
                    "the loop's end is not its start: %s is off by %.3g degrees and %.3g m; %u of %u differ",
                    joint_text(work->skeleton ? "joint" : "row", row, sampler->rows[row].name).text,
                    worst_angle, worst_length, count, sampler->row_count);
}

static bool should_loop(const struct pose_clip *clip)
{
    bool loops =
        clip->loop == POSE_LOOP_YES || (clip->loop == POSE_LOOP_UNKNOWN && is_called_loop(clip->name));
    return loops && !closes_itself(clip->rules) && isfinite(clip->loop_in) && isfinite(clip->loop_out);
}

/* ----------------------------------------------------------------------------------------------------- all -- */

/* True if the clip belongs to the skeleton, so that further checks make sense. */
static bool lint_tracks(struct clip_lint *work, const struct joint_index *index)
{
    uint32_t known = 0, count = 0;
    for (uint32_t i = 0; i < work->clip->track_count; i++) {
        const struct pose_track *track = &work->clip->tracks[i];
        if (!track_is_joint(track))
            continue;
        count++;
        known += joint_index_find(index, track) >= 0;
    }
    if (known >= count - known)
        return true;
    lint_report(work->lint, POSE_WARNING, "foreign_tracks",
                "the skeleton%s%.80s%s has joints for %u of the clip's %u tracks",
                work->skeleton->name ? " \"" : "", work->skeleton->name ? work->skeleton->name : "",
                work->skeleton->name ? "\"" : "", known, count);
    return false;
}

static bool lint_on_skeleton(struct clip_lint *work)
{
    struct joint_index index;
    if (!joint_index_init(&index, &work->arena, work->skeleton, work->clip->rules))
        return false;
    joint_index_follow(&index, work->skeleton, work->clip);
    if (!lint_tracks(work, &index))
        return false;
    lint_stretch(work, &index);
    return true;
}

void pose_lint_clip(const struct pose_clip *clip, const struct pose_skeleton *skeleton, pose_warn *warn,
                    void *user)
{
    const struct lint lint = {warn, user};
    struct clip_lint work = {.lint = &lint, .clip = clip, .skeleton = skeleton};
    struct pose_error error;
    arena_init(&work.arena, NULL, 0, NULL);
    bool belongs = skeleton && lint_on_skeleton(&work);
    if (!belongs)
        work.skeleton = NULL;
    bool loops = should_loop(clip);
    struct pose_sampler *sampler =
        belongs || loops ? pose_sampler_new(clip, work.skeleton, POSE_AXES_GLTF, NULL, &error) : NULL;
    if (sampler && belongs)
        lint_floor(&work, sampler);
    if (sampler && loops)
        lint_gap(&work, sampler);
    pose_sampler_free(sampler);
    arena_release(&work.arena);
}
