#include "lib/mannequin/make/shape.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

void shape_init(struct shape *shape)
{
    mannequin_bones(shape->bones);
}

/* --------------------------------------------------------------------------------------------------- the parts -- */

/* Joins two surfaces with a fillet of about that size. */
static double join(double a, double b, double size)
{
    double h = fmax(size - fabs(a - b), 0) / size;
    return fmin(a, b) - h * h * size / 4;
}

static double ellipsoid(const double p[3], const double center[3], const double radii[3])
{
    double k0 = 0, k1 = 0;
    for (int i = 0; i < 3; i++) {
        double x = (p[i] - center[i]) / radii[i];
        k0 += x * x;
        k1 += x / radii[i] * (x / radii[i]);
    }
    k0 = sqrt(k0);
    k1 = sqrt(k1);
    return k1 > 1e-9 ? k0 * (k0 - 1) / k1 : -radii[0];
}

/* A line between two points that is as thick as given at each; share: where on it the point is nearest. */
static double tube(const double p[3], const double a[3], const double b[3], double ra, double rb,
                   double *share)
{
    double ab[3], along = 0, length = 0, square = 0;
    for (int i = 0; i < 3; i++) {
        ab[i] = b[i] - a[i];
        along += (p[i] - a[i]) * ab[i];
        length += ab[i] * ab[i];
    }
    double t = length > 0 ? fmin(fmax(along / length, 0), 1) : 0;
    for (int i = 0; i < 3; i++) {
        double off = p[i] - a[i] - t * ab[i];
        square += off * off;
    }
    if (share)
        *share = t;
    return sqrt(square) - (ra + t * (rb - ra));
}

struct ellipsoid_part {
    double center[3], radii[3], fillet;
};

static const struct ellipsoid_part trunk[] = {
    {{0, 0.955, -0.005}, {0.148, 0.115, 0.104}, 0.04}, /* pelvis */
    {{0, 1.09, 0.008}, {0.136, 0.150, 0.096}, 0.06},   /* waist */
    {{0, 1.285, 0}, {0.155, 0.165, 0.108}, 0.06},      /* chest */
    {{0.070, 1.34, 0.048}, {0.080, 0.065, 0.046}, 0.06},
    {{0.078, 0.925, -0.052}, {0.082, 0.085, 0.076}, 0.04},
    {{0.100, 1.36, -0.055}, {0.075, 0.095, 0.045}, 0.05},
};

static const struct ellipsoid_part head[] = {
    {{0, 1.660, 0.006}, {0.078, 0.100, 0.096}, 0.02},
    {{0, 1.605, 0.032}, {0.056, 0.066, 0.068}, 0.035},
    {{0.0, 1.585, 0.072}, {0.028, 0.024, 0.022}, 0.03},
    {{0.0, 1.632, 0.102}, {0.013, 0.022, 0.017}, 0.014},
    {{0.079, 1.640, -0.004}, {0.010, 0.030, 0.018}, 0.010},
};

static double add_all(const struct ellipsoid_part *parts, size_t count, const double p[3], double d)
{
    for (size_t i = 0; i < count; i++)
        d = join(d, ellipsoid(p, parts[i].center, parts[i].radii), parts[i].fillet);
    return d;
}

static double add_bone(const struct shape *shape, int bone, const double p[3], double ra, double rb,
                       double fillet, double d)
{
    const struct mannequin_segment *segment = &shape->bones[bone];
    return join(d, tube(p, segment->head, segment->tail, ra, rb, NULL), fillet);
}

static double add_leg(const struct shape *shape, const double p[3], double d)
{
    static const struct ellipsoid_part calf = {{0.097, 0.385, -0.022}, {0.046, 0.115, 0.048}, 0.03},
                                       knee = {{0.095, 0.515, 0.018}, {0.045, 0.055, 0.042}, 0.03},
                                       thigh = {{0.097, 0.76, 0.014}, {0.071, 0.17, 0.076}, 0.05};
    static const double heel[2][3] = {{0.095, 0.05, -0.035}, {0.096, 0.035, 0.03}},
                        arch[2][3] = {{0.096, 0.05, 0.0}, {0.102, 0.020, 0.130}},
                        outer[2][3] = {{0.100, 0.025, 0.03}, {0.122, 0.014, 0.140}},
                        toes[2][3] = {{0.092, 0.020, 0.12}, {0.094, 0.015, 0.190}};
    d = add_bone(shape, MANNEQUIN_SIDES + MANNEQUIN_UPPER_LEG, p, 0.080, 0.053, 0.05, d);
    d = add_bone(shape, MANNEQUIN_SIDES + MANNEQUIN_LOWER_LEG, p, 0.051, 0.036, 0.03, d);
    d = add_all(&thigh, 1, p, d);
    d = add_all(&calf, 1, p, d);
    d = add_all(&knee, 1, p, d);
    d = join(d, tube(p, heel[0], heel[1], 0.037, 0.034, NULL), 0.03);
    d = join(d, tube(p, arch[0], arch[1], 0.042, 0.026, NULL), 0.03);
    d = join(d, tube(p, outer[0], outer[1], 0.026, 0.020, NULL), 0.03);
    return join(d, tube(p, toes[0], toes[1], 0.028, 0.021, NULL), 0.03);
}

