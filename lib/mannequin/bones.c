#include "lib/mannequin/bones.h"

#include <math.h>
#include <string.h>

/* The shoulder, around which the arm is lowered, and by how much. */
static const double shoulder[3] = {0.175, 1.425, -0.005};
static const double lowered = 0.78539816339744831;

/* Arms and hands as in a T-pose with the palms down, x from the shoulder on. */
static const struct mannequin_segment arm[] = {
    {{0, 0, 0}, {0.275, 0, 0}},
    {{0.275, 0, 0}, {0.525, 0, 0}},
    {{0.525, 0, 0}, {0.615, -0.002, 0}},
};

/* Fingers from the wrist on: where each begins, the direction, the lengths of its joints. */
static const struct {
    double from[3], along[3], lengths[3];
} fingers[5] = {
    {{0.026, -0.006, 0.030}, {0.70, -0.22, 0.68}, {0.042, 0.032, 0.026}},
    {{0.092, 0.000, 0.035}, {0.97, -0.05, 0.21}, {0.038, 0.024, 0.019}},
    {{0.096, 0.001, 0.011}, {1.00, -0.05, 0.06}, {0.043, 0.027, 0.020}},
    {{0.092, 0.000, -0.013}, {0.99, -0.05, -0.11}, {0.039, 0.025, 0.020}},
    {{0.085, -0.002, -0.036}, {0.95, -0.05, -0.29}, {0.030, 0.019, 0.017}},
};

static const struct mannequin_segment others[] = {
    [MANNEQUIN_HIPS] = {{0, 0.97, 0}, {0, 1.06, 0}},
    [MANNEQUIN_SPINE] = {{0, 1.06, 0}, {0, 1.17, 0}},
    [MANNEQUIN_CHEST] = {{0, 1.17, 0}, {0, 1.29, 0}},
    [MANNEQUIN_UPPER_CHEST] = {{0, 1.29, 0}, {0, 1.45, -0.01}},
    [MANNEQUIN_NECK] = {{0, 1.45, -0.01}, {0, 1.55, 0.005}},
    [MANNEQUIN_HEAD] = {{0, 1.55, 0.005}, {0, 1.74, 0.015}},
    [MANNEQUIN_SIDES + MANNEQUIN_SHOULDER] = {{0.03, 1.43, -0.005}, {0.175, 1.425, -0.005}},
    [MANNEQUIN_SIDES + MANNEQUIN_UPPER_LEG] = {{0.095, 0.93, 0}, {0.095, 0.51, 0.005}},
    [MANNEQUIN_SIDES + MANNEQUIN_LOWER_LEG] = {{0.095, 0.51, 0.005}, {0.095, 0.085, -0.01}},
    [MANNEQUIN_SIDES + MANNEQUIN_FOOT] = {{0.095, 0.085, -0.01}, {0.1, 0.02, 0.125}},
    [MANNEQUIN_SIDES + MANNEQUIN_TOES] = {{0.1, 0.02, 0.125}, {0.103, 0.018, 0.195}},
};

/* From the shoulder on in a T-pose to the modelled pose. */
static void lower(const double from[3], double to[3])
{
    double c = cos(lowered), s = sin(lowered);
    to[0] = shoulder[0] + c * from[0] + s * from[1];
    to[1] = shoulder[1] - s * from[0] + c * from[1];
    to[2] = shoulder[2] + from[2];
}

static void add_finger(int finger, struct mannequin_segment *to)
{
    const double *along = fingers[finger].along;
    double length = sqrt(along[0] * along[0] + along[1] * along[1] + along[2] * along[2]), at[3], next[3];
    for (int k = 0; k < 3; k++)
        at[k] = arm[2].head[k] + fingers[finger].from[k];
    for (int joint = 0; joint < 3; joint++) {
        double size = fingers[finger].lengths[joint] / length;
        next[0] = at[0] + size * along[0];
        next[1] = at[1] + size * (along[1] - 0.14 * joint); /* a little curled */
        next[2] = at[2] + size * along[2];
        lower(at, to[joint].head);
        lower(next, to[joint].tail);
        memcpy(at, next, sizeof at);
    }
}

void mannequin_bones(struct mannequin_segment *segments)
{
    struct mannequin_segment *side = segments + MANNEQUIN_SIDES;
    memset(segments, 0, (MANNEQUIN_SIDES + MANNEQUIN_SIDE_COUNT) * sizeof *segments);
    memcpy(segments, others, sizeof others);
    for (int i = 0; i < 3; i++) {
        lower(arm[i].head, side[MANNEQUIN_UPPER_ARM + i].head);
        lower(arm[i].tail, side[MANNEQUIN_UPPER_ARM + i].tail);
    }
    for (int finger = 0; finger < 5; finger++)
        add_finger(finger, side + MANNEQUIN_FINGERS + 3 * finger);
}

int mannequin_parent(int bone)
{
    static const int above[] = {[MANNEQUIN_SHOULDER] = MANNEQUIN_UPPER_CHEST,
                                [MANNEQUIN_UPPER_ARM] = MANNEQUIN_SIDES + MANNEQUIN_SHOULDER,
                                [MANNEQUIN_LOWER_ARM] = MANNEQUIN_SIDES + MANNEQUIN_UPPER_ARM,
                                [MANNEQUIN_HAND] = MANNEQUIN_SIDES + MANNEQUIN_LOWER_ARM,
                                [MANNEQUIN_UPPER_LEG] = MANNEQUIN_HIPS,
                                [MANNEQUIN_LOWER_LEG] = MANNEQUIN_SIDES + MANNEQUIN_UPPER_LEG,
                                [MANNEQUIN_FOOT] = MANNEQUIN_SIDES + MANNEQUIN_LOWER_LEG,
                                [MANNEQUIN_TOES] = MANNEQUIN_SIDES + MANNEQUIN_FOOT};
    if (bone < MANNEQUIN_SIDES)
        return bone - 1;
    int own = bone - MANNEQUIN_SIDES;
    if (own < MANNEQUIN_FINGERS)
        return above[own];
    return (own - MANNEQUIN_FINGERS) % 3 ? bone - 1 : MANNEQUIN_SIDES + MANNEQUIN_HAND;
}
