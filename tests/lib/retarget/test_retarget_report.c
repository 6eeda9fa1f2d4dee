/* What a retargeting says that it leaves out: joints that are moved off their place, or that are no bones. Where a BVH
 * stands that does not say where its ground is. */
#include "pose.h"
#include "tests/support/codecs.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TURNS "Zrotation Xrotation Yrotation"
#define PLACES "Xposition Yposition Zposition"
#define JOINT(name, at, channels, below)                                                                     \
    "JOINT " name "\n{\nOFFSET " at "\nCHANNELS " channels "\n" below "}\n"
#define ARM(side, x, forearm)                                                                                \
    JOINT(side "Arm", x " 0.4 0", "3 " TURNS,                                                                \
          JOINT(side "ForeArm", forearm " 0 0", "6 " PLACES " " TURNS,                                       \
                JOINT(side "Hand", forearm " 0 0", "3 " TURNS, "")))
#define LEG(side, x)                                                                                         \
    JOINT(side "UpLeg", x " 0 0", "3 " TURNS,                                                                \
          JOINT(side "Leg", "0 -0.45 0", "3 " TURNS, JOINT(side "Foot", "0 -0.45 0", "3 " TURNS, "")))
#define PERSON                                                                                               \
    "HIERARCHY\nROOT Hips\n{\nOFFSET 0 1 0\nCHANNELS 6 " PLACES " " TURNS                                    \
    "\n" JOINT("Spine", "0 0.1 0", "3 " TURNS,                                                               \
               JOINT("Neck", "0 0.45 0", "3 " TURNS, JOINT("Head", "0 0.1 0", "3 " TURNS, ""))               \
                   ARM("Left", "0.2", "0.3") ARM("Right", "-0.2", "-0.3")) LEG("Left", "0.1")                \
        LEG("Right", "-0.1") JOINT("Tail", "0 0 -0.1", "6 " PLACES " " TURNS, "") "}\nMOTION\n"

/* Hips; spine, neck, head, arm; forearm; hand, arm; forearm; hand, legs; tail. */
#define ROW(hips, left, right, tail)                                                                         \
    hips " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 " left " 0 0 0 0 0 0 0 0 0 " right                                  \
         " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 " tail "\n"

static const struct {
    const char *hips, *left, *tail;
    const char *ignored; /* joined by blanks */
} moved[] = {
    {"0 1 0", "0.3 0 0", "0 0 -0.1 0 0 0", ""},
    {"5 1 7", "0.3 0 0", "0 0 -0.1 0 0 0", ""}, /* hips may travel */
    {"0 1 0", "0.3009 0 0", "0 0 -0.1 0 0 0", ""},
    {"0 1 0", "0.3 0.0011 0", "0 0 -0.1 0 0 0", "LeftForeArm "},
    {"0 1 0", "0.3 0 0", "0 0 -0.2 0 0 0", "Tail "}, /* moved, not turned */
    {"0 1 0", "0.3 0 0", "0 0 -0.1 0 0 0.1", ""},    /* turned by less than anybody sees */
    {"0 1 0", "0.3 0 0", "0 0 -0.1 0 0 0.2", "Tail "},
    {"0 1 0", "0 0 0", "1 0 -0.1 0 0 0", "LeftForeArm Tail "},
};

TEST_EACH(moved_joints, COUNT(moved))
{
    char text[4000], names[200] = "";
    snprintf(text, sizeof text, "%sFrames: 3\nFrame Time: 0.1\n%s" ROW("%s", "%s", "-0.3 0 0", "%s") "%s",
             PERSON, ROW("0 1 0", "0.3 0 0", "-0.3 0 0", "0 0 -0.1 0 0 0"), moved[_i].hips, moved[_i].left,
             moved[_i].tail, ROW("0 1 0", "0.3 0 0", "-0.3 0 0", "0 0 -0.1 0 0 0"));
    struct pose_error error;
    struct pose_document *document = codec_must_decode("bvh", text, strlen(text));
    struct pose_humanoid *person = pose_humanoid_new(document->skeletons, NULL, 0, NULL, &error);
    ck_assert_msg(person != NULL, "%s", error.detail);
    const struct pose_retarget_options wishes = {.axes = POSE_AXES_GLTF};
    struct pose_retarget *retarget =
        pose_retarget_new(document->clips, person, person, &wishes, NULL, &error);
    ck_assert_msg(retarget != NULL, "%s", error.detail);
    const struct pose_retarget_report *report = pose_retarget_report(retarget);
    for (uint32_t i = 0; i < report->ignored_count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s ", report->ignored[i]);
    ck_assert_str_eq(names, moved[_i].ignored);
    bool is_warned = false;
    for (uint32_t i = 0; i < report->warning_count; i++)
        is_warned |= !strcmp(report->warnings[i].code, "retarget_ignored");
    ck_assert_int_eq(is_warned, *moved[_i].ignored != 0);
    pose_retarget_free(retarget);
    pose_humanoid_free(person);
    pose_document_free(document);
}

static struct pose_document *person_at(const char *height, const char *hips)
{
    char text[4000];
    snprintf(text, sizeof text, "%sFrames: 2\nFrame Time: 0.1\n%s%s", PERSON,
             ROW("0 1 0", "0.3 0 0", "-0.3 0 0", "0 0 -0.1 0 0 0"),
             ROW("0 1 0", "0.3 0 0", "-0.3 0 0", "0 0 -0.1 0 0 0"));
    const char *to = height; /* the OFFSET, then the frames */
    for (char *at = text; (at = strstr(at, "0 1 0")) != NULL; at += 5, to = hips)
        memcpy(at, to, 5);
    return codec_must_decode("bvh", text, strlen(text));
}

/* Rests with its hips at 0 or at 1 m; where its frames are; where they are on the other, whose legs have 0.9 m. */
static const struct {
    const char *from_rest, *from_hips, *to_rest;
    double height;
} grounds[] = {
    {"0 1 0", "0 1 0", "0 0 0", 0.9}, /* the feet at 0 */
    {"0 1 0", "0 2 0", "0 0 0", 1.9}, {"0 1 0", "0 1 0", "0 1 0", 1},
    {"0 0 0", "0 1 0", "0 0 0", 1}, /* the same figure */
    {"0 0 0", "0 0 0", "0 0 0", 0},
};

TEST_EACH(feet_on_the_ground, COUNT(grounds))
{
    struct pose_error error;
    float rows[64 * 10];
    struct pose_document *from = person_at(grounds[_i].from_rest, grounds[_i].from_hips),
                         *to = person_at(grounds[_i].to_rest, "0 0 0");
    struct pose_humanoid *source = pose_humanoid_new(from->skeletons, NULL, 0, NULL, &error),
                         *target = pose_humanoid_new(to->skeletons, NULL, 0, NULL, &error);
    ck_assert_msg(source && target, "%s", error.detail);
    const struct pose_retarget_options wishes = {.axes = POSE_AXES_GLTF};
    struct pose_retarget *retarget = pose_retarget_new(from->clips, source, target, &wishes, NULL, &error);
    ck_assert_msg(retarget != NULL, "%s", error.detail);
    void *scratch = malloc(pose_retarget_scratch(retarget));
    pose_retarget_sample(retarget, 0, POSE_CLAMP, POSE_IN_PLACE, rows, scratch);
    ck_assert_double_eq_tol((double)rows[1], grounds[_i].height, 1e-5);
    free(scratch);
    pose_retarget_free(retarget);
    pose_humanoid_free(source);
    pose_humanoid_free(target);
    pose_document_free(from);
    pose_document_free(to);
}
