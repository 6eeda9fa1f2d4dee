/* Vectors and rotations in double precision: glTF's axes, unit quaternions x y z w. */
#ifndef POSE_MODEL_TURN_H
#define POSE_MODEL_TURN_H

#include <math.h>

struct vec {
    double x, y, z;
};

struct turn {
    double x, y, z, w;
};

static const struct turn turn_none = {0, 0, 0, 1};

static inline struct vec vec_add(struct vec a, struct vec b)
{
    return (struct vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline struct vec vec_sub(struct vec a, struct vec b)
{
    return (struct vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline struct vec vec_scale(struct vec a, double k)
{
    return (struct vec){a.x * k, a.y * k, a.z * k};
}

static inline struct vec vec_mul(struct vec a, struct vec b)
{
    return (struct vec){a.x * b.x, a.y * b.y, a.z * b.z};
}

static inline double vec_dot(struct vec a, struct vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline struct vec vec_cross(struct vec a, struct vec b)
{
    return (struct vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double vec_length(struct vec a)
{
    return sqrt(vec_dot(a, a));
}

static inline struct vec vec_middle(struct vec a, struct vec b)
{
    return vec_scale(vec_add(a, b), 0.5);
}

/* The length of a must not be 0. */
static inline struct vec vec_unit(struct vec a)
{
    return vec_scale(a, 1 / vec_length(a));
}

/* The angle between two non-zero vectors, in radians. */
static inline double vec_angle(struct vec a, struct vec b)
{
    return atan2(vec_length(vec_cross(a, b)), vec_dot(a, b));
}

/* First b, then a. */
static inline struct turn turn_mul(struct turn a, struct turn b)
{
    return (struct turn){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

static inline struct turn turn_inverse(struct turn q)
{
    return (struct turn){-q.x, -q.y, -q.z, q.w};
}

static inline double turn_dot(struct turn a, struct turn b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static inline struct turn turn_unit(struct turn q)
{
    double square = turn_dot(q, q);
    if (!(square > 1e-30) || !isfinite(square))
        return turn_none;
    double k = 1 / sqrt(square);
    return (struct turn){q.x * k, q.y * k, q.z * k, q.w * k};
}

/* Renormalises a rotation that is off by rounding errors only. */
static inline struct turn turn_settle(struct turn q)
{
    double k = 1.5 - 0.5 * turn_dot(q, q);
    return (struct turn){q.x * k, q.y * k, q.z * k, q.w * k};
}

static inline struct vec turn_point(struct turn q, struct vec v)
{
    struct vec u = {q.x, q.y, q.z}, t = vec_scale(vec_cross(u, v), 2);
    return vec_add(vec_add(v, vec_scale(t, q.w)), vec_cross(u, t));
}

/* About an axis of length 1. */
static inline struct turn turn_about(struct vec axis, double angle)
{
    double s = sin(0.5 * angle);
    return (struct turn){axis.x * s, axis.y * s, axis.z * s, cos(0.5 * angle)};
}

/* The shortest rotation from one direction to another; any half turn for opposite ones. */
static inline struct turn turn_arc(struct vec from, struct vec to)
{
    double size = sqrt(vec_dot(from, from) * vec_dot(to, to));
    if (!(size > 1e-30))
        return turn_none;
    double w = size + vec_dot(from, to);
    struct vec axis = vec_cross(from, to);
    if (w > 1e-12 * size)
        return turn_unit((struct turn){axis.x, axis.y, axis.z, w});
    struct vec other = fabs(from.x) < fabs(from.y) ? (struct vec){1, 0, 0} : (struct vec){0, 1, 0};
    axis = vec_unit(vec_cross(from, other));
    return (struct turn){axis.x, axis.y, axis.z, 0};
}

/* The part of it that is a rotation about +Y. */
static inline struct turn turn_yaw(struct turn q)
{
    return turn_unit((struct turn){0, q.y, 0, q.w});
}

/* The angle of a rotation, radians from 0 to pi. */
static inline double turn_angle(struct turn q)
{
    return 2 * atan2(sqrt(q.x * q.x + q.y * q.y + q.z * q.z), fabs(q.w));
}

/* sin(f a) / sin(a) where 1 - cos(a) is at most 0.05, as its power series in that: to 1e-13. */
static inline double turn_share(double f, double below_one)
{
    double term = f, sum = f, square = f * f;
    for (int i = 1; i <= 8; i++) {
        term *= (i * i - square) / (i * (2 * i + 1)) * below_one;
        sum += term;
    }
    return sum;
}

/* On the shorter arc. */
static inline struct turn turn_slerp(struct turn a, struct turn b, double f)
{
    double dot = turn_dot(a, b), sign = dot < 0 ? -1 : 1, below_one = 1 - fmin(fabs(dot), 1);
    double ka, kb;
    if (below_one <= 0.05) {
        ka = turn_share(1 - f, below_one);
        kb = turn_share(f, below_one) * sign;
    } else {
        double angle = acos(1 - below_one), s = 1 / sin(angle);
        ka = sin((1 - f) * angle) * s;
        kb = sin(f * angle) * s * sign;
    }
    return turn_unit(
        (struct turn){a.x * ka + b.x * kb, a.y * ka + b.y * kb, a.z * ka + b.z * kb, a.w * ka + b.w * kb});
}

#endif
