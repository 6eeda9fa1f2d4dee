#include "tests/samples/figure.h"

#include <math.h>
#include <string.h>

const struct body sl_body = {
    {[PELVIS] = "mPelvis", [SPINE] = "mTorso",         [CHEST] = "mChest", [NECK] = "mNeck",
     [HEAD] = "mHead",     [CLAVICLE] = "mCollarLeft", "mCollarRight",     [UPPER_ARM] = "mShoulderLeft",
     "mShoulderRight",     [FOREARM] = "mElbowLeft",   "mElbowRight",      [HAND] = "mWristLeft",
     "mWristRight",        [THIGH] = "mHipLeft",       "mHipRight",        [SHIN] = "mKneeLeft",
     "mKneeRight",         [FOOT] = "mAnkleLeft",      "mAnkleRight",      [TOES] = "mFootLeft",
     "mFootRight"}};

const struct body sims_body = {{[PELVIS] = "PELVIS",
                                [SPINE] = "SPINE",
                                [CHEST] = "SPINE2",
                                [NECK] = "NECK",
                                [HEAD] = "HEAD",
                                [CLAVICLE] = "L_ARM",
                                "R_ARM",
                                [UPPER_ARM] = "L_ARM1",
                                "R_ARM1",
                                [FOREARM] = "L_ARM2",
                                "R_ARM2",
                                [HAND] = "L_HAND",
                                "R_HAND",
                                [THIGH] = "L_LEG",
                                "R_LEG",
                                [SHIN] = "L_LEG1",
                                "R_LEG1",
                                [FOOT] = "L_FOOT",
                                "R_FOOT",
                                [TOES] = "L_TOE0",
                                "R_TOE0"}};

const struct body sims3_body = {{[PELVIS] = "b__Pelvis__",
                                 [SPINE] = "b__Spine0__",
                                 [CHEST] = "b__Spine2__",
                                 [NECK] = "b__Neck__",
                                 [HEAD] = "b__Head__",
                                 [CLAVICLE] = "b__L_Clavicle__",
                                 "b__R_Clavicle__",
                                 [UPPER_ARM] = "b__L_UpperArm__",
                                 "b__R_UpperArm__",
                                 [FOREARM] = "b__L_Forearm__",
                                 "b__R_Forearm__",
                                 [HAND] = "b__L_Hand__",
                                 "b__R_Hand__",
                                 [THIGH] = "b__L_Thigh__",
                                 "b__R_Thigh__",
                                 [SHIN] = "b__L_Calf__",
                                 "b__R_Calf__",
                                 [FOOT] = "b__L_Foot__",
                                 "b__R_Foot__",
                                 [TOES] = "b__L_Toe0__",
                                 "b__R_Toe0__"}};

/* ----------------------------------------------------------------------------------------------- binding -- */

static void bind_joint(struct figure *figure, unsigned index, const struct body *body)
{
    const struct pose_joint *stored = &figure->skeleton->joints[index];
    struct figure_joint *joint = &figure->joints[index];
    float rest[10];
    pose_joint_rest(figure->skeleton, index, POSE_AXES_GLTF, rest);
    struct vec offset = {rest[0], rest[1], rest[2]};
    struct quat turn = {rest[3], rest[4], rest[5], rest[6]};
    *joint = (struct figure_joint){.parent = stored->parent, .part = -1, .place = offset, .turn = turn};
    if (joint->parent >= 0) {
        const struct figure_joint *parent = &figure->joints[joint->parent];
        joint->place = vec_add(parent->place, quat_turn(parent->turn, offset));
        joint->turn = quat_mul(parent->turn, turn);
    }
    for (int part = 0; part < PART_COUNT; part++) {
        if (stored->name && !strcmp(stored->name, body->parts[part])) {
            joint->part = part;
            figure->joint_of[part] = (int)index;
        }
    }
}

static const struct figure_joint *joint_of(const struct figure *figure, int part)
{
    return &figure->joints[figure->joint_of[part]];
}

