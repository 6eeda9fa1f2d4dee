/*
 * deform_vertices_scalar with AVX2. A matrix is two vectors, so that a weight is two multiplications; a vertex is turned
 * in halves (columns 0 and 2, 1 and 3) that are then added; eight normals get unit length together.
 */
#include "lib/sample/deform_vertices.h"

#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2,fma")))
#define AVX2_INLINE __attribute__((target("avx2,fma"), always_inline)) static inline

enum { BLOCK = 8 };

struct columns {
    __m256 xy, zw; /* a column in each half */
};

AVX2_INLINE struct columns load(const float *matrix)
{
    return (struct columns){_mm256_loadu_ps(matrix), _mm256_loadu_ps(matrix + 8)};
}

AVX2_INLINE struct columns add(struct columns sum, const float *palette, const struct pose_influences *shares,
                               unsigned i)
{
    const struct columns next = load(palette + (size_t)shares->bones[i] * MATRIX_FLOATS);
    const __m256 weight = _mm256_broadcast_ss(&shares->weights[i]);
    return (struct columns){_mm256_fmadd_ps(weight, next.xy, sum.xy),
                            _mm256_fmadd_ps(weight, next.zw, sum.zw)};
}

/* Always two bones, without a branch: the second of a vertex that has one is the first again, by 0. */
AVX2_INLINE struct columns blend(const float *palette, const struct pose_influences *shares)
{
    if (shares->weights[0] == 0)
        return load(matrix_identity);
    struct columns sum = {_mm256_setzero_ps(), _mm256_setzero_ps()};
    sum = add(sum, palette, shares, 0);
    sum = add(sum, palette, shares, 1);
    if (shares->weights[2] > 0) {
        sum = add(sum, palette, shares, 2);
        sum = add(sum, palette, shares, 3);
    }
    return sum;
}

/* Columns 0 and 2, and 1 and 3, of the product. Reads a float beyond the vector. */
AVX2_INLINE __m256 turn(struct columns m, const float *vector, float w)
{
    const __m256 xyz = _mm256_broadcast_ps((const __m128 *)(const void *)vector);
    const __m256 xy = _mm256_permutevar_ps(xyz, _mm256_setr_epi32(0, 0, 0, 0, 1, 1, 1, 1));
    const __m256 zw = _mm256_blend_ps(_mm256_permute_ps(xyz, 0xaa), _mm256_set1_ps(w), 0xf0);
    return _mm256_fmadd_ps(m.xy, xy, _mm256_mul_ps(m.zw, zw));
}

/* The sums of the halves of each: two vectors in one. */
AVX2_INLINE __m256 add_halves(__m256 a, __m256 b)
{
    return _mm256_add_ps(_mm256_permute2f128_ps(a, b, 0x20), _mm256_permute2f128_ps(a, b, 0x31));
}

/* ------------------------------------------------------------------------------------------------ cofactors -- */

AVX2_INLINE __m256 cross(__m256 a, __m256 b)
{
    const __m256 b_next = _mm256_permute_ps(b, 0xc9), a_next = _mm256_permute_ps(a, 0xc9);
    return _mm256_permute_ps(_mm256_fmsub_ps(a, b_next, _mm256_mul_ps(a_next, b)), 0xc9);
}

/* As in deform_bind.c. */
AVX2_INLINE struct columns cofactors(struct columns m)
{
    const __m256 yz = _mm256_permute2f128_ps(m.xy, m.zw, 0x21), zx = _mm256_permute2f128_ps(m.zw, m.xy, 0x20);
    const __m256 first = cross(yz, zx), last = cross(m.xy, yz);
    const __m128 size = _mm_dp_ps(_mm256_castps256_ps128(m.xy), _mm256_castps256_ps128(first), 0x7f);
    const __m256 sign = _mm256_and_ps(_mm256_set_m128(size, size), _mm256_set1_ps(-0.0f));
    return (struct columns){_mm256_xor_ps(first, sign), _mm256_xor_ps(last, sign)};
}

/* -------------------------------------------------------------------------------------------------- moving -- */

/* Writes a float beyond each, in the order of the vertices. */
AVX2_INLINE void store_two(float (*to)[3], __m256 two)
{
    _mm_storeu_ps(to[0], _mm256_castps256_ps128(two));
    _mm_storeu_ps(to[1], _mm256_extractf128_ps(two, 1));
}

