/*
 * Deforms a mesh in model space: one matrix per bone from its bind pose to its current pose, and for each vertex
 * the weighted sum of its bones' matrices (sims3-geom.md 6, prime-cmdl.md 6.1, sl-avatar.md 4).
 */
#include "lib/sample/deform_vertices.h"

#include <math.h>
#include <string.h>

/* A column of a matrix, in one vector register. */
typedef float float4 __attribute__((vector_size(16)));

struct matrix {
    float4 columns[4];
};

static inline float4 load(const float *from)
{
    float4 value;
    memcpy(&value, from, sizeof value);
    return value;
}

static inline float4 load3(const float *from)
{
    return (float4){from[0], from[1], from[2], 0};
}

static inline float4 spread(float number)
{
    return (float4){number, number, number, number};
}

static inline void store3(float4 value, float *to)
{
    to[0] = value[0];
    to[1] = value[1];
    to[2] = value[2];
}

/* The scratch memory has the bones' matrices as plain floats, then the morphed vertices. It is aligned for floats only:
 * room for one matrix more lets them begin where a line of the cache does, which vectors want. */
enum { CACHE_LINE = MATRIX_FLOATS * sizeof(float) };

size_t deform_bind_scratch(const struct pose_skin *skin)
{
    size_t vertices = skin->mesh->morph_count ? (size_t)skin->mesh->real_count * 6 : 0;
    return ((size_t)(skin->mesh->bone_count + 1) * MATRIX_FLOATS + vertices) * sizeof(float);
}

static float *align(void *scratch)
{
    const size_t beyond = (uintptr_t)scratch % CACHE_LINE;
    return (float *)(void *)((char *)scratch + (beyond ? CACHE_LINE - beyond : 0));
}

static void make_palette(const struct pose_skin *skin, const float *matrices, float *palette)
{
    for (uint32_t i = 0; i < skin->mesh->bone_count; i++) {
        float *to = palette + (size_t)i * MATRIX_FLOATS;
        if (skin->joints[i] == SKIN_NO_JOINT)
            memcpy(to, matrix_identity, sizeof matrix_identity);
        else
            matrix_multiply(matrices + 16 * (size_t)skin->joints[i], skin->inverse_binds[i], to);
    }
}

/* -------------------------------------------------------------------------------------------------- morphs -- */

static void mix_in(const struct skin_morph *morph, float weight, float (*positions)[3], float (*normals)[3])
{
    for (uint32_t k = 0; k < morph->count; k++) {
        uint32_t v = morph->vertices[k];
        for (unsigned i = 0; i < 3; i++) {
            positions[v][i] += weight * morph->positions[k][i];
            if (morph->normals)
                normals[v][i] += weight * morph->normals[k][i];
        }
    }
}

/* Returns false if no morph has a weight, so that the vertices are unchanged. */
static bool morph(const struct pose_skin *skin, const float *weights, float (*positions)[3],
                  float (*normals)[3])
{
    const struct pose_mesh *mesh = skin->mesh;
    bool any = false;
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        float weight = weights ? weights[i] : mesh->morphs[i].weight;
        if (weight == 0 || !isfinite(weight))
            continue;
        if (!any) {
            memcpy(positions, skin->positions, mesh->real_count * sizeof *positions);
            memcpy(normals, skin->normals, mesh->real_count * sizeof *normals);
        }
        any = true;
        mix_in(&skin->morphs[i], weight, positions, normals);
    }
    return any;
}

/* -------------------------------------------------------------------------------------------------- moving -- */

static inline struct matrix read_matrix(const float *from)
{
    return (struct matrix){{load(from), load(from + 4), load(from + 8), load(from + 12)}};
}