/* From one part's joint to another's, at rest. */
static struct vec rest_between(const struct figure *figure, int from, int to)
{
    return vec_sub(joint_of(figure, to)->place, joint_of(figure, from)->place);
}

bool figure_bind(struct figure *figure, const struct pose_skeleton *skeleton, const struct body *body)
{
    *figure = (struct figure){.skeleton = skeleton, .joint_count = skeleton->joint_count};
    if (figure->joint_count > FIGURE_JOINTS)
        return false;
    for (int part = 0; part < PART_COUNT; part++)
        figure->joint_of[part] = -1;
    for (unsigned i = 0; i < figure->joint_count; i++)
        bind_joint(figure, i, body);
    for (int part = 0; part < PART_COUNT; part++) {
        if (figure->joint_of[part] < 0)
            return false;
    }
    figure->leg =
        vec_length(rest_between(figure, THIGH, SHIN)) + vec_length(rest_between(figure, SHIN, FOOT));
    struct vec foot = rest_between(figure, FOOT, TOES);
    figure->foot = (struct foot){.length = foot.z / figure->leg, .height = -foot.y / figure->leg};
    return true;
}

/* ------------------------------------------------------------------------------------------------- posing -- */

/* Turns are against the rest pose, in the figure's axes: what a joint adds to how it stands at rest. */
struct posing {
    struct figure *figure;
    const struct stance *stance;
    struct vec place[FIGURE_JOINTS];
    struct quat turn[FIGURE_JOINTS];
    struct quat moved[FIGURE_JOINTS]; /* the same without the way from the rest pose to hanging arms */
    struct quat shin[2];              /* from the solved leg, for when its turn comes */
};

static struct quat arm_turn(const struct arm *arm, int first_part)
{
    switch (first_part) {
    case CLAVICLE:
        return arm->clavicle;
    case UPPER_ARM:
        return arm->upper;
    case FOREARM:
        return quat_about_x(-arm->elbow_deg);
    default:
        return arm->hand;
    }
}

/* Whatever the rest pose is, arms hang straight down before they move. */
static struct quat hang(const struct figure *figure, int first_part, int side)
{
    const struct vec down = {0, -1, 0};
    if (first_part == CLAVICLE)
        return quat_identity;
    if (first_part == UPPER_ARM)
        return quat_between(rest_between(figure, UPPER_ARM + side, FOREARM + side), down);
    return quat_between(rest_between(figure, FOREARM + side, HAND + side), down);
}

/* The knee lies in the plane of the hip, the ankle and where the toes point. */
static struct quat solve_leg(struct posing *posing, struct vec hip, int side)
{
    struct figure *figure = posing->figure;
    const struct leg *leg = &posing->stance->legs[side];
    double out = side == LEFT ? 1 : -1;
    struct vec thigh = rest_between(figure, THIGH + side, SHIN + side);
    struct vec shin = rest_between(figure, SHIN + side, FOOT + side);
    struct vec move = {out * leg->aside, leg->up, leg->ahead};
    struct vec ankle = vec_add(joint_of(figure, FOOT + side)->place, vec_scale(move, figure->leg));
    struct quat yaw = quat_about_y(out * leg->yaw_deg);
    struct vec ahead = quat_turn(yaw, (struct vec){0, 0, 1}), aside = quat_turn(yaw, (struct vec){1, 0, 0});

    struct vec way = vec_sub(ankle, hip), along = vec_unit(way);
    double a = vec_length(thigh), b = vec_length(shin), reach = 0.9995 * (a + b);
    double distance = vec_length(way);
    figure->worst_reach = fmax(figure->worst_reach, distance - reach);
    distance = fmin(distance, reach);
    double cosine = (a * a + distance * distance - b * b) / (2 * a * distance);
    double sine = sqrt(fmax(0, 1 - cosine * cosine));
    struct vec bend = vec_unit(vec_sub(ahead, vec_scale(along, vec_dot(ahead, along))));
    struct vec to_knee = vec_add(vec_scale(along, a * cosine), vec_scale(bend, a * sine));
    struct vec to_ankle = vec_sub(vec_scale(along, distance), to_knee);
    const struct vec left = {1, 0, 0};
    posing->shin[side] = quat_between_frames(shin, left, to_ankle, aside);
    return quat_between_frames(thigh, left, to_knee, aside);
}

