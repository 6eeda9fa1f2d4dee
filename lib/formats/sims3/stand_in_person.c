/*
 * Stand-ins for people of The Sims 3: the bones that clips move, with the game's names, hierarchy and directions (limbs
 * along their own y, hinges about x), facts that clips rely on. The proportions are our own: a figure of 1.75 m with its
 * arms half lowered, symmetric; a child is the same at two thirds. Most clips hold the lengths of all bones, and so
 * bring their own. Metres; Y up, facing +Z, the left side at +X. What only helps to aim is left out: slots, poles, notes.
 */
#include "lib/model/stand_in.h"

#define TURNED(bone, above, x, y, z, ...)                                                                    \
    {                                                                                                        \
        .name = bone, .parent = above, .translation = {x, y, z}, .rotation = { __VA_ARGS__ }                 \
    }
#define BONE(bone, above, x, y, z) TURNED(bone, above, x, y, z, 0, 0, 0, 1)
/* A finger of two further bones. */
#define FINGER(side, name, x, z)                                                                             \
    BONE("b__" side "_" name "0__", "b__" side "_Hand__", x, 0.07f, z),                                      \
        BONE("b__" side "_" name "1__", "b__" side "_" name "0__", 0, 0.043f, 0),                            \
        BONE("b__" side "_" name "2__", "b__" side "_" name "1__", 0, 0.026f, 0)
/* left: 1 or -1 */
#define LEG(side, left)                                                                                      \
    TURNED("b__" side "_Thigh__", "b__Pelvis__", 0.065f * (left), -0.11f, 0, 1, 0, 0, 0),                    \
        BONE("b__" side "_Calf__", "b__" side "_Thigh__", 0, 0.485f, 0),                                     \
        TURNED("b__" side "_Foot__", "b__" side "_Calf__", 0, 0.42f, 0, 1, 0, 0, 0),                         \
        BONE("b__" side "_Toe__", "b__" side "_Foot__", 0, -0.1f, 0.115f),                                   \
        BONE("b__" side "_ThighTwist__", "b__" side "_Thigh__", 0, 0, 0),                                    \
        BONE("b__" side "_ThighUntwist__", "b__" side "_Thigh__", 0, 0, 0),                                  \
        BONE("b__" side "_ThighTwisted__", "b__" side "_Thigh__", 0, 0, 0),                                  \
        BONE("b__" side "_Thigh__Compress__", "b__" side "_Thigh__", 0, 0.24f, 0),                           \
        BONE("b__" side "_Calf__Compress__", "b__" side "_Calf__", 0, 0.2f, 0)
#define ARM(side, left)                                                                                      \
    TURNED("b__" side "_Clavicle__", "b__Spine2__", 0.02f * (left), 0.065f, -0.035f, 0, 0,                   \
           -0.707106781f * (left), 0.707106781f),                                                            \
        TURNED("b__" side "_UpperArm__", "b__" side "_Clavicle__", 0, 0.14f, 0, 0, 0,                        \
               -0.382683432f * (left), 0.923879533f),                                                        \
        BONE("b__" side "_ShoulderTwist__", "b__" side "_UpperArm__", 0, 0, 0),                              \
        BONE("b__" side "_Bicep__", "b__" side "_UpperArm__", 0, 0.16f, 0),                                  \
        BONE("b__" side "_Forearm__", "b__" side "_UpperArm__", 0, 0.32f, 0),                                \
        BONE("b__" side "_Wrist__", "b__" side "_Forearm__", 0, 0.14f, 0),                                   \
        BONE("b__" side "_Hand__", "b__" side "_Forearm__", 0, 0.285f, 0), FINGER(side, "Index", 0, 0.038f), \
        FINGER(side, "Mid", 0, 0.015f), FINGER(side, "Ring", 0, -0.008f), FINGER(side, "Pinky", 0, -0.03f),  \
        TURNED("b__" side "_Thumb0__", "b__" side "_Hand__", 0.008f * (left), 0.02f, 0.026f, 0.3f,           \
               0.5f * (left), 0, 0.812403840f),                                                              \
        BONE("b__" side "_Thumb1__", "b__" side "_Thumb0__", 0, 0.03f, 0),                                   \
        BONE("b__" side "_Thumb2__", "b__" side "_Thumb1__", 0, 0.038f, 0)
/* Of a face, in pairs. */
#define EYE(side, left)                                                                                      \
    BONE("b__" side "Cheek__", "b__Head__", 0.04f * (left), 0, 0.1f),                                        \
        BONE("b__" side "Squint__", "b__Head__", 0.04f * (left), 0.025f, 0.1f),                              \
        BONE("b__" side "EyeArea__", "b__EyeArea__", 0.032f * (left), 0, 0),                                 \
        BONE("b__" side "InBrow__", "b__" side "EyeArea__", -0.02f * (left), 0.018f, 0.03f),                 \
        BONE("b__" side "MidBrow__", "b__" side "EyeArea__", 0, 0.024f, 0.026f),                             \
        BONE("b__" side "OutBrow__", "b__" side "EyeArea__", 0.022f * (left), 0.018f, 0.014f),               \
        BONE("b__" side "Eye_mod__", "b__" side "EyeArea__", 0, 0, 0),                                       \
        BONE("b__" side "Eye__", "b__" side "Eye_mod__", 0, 0, 0),                                           \
        BONE("b__" side "UpLid__", "b__" side "Eye_mod__", 0, 0, 0),                                         \
        BONE("b__" side "LoLid__", "b__" side "Eye_mod__", 0, 0, 0)
