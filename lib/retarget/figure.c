/*
 * Properties of a humanoid's skeleton, computed once: the direction it faces, the orientation of each bone relative
 * to a T-pose, its size. The common pose used to transfer motion is derived from the skeleton alone.
 */
#include "lib/retarget/humanoid.h"

#include <string.h>

static const double DEGREES = 57.29577951308232;
/* Degrees: a leg that leans less is built that way; one that leans more is posed. */
static const double LEAN_OF_BUILD = 8;
static const double NEAR_AXIS = 15, FAR_FROM_AXIS = 45;

static struct vec place_of(const struct pose_humanoid *humanoid, int slot)
{
    return humanoid->references[humanoid->joint[slot]].place;
}

static struct vec in_body(const struct pose_humanoid *humanoid, struct vec world)
{
    return turn_point(humanoid->figure.unbody, world);
}

/* ------------------------------------------------------------------------------------------------- checks -- */

static bool refuse(struct pose_error *error, const char *reason)
{
    return error_set(error, POSE_BAD_DATA, "not_humanoid", "%s", reason);
}

static bool refuse_bone(const struct pose_humanoid *humanoid, int slot, const char *format,
                        struct pose_error *error)
{
    char name[32];
    slot_name(humanoid, slot, name);
    return error_set(error, POSE_BAD_DATA, "not_humanoid", format, name);
}

static bool check_there(const struct pose_humanoid *humanoid, struct pose_error *error)
{
    static const int needed[] = {SIDE_UPPER_ARM, SIDE_LOWER_ARM, SIDE_UPPER_LEG, SIDE_LOWER_LEG, SIDE_FOOT};
    static const char *const none = "no joint was found for the bone %s";
    if (humanoid->joint[SLOT_HIPS] < 0)
        return refuse_bone(humanoid, SLOT_HIPS, none, error);
    if (humanoid->joint[SLOT_HEAD] < 0)
        return refuse_bone(humanoid, SLOT_HEAD, none, error);
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
            int slot = slot_of(side, needed[i]);
            if (humanoid->joint[slot] < 0)
                return refuse_bone(humanoid, slot, none, error);
        }
    }
    return true;
}

static bool check_hangs(const struct pose_humanoid *humanoid, int side, int lower, int upper,
                        struct pose_error *error)
{
    int a = slot_of(side, lower), b = slot_of(side, upper);
    if (humanoid->joint[a] < 0)
        return true;
    if (humanoid->joint[a] == humanoid->joint[b] ||
        !joint_is_below(humanoid, humanoid->joint[a], humanoid->joint[b]))
        return refuse_bone(humanoid, a, "the joint of %s does not hang on that of the bone above it", error);
    if (!(vec_length(vec_sub(place_of(humanoid, a), place_of(humanoid, b))) > 1e-4))
        return refuse_bone(humanoid, b, "the bone %s has no length", error);
    return true;
}

bool humanoid_check(const struct pose_humanoid *humanoid, struct pose_error *error)
{
    if (!check_there(humanoid, error))
        return false;
    for (int side = 0; side < 2; side++) {
        if (!check_hangs(humanoid, side, SIDE_LOWER_LEG, SIDE_UPPER_LEG, error) ||
            !check_hangs(humanoid, side, SIDE_FOOT, SIDE_LOWER_LEG, error) ||
            !check_hangs(humanoid, side, SIDE_LOWER_ARM, SIDE_UPPER_ARM, error) ||
            !check_hangs(humanoid, side, SIDE_HAND, SIDE_LOWER_ARM, error))
            return false;
    }
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        struct vec place = humanoid->joint[slot] >= 0 ? place_of(humanoid, slot) : (struct vec){0, 0, 0};
        if (!isfinite(place.x) || !isfinite(place.y) || !isfinite(place.z) || vec_length(place) > 1e6)
            return refuse_bone(humanoid, slot, "the joint of %s rests nowhere near the others", error);
    }
    return true;
}

/* --------------------------------------------------------------------------------------------- body axes -- */

