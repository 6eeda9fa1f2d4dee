/* Just enough vectors and quaternions (x, y, z, w) to make up motion. Doubles: the files hold what is left of them. */
#ifndef TESTS_SAMPLES_VEC_H
#define TESTS_SAMPLES_VEC_H

struct vec {
    double x, y, z;
};

struct quat {
    double x, y, z, w;
};

struct vec vec_add(struct vec a, struct vec b);
struct vec vec_sub(struct vec a, struct vec b);
struct vec vec_scale(struct vec a, double factor);
double vec_dot(struct vec a, struct vec b);
struct vec vec_cross(struct vec a, struct vec b);
double vec_length(struct vec a);
struct vec vec_unit(struct vec a);

extern const struct quat quat_identity;
/* A turn of that many degrees about an axis of unit length. */
struct quat quat_about(struct vec axis, double degrees);
struct quat quat_about_x(double degrees);
struct quat quat_about_y(double degrees);
struct quat quat_about_z(double degrees);
/* a after b. */
struct quat quat_mul(struct quat a, struct quat b);
struct quat quat_inverse(struct quat q);
struct vec quat_turn(struct quat q, struct vec v);
/* The shortest turn of one direction into another. */
struct quat quat_between(struct vec from, struct vec to);
/* The turn that brings one pair of directions to another; the second of each pair only says how it is rolled. */
struct quat quat_between_frames(struct vec from, struct vec from_side, struct vec to, struct vec to_side);

#endif
