/* shade_one for eight samples at a time, of what is solid: the same operations in the same order, so the same colours. */
#include "server/draw/raster/shade.h"

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define AVX2_INLINE __attribute__((target("avx2"), always_inline)) static inline

/* One value of each of eight samples. */
struct eight {
    __m256 light, u, v;
};

struct colors {
    __m256 channels[3];
};

AVX2_INLINE __m256 two_rows(const texture_four *first, const texture_four *second)
{
    return _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps((const float *)first)),
                                _mm_loadu_ps((const float *)second), 1);
}

/* Four rows of four in each half become columns. */
AVX2_INLINE struct eight load(const texture_four values[SHADE_LANES])
{
    const __m256 a = two_rows(&values[0], &values[4]), b = two_rows(&values[1], &values[5]),
                 c = two_rows(&values[2], &values[6]), d = two_rows(&values[3], &values[7]);
    const __m256 ab_low = _mm256_unpacklo_ps(a, b), ab_high = _mm256_unpackhi_ps(a, b),
                 cd_low = _mm256_unpacklo_ps(c, d), cd_high = _mm256_unpackhi_ps(c, d);
    return (struct eight){.light = _mm256_shuffle_ps(ab_low, cd_low, 0xee),
                          .u = _mm256_shuffle_ps(ab_high, cd_high, 0x44),
                          .v = _mm256_shuffle_ps(ab_high, cd_high, 0xee)};
}

/* ------------------------------------------------------------------------------------------------- texture -- */

/* Places along one side: two neighbouring pixels, and the share of the second, of 256. */
struct side {
    __m256i first, second, share;
};

/* Those beyond the image, one at a time. */
AVX2_INLINE void mend(struct side *side, int beyond, uint32_t size, bool clamps)
{
    int32_t first[SHADE_LANES], second[SHADE_LANES];
    _mm256_storeu_si256((__m256i *)(void *)first, side->first);
    _mm256_storeu_si256((__m256i *)(void *)second, side->second);
    for (; beyond; beyond &= beyond - 1) {
        const int lane = __builtin_ctz((unsigned)beyond);
        uint32_t at[2];
        texture_neighbours(first[lane], size, clamps, at);
        first[lane] = (int32_t)at[0];
        second[lane] = (int32_t)at[1];
    }
    side->first = _mm256_loadu_si256((const __m256i *)(const void *)first);
    side->second = _mm256_loadu_si256((const __m256i *)(const void *)second);
}

AVX2_INLINE struct side find_side(__m256 at, uint32_t size, bool clamps)
{
    const __m256 far = _mm256_set1_ps(TEXTURE_FAR), none = _mm256_set1_ps(-0.0f);
    const __m256 is_near = _mm256_cmp_ps(_mm256_andnot_ps(none, at), far, _CMP_LT_OQ);
    const __m256 place = _mm256_sub_ps(_mm256_mul_ps(_mm256_and_ps(at, is_near), _mm256_set1_ps((float)size)),
                                       _mm256_set1_ps(0.5f));
    const __m256 floor = _mm256_floor_ps(place);
    struct side side = {.first = _mm256_cvttps_epi32(floor)};
    side.second = _mm256_add_epi32(side.first, _mm256_set1_epi32(1));
    side.share = _mm256_cvttps_epi32(_mm256_mul_ps(_mm256_sub_ps(place, floor), _mm256_set1_ps(256)));
    const __m256i beyond =
        _mm256_or_si256(_mm256_cmpgt_epi32(_mm256_setzero_si256(), side.first),
                        _mm256_cmpgt_epi32(side.second, _mm256_set1_epi32((int32_t)size - 1)));
    const int lanes = _mm256_movemask_ps(_mm256_castsi256_ps(beyond));
    if (lanes)
        mend(&side, lanes, size, clamps);
    return side;
}

AVX2_INLINE __m256i fetch(const struct texture_level *level, __m256i x, __m256i y)
{
    const __m256i at = _mm256_add_epi32(_mm256_mullo_epi32(y, _mm256_set1_epi32((int32_t)level->width)), x);
    return _mm256_i32gather_epi32((const int *)(const void *)level->pixels, at, 4);
}

/* Two channels of a row: each in 16 bits, between the pixels left and right. */
AVX2_INLINE __m256i between(__m256i left, __m256i right, __m256i left_share, __m256i right_share, int shift)
{
    const __m256i channels = _mm256_set1_epi32(0xff00ff);
    left = _mm256_and_si256(_mm256_srli_epi32(left, shift), channels);
    right = _mm256_and_si256(_mm256_srli_epi32(right, shift), channels);
    return _mm256_add_epi16(_mm256_mullo_epi16(left, left_share), _mm256_mullo_epi16(right, right_share));
}