/* The coordinate axis nearest to a direction, and how far off that is, in degrees. */
static struct vec nearest_axis(struct vec v, double *off)
{
    double ax = fabs(v.x), ay = fabs(v.y), az = fabs(v.z);
    struct vec axis = {0, 0, 0};
    if (ay >= ax && ay >= az)
        axis.y = v.y < 0 ? -1 : 1;
    else if (ax >= az)
        axis.x = v.x < 0 ? -1 : 1;
    else
        axis.z = v.z < 0 ? -1 : 1;
    *off = vec_angle(v, axis) * DEGREES;
    return axis;
}

struct turn turn_of_axes(struct vec x, struct vec y, struct vec z)
{
    double squares[4] = {1 + x.x - y.y - z.z, 1 - x.x + y.y - z.z, 1 - x.x - y.y + z.z, 1 + x.x + y.y + z.z};
    double a = y.z - z.y, b = z.x - x.z, c = x.y - y.x, d = x.y + y.x, e = x.z + z.x, f = y.z + z.y;
    const struct turn candidates[4] = {
        {squares[0], d, e, a}, {d, squares[1], f, b}, {e, f, squares[2], c}, {a, b, c, squares[3]}};
    int best = 3;
    for (int i = 0; i < 3; i++)
        best = squares[i] > squares[best] + 1e-9 ? i : best;
    return turn_unit(candidates[best]);
}

static struct vec middle_of(const struct pose_humanoid *humanoid, int bone)
{
    return vec_middle(place_of(humanoid, slot_of(0, bone)), place_of(humanoid, slot_of(1, bone)));
}

static struct vec across(const struct pose_humanoid *humanoid, int bone)
{
    return vec_sub(place_of(humanoid, slot_of(0, bone)), place_of(humanoid, slot_of(1, bone)));
}

static bool find_axes(struct pose_humanoid *humanoid, struct pose_error *error)
{
    double off;
    struct vec legs = vec_sub(middle_of(humanoid, SIDE_UPPER_LEG), middle_of(humanoid, SIDE_FOOT));
    if (!(vec_length(legs) > 1e-3))
        return refuse(error, "the legs of the reference pose have no length");
    struct vec up = nearest_axis(legs, &off);
    if (off > FAR_FROM_AXIS)
        return error_set(error, POSE_BAD_DATA, "not_humanoid",
                         "the legs of the reference pose lie %.0f degrees off every axis", off);
    struct vec trunk = vec_sub(place_of(humanoid, SLOT_HEAD), place_of(humanoid, SLOT_HIPS));
    double lies = vec_length(trunk) > 0 ? vec_angle(trunk, up) * DEGREES : 180;
    if (lies > FAR_FROM_AXIS)
        return error_set(error, POSE_BAD_DATA, "not_humanoid",
                         "the trunk of the reference pose leans %.0f degrees", lies);
    struct vec left = vec_add(across(humanoid, SIDE_UPPER_ARM), across(humanoid, SIDE_UPPER_LEG));
    left = vec_sub(left, vec_scale(up, vec_dot(left, up)));
    if (!(vec_length(left) > 1e-3 * vec_length(legs)))
        return refuse(error, "left and right of the reference pose fall together");
    struct vec axis = nearest_axis(left, &off);
    left = off <= NEAR_AXIS ? axis : vec_unit(left);
    humanoid->figure.body = turn_of_axes(left, up, vec_cross(left, up));
    humanoid->figure.unbody = turn_inverse(humanoid->figure.body);
    return true;
}

/* --------------------------------------------------------------------------------------------- alignment -- */

/* From a T-pose to how the arm is held. */
static struct turn align_arm(const struct pose_humanoid *humanoid, int side, int bone, int next)
{
    int32_t to = humanoid->joint[slot_of(side, next)];
    if (to < 0)
        return turn_none;
    struct vec along =
        in_body(humanoid, vec_sub(humanoid->references[to].place, place_of(humanoid, slot_of(side, bone))));
    return turn_arc((struct vec){side ? -1 : 1, 0, 0}, along);
}

static struct vec leg_line(const struct pose_humanoid *humanoid, int side)
{
    return in_body(humanoid, vec_sub(place_of(humanoid, slot_of(side, SIDE_FOOT)),
                                     place_of(humanoid, slot_of(side, SIDE_UPPER_LEG))));
}

