#include "lib/core/numbers/angles.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Half of pi as a sum: of 33 bits, 33 bits and the rest; and of a double and the rest. */
#define HALF_PI_1 0x1.921fb544p+0
#define HALF_PI_2 0x1.0b4611a6p-34
#define HALF_PI_3 0x1.3198a2e037073p-69
#define HALF_PI 0x1.921fb54442d18p+0
#define HALF_PI_REST 0x1.1a62633145c07p-54

/* An angle within an eighth of a turn, as a sum of two numbers, and the quarters of a turn that were taken off. */
struct reduced {
    double angle, rest;
    unsigned quarters;
};

/* ----------------------------------------------------------------------------------------------- reduction -- */

/* Beyond it, quarters do not fit into 17 bits: with the 33 of each part of pi they just have room in a double. */
#define NEAR 131072.0

static struct reduced reduce_near(double x)
{
    const double quarters = rint(x * 0.63661977236758134308);
    /* Exact, but for the last difference. */
    const double first = x - quarters * HALF_PI_1, product = quarters * HALF_PI_2, second = first - product;
    const double back = second - first, error = (first - (second - back)) - (product + back);
    const double low = error - quarters * HALF_PI_3, sum = second + low;
    return (struct reduced){sum, (second - sum) + low, (unsigned)(int)quarters};
}

/* The binary digits of 2 / pi, behind 64 zeros. */
static const uint64_t two_over_pi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41,
    0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7,
    0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab,
    0xf0cfbc209af4361d, 0xa9e391615ee61b08};

__extension__ typedef unsigned __int128 wide;
__extension__ typedef __int128 signed_wide;

/* 64 digits from that one on. */
static uint64_t digits(unsigned from)
{
    const unsigned word = from / 64, shift = from % 64;
    return shift ? two_over_pi[word] << shift | two_over_pi[word + 1] >> (64 - shift) : two_over_pi[word];
}

/* x 2 / pi, of which whole turns are left out: 192 digits of it, the first two of which count quarters. */
static struct reduced reduce_far(double x)
{
    int exponent;
    const uint64_t mantissa = (uint64_t)ldexp(frexp(fabs(x), &exponent), 53);
    const unsigned from = (unsigned)(exponent - 53 + 62);
    const wide low = (wide)mantissa * digits(from + 128), middle = (wide)mantissa * digits(from + 64);
    const wide upper = ((wide)(mantissa * digits(from)) << 64) + middle + (low >> 64);
    const signed_wide fraction = (signed_wide)(upper << 2 | (uint64_t)low >> 62);
    const unsigned quarters = (unsigned)(upper >> 126) + (fraction < 0);
    /* The first 20 digits of the fraction, times those of pi, are exact. */
    const double high = ldexp((double)fraction, -128), first = ldexp(rint(ldexp(high, 20)), -20);
    const double exact = first * HALF_PI_1, low_part = first * HALF_PI_2 + (high - first) * HALF_PI;
    const double angle = exact + low_part, rest = ((exact - angle) + low_part) + first * HALF_PI_3;
    struct reduced reduced = {angle, rest, quarters};
    if (x < 0)
        reduced = (struct reduced){-reduced.angle, -reduced.rest, 0 - quarters};
    return reduced;
}

static struct reduced reduce(double x)
{
    if (fabs(x) < 0.78539816339744830962)
        return (struct reduced){x, 0, 0};
    return fabs(x) < NEAR ? reduce_near(x) : reduce_far(x);
}

/* ------------------------------------------------------------------------------------------- sine, cosine -- */

static double polynomial(double x, const double *factors, unsigned count)
{
    double sum = factors[0];
    for (unsigned i = 1; i < count; i++)
        sum = sum * x + factors[i];
    return sum;
}

/* Taylor's: what is left out is below 1e-19. */
static double sine_of(const struct reduced *of)
{
    static const double factors[] = {
        1.0 / 355687428096000, -1.0 / 1307674368000, 1.0 / 6227020800, -1.0 / 39916800,
        1.0 / 362880,          -1.0 / 5040,          1.0 / 120,        -1.0 / 6};
    const double x = of->angle, square = x * x;
    const double cubic = x * square * polynomial(square, factors, sizeof factors / sizeof *factors);
    return x + (cubic + of->rest * (1 - square / 2));
}

/* What is left out is below 2e-18. */
static double cosine_of(const struct reduced *of)
{
    static const double factors[] = {
        1.0 / 20922789888000, -1.0 / 87178291200, 1.0 / 479001600, -1.0 / 3628800,
        1.0 / 40320,          -1.0 / 720,         1.0 / 24};
    const double x = of->angle, square = x * x, half = square / 2, near = 1 - half;
    const double fourth = square * square * polynomial(square, factors, sizeof factors / sizeof *factors);
    return near + (((1 - near) - half) + (fourth - x * of->rest));
}

static double turned(const struct reduced *of, unsigned quarters)
{
    const double size = quarters & 1 ? cosine_of(of) : sine_of(of);
    return quarters & 2 ? -size : size;
}

double angle_sine(double x)
{
    if (!isfinite(x))
        return x - x;
    if (fabs(x) < 0x1p-27)
        return x; /* with its sign, and without a rounding below the normal range */
    const struct reduced reduced = reduce(x);
    return turned(&reduced, reduced.quarters);
}

double angle_cosine(double x)
{
    if (!isfinite(x))
        return x - x;
    const struct reduced reduced = reduce(x);
    return turned(&reduced, reduced.quarters + 1);
}

/* --------------------------------------------------------------------------------------------- arc cosine -- */

/* The arc sine of a number is it times 1 + z f(z), z its square, up to 1/4: Chebyshev's interpolation, within 6e-18. */
static double beyond_sine(double z)
{
    static const double factors[] = {0.028757851367421566, -0.014851887071247204, 0.01740087944269402,
                                     0.005457506718640358, 0.01032281435018578,   0.011479177415184906,
                                     0.013971212973552933, 0.017352392720869973,  0.02237217294214989,
                                     0.030381944138531247, 0.04464285714635543,   0.07499999999998433,
                                     0.16666666666666669};
    return z * polynomial(z, factors, sizeof factors / sizeof *factors);
}

/* Half the arc cosine of 1/2 ... 1, plus a small number: the arc sine of the root of (1 - x) / 2. */
static double half_arc(double x, double more)
{
    const double z = (1 - x) / 2, root = sqrt(z);
    uint64_t bits;
    double upper;
    memcpy(&bits, &root, sizeof bits);
    bits &= UINT64_C(0xffffffff00000000);
    memcpy(&upper, &bits, sizeof upper);
    /* Its square is exact. */
    const double lower = z > 0 ? (z - upper * upper) / (root + upper) : 0;
    return upper + (lower + (root * beyond_sine(z) + more));
}

double angle_arc_cosine(double x)
{
    if (!(fabs(x) <= 1))
        return NAN;
    if (x > 0.5)
        return 2 * half_arc(x, 0);
    if (x < -0.5)
        return 2 * (HALF_PI - half_arc(-x, -HALF_PI_REST));
    return HALF_PI - (x - (HALF_PI_REST - x * beyond_sine(x * x)));
}
