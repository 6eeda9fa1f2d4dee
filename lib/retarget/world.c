/* Where the ground is, which way the figure faces, how far it travels. */
#include "lib/retarget/compile.h"

#include <string.h>

static double median(double *values, int count)
{
    for (int i = 1; i < count; i++) {
        for (int k = i; k > 0 && values[k] < values[k - 1]; k--) {
            double other = values[k];
            values[k] = values[k - 1];
            values[k - 1] = other;
        }
    }
    return values[count / 2];
}

/* Whether a figure's hips rest at 0, as in BVH: then the rest pose does not give the ground. */
static bool rests_at_zero(const struct pose_humanoid *humanoid)
{
    struct vec hips = humanoid->references[humanoid->joint[SLOT_HIPS]].place;
    return fabs(turn_point(humanoid->figure.unbody, hips).y) <= 0.02 * humanoid->figure.hip_height;
}

static bool is_for_second_life(const struct pose_humanoid *humanoid)
{
    return humanoid->skeleton->axes == POSE_AXES_INCHES && rests_at_zero(humanoid);
}

/* In most BVH files motion is relative to the ground, whatever the rest pose: the ground is then at 0. */
static bool counts_from_zero(struct compiling *c, struct moment *moment)
{
    enum { MOMENTS = 9 };
    struct pose_retarget *r = c->r;
    double heights[MOMENTS], h = c->source->figure.hip_height;
    for (int i = 0; i < MOMENTS; i++) {
        moment_source(r, (double)r->clip->duration * i / (MOMENTS - 1), POSE_CLAMP, 0, moment);
        heights[i] = source_middle(r, moment).y;
    }
    double over = median(heights, MOMENTS), from_zero = over + r->origin.y;
    return fabs(over - h) > 0.5 * h && fabs(from_zero - h) < fabs(over - h);
}

static bool is_same_figure(const struct pose_humanoid *a, const struct pose_humanoid *b)
{
    return a->skeleton == b->skeleton || (a->skeleton->joint_count == b->skeleton->joint_count &&
                                          fabs(a->figure.hip_height - b->figure.hip_height) < 1e-9 &&
                                          fabs(a->figure.ground - b->figure.ground) < 1e-9);
}

/* Figures for Second Life stand with their hips at 42.01 inches. Any other target that rests with its hips at 0 stands
 * with its feet there, unless it is the source: its motion stays as it is. */
static void find_ground(struct compiling *c, struct moment *moment, bool *is_guessed)
{
    static const double standing = 42.01 * 0.02540005;
    struct pose_retarget *r = c->r;
    if (!r->moves)
        return;
    if (is_for_second_life(c->target))
        r->target_origin.y += standing;
    else if (rests_at_zero(c->target) && !is_same_figure(c->source, c->target))
        r->target_origin.y = 0;
    if (is_for_second_life(c->source)) {
        r->origin.y += standing;
    } else if (rests_at_zero(c->source) && counts_from_zero(c, moment)) {
        r->origin.y = 0;
        *is_guessed = true;
        if (is_same_figure(c->source, c->target))
            r->target_origin.y = 0;
    }
}

/* Sets the origin that positions are relative to. */
static void settle_origin(struct pose_retarget *r, struct turn heading)
{
    r->turn_body = turn_mul(heading, r->source->figure.unbody);
    r->is_body_world = fabs(r->turn_body.w) > 1 - 1e-15;
    r->turned_origin = turn_point(heading, r->origin);
}

static void find_heading(struct compiling *c, struct moment *moment)
{
    struct pose_retarget *r = c->r;
    struct attitude hips = attitude_of_nodes(c, attitude_of(c, SLOT_HIPS));
    if (c->entry_of[c->target->joint[SLOT_HIPS]] < 0)
        return;
    moment_source(r, 0, POSE_CLAMP, 0, moment);
    struct turn yaw = turn_yaw(source_attitude(r, moment, &hips));
    r->report.heading = 2 * atan2(yaw.w < 0 ? -yaw.y : yaw.y, fabs(yaw.w));
    if (!(r->flags & POSE_RETARGET_FACE_FORWARD))
        return;
    settle_origin(r, turn_inverse(yaw));
}

static struct vec travel_of(const struct pose_retarget *r, unsigned flags, struct moment *moment)
{
    moment_source(r, 0, POSE_CLAMP, flags, moment);
    struct vec first = source_middle(r, moment);
    moment_source(r, (double)r->clip->duration, POSE_CLAMP, flags, moment);
    struct vec last = source_middle(r, moment);
    return (struct vec){last.x - first.x, 0, last.z - first.z};
}

/* Poses and files may be sampled with the root's motion or without. */
static void find_travel(struct compiling *c, struct moment *moment)
{
    struct pose_retarget *r = c->r;
    if (!r->moves || !(r->flags & POSE_RETARGET_REMOVE_TRAVEL))
        return;
    struct vec whole = travel_of(r, POSE_MOTION, moment);
    r->travel = travel_of(r, POSE_IN_PLACE, moment);
    r->root_travel = vec_sub(whole, r->travel);
    struct vec way = turn_point(c->target->figure.body, vec_scale(whole, r->scale));
    memcpy(r->report.travel, (double[3]){way.x, way.y, way.z}, sizeof r->report.travel);
}

bool world_find(struct compiling *c, bool *is_guessed)
{
    struct pose_retarget *r = c->r;
    void *memory = arena_alloc(c->scratch, moment_size(r), 1);
    if (!memory)
        return false;
    struct moment moment = moment_in(r, memory);
    r->origin = c->source->figure.origin;
    r->target_origin = c->target->figure.origin;
    settle_origin(r, turn_none);
    find_ground(c, &moment, is_guessed);
    settle_origin(r, turn_none);
    find_heading(c, &moment);
    find_travel(c, &moment);
    r->before = turn_mul(c->target->figure.body, r->turn_body);
    r->is_same_world = fabs(r->before.w) > 1 - 1e-15;
    return true;
}