#define MOUTH(side, left)                                                                                    \
    BONE("b__" side "UpLip__", "b__MouthArea__", 0.014f * (left), 0, 0.056f),                                \
        BONE("b__" side "Mouth__", "b__MouthArea__", 0.027f * (left), -0.003f, 0.045f),                      \
        BONE("b__" side "LoLip__", "b__JawComp__", 0.011f * (left), 0.004f, 0.074f),                         \
        BONE("b__" side "Nostril__", "b__NoseArea__", 0.013f * (left), -0.012f, 0.036f)

/* clang-format off: one row per joint */
static const struct stand_in_joint joints[] = {
    BONE("b__ROOT__", NULL, 0, 0, 0),
    BONE("b__ROOT_bind__", "b__ROOT__", 0, 1.005f, 0),
    BONE("b__Pelvis__", "b__ROOT_bind__", 0, 0.11f, 0),
    LEG("R", -1),
    LEG("L", 1),
    BONE("b__upper_skirt__", "b__Pelvis__", 0, -0.11f, 0),
    BONE("b__lower_skirt__", "b__upper_skirt__", 0, -0.085f, 0),
    BONE("b__skirt_upper_Compress__", "b__upper_skirt__", 0, 0, 0),
    BONE("b__skirt_lower_Compress__", "b__lower_skirt__", 0, 0, 0),
    BONE("b__Spine0__", "b__ROOT_bind__", 0, 0.115f, 0),
    BONE("b__Spine1__", "b__Spine0__", 0, 0.16f, 0),
    BONE("b__Spine2__", "b__Spine1__", 0, 0.16f, 0.025f),
    BONE("b__belly__", "b__Spine0__", 0, 0, 0.08f),
    BONE("b__L_breast__", "b__Spine2__", 0.08f, -0.03f, 0.06f),
    BONE("b__R_breast__", "b__Spine2__", -0.08f, -0.03f, 0.06f),
    BONE("b__Neck__", "b__Spine2__", 0, 0.145f, -0.07f),
    BONE("b__Head__", "b__Neck__", 0, 0.075f, 0),
    BONE("b__EyeArea__", "b__Head__", 0, 0.06f, 0.065f),
    EYE("Left", 1),
    EYE("Right", -1),
    BONE("b__MouthArea__", "b__Head__", 0, -0.02f, 0.05f),
    BONE("b__UpLip__", "b__MouthArea__", 0, 0, 0.066f),
    BONE("b__Jaw__", "b__MouthArea__", 0, 0.04f, -0.025f),
    BONE("b__JawComp__", "b__Jaw__", 0, -0.04f, 0),
    BONE("b__LoLip__", "b__JawComp__", 0, 0.002f, 0.08f),
    BONE("b__Chin__", "b__JawComp__", 0, -0.03f, 0.07f),
    BONE("b__Jawline__", "b__JawComp__", 0, 0, 0),
    BONE("b__LowerTeeth__", "b__JawComp__", 0, 0.01f, 0.06f),
    BONE("b__Tongue1__", "b__JawComp__", 0, 0.012f, 0.045f),
    BONE("b__Tongue2__", "b__Tongue1__", 0, 0, 0.02f),
    BONE("b__UpperTeeth__", "b__MouthArea__", 0, 0.005f, 0.05f),
    BONE("b__NoseArea__", "b__Head__", 0, 0.02f, 0.06f),
    MOUTH("Left", 1),
    MOUTH("Right", -1),
    BONE("b__NoseTip__", "b__NoseArea__", 0, -0.005f, 0.05f),
    BONE("b__NoseBridge__", "b__NoseArea__", 0, 0.03f, 0.035f),
    BONE("b__HeadNew__", "b__Head__", 0, 0, 0),
    BONE("b__HeadDome__", "b__Head__", 0, 0.13f, 0),
    BONE("b__LeftEar__", "b__Head__", 0.075f, 0.05f, 0),
    BONE("b__RightEar__", "b__Head__", -0.075f, 0.05f, 0),
    ARM("R", -1),
    ARM("L", 1),
};
/* clang-format on */

const struct stand_in stand_in_sims3_adult = {
    .format = "sims3-rig",
    .name = "The Sims 3 adult stand-in",
    .axes = POSE_AXES_GLTF,
    .has_hashes = true,
    .joint_count = sizeof joints / sizeof *joints,
    .joints = joints,
};

const struct stand_in stand_in_sims3_child = {
    .format = "sims3-rig",
    .name = "The Sims 3 child stand-in",
    .axes = POSE_AXES_GLTF,
    .has_hashes = true,
    .size = 2.0f / 3,
    .joint_count = sizeof joints / sizeof *joints,
    .joints = joints,
};
