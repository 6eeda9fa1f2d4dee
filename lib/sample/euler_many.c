/* euler_to_quat for many rows: four at once with AVX2, the same floats. */
#include "lib/sample/euler.h"
#include "lib/sample/euler_lanes.h"

#include <string.h>

enum { ROW = 4, WIDE = 4 };

static void convert_row(const uint8_t *axes, unsigned count, float *row)
{
    float angles[3];
    memcpy(angles, row, count * sizeof *angles);
    euler_to_quat(axes, count, angles, row);
}

#ifdef EULER_LANES

/* Both ways differ by less: eight roundings of numbers up to 1. */
#define DIFFERENCE 8e-15

/* With more, the quarters of a turn are not counted exactly. */
#define MAX_DEGREES 1e6

/* Columns of four rows. */
LANES_INLINE void load_columns(const float *rows, __m256d columns[4])
{
    __m128 a = _mm_loadu_ps(rows), b = _mm_loadu_ps(rows + ROW), c = _mm_loadu_ps(rows + 2 * ROW),
           d = _mm_loadu_ps(rows + 3 * ROW);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    columns[0] = _mm256_cvtps_pd(a);
    columns[1] = _mm256_cvtps_pd(b);
    columns[2] = _mm256_cvtps_pd(c);
    columns[3] = _mm256_cvtps_pd(d);
}

LANES_INLINE void store_columns(const __m256d columns[4], float rows[WIDE * ROW])
{
    __m128 a = _mm256_cvtpd_ps(columns[0]), b = _mm256_cvtpd_ps(columns[1]), c = _mm256_cvtpd_ps(columns[2]),
           d = _mm256_cvtpd_ps(columns[3]);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    _mm_storeu_ps(rows, a);
    _mm_storeu_ps(rows + ROW, b);
    _mm_storeu_ps(rows + 2 * ROW, c);
    _mm_storeu_ps(rows + 3 * ROW, d);
}

/*
 * Three angles each of four rows. Returns the rows, as bits, whose every number is the one of euler_to_quat. A zero is,
 * when one of the angles is 0: then each is a product, and has a factor that is exactly 0 here and there.
 */
LANES_AVX2 static unsigned convert_four(const uint8_t *axes, const float *rows, float converted[WIDE * ROW])
{
    const __m256d zero = _mm256_setzero_pd();
    __m256d angles[4], q[4] = {zero, zero, zero, lanes_set(1)}, good, flat = zero;
    load_columns(rows, angles);
    good = _mm256_cmp_pd(lanes_size(angles[0]), lanes_set(MAX_DEGREES), _CMP_LT_OQ);
    for (unsigned n = 0; n < 3; n++) {
        const unsigned axis = axes[n], j = (axis + 1) % 3, k = (axis + 2) % 3;
        __m256d sine, cosine;
        good = _mm256_and_pd(good, _mm256_cmp_pd(lanes_size(angles[n]), lanes_set(MAX_DEGREES), _CMP_LT_OQ));
        const __m256d is_zero = _mm256_cmp_pd(angles[n], zero, _CMP_EQ_OQ);
        flat = _mm256_or_pd(flat, is_zero);
        lanes_sine_cosine(
            _mm256_mul_pd(_mm256_mul_pd(angles[n], lanes_set(3.14159265358979323846 / 180)), lanes_set(0.5)),
            &sine, &cosine);
        sine = _mm256_blendv_pd(sine, angles[n], is_zero); /* with its sign */
        lanes_turn(&q[axis], &q[j], &q[k], &q[3], sine, cosine);
    }
    for (unsigned i = 0; i < 4; i++) {
        const __m256d exact = _mm256_and_pd(flat, _mm256_cmp_pd(q[i], zero, _CMP_EQ_OQ));
        good = _mm256_and_pd(good, _mm256_or_pd(exact, lanes_steady(q[i], DIFFERENCE)));
    }
    store_columns(q, converted);
    return (unsigned)_mm256_movemask_pd(good);
}

static size_t convert_fours(const uint8_t *axes, float *rows, size_t row_count)
{
    size_t row = 0;
    for (; row + WIDE <= row_count; row += WIDE) {
        float converted[WIDE * ROW], *from = rows + row * ROW;
        const unsigned good = convert_four(axes, from, converted);
        for (unsigned i = 0; i < WIDE; i++) {
            if (good >> i & 1)
                memcpy(from + (size_t)i * ROW, converted + (size_t)i * ROW, ROW * sizeof *from);
            else
                convert_row(axes, 3, from + (size_t)i * ROW);
        }
    }
    return row;
}

#else

static bool lanes_are_there(void)
{
    return false;
}

static size_t convert_fours(const uint8_t *axes, float *rows, size_t row_count)
{
    (void)axes;
    (void)rows;
    (void)row_count;
    return 0;
}

#endif

void euler_to_quats(const uint8_t *axes, unsigned count, float *rows, size_t row_count)
{
    size_t row = count == 3 && lanes_are_there() ? convert_fours(axes, rows, row_count) : 0;
    for (; row < row_count; row++)
        convert_row(axes, count, rows + row * ROW);
}
