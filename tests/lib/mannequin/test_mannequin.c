/* The mannequin: a closed surface, whole weights, on the ground and as tall as the skeleton, on every stand-in. */
#include "pose.h"
#include "tests/support/allocators.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct dressed {
    struct pose_document *skeleton, *mannequin;
    struct pose_humanoid *person;
    const struct pose_mesh *mesh;
};

/* False after the last person: animals are the last of the stand-ins, and no one's body. */
static bool dress(unsigned stand_in, struct dressed *dressed)
{
    struct pose_error error;
    *dressed = (struct dressed){.skeleton = pose_stand_in(stand_in, NULL, &error)};
    if (!dressed->skeleton)
        return false;
    dressed->person = pose_humanoid_new(dressed->skeleton->skeletons, NULL, 0, NULL, &error);
    if (!dressed->person && strstr(pose_stand_in_name(stand_in), " pet ")) {
        ck_assert_ptr_null(pose_stand_in_name(stand_in + 1));
        pose_document_free(dressed->skeleton);
        return false;
    }
    ck_assert_msg(dressed->person != NULL, "%s", error.detail);
    dressed->mannequin = pose_mannequin(dressed->person, NULL, &error);
    ck_assert_msg(dressed->mannequin != NULL, "%s", error.detail);
    ck_assert_uint_eq(dressed->mannequin->mesh_count, 1);
    dressed->mesh = dressed->mannequin->meshes;
    return true;
}

static void undress(struct dressed *dressed)
{
    pose_document_free(dressed->mannequin);
    pose_humanoid_free(dressed->person);
    pose_document_free(dressed->skeleton);
}

struct edge {
    uint32_t low, high;
    int turned;
};

static int compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct edge));
}

/* Each edge has one face on either side. */
TEST(the_surface_is_closed)
{
    struct dressed dressed;
    ck_assert(dress(0, &dressed));
    const struct pose_mesh *mesh = dressed.mesh;
    ck_assert(mesh->face_count > 2700 && mesh->face_count < 3300);
    size_t count = 3 * (size_t)mesh->face_count;
    struct edge *edges = calloc(count, sizeof *edges);
    for (size_t i = 0; i < count; i++) {
        uint32_t a = mesh->faces[i / 3][i % 3], b = mesh->faces[i / 3][(i + 1) % 3];
        ck_assert(a < mesh->real_count && a != b);
        edges[i] = a < b ? (struct edge){a, b, 0} : (struct edge){b, a, 1};
    }
    qsort(edges, count, sizeof *edges, compare);
    for (size_t i = 0; i < count; i += 2) {
        ck_assert(edges[i].low == edges[i + 1].low && edges[i].high == edges[i + 1].high);
        ck_assert(edges[i].turned + edges[i + 1].turned == 1);
        ck_assert(i + 2 == count || edges[i].low != edges[i + 2].low || edges[i].high != edges[i + 2].high);
    }
    /* A ball's: no holes, no handles, one piece. */
    ck_assert_int_eq((int)mesh->real_count - (int)(count / 2) + (int)mesh->face_count, 2);
    free(edges);
    undress(&dressed);
}

TEST(weights_are_whole)
{
    struct dressed dressed;
    for (unsigned k = 0; dress(k, &dressed); k++) {
        const struct pose_mesh *mesh = dressed.mesh;
        unsigned blended = 0;
        for (uint32_t v = 0; v < mesh->real_count; v++) {
            const struct pose_influences *own = &mesh->influences[v];
            float sum = 0;
            for (int i = 0; i < POSE_WEIGHTS; i++) {
                ck_assert(own->weights[i] >= 0 && own->bones[i] < mesh->bone_count);
                sum += own->weights[i];
            }
            ck_assert_float_eq_tol(sum, 1, 1e-5f);
            blended += own->weights[1] > 0.1f;
        }
        ck_assert_uint_gt(blended, mesh->real_count / 4);
        undress(&dressed);
    }
}