/* The matrix of a vertex; its heaviest bone has a weight. */
static inline struct matrix blend(const float *palette, const struct pose_influences *influences)
{
    struct matrix sum = read_matrix(palette + (size_t)influences->bones[0] * MATRIX_FLOATS);
    if (influences->weights[1] == 0)
        return sum;
    for (unsigned k = 0; k < 4; k++)
        sum.columns[k] *= spread(influences->weights[0]);
    for (unsigned i = 1; i < POSE_WEIGHTS && influences->weights[i] > 0; i++) {
        struct matrix next = read_matrix(palette + (size_t)influences->bones[i] * MATRIX_FLOATS);
        for (unsigned k = 0; k < 4; k++)
            sum.columns[k] += next.columns[k] * spread(influences->weights[i]);
    }
    return sum;
}

static inline float4 cross(float4 a, float4 b)
{
    float4 a_next = {a[1], a[2], a[0], a[3]}, a_last = {a[2], a[0], a[1], a[3]};
    float4 b_next = {b[1], b[2], b[0], b[3]}, b_last = {b[2], b[0], b[1], b[3]};
    return a_next * b_last - a_last * b_next;
}

static inline float dot(float4 a, float4 b)
{
    float4 product = a * b;
    return product[0] + product[1] + product[2];
}

/* The inverse transpose of the linear part, up to a factor that is positive. */
static inline struct matrix cofactors(const struct matrix *m)
{
    struct matrix turned = {{cross(m->columns[1], m->columns[2]), cross(m->columns[2], m->columns[0]),
                             cross(m->columns[0], m->columns[1])}};
    float4 sign = spread(copysignf(1, dot(m->columns[0], turned.columns[0])));
    for (unsigned i = 0; i < 3; i++)
        turned.columns[i] *= sign;
    return turned;
}

static inline float4 turn(const struct matrix *m, const float v[3])
{
    return m->columns[0] * spread(v[0]) + m->columns[1] * spread(v[1]) + m->columns[2] * spread(v[2]);
}

/* Normalises; if it is too short, or too long for single precision, returns the stored normal. */
static inline float4 unit(float4 n, const float stored[3])
{
    float square = dot(n, n);
    if (!(square >= DEFORM_TOO_SHORT && square <= DEFORM_TOO_LONG))
        return load3(stored);
    return n * spread(1 / sqrtf(square));
}

static void move(const struct deform_vertices *all, uint32_t v)
{
    const struct pose_influences *influences = &all->influences[v];
    const float *place = all->places[v], *way = all->ways[v];
    if (influences->weights[0] == 0) {
        memcpy(all->positions[v], place, sizeof *all->positions);
        store3(unit(load3(way), way), all->normals[v]);
        return;
    }
    struct matrix m = blend(all->palette, influences);
    store3(turn(&m, place) + m.columns[3], all->positions[v]);
    if (all->cofactor_normals)
        m = cofactors(&m);
    store3(unit(turn(&m, way), way), all->normals[v]);
}

void deform_vertices_scalar(const struct deform_vertices *vertices, uint32_t first)
{
    for (uint32_t v = first; v < vertices->count; v++)
        move(vertices, v);
}

void deform_bind(const struct pose_skin *skin, const float *matrices, const float *morph_weights,
                 float (*positions)[3], float (*normals)[3], void *scratch)
{
    const struct pose_mesh *mesh = skin->mesh;
    float *palette = align(scratch);
    float(*places)[3] = skin->positions, (*ways)[3] = skin->normals;
    float(*room)[3] = (float(*)[3])(palette + (size_t)mesh->bone_count * MATRIX_FLOATS);
    make_palette(skin, matrices, palette);
    if (mesh->morph_count && morph(skin, morph_weights, room, room + mesh->real_count)) {
        places = room;
        ways = room + mesh->real_count;
    }
    const struct deform_vertices vertices = {.count = mesh->real_count,
                                             .cofactor_normals = mesh->cofactor_normals,
                                             .influences = skin->influences,
                                             .palette = palette,
                                             .places = (const float(*)[3])places,
                                             .ways = (const float(*)[3])ways,
                                             .positions = positions,
                                             .normals = normals};
    deform_vertices_scalar(&vertices, deform_vertices_avx2(&vertices));
}