static void align_side(struct pose_humanoid *humanoid, int side, struct turn *align)
{
    static const struct vec down = {0, -1, 0};
    struct figure *figure = &humanoid->figure;
    struct turn upper = align_arm(humanoid, side, SIDE_UPPER_ARM, SIDE_LOWER_ARM);
    struct turn lower = align_arm(humanoid, side, SIDE_LOWER_ARM, SIDE_HAND);
    if (humanoid->joint[slot_of(side, SIDE_HAND)] < 0)
        lower = upper;
    align[slot_of(side, SIDE_UPPER_ARM)] = upper;
    align[slot_of(side, SIDE_LOWER_ARM)] = align[slot_of(side, SIDE_HAND)] = lower;
    for (int bone = SIDE_FINGERS; bone < SIDE_COUNT; bone++)
        align[slot_of(side, bone)] = lower;
    struct vec line = leg_line(humanoid, side);
    figure->arms[side] = turn_angle(upper) * DEGREES;
    figure->legs[side].lean = vec_angle(down, line) * DEGREES;
    if (figure->legs[side].lean > LEAN_OF_BUILD) {
        struct turn leg = turn_arc(down, line);
        align[slot_of(side, SIDE_UPPER_LEG)] = align[slot_of(side, SIDE_LOWER_LEG)] = leg;
    }
}

static void align_bones(struct pose_humanoid *humanoid, struct turn *align)
{
    struct figure *figure = &humanoid->figure;
    for (int slot = 0; slot < SLOT_COUNT; slot++)
        align[slot] = turn_none;
    for (int side = 0; side < 2; side++)
        align_side(humanoid, side, align);
    for (int slot = 0; slot < SLOT_COUNT; slot++) {
        if (humanoid->joint[slot] < 0)
            continue;
        struct turn joint = humanoid->references[humanoid->joint[slot]].turn;
        figure->align[slot] = turn_mul(turn_mul(turn_inverse(joint), figure->body), align[slot]);
    }
}

/* ---------------------------------------------------------------------------------------------- measures -- */

/* The lowest point of a foot and its descendants, relative to the ankle. */
static double lowest_under(const struct pose_humanoid *humanoid, int32_t foot)
{
    double ankle = in_body(humanoid, humanoid->references[foot].place).y, lowest = ankle;
    for (uint32_t i = (uint32_t)foot + 1; i < humanoid->skeleton->joint_count; i++) {
        if (humanoid->depth[i] > MAX_DEPTH || !joint_is_below(humanoid, (int32_t)i, foot))
            continue;
        double y = in_body(humanoid, humanoid->references[i].place).y;
        lowest = y < lowest ? y : lowest;
    }
    return ankle - lowest;
}

/* Positions are in body axes here, and relative to the origin once that is known. */
static void measure_leg(struct pose_humanoid *humanoid, int side, const struct turn *align)
{
    struct leg_measures *leg = &humanoid->figure.legs[side];
    int32_t foot = humanoid->joint[slot_of(side, SIDE_FOOT)],
            toes = humanoid->joint[slot_of(side, SIDE_TOES)];
    struct vec hip = in_body(humanoid, place_of(humanoid, slot_of(side, SIDE_UPPER_LEG)));
    struct turn upright = turn_inverse(align[slot_of(side, SIDE_UPPER_LEG)]);
    leg->ankle = vec_add(hip, turn_point(upright, leg_line(humanoid, side)));
    leg->has_ball = toes >= 0;
    if (leg->has_ball)
        leg->foot =
            in_body(humanoid, vec_sub(humanoid->references[toes].place, humanoid->references[foot].place));
    leg->ball = vec_add(leg->ankle, leg->foot);
    leg->ankle_height = lowest_under(humanoid, foot);
}