/* In the skeleton's rest pose, as everything else deforms. */
static void rest_places(const struct dressed *dressed, float (*places)[3], float (*normals)[3])
{
    const struct pose_skeleton *skeleton = dressed->skeleton->skeletons;
    const struct pose_clip still = {.axes = skeleton->axes};
    struct pose_error error;
    struct pose_sampler *sampler = pose_sampler_new(&still, skeleton, POSE_AXES_GLTF, NULL, &error);
    struct pose_skin *skin = pose_skin_new(dressed->mesh, skeleton, POSE_AXES_GLTF, NULL, &error);
    ck_assert(sampler && skin);
    ck_assert_uint_eq(pose_skin_missing_count(skin), 0);
    size_t count = pose_sampler_row_count(sampler);
    float *rows = calloc(count, 10 * sizeof *rows), *matrices = calloc(count, 16 * sizeof *matrices);
    void *scratch = malloc(pose_deform_scratch(skin) + 1);
    pose_sample(sampler, 0, POSE_CLAMP, 0, rows, NULL);
    pose_model(sampler, rows, matrices);
    pose_deform(skin, matrices, places, normals, scratch);
    free(rows);
    free(matrices);
    free(scratch);
    pose_skin_free(skin);
    pose_sampler_free(sampler);
}

TEST(it_stands_on_the_ground_as_tall_as_its_skeleton)
{
    struct dressed dressed;
    unsigned k = 0;
    for (; dress(k, &dressed); k++) {
        const struct pose_humanoid_report *report = pose_humanoid_report(dressed.person);
        uint32_t count = dressed.mesh->real_count, faces = dressed.mesh->face_count;
        float(*places)[3] = calloc(count, sizeof *places), (*normals)[3] = calloc(count, sizeof *normals);
        float least[3] = {9, 9, 9}, most[3] = {-9, -9, -9};
        rest_places(&dressed, places, normals);
        for (uint32_t v = 0; v < count; v++) {
            for (int i = 0; i < 3; i++) {
                ck_assert(isfinite(places[v][i]));
                least[i] = fminf(least[i], places[v][i]);
                most[i] = fmaxf(most[i], places[v][i]);
            }
        }
        ck_assert_double_eq_tol((double)least[1], report->ground, 0.03);
        double tall = (double)(most[1] - least[1]) / report->hip_height;
        ck_assert(tall > 1.7 && tall < 2.1);
        ck_assert_float_eq_tol(least[0], -most[0], 0.02f);
        /* The volume, by the divergence theorem: positive when faces look outward, and a person's. */
        double volume = 0;
        for (uint32_t f = 0; f < faces; f++) {
            const float *a = places[dressed.mesh->faces[f][0]], *b = places[dressed.mesh->faces[f][1]],
                        *c = places[dressed.mesh->faces[f][2]];
            volume += (double)(a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                               a[2] * (b[0] * c[1] - b[1] * c[0])) /
                      6;
        }
        double adult = pow(0.98 / report->hip_height, 3);
        ck_assert(volume * adult > 0.03 && volume * adult < 0.12);
        free(places);
        free(normals);
        undress(&dressed);
    }
    ck_assert_uint_ge(k, 4);
}

/* -------------------------------------------------------------------------------------------------- no memory -- */

TEST(without_memory_there_is_none)
{
    unsigned left;
    const struct pose_allocator allocator = allocator_of_some(&left);
    const struct pose_options options = {.allocator = &allocator};
    struct dressed dressed;
    struct pose_error error;
    unsigned refused = 0;
    ck_assert(dress(0, &dressed));
    for (unsigned allowed = 0; allowed < 40; allowed++) {
        left = allowed;
        struct pose_document *mannequin = pose_mannequin(dressed.person, &options, &error);
        if (!mannequin)
            ck_assert_int_eq(error.status, POSE_NO_MEMORY);
        refused += !mannequin;
        pose_document_free(mannequin);
        if (mannequin)
            break;
    }
    ck_assert(refused > 0 && refused < 40);
    undress(&dressed);
}
