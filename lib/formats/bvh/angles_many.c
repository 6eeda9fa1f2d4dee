/*
 * bvh_angles_fit for four rotations at once with AVX2. Sines and arc tangents differ from the C library's in their last
 * bits; since angles are rounded to a hundred-thousandth of a degree, that is seen only where one is close to the middle
 * between two, and then, as in every other unusual case, the rotation is left to the caller.
 */
#include "lib/formats/bvh/angles.h"

#include "lib/sample/euler_lanes.h"

#ifdef EULER_LANES

#define DEGREE (3.14159265358979323846 / 180)

/* Quaternions differ by less, and numbers below TINY by less than their spacing as floats. */
#define DIFFERENCE 8e-15
#define TINY 1e-7

/* Angles, in degrees, then differ by less if the cosine of the middle one is at least that. */
#define ANGLE_DIFFERENCE 1e-9
#define LEAST_COSINE 0.01

/* Degrees. The loss is at most 1.2e-7: half of its square is 4e-13 degrees, and it counts a few times. */
#define NEGLECTED 1e-11

struct rotations {
    __m256d x, y, z, w; /* about the first, second and third axis */
};

/* The file's axes are x, y, z here. Where these are a mirror image, with a sign of -1, all turns are the other way. */
LANES_INLINE struct rotations load_rotations(struct bvh_turn *const turns[BVH_TURNS], __m256d *sign)
{
    __m128 q[BVH_TURNS];
    double signs[BVH_TURNS];
    for (unsigned i = 0; i < BVH_TURNS; i++) {
        const uint8_t *axes = turns[i]->axes;
        signs[i] = (axes[0] + 1) % 3 == axes[1] ? 1 : -1;
        q[i] = _mm_permutevar_ps(_mm_loadu_ps(turns[i]->q), _mm_setr_epi32(axes[0], axes[1], axes[2], 3));
    }
    _MM_TRANSPOSE4_PS(q[0], q[1], q[2], q[3]);
    *sign = _mm256_setr_pd(signs[0], signs[1], signs[2], signs[3]);
    return (struct rotations){_mm256_cvtps_pd(q[0]), _mm256_cvtps_pd(q[1]), _mm256_cvtps_pd(q[2]),
                              _mm256_mul_pd(_mm256_cvtps_pd(q[3]), *sign)};
}

/* scale * (a * b + c * d) */
LANES_INLINE __m256d mixed(__m256d scale, __m256d a, __m256d b, __m256d c, __m256d d)
{
    return _mm256_mul_pd(scale, _mm256_fmadd_pd(a, b, _mm256_mul_pd(c, d)));
}

/* The angle with the whole turns that bring it nearest to the other, and its distance. Where it is half a turn away, the
 * lane is not good. */
