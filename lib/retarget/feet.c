/*
 * Planted feet. A foot close to the ground in the source gets the corresponding position on the target's ground:
 * its height from the shape of the target's sole, its position from the part that it stands on, heel or ball. To
 * reach it, the leg is bent at its own knee, by at most ten degrees, and swung; the foot keeps its orientation, and
 * the hips their path.
 */
#include "lib/retarget/motion.h"

/* Fractions of the hip height: below the first a foot is planted, above the second it is not. */
static const double STANDS = 0.05, FLIES = 0.12;
/* The maximum change of the knee's angle: 10 degrees. */
static const double MAX_TURN = 0.17453292519943295;
/* Within this fraction of its full length a leg is straightened softly. */
static const double SOFT = 0.005;

static const struct vec zero = {0, 0, 0};

double source_lowest(const struct pose_retarget *retarget, const struct moment *moment, int side)
{
    const struct foot_motion *foot = &retarget->feet[side];
    double lowest = INFINITY;
    for (uint32_t i = 0; i < foot->source_low_count; i++) {
        double y = source_over(retarget, moment, foot->source_low[i]).y;
        lowest = y < lowest ? y : lowest;
    }
    return lowest;
}

bool foot_is_planted(const struct pose_retarget *retarget, double low)
{
    return low <= STANDS * retarget->source->figure.hip_height;
}

/* Falls from 1 to 0 between the two heights. */
static double weight_at(double low, double h)
{
    double x = fmin(fmax((FLIES * h - low) / ((FLIES - STANDS) * h), 0), 1);
    return x * x * (3 - 2 * x);
}

/* How far the lowest point of the target's foot is below its ankle. */
static double drop_of(const struct pose_retarget *retarget, const struct moment *moment,
                      const struct foot_motion *foot)
{
    struct vec up = turn_point(retarget->target->figure.body, (struct vec){0, 1, 0});
    double lowest = 0;
    for (uint32_t i = 0; i < foot->low_count; i++) {
        double y = vec_dot(up, vec_sub(moment->places[foot->low[i]], moment->places[foot->foot]));
        lowest = y < lowest ? y : lowest;
    }
    return -lowest;
}

/* The goal of the ankle, relative to the target's origin. */
static struct vec find_goal(const struct pose_retarget *retarget, const struct moment *moment, int side,
                            double low)
{
    const struct foot_motion *foot = &retarget->feet[side];
    const struct leg_measures *from = &retarget->source->figure.legs[side];
    const struct leg_measures *to = &retarget->target->figure.legs[side];
    double k = retarget->scale, h = retarget->source->figure.hip_height;
    struct vec ankle = source_over(retarget, moment, foot->source_foot);
    struct turn attitude =
        turn_mul(retarget->turn_body, turn_mul(moment->from_turns[foot->source_foot],
                                               retarget->source->figure.align[slot_of(side, SIDE_FOOT)]));
    struct turn yaw = turn_yaw(attitude);
    struct vec goal = vec_add(vec_scale(ankle, k), turn_point(yaw, (struct vec){foot->width, 0, 0}));
    if (foot->ball < 0) {
        goal.y = to->ankle.y + k * (ankle.y - from->ankle.y);
        return goal;
    }
    struct vec ball = source_over(retarget, moment, foot->source_ball);
    struct vec along = turn_point(retarget->target->figure.unbody,
                                  vec_sub(moment->places[foot->ball], moment->places[foot->foot]));
    struct vec other = vec_sub(
        vec_add(vec_scale(ball, k), turn_point(yaw, (struct vec){foot->ball_width, 0, foot->ball_ahead})),
        along);
    double heel_rise = fmax(ankle.y - from->ankle.y, 0) + 0.001 * h;
    double ball_rise = fmax(ball.y - from->ball.y, 0) + 0.001 * h;
    double share = heel_rise / (heel_rise + ball_rise);
    return (struct vec){goal.x + share * (other.x - goal.x), k * low + drop_of(retarget, moment, foot),
                        goal.z + share * (other.z - goal.z)};
}

/* The leg length for that distance: full length is approached softly. */
static double soft_length(double wanted, double full, double now)
{
    double s = SOFT * full;
    if (!(wanted > full - s))
        return wanted;
    return fmax(full - s * exp(-(wanted - full + s) / s), fmin(wanted, now));
}