/* Between the rows, to whole numbers. */
AVX2_INLINE __m256 down(__m256i above, __m256i below, __m256 share)
{
    const __m256 sum = _mm256_add_ps(
        _mm256_add_ps(_mm256_mul_ps(_mm256_cvtepi32_ps(above), _mm256_sub_ps(_mm256_set1_ps(256), share)),
                      _mm256_mul_ps(_mm256_cvtepi32_ps(below), share)),
        _mm256_set1_ps(32768));
    return _mm256_cvtepi32_ps(_mm256_cvttps_epi32(_mm256_mul_ps(sum, _mm256_set1_ps(0x1p-16f))));
}

AVX2_INLINE struct colors sample(const struct texture_level *level, bool clamps, const struct eight *values)
{
    const struct side x = find_side(values->u, level->width, clamps),
                      y = find_side(values->v, level->height, clamps);
    const __m256i top_left = fetch(level, x.first, y.first), top_right = fetch(level, x.second, y.first),
                  low_left = fetch(level, x.first, y.second), low_right = fetch(level, x.second, y.second);
    const __m256i left = _mm256_sub_epi32(_mm256_set1_epi32(256), x.share);
    const __m256i right_share = _mm256_or_si256(x.share, _mm256_slli_epi32(x.share, 16)),
                  left_share = _mm256_or_si256(left, _mm256_slli_epi32(left, 16));
    const __m256i above = between(top_left, top_right, left_share, right_share, 0),
                  below = between(low_left, low_right, left_share, right_share, 0),
                  green_above = between(top_left, top_right, left_share, right_share, 8),
                  green_below = between(low_left, low_right, left_share, right_share, 8);
    const __m256i low = _mm256_set1_epi32(0xffff);
    const __m256 share = _mm256_cvtepi32_ps(y.share);
    return (struct colors){
        {down(_mm256_and_si256(above, low), _mm256_and_si256(below, low), share),
         down(_mm256_and_si256(green_above, low), _mm256_and_si256(green_below, low), share),
         down(_mm256_srli_epi32(above, 16), _mm256_srli_epi32(below, 16), share)}};
}

/* ------------------------------------------------------------------------------------------------- light -- */

/* NaN becomes the least. */
AVX2_INLINE __m256 within(__m256 value, float least, float most)
{
    return _mm256_min_ps(_mm256_max_ps(value, _mm256_set1_ps(least)), _mm256_set1_ps(most));
}

AVX2_INLINE __m256 brightness(__m256 light)
{
    const __m256 half =
        _mm256_add_ps(_mm256_set1_ps(0.5f), _mm256_mul_ps(_mm256_set1_ps(0.5f), within(light, -1, 1)));
    return _mm256_add_ps(_mm256_set1_ps(SHADE_DARK),
                         _mm256_mul_ps(_mm256_mul_ps(_mm256_set1_ps(SHADE_BRIGHT), half), half));
}

AVX2_INLINE __m256i lit(const struct raster_paint *paint, const struct colors *texel, __m256 light, int k)
{
    const __m256 color = _mm256_mul_ps(texel->channels[k], _mm256_set1_ps(paint->color[k]));
    const __m256 value = _mm256_add_ps(_mm256_mul_ps(color, light), _mm256_set1_ps(255 * paint->glow[k]));
    return _mm256_cvttps_epi32(_mm256_add_ps(within(value, 0, 255), _mm256_set1_ps(0.5f)));
}

AVX2_INLINE void shade_eight(const struct raster_paint *paint, const struct texture_level *level,
                             const texture_four *values, uint32_t *colors)
{
    const __m256 full = _mm256_set1_ps(255);
    const struct eight eight = load(values);
    struct colors texel = {{full, full, full}};
    if (level)
        texel = sample(level, paint->texture->clamps, &eight);
    const __m256 light = brightness(eight.light);
    __m256i pixels = _mm256_set1_epi32((int32_t)0xff000000);
    for (int k = 0; k < 3; k++)
        pixels = _mm256_or_si256(pixels, _mm256_slli_epi32(lit(paint, &texel, light, k), 16 - 8 * k));
    _mm256_storeu_si256((__m256i *)(void *)colors, pixels);
}

AVX2 static void shade_eights(const struct raster_paint *paint, const struct texture_level *level,
                              const struct shade_batch *batch, uint32_t *colors)
{
    for (unsigned i = 0; i < batch->count; i += SHADE_LANES)
        shade_eight(paint, level, batch->values + i, colors + i);
}

unsigned shade_all_avx2(const struct raster_paint *paint, const struct texture_level *level,
                        const struct shade_batch *batch, uint32_t colors[SHADE_BATCH])
{
    if ((level && paint->covers) || !__builtin_cpu_supports("avx2"))
        return 0;
    shade_eights(paint, level, batch, colors);
    return batch->count;
}

#else

unsigned shade_all_avx2(const struct raster_paint *paint, const struct texture_level *level,
                        const struct shade_batch *batch, uint32_t colors[SHADE_BATCH])
{
    (void)paint;
    (void)level;
    (void)batch;
    (void)colors;
    return 0;
}

#endif
