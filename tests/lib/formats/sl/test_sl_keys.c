/* Quantisation of Second Life's keys: the spec's check values, section 2, and both ways through every word. */
#include "lib/formats/sl/keys.h"
#include "tests/support/unit.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void put_key(uint8_t *to, unsigned time, unsigned x, unsigned y, unsigned z)
{
    const unsigned words[4] = {time, x, y, z};
    for (int i = 0; i < 4; i++) {
        to[2 * i] = (uint8_t)words[i];
        to[2 * i + 1] = (uint8_t)(words[i] >> 8);
    }
}

static float rotation_x(unsigned word)
{
    uint8_t key[SL_KEY_SIZE];
    float time, q[4];
    put_key(key, 0, word, 32767, 32767);
    return sl_rotations_decode(key, 1, 1, &time, q) ? NAN : q[0];
}

static float position_x(unsigned word)
{
    uint8_t key[SL_KEY_SIZE];
    float time, position[3];
    put_key(key, 0, word, 32767, 32767);
    sl_positions_decode(key, 1, 1, &time, position);
    return position[0];
}

static float time_of(unsigned word, float duration)
{
    uint8_t key[SL_KEY_SIZE];
    float time, q[4];
    put_key(key, word, 32767, 32767, 32767);
    sl_rotations_decode(key, 1, duration, &time, q);
    return time;
}

TEST(check_values)
{
    ck_assert_float_eq(rotation_x(0), -1);
    ck_assert_float_eq(rotation_x(1), -0.999969482f);
    ck_assert_float_eq(rotation_x(16384), -0.499992371f);
    ck_assert_float_eq(rotation_x(32766), -4.57763672e-05f);
    ck_assert_float_eq(rotation_x(32767), 0);
    ck_assert_float_eq(rotation_x(32768), 0);
    ck_assert_float_eq(rotation_x(32769), 4.57763672e-05f);
    ck_assert_float_eq(rotation_x(65535), 1);
    ck_assert_float_eq(position_x(16384), -2.49996185f);
    ck_assert_float_eq(position_x(32766), -0.000228881836f);
    ck_assert_float_eq(position_x(32767), 0);
    ck_assert_float_eq(position_x(32768), 0);
    ck_assert_float_eq(position_x(65535), 5);
    ck_assert_float_eq(time_of(0, 1.6333333f), 0);
    ck_assert_float_eq(time_of(1, 1.6333333f), 2.49230688e-05f);
    ck_assert_float_eq(time_of(65535, 1.6333333f), 1.63333333f);
}

/* check's assertions are slow: in long loops the failures are counted. */
TEST(times_stay_within_the_duration)
{
    const float durations[] = {0, FLT_TRUE_MIN, FLT_MIN, 1e-6f, 0.041666668f, 1.6333333f, 44.2f, 60};
    for (size_t i = 0; i < sizeof durations / sizeof *durations; i++) {
        unsigned outside = 0, zero = 0;
        for (unsigned word = 0; word <= 65535; word++) {
            float time = time_of(word, durations[i]);
            outside += !(time >= 0 && time <= durations[i]);
            zero += time == 0;
        }
        ck_assert_uint_eq(outside, 0);
        if (durations[i] > FLT_MIN * 65536)
            ck_assert_uint_eq(zero, 1);
    }
}

TEST(every_word_comes_back)
{
    unsigned wrong = 0;
    for (unsigned word = 0; word <= 65535; word++) {
        unsigned expected = word == 32768 ? 32767 : word; /* both are zero */
        float x = rotation_x(word);
        const float q[4] = {x, 0, 0, (float)sqrt(1 - (double)x * (double)x)};
        const float position[3] = {position_x(word), 0, 0};
        uint16_t words[3];
        sl_rotation_encode(q, true, words);
        wrong += words[0] != expected || words[1] != 32767;
        sl_position_encode(position, words);
        wrong += words[0] != expected;
        wrong += sl_time_encode(time_of(word, 44.2f), 44.2f) != word;
    }
    ck_assert_uint_eq(wrong, 0);
}

