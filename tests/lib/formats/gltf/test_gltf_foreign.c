/*
 * glTF that others wrote: three.js' GLTFExporter (tests/judges/three_export.mjs) and `assimp export` (of
 * tests/judges/assimp), against the values that went in. The files lie in tests/data/gltf; with POSED_FOREIGN those of that
 * folder are read, which tests/judges/foreign.sh has just made.
 */
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct pose_document *read_foreign(const char *name)
{
    const char *folder = getenv("POSED_FOREIGN");
    char path[4096];
    struct test_file file;
    snprintf(path, sizeof path, "%s/%s", folder ? folder : POSED_SOURCE_DIR "/tests/data/gltf", name);
    ck_assert_msg(test_file_read(path, &file), "%s", path);
    struct pose_document *document = codec_must_decode(NULL, file.data, file.size);
    test_file_free(&file);
    ck_assert_str_eq(document->format, "gltf");
    return document;
}

/* The pose of a clip on the file's own skeleton: a joint's row, or its place in model space. */
static void pose_of(const struct pose_document *document, uint32_t clip, double t, const char *joint,
                    float row[10], float place[3])
{
    struct pose_error error;
    struct pose_sampler *sampler =
        pose_sampler_new(&document->clips[clip], document->skeletons, POSE_AXES_GLTF, NULL, &error);
    ck_assert_msg(sampler, "%s", error.detail);
    uint32_t count = pose_sampler_row_count(sampler), found = 0;
    const struct pose_row *rows = pose_sampler_rows(sampler);
    while (found < count && (!rows[found].name || strcmp(rows[found].name, joint) != 0))
        found++;
    ck_assert_msg(found < count, "no joint %s", joint);
    float *values = calloc(count, 26 * sizeof *values), *matrices = values + 10 * (size_t)count;
    pose_sample(sampler, t, POSE_CLAMP, POSE_IN_PLACE, values, NULL);
    pose_model(sampler, values, matrices);
    memcpy(row, values + 10 * (size_t)found, 10 * sizeof *row);
    memcpy(place, matrices + 16 * (size_t)found + 12, 3 * sizeof *place);
    free(values);
    pose_sampler_free(sampler);
}

static void check_numbers(const char *what, const float *numbers, unsigned count, const float *expected)
{
    for (unsigned i = 0; i < count; i++)
        ck_assert_msg(fabsf(numbers[i] - expected[i]) <= 2e-6f, "%s[%u]: %g, not %g", what, i,
                      (double)numbers[i], (double)expected[i]);
}

static const float root = 0.70710678f;

static const struct {
    const char *file;
    uint32_t clip;
    double t;
    const char *joint;
    float row[10]; /* translation, rotation, scale */
    float place[3];
} poses[] = {
    {"three-skinned.glb", 0, 0.25, "hips", {0, 1, 0, 0, 0, 0, 1, 1, 1, 1}, {0, 1, 0}},
    {"three-skinned.glb", 0, 0.75, "hips", {0, 2, 0, 0, 0, 0, 1, 1, 1, 1}, {0, 2, 0}},
    {"three-skinned.glb",
     0,
     0.5,
     "head",
     {0, 0.5f, 0.125f, 0.38268343f, 0, 0, 0.92387953f, 2, 2, 2},
     {0, 2.75f, 0.125f}},
    {"three-skinned.glb",
     1,
     0.25,
     "spine",
     {0, 0.25f, 0, 0, 0.38268343f, 0, 0.92387953f, 1, 1, 1},
     {0, 1.25f, 0}},
    {"three-skinned.glb", 1, 0.5, "head", {0, 0.5f, 0.125f, 0, 0, 0, 1, 2, 2, 2}, {0.125f, 1.75f, 0}},
    {"three-nodes.gltf", 0, 0.5, "arm", {1.5f, 2, 2, 0, 0, 0, 1, 1, 1, 1}, {2, 2, -1.5f}},
    {"three-nodes.gltf", 0, 0.75, "hand", {0, 0, 0.5f, 0, 0, 0, 1, 1, 1.75f, 2.5f}, {2, 2, -1.75f}},
    {"assimp-swing.glb", 0, 0.25, "knee", {0, -4, 0, 0.38268343f, 0, 0, 0.92387953f, 1, 1, 1}, {0, 4.5f, 0}},
    {"assimp-swing.glb", 0, 1, "EndSite_knee", {0, -4, 0, 0, 0, 0, 1, 1, 1, 1}, {1, 2, 2}},
    {"assimp-swing.glb", 0, 0.5, "EndSite_knee", {0, -4, 0, 0, 0, 0, 1, 1, 1, 1}, {0, 5, -4}},
    {"assimp-flag.glb", 0, 2, "tip", {0.5f, 3, 0, 0, 0, 0.70710678f, 0.70710678f, 1, 1, 1}, {0.5f, 3, 0}},
    {"assimp-flag.glb",
     0,
     1,
     "tip",
     {0.25f, 2.5f, 0, 0, 0, 0.38268343f, 0.92387953f, 1, 1, 1},
     {0.25f, 2.5f, 0}},
};

