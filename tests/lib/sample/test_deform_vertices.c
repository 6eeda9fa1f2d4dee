/* The vertices of a mesh in model space with AVX2 are those of the plain loop within 1e-6 of their size, whatever their
 * number, their weights and their normals. */
#include "lib/sample/deform_vertices.h"
#include "tests/support/random_numbers.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { BONES = 7, MOST = 67 };

static void random_numbers(float *numbers, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        numbers[i] = (float)random_number();
}

struct rows {
    float positions[MOST][3], normals[MOST][3];
};

static struct pose_influences random_influences(void)
{
    struct pose_influences influences = {0};
    const unsigned count = random_below(POSE_WEIGHTS + 1);
    float sum = 0;
    for (unsigned i = 0; i < POSE_WEIGHTS; i++) {
        influences.bones[i] = i < count ? random_below(BONES) : influences.bones[0];
        influences.weights[i] = i < count ? (float)(count - i) : 0;
        sum += influences.weights[i];
    }
    for (unsigned i = 0; i < count; i++)
        influences.weights[i] /= sum;
    return influences;
}

struct scene {
    float palette[BONES][MATRIX_FLOATS];
    struct pose_influences influences[MOST];
    struct rows bind;
};

/* Some matrices mirror, and some normals have no length. */
static void random_scene(struct scene *scene)
{
    for (unsigned i = 0; i < BONES; i++) {
        random_numbers(scene->palette[i], MATRIX_FLOATS);
        for (unsigned k = 0; k < 3; k++)
            scene->palette[i][k * 5] += 3;
        scene->palette[i][0] *= random_below(4) ? 1 : -1;
    }
    for (unsigned v = 0; v < MOST; v++) {
        scene->influences[v] = random_influences();
        random_numbers(scene->bind.positions[v], 3);
        random_numbers(scene->bind.normals[v], 3);
        if (!random_below(6))
            memset(scene->bind.normals[v], 0, sizeof *scene->bind.normals);
    }
}

static void expect_close(float got, float expected)
{
    ck_assert_double_eq_tol((double)got, (double)expected, 1e-6 * fmax(4, fabs((double)expected)));
}

/* Mirrored bones cancel each other in some blends: a normal is compared when it is not all rounding. */
static void expect_same(const struct rows *got, const struct rows *expected)
{
    for (unsigned v = 0; v < MOST; v++) {
        for (unsigned i = 0; i < 3; i++) {
            expect_close(got->positions[v][i], expected->positions[v][i]);
            ck_assert_double_eq_tol((double)got->normals[v][i], (double)expected->normals[v][i], 2e-5);
        }
    }
}

static void move(const struct scene *scene, uint32_t count, bool by_cofactors, bool is_plain, struct rows *to)
{
    const struct deform_vertices vertices = {.count = count,
                                             .cofactor_normals = by_cofactors,
                                             .influences = scene->influences,
                                             .palette = scene->palette[0],
                                             .places = scene->bind.positions,
                                             .ways = scene->bind.normals,
                                             .positions = to->positions,
                                             .normals = to->normals};
    *to = scene->bind;
    const uint32_t done = is_plain ? 0 : deform_vertices_avx2(&vertices);
    ck_assert_uint_le(done, count);
    deform_vertices_scalar(&vertices, done);
}

TEST_EACH(same_as_plain, 2)
{
    struct scene scene;
    struct rows got, expected;
    for (unsigned round = 0; round < 40; round++) {
        random_scene(&scene);
        for (uint32_t count = round % 2 ? MOST : 0; count <= MOST; count += 1 + round % 7) {
            move(&scene, count, _i, false, &got);
            move(&scene, count, _i, true, &expected);
            expect_same(&got, &expected);
        }
    }
}

TEST(fills_vectors)
{
    struct scene scene;
    random_scene(&scene);
    const struct deform_vertices vertices = {.count = MOST,
                                             .influences = scene.influences,
                                             .palette = scene.palette[0],
                                             .places = (const float(*)[3])scene.bind.positions,
                                             .ways = (const float(*)[3])scene.bind.normals,
                                             .positions = scene.bind.positions,
                                             .normals = scene.bind.normals};
    const uint32_t done = deform_vertices_avx2(&vertices);
    if (!done)
        puts("SKIPPED: no AVX2 here");
    else
        ck_assert_uint_ge(done, MOST - 8);
}
