#include "lib/formats/sl/keys.h"
#include "lib/core/numbers/angles.h"

#include <math.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- version 1.0, reading -- */

/* The formula of sl-anim.md, 2, in single precision and in the same order of operations, so that every value
 * equals the viewer's. Values within one step of zero become zero. */
static inline float dequantise_word(uint16_t word, float span, float low)
{
    float value = (float)word * SL_STEP * span + low;
    return fabsf(value) < span * SL_STEP ? 0 : value;
}

static inline float dequantise(const uint8_t *from, float span, float low)
{
    return dequantise_word((uint16_t)(from[0] | from[1] << 8), span, low);
}

/* A vector longer than 1 means a half turn about itself. */
static void shorten(float *q, double square)
{
    double scale = 1 / sqrt(square);
    for (int i = 0; i < 3; i++)
        q[i] = (float)((double)q[i] * scale);
    q[3] = 0;
}

uint32_t sl_rotations_decode_scalar(const uint8_t *from, uint32_t count, float duration, float *times,
                                    float *values)
{
    uint32_t overlong = 0;
    for (uint32_t i = 0; i < count; i++, from += SL_KEY_SIZE, values += 4) {
        times[i] = dequantise(from, duration, 0);
        double square = 0;
        for (int k = 0; k < 3; k++) {
            values[k] = dequantise(from + 2 + 2 * k, 2, -1);
            square += (double)values[k] * (double)values[k];
        }
        values[3] = (float)sqrt(square < 1 ? 1 - square : 0);
        if (square > 1) {
            shorten(values, square);
            overlong++;
        }
    }
    return overlong;
}

uint32_t sl_rotations_decode(const uint8_t *from, uint32_t count, float duration, float *times, float *values)
{
#if SL_KEYS_AVX2
    if (__builtin_cpu_supports("avx2"))
        return sl_rotations_decode_avx2(from, count, duration, times, values);
#endif
    return sl_rotations_decode_scalar(from, count, duration, times, values);
}

uint32_t sl_positions_decode(const uint8_t *from, uint32_t count, float duration, float *times, float *values)
{
    uint32_t at_limit = 0;
    for (uint32_t i = 0; i < count; i++, from += SL_KEY_SIZE, values += 3) {
        bool clamped = false;
        times[i] = dequantise(from, duration, 0);
        for (int k = 0; k < 3; k++) {
            values[k] = dequantise(from + 2 + 2 * k, 2 * SL_POSITION_LIMIT, -SL_POSITION_LIMIT);
            clamped |= fabsf(values[k]) >= SL_POSITION_LIMIT;
        }
        at_limit += clamped;
    }
    return at_limit;
}

bool sl_times_ascend(const float *times, uint32_t count)
{
    uint32_t wrong = 0;
    for (uint32_t i = 1; i < count; i++)
        wrong += !(times[i] > times[i - 1]);
    return wrong == 0;
}

/* ----------------------------------------------------------------------------------- version 0.1, reading -- */

