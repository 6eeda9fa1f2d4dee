#include "tests/samples/motion.h"

#include <math.h>

/* A swing of the whole: 1 at the phase `peak`, times turns in one run. */
static double swing(double phase, double turns, double peak)
{
    return cos(2 * acos(-1) * turns * (phase - peak));
}

static double wrap(double phase)
{
    return phase - floor(phase);
}

/* 0 … 1 with both ends at rest. */
static double ease(double u)
{
    u = fmin(fmax(u, 0), 1);
    return u * u * (3 - 2 * u);
}

static struct stance standing(void)
{
    const struct arm arm = {
        .clavicle = quat_identity, .upper = quat_identity, .elbow_deg = 12, .hand = quat_identity};
    struct stance stance = {.shift = {0, -0.02, 0},
                            .pelvis = quat_identity,
                            .spine = quat_identity,
                            .chest = quat_identity,
                            .neck = quat_identity,
                            .head = quat_identity,
                            .arms = {arm, arm},
                            .legs = {{.yaw_deg = 6}, {.yaw_deg = 6}}};
    stance.arms[LEFT].upper = quat_about_z(7);
    stance.arms[RIGHT].upper = quat_about_z(-7);
    return stance;
}

/* --------------------------------------------------------------------------------------------------- walk -- */

/* A leg's cycle begins with its heel strike; it stands on the ground until TOE_OFF and swings for the rest. */
static const double TOE_OFF = 0.62, TRAVEL = 1.22;

/* Heel first, flat, heel off, and toes up again in the swing. */
static double foot_pitch(double phase)
{
    if (phase < 0.09)
        return -20 * (1 - ease(phase / 0.09));
    if (phase < 0.34)
        return 0;
    if (phase < TOE_OFF)
        return 46 * ease((phase - 0.34) / (TOE_OFF - 0.34));
    return 46 - 66 * ease((phase - TOE_OFF) / (0.92 - TOE_OFF));
}

/* Where the foot's contact with the ground is: it slides back evenly while it carries, and swings forward with the
 * same speed at both ends, so that nothing jerks. */
static double foot_ahead(double phase)
{
    double reach = TRAVEL * TOE_OFF / 2;
    if (phase < TOE_OFF)
        return reach - TRAVEL * phase;
    double u = (phase - TOE_OFF) / (1 - TOE_OFF), slope = -TRAVEL * (1 - TOE_OFF);
    double from = -reach, to = reach;
    double s = u * u * (3 - 2 * u);
    return from + (to - from) * s + slope * (u - 3 * u * u + 2 * u * u * u);
}

/* The ankle rides on the heel or on the ball of the foot, whichever touches the ground. */
static struct leg walking_leg(double phase, struct foot foot)
{
    double pitch = foot_pitch(phase), angle = pitch * (acos(-1) / 180);
    double lift = phase < TOE_OFF ? 0 : pow(sin(acos(-1) * (phase - TOE_OFF) / (1 - TOE_OFF)), 2);
    double pivot = pitch > 0 ? foot.length : -0.45 * foot.length, height = foot.height;
    struct leg leg = {.pitch_deg = pitch, .yaw_deg = 5};
    /* From the pivot the ankle stands `height` up and `pivot` behind. */
    leg.ahead = foot_ahead(phase) + pivot - pivot * cos(angle) + height * sin(angle);
    leg.up = pivot * sin(angle) + height * (cos(angle) - 1) + 0.05 * lift;
    leg.aside = -0.02;
    leg.toe_deg =
        phase > 0.34 && phase < 0.75 ? 0.8 * fmax(pitch, 0) * (1 - ease((phase - TOE_OFF) / 0.13)) : 0;
    return leg;
}

static struct arm walking_arm(enum side side, double phase)
{
    double out = side == LEFT ? 1 : -1;
    /* The arm follows the other leg, a little late; the forearm later still. */
    double forward = swing(phase, 1, side == LEFT ? 0.53 : 0.03),
           late = swing(phase, 1, side == LEFT ? 0.58 : 0.08);
    return (struct arm){
        .clavicle = quat_mul(quat_about_y(-5 * out * forward), quat_about_z(2 * out)),
        .upper = quat_mul(quat_about_z(8 * out), quat_about_x(-27 * forward + 4)),
        .elbow_deg = 26 + 17 * late,
        .hand =
            quat_mul(quat_about_z(-5 * out), quat_about_x(-8 * swing(phase, 1, side == LEFT ? 0.63 : 0.13))),
    };
}