TEST_EACH(poses_are_what_went_in, COUNT(poses))
{
    struct pose_document *document = read_foreign(poses[_i].file);
    float row[10], place[3];
    ck_assert_uint_gt(document->clip_count, poses[_i].clip);
    pose_of(document, poses[_i].clip, poses[_i].t, poses[_i].joint, row, place);
    check_numbers("row", row, 10, poses[_i].row);
    check_numbers("place", place, 3, poses[_i].place);
    pose_document_free(document);
}

/* Names, lengths and how much there is. */
static const struct {
    const char *file, *first;
    uint32_t clips, joints;
    float duration;
} files[] = {
    {"three-skinned.glb", "nod", 2, 4, 1},   {"three-nodes.gltf", "wave", 1, 3, 1},
    {"assimp-swing.glb", "Motion", 1, 3, 1}, {"assimp-flag.glb", "tip-moves", 1, 3, 2},
    {"assimp-box.glb", NULL, 0, 0, 0},
};

TEST_EACH(files_hold_what_went_in, COUNT(files))
{
    struct pose_document *document = read_foreign(files[_i].file);
    ck_assert_uint_eq(document->clip_count, files[_i].clips);
    ck_assert_uint_eq(document->skeleton_count, files[_i].joints > 0);
    ck_assert(!files[_i].joints || document->skeletons->joint_count == files[_i].joints);
    if (files[_i].first) {
        ck_assert_str_eq(document->clips->name, files[_i].first);
        ck_assert(document->clips->duration == files[_i].duration);
    }
    ck_assert_uint_eq(document->mesh_count, 1);
    ck_assert_uint_eq(document->meshes->face_count > 0, 1);
    pose_document_free(document);
}

/* Our own skin has all joints, but the nodes keep which of them had one. */
TEST(what_a_skin_has_comes_back)
{
    struct pose_document *document = read_foreign("three-skinned.glb");
    const struct pose_skeleton *skeleton = document->skeletons;
    for (int way = 0; way < 2; way++) {
        for (uint32_t i = 0; i < skeleton->joint_count; i++)
            ck_assert_int_eq(skeleton->joints[i].in_skin, strcmp(skeleton->joints[i].name, "body") != 0);
        if (way)
            break;
        const struct pose_content content = document_content(document);
        struct pose_buffer glb = codec_must_encode("gltf", &content, NULL);
        struct pose_document *again = codec_must_decode("gltf", glb.data, glb.size);
        pose_buffer_free(&glb);
        pose_document_free(document);
        document = again;
        skeleton = document->skeletons;
        ck_assert_ptr_null(skeleton->binds);
    }
    pose_document_free(document);
}

TEST(keys_and_morphs_of_three)
{
    struct pose_document *document = read_foreign("three-nodes.gltf");
    const struct pose_clip *clip = document->clips;
    ck_assert_uint_eq(clip->track_count, 4);
    const struct pose_channel *arm = &clip->tracks[0].channels[POSE_TRANSLATION];
    ck_assert_uint_eq(arm->count, 61);
    for (uint32_t k = 0; k < arm->count; k++) {
        ck_assert(arm->times[k] == (float)(k / 60.0));
        ck_assert(arm->values[3 * k] == (float)(1 + k / 60.0) &&
                  arm->values[3 * k + 2] == (float)(3 - k / 30.0));
    }
    ck_assert_str_eq(clip->tracks[2].name, "smile");
    ck_assert_str_eq(clip->tracks[3].name, "frown");
    ck_assert(clip->tracks[2].channels[POSE_MORPH].values[1] == 0.5f);
    ck_assert(clip->tracks[3].channels[POSE_MORPH].values[0] == 1);
    ck_assert(document->skeletons->joints[0].rotation[1] == root);
    pose_document_free(document);
}