static float load_float(const uint8_t *from)
{
    uint32_t bits =
        (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t sl_old_keys_find_bad(const uint8_t *from, uint32_t count)
{
    uint64_t numbers = (uint64_t)count * 4, i = 0;
    while (i < numbers && isfinite(load_float(from + i * 4)))
        i++;
    return i;
}

/* Rotations about the fixed axes Z, then Y, then X: the product qx qy qz. Degrees. */
static void quat_from_euler(const float degrees[3], float q[4])
{
    double s[3], c[3];
    for (int i = 0; i < 3; i++) {
        double half = fmod((double)degrees[i], 720) * (3.14159265358979323846 / 360);
        s[i] = angle_sine(half);
        c[i] = angle_cosine(half);
    }
    q[0] = (float)(s[0] * c[1] * c[2] + c[0] * s[1] * s[2]);
    q[1] = (float)(c[0] * s[1] * c[2] - s[0] * c[1] * s[2]);
    q[2] = (float)(c[0] * c[1] * s[2] + s[0] * s[1] * c[2]);
    q[3] = (float)(c[0] * c[1] * c[2] - s[0] * s[1] * s[2]);
}

void sl_old_rotations_decode(const uint8_t *from, uint32_t count, float *times, float *values)
{
    for (uint32_t i = 0; i < count; i++, from += SL_OLD_KEY_SIZE, values += 4) {
        const float degrees[3] = {load_float(from + 4), load_float(from + 8), load_float(from + 12)};
        times[i] = load_float(from);
        quat_from_euler(degrees, values);
    }
}

static float clamp(float value, float limit)
{
    return value > limit ? limit : value < -limit ? -limit : value;
}

uint32_t sl_old_positions_decode(const uint8_t *from, uint32_t count, float *times, float *values)
{
    uint32_t at_limit = 0;
    for (uint32_t i = 0; i < count; i++, from += SL_OLD_KEY_SIZE, values += 3) {
        bool clamped = false;
        times[i] = load_float(from);
        for (int k = 0; k < 3; k++) {
            values[k] = clamp(load_float(from + 4 + 4 * k), SL_POSITION_LIMIT);
            clamped |= fabsf(values[k]) >= SL_POSITION_LIMIT;
        }
        at_limit += clamped;
    }
    return at_limit;
}

/* ----------------------------------------------------------------------------------- version 1.0, writing -- */

/* A fraction of the range, 0 to 1, rounded to nearest. NaN is 0. */
static uint16_t quantise(double share)
{
    if (!(share > 0))
        return 0;
    return share >= 1 ? 65535 : (uint16_t)(share * 65535 + 0.5);
}

/* 32767 and 32768 both read as zero; files use the former. */
static uint16_t settle_zero(uint16_t word)
{
    return word == 32768 ? 32767 : word;
}

static uint16_t quantise_signed(double value, double limit)
{
    return settle_zero(quantise((value + limit) / (2 * limit)));
}

uint16_t sl_time_encode(float time, float duration)
{
    return duration > 0 ? quantise((double)time / (double)duration) : 0;
}

/* A vector that may be too long is so by less than one step: as read back, it has the same grid points around
 * it. */
#define LONGEST (1 + 0.9 * 2 / 65535)

/* How far the decoded words are from q; infinite if they are too long. */
static double miss(const uint16_t words[3], const double q[4], bool may_be_long)
{
    double read[4], square = 0, sum = 0;
    for (int i = 0; i < 3; i++) {
        read[i] = (double)dequantise_word(words[i], 2, -1);
        square += read[i] * read[i];
    }
    if (square > (may_be_long ? LONGEST * LONGEST : 1))
        return INFINITY;
    read[3] = square < 1 ? sqrt(1 - square) : 0;
    for (int i = 0; i < 4; i++) {
        double d = read[i] / (square > 1 ? sqrt(square) : 1) - q[i];
        sum += d * d;
    }
    return sum;
}

/* The set of words being tried, and the best one so far. */
struct choice {
    const double *q;
    bool may_be_long;
    double least;
    uint16_t *words;
};

static void try_words(struct choice *choice, const uint16_t tried[3])
{
    double missed = miss(tried, choice->q, choice->may_be_long);
    if (missed < choice->least) {
        choice->least = missed;
        memcpy(choice->words, tried, 3 * sizeof *tried);
    }
}

static uint16_t word_near(double value, int step)
{
    return settle_zero((uint16_t)fmin(fmax(floor((value + 1) / 2 * 65535) + step, 0), 65535));
}

/* Near a half turn a step of the words changes w a lot, so the nearest of the eight grid points around it is
 * taken. */
static void choose_words(struct choice *choice)
{
    for (int corner = 0; corner < 8; corner++) {
        const uint16_t tried[3] = {word_near(choice->q[0], corner & 1),
                                   word_near(choice->q[1], corner >> 1 & 1),
                                   word_near(choice->q[2], corner >> 2 & 1)};
        try_words(choice, tried);
    }
}

/*
 * For a rotation that did not come from a file, a grid point a few steps away may have a much better w: tries
 * moving two components that far, and lets the longest one compensate.
 */
static void choose_far_words(struct choice *choice)
{
    enum { REACH = 5 };
    const double *q = choice->q;
    int longest = fabs(q[1]) > fabs(q[0]) ? 1 : 0;
    longest = fabs(q[2]) > fabs(q[longest]) ? 2 : longest;
    int a = (longest + 1) % 3, b = (longest + 2) % 3;
    for (int i = -REACH; i <= REACH + 1; i++) {
        for (int k = -REACH; k <= REACH + 1; k++) {
            uint16_t tried[3] = {0};
            tried[a] = word_near(q[a], i);
            tried[b] = word_near(q[b], k);
            double x = (double)dequantise_word(tried[a], 2, -1), y = (double)dequantise_word(tried[b], 2, -1);
            double rest = copysign(sqrt(fmax(1 - q[3] * q[3] - x * x - y * y, 0)), q[longest]);
            for (int step = 0; step < 2; step++) {
                tried[longest] = word_near(rest, step);
                try_words(choice, tried);
            }
        }
    }
}

void sl_rotation_encode(const float q[4], bool may_be_long, uint16_t words[3])
{
    double unit[4], square = 0;
    for (int i = 0; i < 4; i++)
        square += (double)q[i] * (double)q[i];
    double scale = square > 0 ? 1 / sqrt(square) : 0;
    if (q[3] < 0)
        scale = -scale;
    for (int i = 0; i < 4; i++)
        unit[i] = (double)q[i] * scale;
    for (int i = 0; i < 3; i++)
        words[i] = quantise_signed(unit[i], 1);
    /* If w > 0.01, rounding cannot make the vector longer than 1; up to w = 0.1 it may be off by 0.03 degrees. */
    struct choice choice = {unit, may_be_long, INFINITY, words};
    if (unit[3] < (may_be_long ? 0.01 : 0.1) && square > 0)
        choose_words(&choice);
    if (unit[3] < 0.1 && square > 0 && !may_be_long)
        choose_far_words(&choice);
}

void sl_position_encode(const float position[3], uint16_t words[3])
{
    for (int i = 0; i < 3; i++)
        words[i] = quantise_signed((double)position[i], (double)SL_POSITION_LIMIT);
}