LANES_INLINE __m256d unwrap(__m256d angle, __m256d near, __m256d *distance, __m256d *good)
{
    const __m256d turns = _mm256_mul_pd(_mm256_sub_pd(near, angle), lanes_set(1.0 / 360));
    const __m256d whole = _mm256_round_pd(turns, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    angle = _mm256_fmadd_pd(whole, lanes_set(360), angle);
    *distance = _mm256_add_pd(*distance, lanes_size(_mm256_sub_pd(angle, near)));
    *good = _mm256_and_pd(
        *good, _mm256_cmp_pd(lanes_size(_mm256_sub_pd(turns, whole)), lanes_set(0.4999), _CMP_LT_OQ));
    return angle;
}

/* As choose_nearest of euler.c; the choice stays the same for angles that differ by a step. */
LANES_INLINE void choose_nearest(__m256d angles[3], const __m256d near[3], __m256d *good)
{
    const __m256d half = lanes_set(180);
    __m256d other[3] = {_mm256_add_pd(angles[0], half), _mm256_sub_pd(half, angles[1]),
                        _mm256_add_pd(angles[2], half)};
    __m256d distance = _mm256_setzero_pd(), other_distance = distance;
    for (unsigned i = 0; i < 3; i++) {
        angles[i] = unwrap(angles[i], near[i], &distance, good);
        other[i] = unwrap(other[i], near[i], &other_distance, good);
    }
    const __m256d nearer = _mm256_sub_pd(other_distance, distance);
    for (unsigned i = 0; i < 3; i++)
        angles[i] = _mm256_blendv_pd(angles[i], other[i], nearer);
    *good = _mm256_and_pd(*good, _mm256_cmp_pd(lanes_size(nearer), lanes_set(0.01), _CMP_GT_OQ));
}

/* An angle as whole steps of a grid, as tidy_angle of angles.c rounds: floats times the grid are exact, so adding a half
 * before cutting is rounding. */
struct steps {
    __m256d count, grid; /* the count has the sign */
};

LANES_INLINE struct steps find_steps(__m256d degrees)
{
    const __m256d angle = _mm256_cvtps_pd(_mm256_cvtpd_ps(degrees)), size = lanes_size(angle);
    const __m256d fine = _mm256_cmp_pd(size, lanes_set(100), _CMP_LT_OQ),
                  grid = _mm256_blendv_pd(lanes_set(1e4), lanes_set(1e5), fine);
    const __m256d count = _mm256_floor_pd(_mm256_add_pd(_mm256_mul_pd(size, grid), lanes_set(0.5)));
    return (struct steps){_mm256_or_pd(count, _mm256_and_pd(angle, lanes_set(-0.0))), grid};
}

LANES_INLINE __m256d are_same(struct steps a, struct steps b)
{
    return _mm256_and_pd(_mm256_cmp_pd(a.count, b.count, _CMP_EQ_OQ),
                         _mm256_cmp_pd(a.grid, b.grid, _CMP_EQ_OQ));
}

/* The angle as a float. */
LANES_INLINE __m256d tidy(struct steps steps)
{
    return _mm256_cvtps_pd(_mm256_cvtpd_ps(_mm256_div_pd(steps.count, steps.grid)));
}

/* As find_angles of angles.c: the angles of all lanes that stay good. */
LANES_INLINE void find_angles(const struct rotations *q, const __m256d near[3], struct steps found[3],
                              __m256d *good)
{
    const __m256d xx = _mm256_mul_pd(q->x, q->x), yy = _mm256_mul_pd(q->y, q->y),
                  zz = _mm256_mul_pd(q->z, q->z), ww = _mm256_mul_pd(q->w, q->w), one = lanes_set(1);
    const __m256d square = _mm256_add_pd(_mm256_add_pd(xx, yy), _mm256_add_pd(zz, ww)),
                  scale = _mm256_div_pd(lanes_set(2), square),
                  minus_w = _mm256_sub_pd(_mm256_setzero_pd(), q->w);
    const __m256d m00 = _mm256_fnmadd_pd(scale, _mm256_add_pd(yy, zz), one),
                  m22 = _mm256_fnmadd_pd(scale, _mm256_add_pd(xx, yy), one),
                  m01 = mixed(scale, q->x, q->y, q->z, minus_w), m02 = mixed(scale, q->x, q->z, q->y, q->w),
                  m12 = mixed(scale, q->y, q->z, q->x, minus_w);
    const __m256d cosine = _mm256_sqrt_pd(_mm256_fmadd_pd(m00, m00, _mm256_mul_pd(m01, m01)));
    __m256d angles[3] = {lanes_arc_tangent(_mm256_sub_pd(_mm256_setzero_pd(), m12), m22),
                         lanes_arc_tangent(m02, cosine),
                         lanes_arc_tangent(_mm256_sub_pd(_mm256_setzero_pd(), m01), m00)};
    *good = _mm256_and_pd(*good, _mm256_cmp_pd(cosine, lanes_set(LEAST_COSINE), _CMP_GT_OQ));
    for (unsigned i = 0; i < 3; i++)
        angles[i] = _mm256_mul_pd(angles[i], lanes_set(1 / DEGREE));
    choose_nearest(angles, near, good);
    for (unsigned i = 0; i < 3; i++) {
        found[i] = find_steps(_mm256_sub_pd(angles[i], lanes_set(ANGLE_DIFFERENCE)));
        const struct steps high = find_steps(_mm256_add_pd(angles[i], lanes_set(ANGLE_DIFFERENCE)));
        *good = _mm256_and_pd(*good, are_same(found[i], high));
        *good = _mm256_and_pd(*good, _mm256_cmp_pd(lanes_size(angles[i]), lanes_set(700), _CMP_LT_OQ));
    }
}

/* The rotation of those angles, as doubles; also the sines and cosines of half of them. */
LANES_INLINE struct rotations turn_by(const __m256d angles[3], __m256d sines[3], __m256d cosines[3])
{
    __m256d q[4] = {_mm256_setzero_pd(), _mm256_setzero_pd(), _mm256_setzero_pd(), lanes_set(1)};
    for (unsigned i = 0; i < 3; i++) {
        lanes_sine_cosine(_mm256_mul_pd(angles[i], lanes_set(DEGREE / 2)), &sines[i], &cosines[i]);
        lanes_turn(&q[i], &q[(i + 1) % 3], &q[(i + 2) % 3], &q[3], sines[i], cosines[i]);
    }
    return (struct rotations){q[0], q[1], q[2], q[3]};
}

/* What a component loses when it becomes a float, as in euler_to_quat. */
LANES_INLINE __m256d lose(__m256d component, __m256d *good)
{
    const __m256d tiny = _mm256_cmp_pd(lanes_size(component), lanes_set(TINY), _CMP_LT_OQ);
    *good = _mm256_and_pd(*good, _mm256_or_pd(tiny, lanes_steady(component, DIFFERENCE)));
    return _mm256_sub_pd(_mm256_cvtps_pd(_mm256_cvtpd_ps(component)), component);
}

/*
 * The angles, in degrees, by which a rotation of those angles is off once its components are floats, up to NEGLECTED over
 * the square of the middle one's cosine. The loss is a turn w about an axis in space, so small (1.2e-7) that only its first
 * order counts: w is the sum of the changes of the angles, each about its own axis, where that has been turned to.
 */
LANES_INLINE void find_losses(const __m256d angles[3], __m256d losses[3], __m256d *margin, __m256d *good)
{
    __m256d s[3], c[3];
    const struct rotations q = turn_by(angles, s, c);
    const struct rotations lost = {lose(q.x, good), lose(q.y, good), lose(q.z, good), lose(q.w, good)};
    /* The vector of lost times the inverse of q is half of w. */
    const __m256d half[3] = {_mm256_sub_pd(_mm256_fmadd_pd(q.w, lost.x, _mm256_mul_pd(q.y, lost.z)),
                                           _mm256_fmadd_pd(lost.w, q.x, _mm256_mul_pd(q.z, lost.y))),
                             _mm256_sub_pd(_mm256_fmadd_pd(q.w, lost.y, _mm256_mul_pd(q.z, lost.x)),
                                           _mm256_fmadd_pd(lost.w, q.y, _mm256_mul_pd(q.x, lost.z))),
                             _mm256_sub_pd(_mm256_fmadd_pd(q.w, lost.z, _mm256_mul_pd(q.x, lost.y)),
                                           _mm256_fmadd_pd(lost.w, q.z, _mm256_mul_pd(q.y, lost.x)))};
    const __m256d one = lanes_set(1), two = lanes_set(2), degrees = lanes_set(2 / DEGREE),
                  sine0 = _mm256_mul_pd(two, _mm256_mul_pd(s[0], c[0])),
                  sine1 = _mm256_mul_pd(two, _mm256_mul_pd(s[1], c[1])),
                  cosine0 = _mm256_fnmadd_pd(two, _mm256_mul_pd(s[0], s[0]), one),
                  cosine1 = _mm256_fnmadd_pd(two, _mm256_mul_pd(s[1], s[1]), one);
    const __m256d inverse = _mm256_div_pd(one, cosine1);
    const __m256d last =
        _mm256_mul_pd(_mm256_sub_pd(_mm256_mul_pd(cosine0, half[2]), _mm256_mul_pd(sine0, half[1])), inverse);
    losses[0] = _mm256_mul_pd(degrees, _mm256_fnmadd_pd(sine1, last, half[0]));
    losses[1] = _mm256_mul_pd(degrees, _mm256_fmadd_pd(cosine0, half[1], _mm256_mul_pd(sine0, half[2])));
    losses[2] = _mm256_mul_pd(degrees, last);
    *good = _mm256_and_pd(*good, _mm256_cmp_pd(lanes_size(cosine1), lanes_set(LEAST_COSINE), _CMP_GT_OQ));
    *margin =
        _mm256_fmadd_pd(_mm256_mul_pd(inverse, inverse), lanes_set(NEGLECTED), lanes_set(ANGLE_DIFFERENCE));
}

/* Whether the angles that are read again are rounded to the same: most are at once. */
LANES_INLINE __m256d repeat(const struct steps steps[3], const __m256d angles[3])
{
    __m256d losses[3], margin, good = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    find_losses(angles, losses, &margin, &good);
    for (unsigned i = 0; i < 3; i++) {
        const __m256d again = _mm256_add_pd(angles[i], losses[i]);
        good = _mm256_and_pd(good, are_same(steps[i], find_steps(_mm256_sub_pd(again, margin))));
        good = _mm256_and_pd(good, are_same(steps[i], find_steps(_mm256_add_pd(again, margin))));
    }
    return good;
}

LANES_AVX2 static unsigned fit_four(struct bvh_turn *const turns[BVH_TURNS])
{
    __m256d sign, near[3], tidied[3], good = _mm256_castsi256_pd(_mm256_set1_epi64x(-1));
    const struct rotations q = load_rotations(turns, &sign);
    for (unsigned i = 0; i < 3; i++)
        near[i] =
            _mm256_mul_pd(sign, _mm256_setr_pd((double)turns[0]->angles[i], (double)turns[1]->angles[i],
                                               (double)turns[2]->angles[i], (double)turns[3]->angles[i]));
    struct steps steps[3];
    find_angles(&q, near, steps, &good);
    for (unsigned i = 0; i < 3; i++)
        tidied[i] = tidy(steps[i]);
    good = _mm256_and_pd(good, repeat(steps, tidied));
    const unsigned done = (unsigned)_mm256_movemask_pd(good);
    for (unsigned i = 0; i < 3; i++) {
        float angles[BVH_TURNS];
        /* Zero is never negative. */
        const __m256d turned = _mm256_add_pd(_mm256_mul_pd(sign, tidied[i]), _mm256_setzero_pd());
        _mm_storeu_ps(angles, _mm256_cvtpd_ps(turned));
        for (unsigned turn = 0; turn < BVH_TURNS; turn++)
            turns[turn]->angles[i] = done >> turn & 1 ? angles[turn] : turns[turn]->angles[i];
    }
    return done;
}

unsigned bvh_angles_fit_four(struct bvh_turn *const turns[BVH_TURNS])
{
    return lanes_are_there() ? fit_four(turns) : 0;
}

#else

unsigned bvh_angles_fit_four(struct bvh_turn *const turns[BVH_TURNS])
{
    (void)turns;
    return 0;
}

#endif
