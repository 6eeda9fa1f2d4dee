#include "tests/samples/vec.h"

#include <math.h>

struct vec vec_add(struct vec a, struct vec b)
{
    return (struct vec){a.x + b.x, a.y + b.y, a.z + b.z};
}

struct vec vec_sub(struct vec a, struct vec b)
{
    return (struct vec){a.x - b.x, a.y - b.y, a.z - b.z};
}

struct vec vec_scale(struct vec a, double factor)
{
    return (struct vec){a.x * factor, a.y * factor, a.z * factor};
}

double vec_dot(struct vec a, struct vec b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

struct vec vec_cross(struct vec a, struct vec b)
{
    return (struct vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

double vec_length(struct vec a)
{
    return sqrt(vec_dot(a, a));
}

struct vec vec_unit(struct vec a)
{
    return vec_scale(a, 1 / vec_length(a));
}

const struct quat quat_identity = {0, 0, 0, 1};

struct quat quat_about(struct vec axis, double degrees)
{
    double half = degrees * (acos(-1) / 360), s = sin(half);
    return (struct quat){axis.x * s, axis.y * s, axis.z * s, cos(half)};
}

struct quat quat_about_x(double degrees)
{
    return quat_about((struct vec){1, 0, 0}, degrees);
}

struct quat quat_about_y(double degrees)
{
    return quat_about((struct vec){0, 1, 0}, degrees);
}

struct quat quat_about_z(double degrees)
{
    return quat_about((struct vec){0, 0, 1}, degrees);
}

struct quat quat_mul(struct quat a, struct quat b)
{
    return (struct quat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

struct quat quat_inverse(struct quat q)
{
    return (struct quat){-q.x, -q.y, -q.z, q.w};
}

struct vec quat_turn(struct quat q, struct vec v)
{
    struct vec u = {q.x, q.y, q.z}, t = vec_scale(vec_cross(u, v), 2);
    return vec_add(vec_add(v, vec_scale(t, q.w)), vec_cross(u, t));
}

struct quat quat_between(struct vec from, struct vec to)
{
    struct vec a = vec_unit(from), b = vec_unit(to), axis = vec_cross(a, b);
    double sine = vec_length(axis);
    if (sine < 1e-9)
        return quat_identity; /* the figures have no limb that points the wrong way round */
    return quat_about(vec_scale(axis, 1 / sine), atan2(sine, vec_dot(a, b)) * (180 / acos(-1)));
}

/* First direction to direction, then the roll about it. */
struct quat quat_between_frames(struct vec from, struct vec from_side, struct vec to, struct vec to_side)
{
    struct quat aim = quat_between(from, to);
    struct vec along = vec_unit(to), side = quat_turn(aim, from_side);
    side = vec_sub(side, vec_scale(along, vec_dot(side, along)));
    struct vec wanted = vec_sub(to_side, vec_scale(along, vec_dot(to_side, along)));
    return quat_mul(quat_between(side, wanted), aim);
}
