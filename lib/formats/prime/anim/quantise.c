#include "lib/formats/prime/anim/quantise.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum {
    SETTLE_ROUNDS = 8, /* two are enough: the rest of a round can be found again */
    CANDIDATES = 8,
    NEAR_WINDOW = 16, /* steps near a quarter turn whose sines may be equal in single precision */
};

static const double QUARTER_TURN = 1.57079632679489661923;
static const double NEAR_ONE = 0.99999;
/* How much single precision and a different order of operations may change a component. */
static const float EXACT = 1e-6f;

/* -------------------------------------------------------------------------------------------- rotations -- */

/* Computes q from the sines of the three components; w >= 0. */
static void complete(const double sines[3], float q[4])
{
    double square = sines[0] * sines[0] + sines[1] * sines[1] + sines[2] * sines[2];
    for (int i = 0; i < 3; i++)
        q[i] = (float)sines[i];
    q[3] = square < 1 ? (float)sqrt(1 - square) : 0;
}

static void read_steps(const int16_t steps[3], uint32_t divisor, float q[4])
{
    double step = QUARTER_TURN / divisor, sines[3];
    for (int i = 0; i < 3; i++)
        sines[i] = sin(steps[i] * step);
    complete(sines, q);
}

static double square_of(const float q[4])
{
    double square = 0;
    for (int i = 0; i < 4; i++)
        square += (double)q[i] * (double)q[i];
    return square;
}

bool prime_rotation_is_long(const float q[4])
{
    return q[3] == 0 && fabsf(q[0]) <= 1 && fabsf(q[1]) <= 1 && fabsf(q[2]) <= 1 && square_of(q) >= 1;
}

/*
 * The arcsine of a component of a unit quaternion, computed from the other components: near 1 a single-precision
 * sine cannot distinguish steps, the others can.
 */
static double angle_of(const float q[4], int component)
{
    double across = 0;
    for (int i = 0; i < 4; i++)
        across += i == component ? 0 : (double)q[i] * (double)q[i];
    return atan2((double)q[component], sqrt(across));
}

static int16_t bounded(double steps, uint32_t divisor)
{
    double most = fmin(divisor, INT16_MAX);
    return (int16_t)fmin(fmax(steps, -most), most);
}

static double distance(const float a[4], const float b[4])
{
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
    return sum;
}

/* The distance of q from what a reader gets from these sines after normalising. */
static double distance_of_unit(const double sines[3], const float q[4])
{
    float read[4];
    complete(sines, read);
    double length = read[3] > 0 ? 1 : sqrt(square_of(read));
    for (int i = 0; i < 3; i++)
        read[i] = (float)((double)read[i] / length);
    return distance(read, q);
}

/*
 * The best of the eight grid points around a unit quaternion, whose w >= 0: rounding each component separately
 * is bad for small w, which is derived from the others.
 */
static void pick_around(const float q[4], uint32_t divisor, int16_t steps[3])
{
    double step = QUARTER_TURN / divisor, sines[3][2], least = INFINITY;
    int16_t sides[3][2];
    for (int i = 0; i < 3; i++) {
        double below = floor(angle_of(q, i) / step);
        for (int above = 0; above < 2; above++) {
            sides[i][above] = bounded(below + above, divisor);
            sines[i][above] = sin(sides[i][above] * step);
        }
    }
    for (unsigned c = 0; c < CANDIDATES; c++) {
        const unsigned side[3] = {c & 1, c >> 1 & 1, c >> 2 & 1};
        const double chosen[3] = {sines[0][side[0]], sines[1][side[1]], sines[2][side[2]]};
        double away = distance_of_unit(chosen, q);
        if (away >= least)
            continue;
        least = away;
        for (int i = 0; i < 3; i++)
            steps[i] = sides[i][side[i]];
    }
}

/* The step with the nearest sine. */
static int16_t pick_sine(float sine, uint32_t divisor)
{
    double step = QUARTER_TURN / divisor, middle = floor(asin((double)sine) / step + 0.5), least = INFINITY;
    int window = fabs((double)sine) > NEAR_ONE ? NEAR_WINDOW : 1;
    int16_t best = 0;
    for (int i = -window; i <= window; i++) {
        int16_t steps = bounded(middle + i, divisor);
        double away = fabs((double)(float)sin(steps * step) - (double)sine);
        if (away < least) {
            least = away;
            best = steps;
        }
    }
    return best;
}

/* Recovers steps that left nothing for w; false if q does not come from such steps. */
static bool pick_long(const float q[4], uint32_t divisor, int16_t steps[3])
{
    float read[4];
    if (!prime_rotation_is_long(q))
        return false;
    for (int i = 0; i < 3; i++)
        steps[i] = pick_sine(q[i], divisor);
    read_steps(steps, divisor, read);
    return read[3] == 0 && distance(read, q) <= (double)(EXACT * EXACT);
}

struct prime_rotation prime_rotation_quantise(const float q[4], uint32_t divisor, bool *is_exact)
{
    struct prime_rotation rotation = {.steps = {0}};
    const float upright[4] = {q[0], q[1], q[2], fabsf(q[3])};
    float read[4];
    memcpy(read, upright, sizeof read);
    /* Repeats until reading and writing give the same steps. */
    for (int round = 0; round < SETTLE_ROUNDS; round++) {
        int16_t before[3];
        memcpy(before, rotation.steps, sizeof before);
        if (!pick_long(read, divisor, rotation.steps))
            pick_around(read, divisor, rotation.steps);
        read_steps(rotation.steps, divisor, read);
        if (round && !memcmp(before, rotation.steps, sizeof before))
            break;
    }
    /* If w is lost its sign means nothing, unless the input had one. */
    rotation.is_negative = read[3] > 0 ? q[3] < 0 : q[3] == 0 && signbit(q[3]);
    *is_exact = distance(read, upright) <= (double)(EXACT * EXACT);
    return rotation;
}

/* ---------------------------------------------------------------------------------------------- vectors -- */

void prime_vectors_measure(const float *values, size_t count, double *most)
{
    for (size_t i = 0; i < 3 * count; i++) {
        *most = fmax(*most, fabs((double)values[i]));
        if (i >= 3)
            *most = fmax(*most, fabs((double)values[i] - (double)values[i - 3]));
    }
}

float prime_multiplier(double most)
{
    if (!(most > 0))
        return 0;
    float multiplier = (float)(most / PRIME_STEPS);
    /* Rounding to single precision must not put the largest value out of range, which can happen among the
     * smallest floats. */
    while (multiplier == 0 || most / (double)multiplier > INT16_MAX)
        multiplier = nextafterf(multiplier, INFINITY);
    return multiplier;
}

static double multiples(float value, float multiplier)
{
    return multiplier != 0 ? floor((double)value / (double)multiplier + 0.5) : 0;
}

bool prime_vectors_are_multiples(const float *values, size_t count, float multiplier)
{
    for (size_t i = 0; i < 3 * count; i++) {
        double whole = multiples(values[i], multiplier);
        if (!(whole >= INT16_MIN && whole <= INT16_MAX) || (float)(whole * (double)multiplier) != values[i])
            return false;
    }
    return true;
}

int16_t prime_vector_quantise(float value, float multiplier)
{
    double whole = multiples(value, multiplier);
    return (int16_t)fmin(fmax(whole, INT16_MIN), INT16_MAX);
}
