#include "lib/formats/prime/anim/keys.h"

#include "lib/core/numbers/angles.h"

#include <math.h>

/* ---------------------------------------------------------------------------------------------- the stream -- */

/* Adds the next difference, the lowest bits of the window. Sums wrap. */
static inline void add_delta(struct prime_part *part, int i, uint64_t window)
{
    uint32_t delta = (uint32_t)bits_sign_extend(window, part->widths[i]);
    part->values[i] = (int16_t)(uint16_t)((uint32_t)part->values[i] + delta);
    part->out[i] = (float)part->values[i] * part->scale;
}

/* Reads a key that fits in one window, as almost all do. */
static inline void read_short(const struct bits *bits, struct prime_part *part, unsigned sign)
{
    uint64_t window = bits_peek(bits) >> sign;
    add_delta(part, 0, window);
    window >>= part->widths[0];
    add_delta(part, 1, window);
    add_delta(part, 2, window >> part->widths[1]);
}

static void read_long(const struct bits *bits, struct prime_part *part, unsigned sign)
{
    struct bits here = *bits;
    here.at += sign;
    for (int i = 0; i < 3; i++) {
        add_delta(part, i, bits_peek(&here));
        here.at += part->widths[i];
    }
}

static inline void read_key(const struct bits *bits, struct prime_part *part)
{
    unsigned sign = part->part == POSE_ROTATION;
    if (sign)
        part->out[3] = bits_peek(bits) & 1 ? -1 : 1;
    if (part->bits <= BITS_PEEK)
        read_short(bits, part, sign);
    else
        read_long(bits, part, sign);
    part->out += 3 + sign;
}

void prime_part_read(const struct prime_packed *file, struct bits bits, struct prime_part *part)
{
    for (uint32_t key = 0; key < file->keys; key++) {
        read_key(&bits, part);
        bits.at += file->bits_per_key;
    }
}

void prime_packed_read_scalar(const struct prime_packed *file, struct prime_part *parts)
{
    struct bits bits;
    bits_init(&bits, file->stream, file->stream_words);
    for (uint32_t i = 0; i < file->part_count; i++) {
        prime_part_read(file, bits, &parts[i]);
        bits.at += parts[i].bits;
    }
}

void prime_packed_read(const struct prime_packed *file, struct prime_part *parts)
{
#if PRIME_KEYS_AVX2
    if (__builtin_cpu_supports("avx2")) {
        prime_packed_read_avx2(file, parts);
        return;
    }
#endif
    prime_packed_read_scalar(file, parts);
}

/* ----------------------------------------------------------------------------------------------- the values -- */

const double prime_sine_terms[PRIME_SINE_TERMS] = {
    1.0,
    -1.0 / 6,
    1.0 / 120,
    -1.0 / 5040,
    1.0 / 362880,
    -1.0 / 39916800,
    1.0 / 6227020800,
    -1.0 / 1307674368000,
    1.0 / 355687428096000,
    -1.0 / 121645100408832000,
    1.0 / 51090942171709440000.0,
};

static inline double short_sine(double x)
{
    double square = x * x, sum = prime_sine_terms[PRIME_SINE_TERMS - 1];
    for (int i = PRIME_SINE_TERMS - 2; i >= 1; i--)
        sum = sum * square + prime_sine_terms[i];
    return x + x * square * sum;
}

static inline void finish_rotation(float *key, const double sines[3])
{
    double rest = 1 - (sines[0] * sines[0] + sines[1] * sines[1] + sines[2] * sines[2]);
    double w = sqrt(rest > 0 ? rest : 0);
    for (int i = 0; i < 3; i++)
        key[i] = (float)sines[i];
    key[3] = (float)((double)key[3] * w);
}

static bool is_short(double step)
{
    return 32768 * step <= PRIME_SHORT_ANGLE;
}

/* Components are quantised arcsines. */
void prime_rotations_scale_scalar(float *keys, uint32_t count, uint32_t divisor)
{
    const double step = prime_step(divisor);
    const bool are_short = is_short(step);
    for (uint32_t k = 0; k < count; k++, keys += 4) {
        double sines[3];
        for (int i = 0; i < 3; i++)
            sines[i] = are_short ? short_sine((double)keys[i] * step) : angle_sine((double)keys[i] * step);
        finish_rotation(keys, sines);
    }
}

void prime_rotations_scale(float *keys, uint32_t count, uint32_t divisor)
{
    uint32_t done = 0;
#if PRIME_KEYS_AVX2
    if (__builtin_cpu_supports("avx2") && is_short(prime_step(divisor)))
        done = prime_rotations_scale_avx2(keys, count, prime_step(divisor));
#endif
    prime_rotations_scale_scalar(keys + (size_t)done * 4, count - done, divisor);
}