/* Of four times two vectors; even ones are in the first half of the result. */
AVX2_INLINE __m256 square_lengths(const __m256 n[4])
{
    const __m256 low = _mm256_unpacklo_ps(n[0], n[1]), high = _mm256_unpacklo_ps(n[2], n[3]);
    const __m256 x = _mm256_shuffle_ps(low, high, 0x44), y = _mm256_shuffle_ps(low, high, 0xee);
    const __m256 z = _mm256_shuffle_ps(_mm256_unpackhi_ps(n[0], n[1]), _mm256_unpackhi_ps(n[2], n[3]), 0x44);
    return _mm256_fmadd_ps(x, x, _mm256_fmadd_ps(y, y, _mm256_mul_ps(z, z)));
}

/* Those of a mask that has even ones in its first four bits stay as stored. */
static void keep_stored(unsigned mask, const float (*ways)[3], float (*normals)[3])
{
    for (unsigned i = 0; i < BLOCK; i++) {
        if (mask >> (i / 2 + i % 2 * 4) & 1)
            memcpy(normals[i], ways[i], sizeof *normals);
    }
}

AVX2_INLINE void store_normals(const __m256 n[4], const float (*ways)[3], float (*normals)[3])
{
    const __m256 squares = square_lengths(n);
    const __m256 scales = _mm256_div_ps(_mm256_set1_ps(1), _mm256_sqrt_ps(squares));
    store_two(normals, _mm256_mul_ps(n[0], _mm256_permute_ps(scales, 0x00)));
    store_two(normals + 2, _mm256_mul_ps(n[1], _mm256_permute_ps(scales, 0x55)));
    store_two(normals + 4, _mm256_mul_ps(n[2], _mm256_permute_ps(scales, 0xaa)));
    store_two(normals + 6, _mm256_mul_ps(n[3], _mm256_permute_ps(scales, 0xff)));
    const __m256 is_short = _mm256_cmp_ps(squares, _mm256_set1_ps(DEFORM_TOO_SHORT), _CMP_NGE_UQ);
    const __m256 is_long = _mm256_cmp_ps(squares, _mm256_set1_ps(DEFORM_TOO_LONG), _CMP_NLE_UQ);
    const int kept = _mm256_movemask_ps(_mm256_or_ps(is_short, is_long));
    if (kept)
        keep_stored((unsigned)kept, ways, normals);
}

AVX2_INLINE void move_block(const struct deform_vertices *all, uint32_t v, bool by_cofactors)
{
    __m256 normals[BLOCK / 2];
    for (unsigned i = 0; i < BLOCK / 2; i++, v += 2) {
        struct columns a = blend(all->palette, all->influences + v);
        struct columns b = blend(all->palette, all->influences + v + 1);
        store_two(all->positions + v, add_halves(turn(a, all->places[v], 1), turn(b, all->places[v + 1], 1)));
        if (by_cofactors) {
            a = cofactors(a);
            b = cofactors(b);
        }
        normals[i] = add_halves(turn(a, all->ways[v], 0), turn(b, all->ways[v + 1], 0));
    }
    store_normals(normals, all->ways + v - BLOCK, all->normals + v - BLOCK);
}

/* The last vertex is never part of a block, since blocks read and write a float beyond their end. */
AVX2 static uint32_t move_by_matrices(const struct deform_vertices *all)
{
    uint32_t v = 0;
    for (; all->count - v > BLOCK; v += BLOCK)
        move_block(all, v, false);
    return v;
}

AVX2 static uint32_t move_by_cofactors(const struct deform_vertices *all)
{
    uint32_t v = 0;
    for (; all->count - v > BLOCK; v += BLOCK)
        move_block(all, v, true);
    return v;
}

uint32_t deform_vertices_avx2(const struct deform_vertices *vertices)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma"))
        return 0;
    return vertices->cofactor_normals ? move_by_cofactors(vertices) : move_by_matrices(vertices);
}

#else

uint32_t deform_vertices_avx2(const struct deform_vertices *vertices)
{
    (void)vertices;
    return 0;
}

#endif
