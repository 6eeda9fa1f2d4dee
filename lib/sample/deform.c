/*
 * Deforms a mesh as The Sims does: every vertex, real or blended, is moved with its bone; then each blended vertex
 * pulls its real one towards itself, in file order and in place, so that several blends on one vertex accumulate.
 */
#include "lib/model/skin.h"

#include <math.h>
#include <string.h>

size_t pose_deform_scratch(const struct pose_skin *skin)
{
    if (skin->positions)
        return deform_bind_scratch(skin);
    return SKIN_PLANES * (size_t)skin->vertex_count * sizeof(float);
}

/* Positions or normals of count vertices, one plane per component, stride apart. Plain loops over arrays that do
 * not overlap, so that the compiler can vectorise them. */
static void turn(const float *m, const float origin[3], const float *restrict from, float *restrict to,
                 size_t stride, size_t count)
{
    const float *x = from, *y = from + stride, *z = from + 2 * stride;
    for (unsigned row = 0; row < 3; row++) {
        const float a = m[row], b = m[4 + row], c = m[8 + row], d = origin[row];
        float *restrict out = to + row * stride;
        for (size_t i = 0; i < count; i++)
            out[i] = a * x[i] + b * y[i] + c * z[i] + d;
    }
}

static void move_run(const struct pose_skin *skin, const struct skin_run *run, const float *matrices,
                     float *planes)
{
    static const float nowhere[3];
    size_t stride = skin->vertex_count;
    const float *from = skin->planes + run->first;
    float *to = planes + run->first;
    if (run->joint == SKIN_NO_JOINT) {
        for (unsigned plane = 0; plane < SKIN_PLANES; plane++)
            memcpy(to + plane * stride, from + plane * stride, run->count * sizeof *to);
        return;
    }
    const float *m = matrices + 16 * (size_t)run->joint;
    turn(m, m + 12, from, to, stride, run->count);
    turn(m, nowhere, from + 3 * stride, to + 3 * stride, stride, run->count);
}

/* The squared length below which a normal has no direction. */
static const float too_short = 1e-12f;

/* Normalises; a zero vector becomes up. */
static void normalise(float *x, float *y, float *z)
{
    float square = *x * *x + *y * *y + *z * *z;
    if (square < too_short) {
        *x = *z = 0;
        *y = 1;
        return;
    }
    float scale = 1 / sqrtf(square);
    *x *= scale;
    *y *= scale;
    *z *= scale;
}

static void blend(const struct pose_skin *skin, float *planes)
{
    size_t stride = skin->vertex_count;
    for (uint32_t k = 0; k < skin->mesh->blend_count; k++) {
        float weight = skin->blends[k].weight, rest = 1 - weight;
        float *real = planes + skin->blends[k].vertex;
        const float *blended = planes + skin->mesh->real_count + k;
        for (unsigned plane = 0; plane < SKIN_PLANES; plane++)
            real[plane * stride] = real[plane * stride] * rest + blended[plane * stride] * weight;
        normalise(&real[3 * stride], &real[4 * stride], &real[5 * stride]);
    }
}

/* Short normals are rare: one pass to detect any, and seldom a second one to replace them. */
static void raise_short_normals(float *x, float *y, float *z, size_t count)
{
    unsigned found = 0;
    for (size_t i = 0; i < count; i++)
        found |= x[i] * x[i] + y[i] * y[i] + z[i] * z[i] < too_short;
    for (size_t i = 0; found && i < count; i++) {
        if (x[i] * x[i] + y[i] * y[i] + z[i] * z[i] < too_short)
            normalise(&x[i], &y[i], &z[i]);
    }
}

/* Converts the planes of the real vertices to the caller's rows. */
static void interleave(const float *restrict planes, size_t stride, size_t count, float (*restrict rows)[3])
{
    const float *x = planes, *y = planes + stride, *z = planes + 2 * stride;
    for (size_t i = 0; i < count; i++) {
        rows[i][0] = x[i];
        rows[i][1] = y[i];
        rows[i][2] = z[i];
    }
}

static void deform_bones(const struct pose_skin *skin, const float *matrices, float (*positions)[3],
                         float (*normals)[3], float *planes)
{
    size_t stride = skin->vertex_count, count = skin->mesh->real_count;
    for (uint32_t i = 0; i < skin->run_count; i++)
        move_run(skin, &skin->runs[i], matrices, planes);
    blend(skin, planes);
    raise_short_normals(planes + 3 * stride, planes + 4 * stride, planes + 5 * stride, count);
    interleave(planes, stride, count, positions);
    interleave(planes + 3 * stride, stride, count, normals);
}

void pose_deform_morphed(const struct pose_skin *skin, const float *matrices, const float *morph_weights,
                         float (*positions)[3], float (*normals)[3], void *scratch)
{
    if (skin->positions)
        deform_bind(skin, matrices, morph_weights, positions, normals, scratch);
    else
        deform_bones(skin, matrices, positions, normals, scratch);
}

void pose_deform(const struct pose_skin *skin, const float *matrices, float (*positions)[3],
                 float (*normals)[3], void *scratch)
{
    pose_deform_morphed(skin, matrices, NULL, positions, normals, scratch);
}