static struct stance walk_at(double phase, struct foot foot)
{
    /* The left heel strikes at 0, the right one at 0.5; each leg carries in its middle at 0.31 of its cycle. */
    double carry = swing(phase, 1, 0.31), yaw = -7 * swing(phase, 1, 0), bob = swing(phase, 2, 0.31);
    struct stance stance = standing();
    stance.shift = (struct vec){0.045 * carry, -0.038 + 0.019 * bob, 0.012 * swing(phase, 2, 0.12)};
    stance.pelvis = quat_mul(quat_about_y(yaw), quat_mul(quat_about_z(4.5 * carry), quat_about_x(3)));
    stance.spine = quat_mul(quat_about_y(-0.8 * yaw), quat_mul(quat_about_z(-4 * carry), quat_about_x(1)));
    stance.chest =
        quat_mul(quat_about_y(-1.1 * yaw), quat_mul(quat_about_z(-2 * carry), quat_about_x(1 + bob)));
    stance.neck = quat_mul(quat_about_y(0.5 * yaw), quat_about_x(-2 - bob));
    stance.head = quat_mul(quat_about_y(0.4 * yaw), quat_mul(quat_about_z(1.5 * carry), quat_about_x(-2)));
    for (int side = LEFT; side <= RIGHT; side++) {
        stance.arms[side] = walking_arm((enum side)side, phase);
        stance.legs[side] = walking_leg(wrap(phase + (side == LEFT ? 0 : 0.5)), foot);
    }
    return stance;
}

/* --------------------------------------------------------------------------------------------------- wave -- */

/* The forearm goes to and fro four times; the hand trails behind it. */
static struct arm waving_arm(double phase)
{
    double beat = swing(phase, 4, 0), late = swing(phase, 4, 0.05), slow = swing(phase, 1, 0.2);
    return (struct arm){
        .clavicle = quat_about_z(-12 - 2 * beat),
        /* Raised to the side, and turned about its own length so that the elbow bends upwards, palm ahead. */
        .upper =
            quat_mul(quat_about_z(-88 - 4 * beat), quat_mul(quat_about_y(-78 - 5 * slow), quat_about_x(-6))),
        .elbow_deg = 88 + 24 * beat,
        .hand = quat_mul(quat_about_x(-16 * late), quat_about_z(6)),
    };
}

static struct stance wave_at(double phase, struct foot foot)
{
    (void)foot;
    double beat = swing(phase, 4, 0.02), slow = swing(phase, 1, 0);
    struct stance stance = standing();
    stance.shift = (struct vec){0.05 + 0.008 * slow, -0.026 + 0.005 * swing(phase, 2, 0), 0.005 * slow};
    stance.pelvis = quat_mul(quat_about_z(2.5), quat_about_y(3 + 2 * slow));
    stance.spine = quat_mul(quat_about_z(3 + beat), quat_about_x(-1));
    stance.chest = quat_mul(quat_about_z(3 + 1.5 * beat), quat_about_x(-2 + swing(phase, 2, 0.1)));
    stance.neck = quat_mul(quat_about_z(-5 - beat), quat_about_y(-6));
    stance.head =
        quat_mul(quat_about_z(-7 - 2 * swing(phase, 2, 0.1)), quat_mul(quat_about_y(-6), quat_about_x(2)));
    stance.arms[RIGHT] = waving_arm(phase);
    stance.arms[LEFT].upper = quat_mul(quat_about_z(11 + slow), quat_about_x(-3 + 3 * beat));
    stance.arms[LEFT].elbow_deg = 22 + 3 * slow;
    stance.legs[LEFT].aside = 0.03;
    stance.legs[RIGHT] = (struct leg){.aside = 0.06, .ahead = 0.05, .yaw_deg = 16};
    return stance;
}

/* --------------------------------------------------------------------------------------------------- idle -- */

static struct stance idle_at(double phase, struct foot foot)
{
    (void)foot;
    double breath = swing(phase, 2, 0.2), sway = swing(phase, 1, 0.25), look = swing(phase, 1, 0.4);
    struct stance stance = standing();
    stance.shift = (struct vec){0.032 * sway, -0.022 + 0.004 * breath - 0.004 * sway * sway, 0.006 * breath};
    stance.pelvis = quat_mul(quat_about_z(1.8 * sway), quat_about_y(2.5 * swing(phase, 1, 0.35)));
    stance.spine = quat_mul(quat_about_z(-1.6 * sway), quat_about_x(-0.8 * breath));
    stance.chest =
        quat_mul(quat_about_z(-1.2 * sway), quat_mul(quat_about_y(-2 * sway), quat_about_x(-1.8 * breath)));
    stance.neck = quat_mul(quat_about_y(9 * look), quat_about_x(1.5 * breath));
    stance.head = quat_mul(quat_about_y(11 * look),
                           quat_mul(quat_about_z(2.5 * sway), quat_about_x(1.2 * breath + 2 * sway)));
    for (int side = LEFT; side <= RIGHT; side++) {
        double out = side == LEFT ? 1 : -1, late = swing(phase, 2, side == LEFT ? 0.27 : 0.3);
        stance.arms[side].clavicle = quat_about_z(out * (1 + 1.6 * breath));
        stance.arms[side].upper =
            quat_mul(quat_about_z(out * (8 + 1.5 * late)), quat_about_x(3 - 2 * late + 2 * sway));
        stance.arms[side].elbow_deg = 17 + 3 * late;
        stance.legs[side].aside = 0.02;
    }
    return stance;
}

const struct motion motions[3] = {
    {.name = "walk",
     .duration = 32 / 30.0,
     .travel = TRAVEL,
     .at = walk_at,
     .footstep_count = 2,
     .footsteps = {{0, LEFT}, {0.5, RIGHT}}},
    {.name = "wave", .duration = 72 / 30.0, .at = wave_at},
    {.name = "idle", .duration = 120 / 30.0, .at = idle_at},
};
