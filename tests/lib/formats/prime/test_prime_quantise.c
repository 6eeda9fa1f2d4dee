/* Values as 16-bit steps: what prime-anim.md, 5, measured, and that what is read is written again as it was. */
#include "lib/formats/prime/anim/quantise.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state = 88172645463325252u;

/* 0 ... 1 */
static double random_unit(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

static double random_normal(void)
{
    return sqrt(-2 * log(random_unit() + 1e-300)) * cos(6.283185307179586 * random_unit());
}

/* w up to that large; all rotations alike for 1. */
static void random_rotation(double largest_w, float q[4])
{
    double sum = 0, values[4];
    for (int i = 0; i < 4; i++)
        values[i] = random_normal();
    values[3] *= largest_w;
    for (int i = 0; i < 4; i++)
        sum += values[i] * values[i];
    for (int i = 0; i < 4; i++)
        q[i] = (float)(values[i] / sqrt(sum));
}

static void normalise(float q[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++)
        square += (double)q[i] * (double)q[i];
    for (int i = 0; i < 4; i++)
        q[i] = (float)((double)q[i] / sqrt(square));
}

/* By the chord: near 1 single precision tells no angles from the dot product. */
static double angle_between(const float a[4], const float b[4])
{
    double chord = 0;
    for (int i = 0; i < 4; i++)
        chord += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return 4 * asin(fmin(sqrt(chord) / 2, 1));
}

/* The quaternion that a reader makes of it: the arithmetic of prime-anim.md. */
static void read_rotation(const struct prime_rotation *rotation, uint32_t divisor, float q[4])
{
    double square = 0;
    for (int i = 0; i < 3; i++) {
        double sine = sin(rotation->steps[i] * (M_PI / 2 / divisor));
        q[i] = (float)sine;
        square += sine * sine;
    }
    q[3] = square < 1 ? (float)sqrt(1 - square) : 0;
    q[3] = rotation->is_negative ? -q[3] : q[3];
}

static int compare_doubles(const void *a, const void *b)
{
    const double *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

enum { SAMPLES = 20000 };

static void measure(double largest_w, double *errors)
{
    for (int i = 0; i < SAMPLES; i++) {
        float q[4], read[4];
        bool is_exact;
        random_rotation(largest_w, q);
        struct prime_rotation rotation = prime_rotation_quantise(q, PRIME_DIVISOR, &is_exact);
        read_rotation(&rotation, PRIME_DIVISOR, read);
        normalise(read);
        errors[i] = angle_between(q, read);
    }
    qsort(errors, SAMPLES, sizeof *errors, compare_doubles);
}

TEST(test_known_steps)
{
    static const struct {
        float q[4];
        uint32_t divisor;
        int16_t steps[3];
        bool is_negative;
    } known[] = {
        {{0, 0, 0, 1}, 32767, {0, 0, 0}, false},
        {{1, 0, 0, 0}, 32767, {32767, 0, 0}, false},
        {{0, -1, 0, 0}, 32767, {0, -32767, 0}, false},
        {{0, 0, 0.5f, 0.8660254f}, 3, {0, 0, 1}, false},
        {{0, 0.70710678f, 0, -0.70710678f}, 2, {0, 1, 0}, true},
        {{0.5f, 0.5f, 0.5f, -0.5f}, 3, {1, 1, 1}, true},
        {{-0.8660254f, 0, 0, 0.5f}, 90, {-60, 0, 0}, false},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        bool is_exact;
        struct prime_rotation found = prime_rotation_quantise(known[i].q, known[i].divisor, &is_exact);
        for (int k = 0; k < 3; k++)
            ck_assert_int_eq(found.steps[k], known[i].steps[k]);
        ck_assert_int_eq(found.is_negative, known[i].is_negative);
        ck_assert(is_exact);
    }
}

TEST(test_known_readings)
{
    /* sin 30, sin 45 and sin 60 degrees; and steps that leave nothing for w. */
    static const struct {
        struct prime_rotation rotation;
        uint32_t divisor;
        float q[4];
    } known[] = {
        {{{30, 0, 0}, false}, 90, {0.5f, 0, 0, 0.8660254f}},
        {{{0, 45, 0}, true}, 90, {0, 0.70710678f, 0, -0.70710678f}},
        {{{0, 0, -60}, false}, 90, {0, 0, -0.8660254f, 0.5f}},
        {{{90, 90, 0}, true}, 90, {1, 1, 0, 0}},
        {{{60, 60, 0}, false}, 90, {0.8660254f, 0.8660254f, 0, 0}},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        float q[4];
        read_rotation(&known[i].rotation, known[i].divisor, q);
        for (int k = 0; k < 4; k++)
            ck_assert_float_eq_tol(q[k], known[i].q[k], 1e-7f);
    }
}

TEST(test_errors)
{
    /* "Median 5.5e-5 rad, 99th percentile 7.7e-4, worst about 0.0055" on random rotations. */
    double *errors = malloc(SAMPLES * sizeof *errors);
    ck_assert_ptr_nonnull(errors);
    measure(1, errors);
    ck_assert_double_lt(errors[SAMPLES / 2], 7e-5);
    ck_assert_double_lt(errors[SAMPLES / 100 * 99], 1e-3);
    ck_assert_double_lt(errors[SAMPLES - 1], 0.008);
    /* Half turns, where w is what rounding leaves. */
    static const double small[] = {0.1, 1e-2, 1e-3, 1e-4, 0};
    for (int i = 0; i < 5; i++) {
        measure(small[i], errors);
        ck_assert_double_lt(errors[SAMPLES - 1], 0.02);
    }
    free(errors);
}

/* What was read is written as the same steps, and so on for ever. */
static void check_stable(const float q[4], uint32_t divisor)
{
    float read[4];
    bool is_exact;
    struct prime_rotation first = prime_rotation_quantise(q, divisor, &is_exact);
    read_rotation(&first, divisor, read);
    struct prime_rotation second = prime_rotation_quantise(read, divisor, &is_exact);
    ck_assert(is_exact);
    ck_assert_msg(!memcmp(first.steps, second.steps, sizeof first.steps) &&
                      first.is_negative == second.is_negative,
                  "divisor %u: %d %d %d became %d %d %d", divisor, first.steps[0], first.steps[1],
                  first.steps[2], second.steps[0], second.steps[1], second.steps[2]);
}

TEST(test_stable)
{
    static const uint32_t divisors[] = {1, 2, 3, 90, 1000, 32766, 32767, 65536, 4294967295u};
    static const double sizes_of_w[] = {1, 0.1, 1e-2, 1e-3, 1e-4, 1e-5, 0};
    for (size_t d = 0; d < sizeof divisors / sizeof *divisors; d++) {
        for (size_t w = 0; w < sizeof sizes_of_w / sizeof *sizes_of_w; w++) {
            for (int i = 0; i < 1500; i++) {
                float q[4];
                random_rotation(sizes_of_w[w], q);
                check_stable(q, divisors[d]);
            }
        }
    }
}

TEST(test_stable_near_axes)
{
    /* Near 1 a sine of single precision tells many steps from each other no more. */
    for (int i = 0; i < 30000; i++) {
        const float small = (float)pow(10, -7 * random_unit());
        float q[4] = {(float)random_normal() * small, (float)random_normal() * small, 1,
                      (float)random_normal() * small};
        double length = 0;
        for (int k = 0; k < 4; k++)
            length += (double)q[k] * (double)q[k];
        for (int k = 0; k < 4; k++)
            q[k] = (float)((double)q[k] / sqrt(length));
        check_stable(q, PRIME_DIVISOR);
    }
}

TEST(test_read_steps_stay)
{
    /* Every triple comes back as itself, whoever chose it; without a w those near a quarter turn as one of the same
     * sines. */
    for (int i = 0; i < 50000; i++) {
        struct prime_rotation rotation = {.steps = {0}};
        double square = 0;
        for (int k = 0; k < 3; k++) {
            rotation.steps[k] = (int16_t)floor((random_unit() * 2 - 1) * 32767.99);
            square += pow(sin(rotation.steps[k] * 1.5707963267948966 / PRIME_DIVISOR), 2);
        }
        float q[4];
        bool is_exact;
        rotation.is_negative = i % 2;
        read_rotation(&rotation, PRIME_DIVISOR, q);
        struct prime_rotation found = prime_rotation_quantise(q, PRIME_DIVISOR, &is_exact);
        ck_assert(is_exact && found.is_negative == rotation.is_negative);
        for (int k = 0; k < 3; k++) {
            int slack = square >= 1 && abs(rotation.steps[k]) > 32700 ? 16 : 0;
            ck_assert_int_le(abs(found.steps[k] - rotation.steps[k]), slack);
        }
    }
}

TEST(test_vectors)
{
    static const float values[] = {0, 1, -2, 4, 0, 0};
    double most = 0;
    prime_vectors_measure(values, 2, &most);
    ck_assert_double_eq(most, 4);
    ck_assert_float_eq(prime_multiplier(most), (float)(4 / 32766.0));
    ck_assert_float_eq(prime_multiplier(0), 0);
    ck_assert_int_eq(prime_vector_quantise(4, prime_multiplier(4)), 32766);
    ck_assert_int_eq(prime_vector_quantise(-2, prime_multiplier(4)), -16383);
    ck_assert_int_eq(prime_vector_quantise(3, 0), 0);
    ck_assert_int_eq(prime_vector_quantise(1e30f, 1), 32767);
    ck_assert(prime_vectors_are_multiples(values, 2, 0.5f));
    ck_assert(!prime_vectors_are_multiples(values, 2, 3));
    ck_assert(!prime_vectors_are_multiples(values, 2, 0));
    ck_assert(!prime_vectors_are_multiples(values, 2, 1e-5f)); /* 400000 steps */
}

TEST(test_small_and_large_multipliers)
{
    for (int i = -149; i < 128; i++) {
        float most = ldexpf(1.9f, i), multiplier = prime_multiplier((double)most);
        ck_assert(isfinite(multiplier) && multiplier > 0);
        ck_assert_double_le((double)most / (double)multiplier, 32767);
    }
}