TEST(writing_clamps_and_normalises)
{
    uint16_t words[3];
    sl_position_encode((float[]){7, -9, 0}, words);
    ck_assert(words[0] == 65535 && words[1] == 0 && words[2] == 32767);
    sl_rotation_encode((float[]){0, 0, 0, -2}, true, words);
    ck_assert(words[0] == 32767 && words[1] == 32767 && words[2] == 32767);
    /* The pair of the same turn with w >= 0, at unit length. */
    uint16_t same[3];
    sl_rotation_encode((float[]){3, 0, 0, -4}, true, words);
    sl_rotation_encode((float[]){-0.6f, 0, 0, 0.8f}, true, same);
    ck_assert_int_eq(memcmp(words, same, sizeof words), 0);
    sl_rotation_encode((float[]){0, 0, 0, 0}, true, words);
    ck_assert(words[0] == 32767 && words[1] == 32767 && words[2] == 32767);
    ck_assert_uint_eq(sl_time_encode(2, 1), 65535);
    ck_assert_uint_eq(sl_time_encode(-1, 1), 0);
    ck_assert_uint_eq(sl_time_encode(1, 0), 0);
    ck_assert_uint_eq(sl_time_encode(NAN, 1), 0);
}

/* The distance of what is read from q. */
static double distance(const uint16_t words[3], const double q[4])
{
    uint8_t key[SL_KEY_SIZE];
    float time, read[4];
    put_key(key, 0, words[0], words[1], words[2]);
    sl_rotations_decode(key, 1, 1, &time, read);
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += ((double)read[i] - q[i]) * ((double)read[i] - q[i]);
    return sqrt(sum);
}

static bool is_long(const uint16_t words[3])
{
    uint8_t key[SL_KEY_SIZE];
    float time, q[4];
    put_key(key, 0, words[0], words[1], words[2]);
    return sl_rotations_decode(key, 1, 1, &time, q) > 0;
}

/* Half turns and nearly half turns about all kinds of axes: never too long, and no further off than they must be. */
TEST(half_turns)
{
    double worst = 0, worst_long = 0;
    unsigned too_long = 0, changed = 0;
    for (int i = 0; i < 20000; i++) {
        double a = i * 2.399963, z = 1 - 2 * (i + 0.5) / 20000, r = sqrt(1 - z * z), w = (i % 5) * 0.003;
        double v = sqrt(1 - w * w), q[4] = {v * r * cos(a), v * r * sin(a), v * z, w};
        const float single[4] = {(float)q[0], (float)q[1], (float)q[2], (float)q[3]};
        uint16_t words[3];
        sl_rotation_encode(single, false, words);
        too_long += is_long(words);
        worst = fmax(worst, distance(words, q));
        sl_rotation_encode(single, true, words);
        worst_long = fmax(worst_long, distance(words, q));
        /* What was read is written as it was. */
        uint8_t key[SL_KEY_SIZE];
        float time, read[4];
        uint16_t again[3];
        put_key(key, 0, words[0], words[1], words[2]);
        sl_rotations_decode(key, 1, 1, &time, read);
        sl_rotation_encode(read, true, again);
        changed += memcmp(words, again, sizeof words) != 0;
    }
    ck_assert_uint_eq(too_long, 0);
    ck_assert_uint_eq(changed, 0);
    ck_assert_double_lt(worst, 0.009);
    ck_assert_double_lt(worst_long, worst);
}

TEST(long_vectors_become_unit)
{
    uint8_t keys[3 * SL_KEY_SIZE];
    float times[3], q[12];
    put_key(keys, 0, 65535, 65535, 65535); /* length 1.73 */
    put_key(keys + 8, 1, 40000, 40000, 40000);
    put_key(keys + 16, 2, 65535, 40000, 32767);
    ck_assert_uint_eq(sl_rotations_decode(keys, 3, 1, times, q), 2);
    for (int k = 0; k < 3; k++) {
        const float *p = q + 4 * k;
        ck_assert_float_eq_tol(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3], 1, 1e-6f);
    }
    ck_assert_float_eq_tol(q[0], 0.57735027f, 1e-7f);
    ck_assert_float_eq(q[3], 0);
    ck_assert_float_gt(q[7], 0.5f);
}

TEST(positions_at_the_limit_are_counted)
{
    uint8_t keys[3 * SL_KEY_SIZE];
    float times[3], positions[9];
    put_key(keys, 0, 0, 32767, 32767);
    put_key(keys + 8, 1, 1, 65534, 32767);
    put_key(keys + 16, 2, 32767, 32767, 65535);
    ck_assert_uint_eq(sl_positions_decode(keys, 3, 1, times, positions), 2);
}

