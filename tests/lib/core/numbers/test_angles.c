/* Sines, cosines, arc cosines: worked values, the C library's beside them, and angles of many turns. */
#include "lib/core/numbers/angles.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

#include <math.h>

enum { ROUNDS = 400000 };

static double units(double value, double wanted)
{
    return fabs(value - wanted) / (nextafter(fabs(wanted), INFINITY) - fabs(wanted));
}

/* Evenly over the exponents, of both signs. */
static double random_angle(double least, double most)
{
    const double size =
        exp(log(least) + (log(most) - log(least)) * (double)random_below(1u << 30) / (1u << 30));
    return random_below(2) ? size : -size;
}

/* What is wanted has an error of half a unit itself. */
static void expect(double x, double value, double wanted)
{
    if (!(units(value, wanted) <= 2))
        ck_abort_msg("%.17g: %.17g instead of %.17g", x, value, wanted);
    ck_assert_msg((float)value == (float)wanted, "%.17g: another float", x);
}

static void walk(double least, double most)
{
    random_state = 3;
    for (int i = 0; i < ROUNDS; i++) {
        const double x = random_angle(least, most);
        expect(x, angle_sine(x), sin(x));
        expect(x, angle_cosine(x), cos(x));
    }
}

TEST(angles_of_one_turn)
{
    walk(1e-9, 7);
}

TEST(angles_of_many_turns)
{
    walk(7, 1.3e5);
}

/* Where whole turns are more than a double has digits. */
TEST(angles_of_any_size)
{
    walk(1.3e5, 1e300);
    ck_assert_double_eq(angle_sine(0x1.6ac5b262ca1ffp+849),
                        sin(0x1.6ac5b262ca1ffp+849)); /* all but half a turn */
}

TEST(arc_cosines)
{
    random_state = 4;
    for (int i = 0; i < ROUNDS; i++) {
        const double x = 2.0 * (double)random_below(1u << 30) / (1u << 30) - 1,
                     near = 1 - fabs(random_angle(1e-15, 1));
        expect(x, angle_arc_cosine(x), acos(x));
        expect(near, angle_arc_cosine(near), acos(near));
        expect(-near, angle_arc_cosine(-near), acos(-near));
    }
}

TEST(edges)
{
    ck_assert(signbit(angle_sine(-0.0)) && angle_sine(-0.0) == 0);
    ck_assert_double_eq(angle_cosine(0), 1);
    ck_assert_double_eq(angle_arc_cosine(1), 0);
    ck_assert_double_eq(angle_arc_cosine(-1), 3.14159265358979323846);
    ck_assert_double_eq(angle_arc_cosine(0), 1.57079632679489661923);
    ck_assert_double_eq(angle_sine(4.9e-324), 4.9e-324);
    ck_assert(isnan(angle_sine(INFINITY)) && isnan(angle_cosine(-INFINITY)) && isnan(angle_sine(NAN)));
    ck_assert(isnan(angle_arc_cosine(1.0000000000000002)) && isnan(angle_arc_cosine(NAN)));
}
