#include "tests/samples/creature/motion.h"

#include <math.h>

const struct creature_bone_row creature_bones[CREATURE_BONES] = {
    [CREATURE_ROOT] = {"Skeleton_Root", -1, {0, 0, 0}},
    [CREATURE_BODY] = {"Body", CREATURE_ROOT, {0, -0.1, 0.42}},
    [CREATURE_CHEST] = {"Chest", CREATURE_BODY, {0, 0.3, 0.02}},
    [CREATURE_HEAD] = {"Head", CREATURE_CHEST, {0, 0.18, 0.12}},
    [CREATURE_TAIL] = {"Tail", CREATURE_BODY, {0, -0.15, 0.05}},
    [CREATURE_TAIL_TIP] = {"Tail_Tip", CREATURE_TAIL, {0, -0.2, 0.03}},
    [CREATURE_FRONT_LEG] = {"L_Front_Leg", CREATURE_CHEST, {-0.12, 0.02, -0.06}},
    [CREATURE_FRONT_LEG + 1] = {"R_Front_Leg", CREATURE_CHEST, {0.12, 0.02, -0.06}},
    [CREATURE_FRONT_FOOT] = {"L_Front_Foot", CREATURE_FRONT_LEG, {0, 0, -0.2}},
    [CREATURE_FRONT_FOOT + 1] = {"R_Front_Foot", CREATURE_FRONT_LEG + 1, {0, 0, -0.2}},
    [CREATURE_HIND_LEG] = {"L_Hind_Leg", CREATURE_BODY, {-0.13, -0.08, -0.04}},
    [CREATURE_HIND_LEG + 1] = {"R_Hind_Leg", CREATURE_BODY, {0.13, -0.08, -0.04}},
    [CREATURE_HIND_FOOT] = {"L_Hind_Foot", CREATURE_HIND_LEG, {0, 0.02, -0.2}},
    [CREATURE_HIND_FOOT + 1] = {"R_Hind_Foot", CREATURE_HIND_LEG + 1, {0, 0.02, -0.2}},
};

static const double TAU = 6.283185307179586;

void creature_rest(struct creature_pose *pose)
{
    *pose = (struct creature_pose){.chest_scale = 1};
    for (int i = 0; i < CREATURE_BONES; i++)
        pose->turns[i] = quat_identity;
}

/* 0 before start, 1 after end, without a jerk. */
static double ease(double start, double end, double at)
{
    double u = fmin(fmax((at - start) / (end - start), 0), 1);
    return u * u * (3 - 2 * u);
}

/* A trot: each leg goes with the one across. A leg turned about +X by a positive angle points ahead. */
static void walk(double phase, struct creature_pose *pose)
{
    for (int side = LEFT; side <= RIGHT; side++) {
        double front = TAU * (phase + 0.5 * side), hind = front + TAU / 2;
        pose->turns[CREATURE_FRONT_LEG + side] = quat_about_x(26 * sin(front));
        pose->turns[CREATURE_FRONT_FOOT + side] = quat_about_x(-16 * (1 + cos(front)));
        pose->turns[CREATURE_HIND_LEG + side] = quat_about_x(24 * sin(hind) + 6);
        pose->turns[CREATURE_HIND_FOOT + side] = quat_about_x(-18 * (1 + cos(hind)));
    }
    pose->root.y = 0.75 * phase;
    pose->body = (struct vec){0.012 * sin(TAU * phase), 0, 0.015 * cos(2 * TAU * phase)};
    pose->turns[CREATURE_BODY] = quat_about_y(3 * sin(TAU * phase));
    pose->turns[CREATURE_CHEST] = quat_about_z(4 * sin(TAU * phase));
    pose->turns[CREATURE_HEAD] = quat_about_x(5 * sin(2 * TAU * phase));
    pose->turns[CREATURE_TAIL] = quat_about_z(14 * sin(TAU * phase));
    pose->turns[CREATURE_TAIL_TIP] = quat_about_z(20 * sin(TAU * phase - 1));
}

/* Down, up and ahead, down again. */
static void jump(double phase, struct creature_pose *pose)
{
    double crouch =
        ease(0, 0.25, phase) - ease(0.25, 0.35, phase) + ease(0.7, 0.8, phase) - ease(0.8, 1, phase);
    double flight = fmin(fmax((phase - 0.3) / 0.45, 0), 1), stretch = sin(flight * TAU / 2);
    pose->root = (struct vec){0, 1.1 * flight, 1.6 * flight * (1 - flight)};
    pose->body.z = -0.1 * crouch;
    pose->turns[CREATURE_BODY] = quat_about_x(12 * crouch + 18 * sin(flight * TAU));
    for (int side = LEFT; side <= RIGHT; side++) {
        pose->turns[CREATURE_FRONT_LEG + side] = quat_about_x(35 * crouch + 55 * stretch);
        pose->turns[CREATURE_FRONT_FOOT + side] = quat_about_x(-70 * crouch - 20 * stretch);
        pose->turns[CREATURE_HIND_LEG + side] = quat_about_x(40 * crouch - 60 * stretch);
        pose->turns[CREATURE_HIND_FOOT + side] = quat_about_x(-80 * crouch - 10 * stretch);
    }
    pose->turns[CREATURE_HEAD] = quat_about_x(-20 * crouch + 15 * stretch);
    pose->turns[CREATURE_TAIL] = quat_about_x(-25 * stretch + 10 * crouch);
}

static void idle(double phase, struct creature_pose *pose)
{
    double breath = sin(TAU * phase);
    pose->chest_scale = 1 + 0.04 * breath;
    pose->body.z = -0.01 + 0.006 * breath;
    pose->turns[CREATURE_HEAD] =
        quat_mul(quat_about_z(6 * sin(TAU * phase)), quat_about_x(3 * cos(2 * TAU * phase)));
    pose->turns[CREATURE_TAIL] = quat_about_z(22 * sin(2 * TAU * phase));
    pose->turns[CREATURE_TAIL_TIP] = quat_about_z(30 * sin(2 * TAU * phase - 0.8));
}

static void look(double phase, struct creature_pose *pose)
{
    pose->turns[CREATURE_CHEST] = quat_about_z(15 * sin(TAU * phase));
    pose->turns[CREATURE_HEAD] =
        quat_mul(quat_about_z(40 * sin(TAU * phase)), quat_about_y(-12 * sin(TAU * phase)));
}

const struct creature_motion creature_motions[CREATURE_CLIPS] = {
    [CREATURE_WALK] = {"walk", 24, 1, 2, true, true, walk},
    [CREATURE_JUMP] = {"jump", 27, 1, 2, false, true, jump},
    [CREATURE_IDLE] = {"idle", 56, 4, 2, true, false, idle},
    [CREATURE_LOOK] = {"look", 30, 1, 0, false, false, look},
};