#if SL_KEYS_AVX2
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}
#endif

/* All counts around the width of the vectors, long keys among them, and not a byte beyond the end. */
TEST(vector_code_equals_scalar_code)
{
#if SL_KEYS_AVX2
    if (!__builtin_cpu_supports("avx2")) {
        fprintf(stderr, "SKIPPED: no AVX2 here\n");
        return;
    }
    uint32_t state = 7;
    for (uint32_t count = 0; count < 300; count++) {
        uint8_t *keys = malloc(count * SL_KEY_SIZE + 1);
        float *times = calloc(2 * count + 1, sizeof(float)), *values = calloc(8 * count + 1, sizeof(float));
        for (uint32_t i = 0; i < count * SL_KEY_SIZE; i += 2) {
            unsigned word = next_random(&state);
            if (count % 3 && i % SL_KEY_SIZE) /* two times of three shorter than 1, most often */
                word = 16384 + word / 2;
            keys[i] = (uint8_t)word;
            keys[i + 1] = (uint8_t)(word >> 8);
        }
        uint32_t a = sl_rotations_decode_scalar(keys, count, 1.7f, times, values);
        uint32_t b = sl_rotations_decode_avx2(keys, count, 1.7f, times + count, values + 4 * count);
        ck_assert_uint_eq(a, b);
        ck_assert_int_eq(memcmp(times, times + count, count * sizeof(float)), 0);
        ck_assert_int_eq(memcmp(values, values + 4 * count, 4 * count * sizeof(float)), 0);
        free(keys);
        free(times);
        free(values);
    }
#else
    fprintf(stderr, "SKIPPED: no AVX2 on this architecture\n");
#endif
}

static void put_floats(uint8_t *to, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], 4);
        for (int k = 0; k < 4; k++)
            to[4 * i + (size_t)k] = (uint8_t)(bits >> 8 * k);
    }
}

TEST(old_form)
{
    uint8_t keys[2 * SL_OLD_KEY_SIZE];
    float times[2], q[8], positions[6];
    put_floats(keys, (float[]){0.25f, 10, 20, 30, 0.5f, 0, 0, 90}, 8);
    ck_assert_uint_eq(sl_old_keys_find_bad(keys, 2), 8);
    sl_old_rotations_decode(keys, 2, times, q);
    const float expected[8] = {0.12767944f, 0.14487813f, 0.26853582f, 0.94371432f,
                               0,           0,           0.70710678f, 0.70710678f};
    for (int i = 0; i < 8; i++)
        ck_assert_float_eq_tol(q[i], expected[i], 1e-7f);
    ck_assert_float_eq(times[0], 0.25f);
    ck_assert_float_eq(times[1], 0.5f);
    put_floats(keys, (float[]){0, 1, -6, 2, 1, 4.5f, 5, 3e38f}, 8);
    ck_assert_uint_eq(sl_old_positions_decode(keys, 2, times, positions), 2);
    const float clamped[6] = {1, -5, 2, 4.5f, 5, 5};
    for (int i = 0; i < 6; i++)
        ck_assert_float_eq(positions[i], clamped[i]);
    put_floats(keys, (float[]){0, 0, 0, 0, 0, 0, -INFINITY, 0}, 8);
    ck_assert_uint_eq(sl_old_keys_find_bad(keys, 2), 6);
    put_floats(keys, (float[]){0, 3.4e38f, -3.4e38f, 1e30f}, 4); /* whatever that means, it stays finite */
    sl_old_rotations_decode(keys, 1, times, q);
    ck_assert(isfinite(q[0]) && isfinite(q[1]) && isfinite(q[2]) && isfinite(q[3]));
}

TEST(ascending_times)
{
    ck_assert(sl_times_ascend(NULL, 0));
    ck_assert(sl_times_ascend((float[]){3}, 1));
    ck_assert(sl_times_ascend((float[]){0, 1, 2, 3, 4, 5, 6, 7, 8}, 9));
    ck_assert(!sl_times_ascend((float[]){0, 1, 2, 3, 3, 5, 6, 7, 8}, 9));
    ck_assert(!sl_times_ascend((float[]){0, 1, 2, 3, 4, 5, 6, 8, 7}, 9));
}