static void measure_legs(struct pose_humanoid *humanoid, const struct turn *align)
{
    struct figure *figure = &humanoid->figure;
    struct vec middle = in_body(humanoid, middle_of(humanoid, SIDE_UPPER_LEG));
    for (int side = 0; side < 2; side++)
        measure_leg(humanoid, side, align);
    double height = middle.y - 0.5 * (figure->legs[0].ankle.y + figure->legs[1].ankle.y);
    figure->ground = INFINITY;
    for (int side = 0; side < 2; side++) {
        struct leg_measures *leg = &figure->legs[side];
        if (leg->ankle_height < 0.02 * height) {
            leg->ankle_height = 0;
            leg->has_ball = false;
        }
        figure->ground = fmin(figure->ground, leg->ankle.y - leg->ankle_height);
    }
    figure->origin = (struct vec){middle.x, figure->ground, middle.z};
    figure->hip_height = middle.y - figure->ground;
    for (int side = 0; side < 2; side++) {
        figure->legs[side].ankle = vec_sub(figure->legs[side].ankle, figure->origin);
        figure->legs[side].ball = vec_sub(figure->legs[side].ball, figure->origin);
    }
    figure->mean_ankle = 0.5 * (figure->legs[0].ankle.y + figure->legs[1].ankle.y);
}

/* The positions of a chain's joints along it. first: the joint it is attached to. */
static void measure_chain(const struct pose_humanoid *humanoid, int32_t first, const int32_t *joints,
                          uint32_t count, double *u)
{
    double length = 0;
    bool is_even = false;
    for (uint32_t k = 0; k < count; k++) {
        struct vec from = humanoid->references[k ? joints[k - 1] : first].place;
        length += vec_length(vec_sub(humanoid->references[joints[k]].place, from));
        u[k] = length;
    }
    for (uint32_t k = 0; k < count; k++) {
        u[k] = length > 0 ? u[k] / length : 0;
        is_even |= u[k] - (k ? u[k - 1] : 0) < 0.02;
    }
    for (uint32_t k = 0; k < count && is_even; k++)
        u[k] = (k + 1.0) / count;
}

static void measure_chains(struct pose_humanoid *humanoid)
{
    int32_t neck[MAX_NECK + 1], first = humanoid->joint[SLOT_HIPS];
    measure_chain(humanoid, first, humanoid->joint + SLOT_SPINE, humanoid->spine_count,
                  humanoid->figure.spine_u);
    if (humanoid->spine_count)
        first = humanoid->joint[SLOT_SPINE + (int)humanoid->spine_count - 1];
    memcpy(neck, humanoid->joint + SLOT_NECK, humanoid->neck_count * sizeof *neck);
    neck[humanoid->neck_count] = humanoid->joint[SLOT_HEAD];
    measure_chain(humanoid, first, neck, humanoid->neck_count + 1, humanoid->figure.neck_u);
}

/* --------------------------------------------------------------------------------------------- the carrier -- */

static bool carries(const struct pose_humanoid *humanoid, int32_t joint)
{
    int32_t trunk = humanoid->joint[humanoid->spine_count ? SLOT_SPINE : SLOT_HEAD];
    return joint_is_below(humanoid, humanoid->joint[slot_of(0, SIDE_UPPER_LEG)], joint) &&
           joint_is_below(humanoid, humanoid->joint[slot_of(1, SIDE_UPPER_LEG)], joint) &&
           joint_is_below(humanoid, trunk, joint);
}

static bool find_carrier(struct pose_humanoid *humanoid, struct pose_error *error)
{
    int32_t hips = humanoid->joint[SLOT_HIPS], at = hips;
    while (at >= 0 && !carries(humanoid, at))
        at = humanoid->skeleton->joints[at].parent;
    if (at < 0)
        return refuse(error, "no joint carries both the legs and the trunk");
    humanoid->carrier = at;
    int32_t root = humanoid->named_root;
    if (root >= 0 && root != at && joint_is_below(humanoid, at, root))
        humanoid->carrier = root;
    return true;
}

bool humanoid_measure(struct pose_humanoid *humanoid, struct pose_error *error)
{
    struct turn align[SLOT_COUNT];
    if (!find_axes(humanoid, error) || !find_carrier(humanoid, error))
        return false;
    align_bones(humanoid, align);
    measure_legs(humanoid, align);
    measure_chains(humanoid);
    if (!(humanoid->figure.hip_height - humanoid->figure.mean_ankle > 1e-3))
        return refuse(error, "the legs of the reference pose have no height");
    return true;
}