static struct quat leg_turn(struct posing *posing, unsigned index, int first_part, int side)
{
    const struct leg *leg = &posing->stance->legs[side];
    struct quat yaw = quat_about_y((side == LEFT ? 1 : -1) * leg->yaw_deg);
    switch (first_part) {
    case THIGH:
        return solve_leg(posing, posing->place[index], side);
    case SHIN:
        return posing->shin[side];
    case FOOT:
        return quat_mul(yaw, quat_about_x(leg->pitch_deg));
    default:
        return quat_mul(yaw, quat_about_x(leg->pitch_deg - leg->toe_deg));
    }
}

static struct quat trunk_turn(const struct stance *stance, int part)
{
    const struct quat *turns[] = {&stance->pelvis, &stance->spine, &stance->chest, &stance->neck,
                                  &stance->head};
    return *turns[part];
}

/* Places and turns one joint, whose parent is done. */
static void pose_joint(struct posing *posing, unsigned index)
{
    const struct figure *figure = posing->figure;
    const struct figure_joint *joint = &figure->joints[index];
    struct quat moved = quat_identity;
    posing->place[index] = joint->place;
    posing->turn[index] = quat_identity;
    if (joint->parent >= 0) {
        const struct figure_joint *parent = &figure->joints[joint->parent];
        struct vec offset = quat_turn(posing->turn[joint->parent], vec_sub(joint->place, parent->place));
        posing->place[index] = vec_add(posing->place[joint->parent], offset);
        posing->turn[index] = posing->turn[joint->parent];
        moved = posing->moved[joint->parent];
    }
    int part = joint->part, side = part >= CLAVICLE ? (part - CLAVICLE) % 2 : 0, first = part - side;
    if (part == PELVIS)
        posing->place[index] = vec_add(joint->place, vec_scale(posing->stance->shift, figure->leg));
    if (part >= THIGH) {
        moved = posing->turn[index] = leg_turn(posing, index, first, side);
    } else if (part >= CLAVICLE) {
        moved = quat_mul(moved, arm_turn(&posing->stance->arms[side], first));
        posing->turn[index] = quat_mul(moved, hang(figure, first, side));
    } else if (part >= PELVIS) {
        moved = posing->turn[index] = quat_mul(moved, trunk_turn(posing->stance, part));
    }
    posing->moved[index] = moved;
}

/* From turns against the rest pose to rotations against the parent. */
static struct quat local_rotation(const struct posing *posing, unsigned index)
{
    const struct figure_joint *joint = &posing->figure->joints[index];
    struct quat model = quat_mul(posing->turn[index], joint->turn);
    if (joint->parent < 0)
        return model;
    const struct figure_joint *parent = &posing->figure->joints[joint->parent];
    return quat_mul(quat_inverse(quat_mul(posing->turn[joint->parent], parent->turn)), model);
}

static struct vec local_place(const struct posing *posing, unsigned index)
{
    const struct figure_joint *joint = &posing->figure->joints[index];
    if (joint->parent < 0)
        return posing->place[index];
    const struct figure_joint *parent = &posing->figure->joints[joint->parent];
    struct quat model = quat_mul(posing->turn[joint->parent], parent->turn);
    return quat_turn(quat_inverse(model), vec_sub(posing->place[index], posing->place[joint->parent]));
}

void figure_take(struct figure *figure, const struct stance *stance, struct figure_pose *pose)
{
    struct posing posing = {.figure = figure, .stance = stance};
    for (unsigned i = 0; i < figure->joint_count; i++)
        pose_joint(&posing, i);
    for (int part = 0; part < PART_COUNT; part++)
        pose->local[part] = local_rotation(&posing, (unsigned)figure->joint_of[part]);
    pose->pelvis = local_place(&posing, (unsigned)figure->joint_of[PELVIS]);
}
