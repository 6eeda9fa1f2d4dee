/* Findings for modders: names that differ, lengths that are not one, bones that are missing. */
#include "lib/model/lint.h"
#include "tests/support/corpus.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

/* What was found, as "code: message" lines. */
static char found[2000];

static void note(void *user, const struct pose_warning *warning)
{
    (void)user;
    size_t used = strlen(found);
    snprintf(found + used, sizeof found - used, "%s: %s\n", warning->code, warning->message);
}

static const struct lint lint = {note, NULL};

static const struct {
    const char *inner, *file;
    bool differs;
} names[] = {
    {"xskin-hulo-L_HAND-HANDCL", "sims1/xskin-hulo-L_HAND-HANDCL.skn", false},
    {"XSKIN-a", "xskin-A.bmf", false},
    {"a2o-walk", "walk\\a2o-walk.c3bde7b200000007.anim", false},
    {"a2o-walk", "a2o-run.c3bde7b200000007.anim", true},
    {"a.notakey0notakey0", "a.notakey0notakey0.anim", false},
    {"a", "b.skn", true},
    {"a", "a", false},
    {NULL, "a.skn", false},
    {"a", NULL, false},
};

TEST_EACH(names_are_compared, COUNT(names))
{
    found[0] = 0;
    lint_name(&lint, names[_i].inner, names[_i].file);
    ck_assert_msg((strstr(found, "name_differs: ") == found) == names[_i].differs, "%s", found);
}

TEST(rotations_off_unit_length_are_counted)
{
    static const float times[] = {0, 1, 2};
    static const float values[] = {0, 0, 0, 1, 0, 0, 0, 0.9985f, 0.5f, 0, 0, 0};
    static const float more[] = {0, 2, 0, 0};
    const struct pose_track tracks[] = {
        {.name = "A", .channels[POSE_ROTATION] = {2, times, values}},
        {.name = "B", .channels[POSE_ROTATION] = {3, times, values}},
        {.name = "C", .channels[POSE_ROTATION] = {1, times, more}},
    };
    struct pose_clip clip = {.track_count = 1, .tracks = tracks};
    found[0] = 0;
    lint_clip(&lint, &clip);
    ck_assert_str_eq(found, "");
    clip.track_count = COUNT(tracks);
    lint_clip(&lint, &clip);
    ck_assert_str_eq(found, "rotation_not_unit: 2 of 6 rotation keys are not of unit length; the worst is 2; "
                            "the first is \"B\"'s\n");
}

TEST(rest_rotations_are_checked)
{
    const struct pose_joint joints[] = {{.name = "A", .rotation = {0, 0, 0, 1}}, {.name = "B"}};
    const struct pose_skeleton skeleton = {.joint_count = 2, .joints = joints};
    found[0] = 0;
    lint_skeleton(&lint, &skeleton);
    ck_assert_str_eq(found,
                     "rotation_not_unit: 1 of 2 rest rotations are not of unit length; the worst is 0; "
                     "the first is \"B\"'s\n");
}

TEST(missing_bones_are_named)
{
    static const char *const bones[] = {"PELVIS", "Tail", "spine", "WING"};
    const struct pose_joint joints[] = {{.name = "PELVIS"}, {.name = "SPINE"}};
    const struct pose_skeleton skeleton = {.axes = POSE_AXES_SIMS, .joint_count = 2, .joints = joints};
    const struct pose_mesh mesh = {.axes = POSE_AXES_SIMS, .bone_count = 4, .bones = bones};
    struct pose_error error;
    struct pose_skin *skin = pose_skin_new(&mesh, &skeleton, POSE_AXES_SIMS, NULL, &error);
    ck_assert_ptr_nonnull(skin);
    found[0] = 0;
    pose_lint_skin(skin, note, NULL);
    ck_assert_str_eq(found, "missing_bone: the skeleton lacks 2 of the mesh's 4 bones: Tail, WING\n");
    pose_skin_free(skin);
}

/* How many of the files have a finding that begins so. */
static unsigned count_findings(const char *folder, const char *suffix, const char *code)
{
    struct test_paths paths;
    unsigned count = 0;
    if (!corpus_list(folder, suffix, &paths))
        return UINT32_MAX;
    ck_assert_uint_gt(paths.count, 0);
    for (size_t i = 0; i < paths.count; i++) {
        struct test_file file;
        struct pose_error error;
        ck_assert(test_file_read(paths.items[i], &file));
        struct pose_source source = {.name = paths.items[i], .bytes = {file.data, file.size}};
        struct pose_document *document = pose_decode(&source, NULL, &error);
        ck_assert_msg(document != NULL, "%s", error.detail);
        found[0] = 0;
        pose_lint(document, paths.items[i], note, NULL);
        count += strstr(found, code) != NULL;
        pose_document_free(document);
        test_file_free(&file);
    }
    test_paths_free(&paths);
    return count;
}

static const struct {
    const char *folder, *suffix, *code;
    unsigned count;
} real[] = {
    {"sims/sims1", ".skn", "name_differs", 0},     {"sims/sims1", ".skn", "normal_not_unit", 0},
    {"sims/tso/mesh", ".mesh", "name_differs", 0}, {"sims/tso/mesh", ".mesh", "normal_not_unit", 21},
    {"sims/tso/anim", ".anim", "name_differs", 0}, {"sims/tso/anim", ".anim", "rotation_not_unit", 0},
};

TEST_EACH(real_files_have_the_known_findings, COUNT(real))
{
    unsigned count = count_findings(real[_i].folder, real[_i].suffix, real[_i].code);
    if (count != UINT32_MAX)
        ck_assert_uint_eq(count, real[_i].count);
}
