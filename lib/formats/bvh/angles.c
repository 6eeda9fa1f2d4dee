#include "lib/formats/bvh/angles.h"

#include "lib/sample/euler.h"

#include <math.h>
#include <string.h>

/* Rounds of writing and reading until the angles repeat; two are typical. */
enum { MAX_ROUNDS = 64 };

float bvh_tidy(float value)
{
    /* Above 8 the spacing of floats is that wide anyway. */
    if (fabsf(value) < 8)
        value = (float)(round((double)value * 1e6) / 1e6);
    return value == 0 ? 0 : value;
}

/* Rounds an angle for output: a quaternion of floats resolves about a hundred-thousandth of a degree. */
static float tidy_angle(float degrees)
{
    double grid = fabsf(degrees) < 100 ? 1e5 : 1e4;
    if (fabsf(degrees) < 800)
        degrees = (float)(round((double)degrees * grid) / grid);
    return degrees == 0 ? 0 : degrees;
}

/* The angles to write. Returns what is left about the axes that the file does not have. */
static float find_angles(const uint8_t axes[3], unsigned count, const float q[4], const float *previous,
                         float angles[3])
{
    float left = 0;
    euler_from_quat(axes, q, previous, angles);
    for (unsigned k = 0; k < 3; k++) {
        left = k < count ? left : fmaxf(left, fabsf(angles[k]));
        angles[k] = k < count ? tidy_angle(angles[k]) : 0;
    }
    return left;
}

/* The earlier round with the same angles, or length if there is none. */
static unsigned find_round(const float (*rounds)[3], unsigned length)
{
    unsigned at = 0;
    while (at < length && memcmp(rounds[at], rounds[length], sizeof *rounds) != 0)
        at++;
    return at;
}

float bvh_angles_fit(const uint8_t axes[3], unsigned count, const float q[4], const float *previous,
                     float angles[3])
{
    float rounds[MAX_ROUNDS][3], now[4];
    float left = find_angles(axes, count, q, previous, rounds[0]);
    unsigned length = 0, first = 0;
    do {
        euler_to_quat(axes, count, rounds[length], now);
        find_angles(axes, count, now, previous, rounds[++length]);
        first = find_round((const float(*)[3])rounds, length);
    } while (first == length && length + 1 < MAX_ROUNDS);
    /* Rounds may run in a cycle if the outer axes nearly coincide: then every member of the cycle chooses the
     * same one. */
    unsigned best = first < length ? first : 0;
    for (unsigned i = first + 1; i < length; i++)
        best = memcmp(rounds[i], rounds[best], sizeof *rounds) < 0 ? i : best;
    memcpy(angles, rounds[best], sizeof *rounds);
    return left;
}