/* A point in the frame of the hand: along it, up from the palm, towards the thumb. */
static void in_hand(const struct shape *shape, const double p[3], double own[3])
{
    const struct mannequin_segment *hand = &shape->bones[MANNEQUIN_SIDES + MANNEQUIN_HAND];
    static const double c = 0.70710678118654752;
    double x = p[0] - hand->head[0], y = p[1] - hand->head[1];
    own[0] = c * x - c * y;
    own[1] = c * x + c * y;
    own[2] = p[2] - hand->head[2];
}

static double add_hand(const struct shape *shape, const double p[3], double d)
{
    static const double radii[5][2] = {
        {0.0135, 0.0095}, {0.0098, 0.0078}, {0.0100, 0.0080}, {0.0096, 0.0076}, {0.0086, 0.0068}};
    static const struct ellipsoid_part palm = {{0.054, 0, 0.000}, {0.058, 0.0165, 0.043}, 0.02},
                                       ball = {{0.034, -0.006, 0.026}, {0.034, 0.015, 0.020}, 0.012};
    double own[3];
    in_hand(shape, p, own);
    d = add_all(&palm, 1, own, d);
    d = add_all(&ball, 1, own, d);
    for (int finger = 0; finger < 5; finger++) {
        int bone = MANNEQUIN_SIDES + MANNEQUIN_FINGERS + 3 * finger;
        double all = 1, step = (radii[finger][1] - radii[finger][0]) / 3, radius = radii[finger][0];
        for (int joint = 0; joint < 3; joint++, radius += step) {
            double end = joint == 2 ? radius + step / 2 : radius + step;
            all = fmin(all, tube(p, shape->bones[bone + joint].head, shape->bones[bone + joint].tail, radius,
                                 end, NULL));
        }
        d = join(d, all, finger ? 0.007 : 0.012);
    }
    return d;
}

static double add_arm(const struct shape *shape, const double p[3], double d)
{
    const struct mannequin_segment *upper = &shape->bones[MANNEQUIN_SIDES + MANNEQUIN_UPPER_ARM],
                                   *lower = &shape->bones[MANNEQUIN_SIDES + MANNEQUIN_LOWER_ARM];
    double muscle[2][3];
    for (int i = 0; i < 3; i++) {
        muscle[0][i] = lower->head[i] + 0.1 * (lower->tail[i] - lower->head[i]);
        muscle[1][i] = lower->head[i] + 0.55 * (lower->tail[i] - lower->head[i]);
    }
    d = add_bone(shape, MANNEQUIN_SIDES + MANNEQUIN_SHOULDER, p, 0.045, 0.052, 0.06, d);
    d = join(d, tube(p, upper->head, upper->tail, 0.052, 0.038, NULL), 0.045);
    d = join(d, tube(p, lower->head, lower->tail, 0.036, 0.025, NULL), 0.03);
    d = join(d, tube(p, muscle[0], muscle[1], 0.040, 0.031, NULL), 0.03);
    return add_hand(shape, p, d);
}

double shape_distance(const struct shape *shape, const double point[3])
{
    const double p[3] = {fabs(point[0]), point[1], point[2]};
    double d = add_all(trunk, sizeof trunk / sizeof *trunk, p, 10);
    d = add_bone(shape, MANNEQUIN_NECK, p, 0.060, 0.052, 0.05, d);
    d = join(d, add_all(head, sizeof head / sizeof *head, p, 10), 0.03);
    d = add_leg(shape, p, d);
    d = add_arm(shape, p, d);
    return fmax(d, -p[1]); /* soles are flat */
}

/* ------------------------------------------------------------------------------------------------- the weights -- */

/* How thick a bone's part is. */
static double thickness(int bone)
{
    static const double central[] = {0.13, 0.12, 0.12, 0.11, 0.055, 0.09},
                        side[] = {0.055, 0.046, 0.036, 0.030, 0.075, 0.046, 0.035, 0.022};
    if (bone < MANNEQUIN_SIDES)
        return central[bone];
    return bone - MANNEQUIN_SIDES < MANNEQUIN_FINGERS ? side[bone - MANNEQUIN_SIDES] : 0.009;
}

static bool is_near(int a, int b)
{
    return a == b || mannequin_parent(a) == b || mannequin_parent(b) == a;
}

void shape_weights(const struct shape *shape, const double point[3],
                   double weights[MANNEQUIN_SIDES + MANNEQUIN_SIDE_COUNT])
{
    enum { COUNT = MANNEQUIN_SIDES + MANNEQUIN_SIDE_COUNT };
    double distances[COUNT], sum = 0;
    int nearest = 0;
    for (int bone = 0; bone < COUNT; bone++) {
        const struct mannequin_segment *segment = &shape->bones[bone];
        distances[bone] = tube(point, segment->head, segment->tail, thickness(bone), thickness(bone), NULL);
        if (distances[bone] < distances[nearest])
            nearest = bone;
    }
    for (int bone = 0; bone < COUNT; bone++) {
        double softness = 0.45 * fmin(fmin(thickness(bone), thickness(nearest)), 0.075);
        double over = (distances[bone] - distances[nearest]) / softness;
        weights[bone] = is_near(bone, nearest) && over < 8 ? exp(-over) : 0;
        sum += weights[bone];
    }
    for (int bone = 0; bone < COUNT; bone++)
        weights[bone] /= sum;
}
