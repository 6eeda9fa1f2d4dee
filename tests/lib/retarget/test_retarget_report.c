/* What a retargeting says that it leaves out: joints that are moved off their place, or that are no bones. */
#include "pose.h"
#include "tests/support/codecs.h"
#include "tests/support/unit.h"

#include <stdio.h>
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
        LEG("Right", "-0.1") JOINT("Tail", "0 0 -0.1", "3 " PLACES, "") "}\nMOTION\n"

/* Hips; spine, neck, head, arm; forearm; hand, arm; forearm; hand, legs; tail. */
#define ROW(hips, left, right, tail)                                                                         \
    hips " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 " left " 0 0 0 0 0 0 0 0 0 " right                                  \
         " 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 " tail "\n"

static const struct {
    const char *hips, *left, *tail;
    const char *ignored; /* joined by blanks */
} moved[] = {
    {"0 1 0", "0.3 0 0", "0 0 -0.1", ""},
    {"5 1 7", "0.3 0 0", "0 0 -0.1", ""}, /* hips may travel */
    {"0 1 0", "0.3009 0 0", "0 0 -0.1", ""},
    {"0 1 0", "0.3 0.0011 0", "0 0 -0.1", "LeftForeArm "},
    {"0 1 0", "0.3 0 0", "0 0 -0.2", "Tail "}, /* moved, not turned */
    {"0 1 0", "0 0 0", "1 0 -0.1", "LeftForeArm Tail "},
};

TEST_EACH(moved_joints, COUNT(moved))
{
    char text[4000], names[200] = "";
    snprintf(text, sizeof text, "%sFrames: 3\nFrame Time: 0.1\n%s" ROW("%s", "%s", "-0.3 0 0", "%s") "%s",
             PERSON, ROW("0 1 0", "0.3 0 0", "-0.3 0 0", "0 0 -0.1"), moved[_i].hips, moved[_i].left,
             moved[_i].tail, ROW("0 1 0", "0.3 0 0", "-0.3 0 0", "0 0 -0.1"));
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
