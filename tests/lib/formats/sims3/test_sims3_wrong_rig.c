/* A mesh that lies on the bones of a grown-up is on the wrong rig with a child. */
#include "tests/support/codecs.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

enum { BONES = 3 };

static const char *const names[BONES] = {"b__Pelvis__", "b__Head__", "b__L_Hand__"};
static const uint32_t ids[BONES] = {0x11, 0x22, 0x33};
static const struct pose_influences influences[BONES] = {
    {{0}, {1}}, {{1, 0}, {0.9f, 0.1f}}, {{2, 1}, {0.95f, 0.05f}}};
static char found[1000];

static void note(void *user, const struct pose_warning *warning)
{
    size_t used = strlen(found);
    (void)user;
    snprintf(found + used, sizeof found - used, "%s ", warning->code);
}

/* Pelvis, head and hand of a person so tall. */
static void make_joints(float height, struct pose_joint joints[BONES])
{
    const float places[BONES][3] = {{0, 0.55f, 0}, {0, 0.93f, 0}, {0.22f, 0.5f, 0}};
    for (int i = 0; i < BONES; i++) {
        joints[i] = (struct pose_joint){.name = names[i],
                                        .has_id = true,
                                        .id = ids[i],
                                        .parent = -1,
                                        .rotation = {0, 0.6f, 0, 0.8f},
                                        .scale = {1, 1, 1}};
        for (int k = 0; k < 3; k++)
            joints[i].translation[k] = height * places[i][k];
    }
}

static void lint_on(const struct pose_mesh *mesh, const struct pose_skeleton *skeleton)
{
    struct pose_error error;
    struct pose_skin *skin = pose_skin_new(mesh, skeleton, mesh->axes, NULL, &error);
    ck_assert_msg(skin != NULL, "%s", error.detail);
    found[0] = 0;
    pose_lint_skin(skin, note, NULL);
    pose_skin_free(skin);
}

/* On bones of the first person so tall, the mesh hangs 5 cm below them. */
static void expect(float height, enum pose_axes axes, bool has_ids, const char *codes)
{
    struct pose_joint grown[BONES], joints[BONES];
    float positions[BONES][3];
    make_joints(1.8f, grown);
    make_joints(height, joints);
    for (int i = 0; i < BONES; i++) {
        memcpy(positions[i], grown[i].translation, sizeof *positions);
        positions[i][1] -= 0.05f;
    }
    const struct pose_skeleton skeleton = {
        .axes = axes, .joint_count = BONES, .joints = joints, .root_joint = -1};
    const struct pose_mesh mesh = {.axes = axes,
                                   .space = POSE_SPACE_BIND,
                                   .bone_count = BONES,
                                   .bones = names,
                                   .bone_ids = has_ids ? ids : NULL,
                                   .real_count = BONES,
                                   .positions = (const float(*)[3])positions,
                                   .influences = influences};
    lint_on(&mesh, &skeleton);
    ck_assert_str_eq(found, codes);
}

TEST(its_own_rig)
{
    expect(1.8f, POSE_AXES_GLTF, true, "");
    expect(1.6f, POSE_AXES_GLTF, true, "");
}

TEST(a_childs)
{
    expect(1.2f, POSE_AXES_GLTF, true, "wrong_rig ");
    expect(0.9f, POSE_AXES_GLTF, true, "wrong_rig ");
}

TEST(of_other_families)
{
    expect(0.9f, POSE_AXES_PRIME, true, "");
    expect(0.9f, POSE_AXES_GLTF, false, "");
}

/* Real dresses of a grown-up, on people of our own. */
static void lint_on_stand_in(const struct pose_mesh *mesh, const char *name)
{
    struct pose_error error;
    unsigned i = 0;
    while (pose_stand_in_name(i) && strcmp(pose_stand_in_name(i), name) != 0)
        i++;
    struct pose_document *document = pose_stand_in(i, NULL, &error);
    ck_assert_msg(document != NULL, "%s: %s", name, error.detail);
    lint_on(mesh, document->skeletons);
    pose_document_free(document);
}

TEST(real_meshes)
{
    struct test_paths paths;
    if (!corpus_list("sims3/meshes/dress", ".simgeom", &paths))
        return;
    ck_assert_uint_eq(paths.count, 5);
    for (size_t i = 0; i < paths.count; i++) {
        struct test_file file;
        ck_assert(test_file_read(paths.items[i], &file));
        struct pose_document *document = codec_must_decode("sims3-geom", file.data, file.size);
        lint_on_stand_in(document->meshes, "The Sims 3 adult stand-in");
        ck_assert_str_eq(found, "");
        lint_on_stand_in(document->meshes, "The Sims 3 child stand-in");
        ck_assert_str_eq(found, "wrong_rig ");
        pose_document_free(document);
        test_file_free(&file);
    }
    test_paths_free(&paths);
}