/* The rotation of the knee that gives the leg about that length. */
static double knee_turn(struct vec thigh, struct vec shin, struct vec axis, double length)
{
    double c = vec_dot(thigh, axis) * vec_dot(axis, shin), p = vec_dot(thigh, shin) - c;
    double q = vec_dot(thigh, vec_cross(axis, shin)), r = sqrt(p * p + q * q);
    if (!(r > 1e-12))
        return 0;
    double squares = vec_dot(thigh, thigh) + vec_dot(shin, shin);
    double cosine = fmin(fmax(((length * length - squares) / 2 - c) / r, -1), 1);
    double sine = sqrt(1 - cosine * cosine);
    /* The knee's angle then, less that of now. */
    double more = atan2(sine * p - cosine * fabs(q), cosine * p + sine * fabs(q));
    /* The hyperbolic tangent, which takes four times as long by its name. */
    return MAX_TURN * (1 - 2 / (exp(2 / MAX_TURN * more) + 1));
}

/* By at most MAX_TURN: half of that is small enough for the first terms of the series, to the last bit. */
static struct turn small_turn(struct vec axis, double angle)
{
    double half = 0.5 * angle, x = half * half;
    double s = half * (1 - x / 6 * (1 - x / 20 * (1 - x / 42 * (1 - x / 72))));
    double c = 1 - x / 2 * (1 - x / 12 * (1 - x / 30 * (1 - x / 56)));
    return (struct turn){axis.x * s, axis.y * s, axis.z * s, c};
}

/* Rotates a joint and its descendants, down to the foot. */
static void turn_leg(const struct pose_retarget *retarget, const struct foot_motion *foot, struct turn swing,
                     struct turn bend, struct moment *moment)
{
    struct turn both = turn_mul(swing, bend);
    for (int32_t at = retarget->nodes[foot->foot].parent; at >= 0; at = retarget->nodes[at].parent) {
        moment->turns[at] = turn_mul(both, moment->turns[at]);
        if (at == foot->lower)
            both = swing;
        if (at == foot->upper)
            break;
    }
    const int32_t turned[3] = {foot->upper, foot->lower, foot->foot};
    for (int i = 0; i < 3; i++) {
        int32_t parent = retarget->nodes[turned[i]].parent;
        struct turn above = parent < 0 ? turn_none : moment->turns[parent];
        moment->locals[turned[i]] = turn_mul(turn_inverse(above), moment->turns[turned[i]]);
    }
}

/* goal: of the ankle, in the target's world without the carrier's motion. */
static void bend_leg(const struct pose_retarget *retarget, int side, struct vec goal, struct moment *moment)
{
    const struct foot_motion *foot = &retarget->feet[side];
    struct vec hip = moment->places[foot->upper], knee = moment->places[foot->lower];
    struct vec ankle = moment->places[foot->foot];
    struct vec thigh = vec_sub(knee, hip), shin = vec_sub(ankle, knee), way = vec_sub(goal, hip);
    double full = vec_length(thigh) + vec_length(shin), wanted = vec_length(way);
    double now = vec_length(vec_sub(ankle, hip));
    struct vec axis =
        turn_point(turn_mul(moment->turns[foot->upper], foot->knee_align), (struct vec){1, 0, 0});
    double turn = knee_turn(thigh, shin, axis, soft_length(wanted, full, now));
    struct turn bend = small_turn(axis, turn);
    struct vec reached = vec_add(thigh, turn_point(bend, shin));
    struct turn swing = turn_arc(reached, way);
    turn_leg(retarget, foot, swing, bend, moment);
    moment->missed[side] = vec_length(vec_sub(turn_point(swing, reached), way));
}

void feet_stand(const struct pose_retarget *retarget, struct moment *moment)
{
    const struct figure *figure = &retarget->target->figure;
    for (int side = 0; side < 2; side++) {
        const struct foot_motion *foot = &retarget->feet[side];
        double low = source_lowest(retarget, moment, side);
        double weight = weight_at(low, retarget->source->figure.hip_height);
        moment->weights[side] = weight;
        if (!(weight > 0))
            continue;
        struct vec goal = find_goal(retarget, moment, side, low);
        struct vec world = turn_point(figure->body, vec_add(goal, retarget->target_origin));
        struct vec ankle = moment->places[foot->foot];
        struct vec way = vec_sub(vec_sub(world, moment->shift), ankle);
        way = vec_length(way) > 1e-12 ? vec_scale(way, weight) : zero;
        bend_leg(retarget, side, vec_add(ankle, way), moment);
    }
}
