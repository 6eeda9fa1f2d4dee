/*
 * A stand-in for the pets of The Sims 3: the bones that clips of dogs, cats and horses share, with the game's names,
 * hierarchy and directions (limbs along their own x, hinges about z), facts that clips rely on. The proportions are our
 * own: an animal 0.6 m high at the withers, symmetric. Most clips hold the lengths of all bones, and so bring their own,
 * also those of the face, which are all in the head here. Metres; Y up, facing +Z, the left side at +X.
 */
#include "lib/model/stand_in.h"

#define TURNED(bone, above, x, y, z, ...)                                                                    \
    {                                                                                                        \
        .name = bone, .parent = above, .translation = {x, y, z}, .rotation = { __VA_ARGS__ }                 \
    }
#define BONE(bone, above, x, y, z) TURNED(bone, above, x, y, z, 0, 0, 0, 1)
/* About z, by sine and cosine of half the angle: hinges of legs. */
#define BENT(bone, above, x, y, z, sine, cosine) TURNED(bone, above, x, y, z, 0, 0, sine, cosine)
/* At its parent. */
#define THERE(bone, above) BONE("b__" bone "__", "b__" above "__", 0, 0, 0)
/* left: 1 or -1. The shoulder blade leans forward, the upper arm back, the paw forward. */
#define FRONT_LEG(side, left)                                                                                \
    BONE("b__" side "_Clavicle_Offset__", "b__Spine5__", 0, 0.03f, -0.07f * (left)),                         \
        BENT("b__" side "_Clavicle__", "b__" side "_Clavicle_Offset__", 0, 0, 0, -0.573576436f,              \
             0.819152044f),                                                                                  \
        BENT("b__" side "_UpperArm__", "b__" side "_Clavicle__", 0.12f, 0, 0, -0.422618262f, 0.906307787f),  \
        BENT("b__" side "_Forearm__", "b__" side "_UpperArm__", 0.15f, 0, 0, 0.258819045f, 0.965925826f),    \
        BENT("b__" side "_Hand__", "b__" side "_Forearm__", 0.2f, 0, 0, 0.173648178f, 0.984807753f),         \
        BENT("b__" side "_Mid0__", "b__" side "_Hand__", 0.09f, 0, 0, 0.5f, 0.866025404f),                   \
        BONE("b__" side "_Mid1__", "b__" side "_Mid0__", 0.03f, 0, 0),                                       \
        BONE("b__" side "_Mid2__", "b__" side "_Mid1__", 0.035f, 0, 0),                                      \
        BONE("b__" side "_Index1__", "b__" side "_Mid0__", 0, 0, 0.018f * (left)),                           \
        BONE("b__" side "_Index2__", "b__" side "_Index1__", 0.035f, 0, 0),                                  \
        BONE("b__" side "_Pinky1__", "b__" side "_Mid0__", 0, 0, -0.018f * (left)),                          \
        BONE("b__" side "_Pinky2__", "b__" side "_Pinky1__", 0.035f, 0, 0),                                  \
        BONE("b__" side "_Ulna__", "b__" side "_Forearm__", 0.07f, 0, 0),                                    \
        BONE("b__" side "_Radius__", "b__" side "_Forearm__", 0.13f, 0, 0),                                  \
        BONE("b__" side "_Wrist__", "b__" side "_Forearm__", 0.2f, 0, 0),                                    \
        BONE("b__" side "_Bicep__", "b__" side "_UpperArm__", 0.075f, 0, 0),                                 \
        THERE(side "_Shoulder", side "_UpperArm"),                                                           \
        BONE("b__" side "_FrontUpperArm__", "b__" side "_UpperArm__", 0, 0.055f, 0)
/* The pelvis looks backwards, so the leg is turned once more. */
#define HIND_LEG(side, left)                                                                                 \
    TURNED("b__" side "_Thigh_Offset__", "b__Pelvis__", 0.07f, -0.035f, 0.055f * (left), 0, 1, 0, 0),        \
        THERE(side "_Thigh_Socket", side "_Thigh_Offset"),                                                   \
        BENT("b__" side "_Thigh__", "b__" side "_Thigh_Socket__", 0, -0.04f, 0, -0.608761429f,               \
             0.793353340f),                                                                                  \
        BENT("b__" side "_Calf__", "b__" side "_Thigh__", 0.185f, 0, 0, -0.406736643f, 0.913545458f),        \
        BENT("b__" side "_Foot__", "b__" side "_Calf__", 0.195f, 0, 0, 0.309016994f, 0.951056516f),          \
        BENT("b__" side "_Toe0__", "b__" side "_Foot__", 0.145f, 0, 0, 0.694658370f, 0.719339800f),          \
        BONE("b__" side "_Toe1__", "b__" side "_Toe0__", 0.03f, 0, 0),                                       \
        BONE("b__" side "_Toe2__", "b__" side "_Toe1__", 0.035f, 0, 0),                                      \
        BONE("b__" side "_BackCalf__", "b__" side "_Calf__", 0.08f, -0.07f, 0),                              \
        BONE("b__" side "_Quadricep__", "b__" side "_Thigh__", 0.09f, 0, 0),                                 \
        THERE(side "_BackThigh", side "_Quadricep"), THERE(side "_FrontThigh", side "_Quadricep"),           \
        THERE(side "_Hip", side "_Thigh")
#define EAR(side, letter, left)                                                                              \
    TURNED("b__" side "EarArea__", "b__EarArea__", 0, 0, 0, -0.3f * (left), 0.3f * (left), 0.640312424f,     \
           0.640312424f),                                                                                    \
        BONE("b__" letter "_Ear0__", "b__" side "EarArea__", 0.08f, 0, 0),                                   \
        BONE("b__" letter "_Ear1__", "b__" letter "_Ear0__", 0.025f, 0, 0),                                  \
        BONE("b__" letter "_Ear2__", "b__" letter "_Ear1__", 0.025f, 0, 0),                                  \
        BONE("b__" letter "_Ear3__", "b__" letter "_Ear2__", 0.025f, 0, 0)
#define FACE(side)                                                                                           \
    THERE(side "Cheek", "Head"), THERE(side "Jaw", "Head"), THERE(side "Forehead", "Skull"),                 \
        THERE(side "EyeArea", "Skull"), THERE(side "Eye", side "EyeArea"), THERE(side "MidBrow", "Skull"),   \
        THERE(side "OutBrow", "Skull"), THERE(side "Hollow", "Skull"), THERE(side "JawBase", "JawComp"),     \
        THERE(side "JawMid", "JawComp"), THERE(side "UpLip", "NoseArea"),                                    \
        THERE(side "FlewBase", "FlewBase"), THERE(side "FlewMid", side "FlewBase"),                          \
        THERE(side "FlewTip", side "FlewMid")

/* clang-format off: one row per joint */
static const struct stand_in_joint joints[] = {
    BONE("b__ROOT__", NULL, 0, 0, 0),
    TURNED("b__ROOT_bind__", "b__ROOT__", 0, 0.57f, -0.33f, 0, -0.707106781f, 0, 0.707106781f),
    BONE("b__Spine0__", "b__ROOT_bind__", 0.08f, 0, 0),
    BONE("b__Spine1__", "b__Spine0__", 0.08f, 0, 0),
    BONE("b__Spine2__", "b__Spine1__", 0.08f, 0, 0),
    BONE("b__Spine3__", "b__Spine2__", 0.08f, 0, 0),
    BONE("b__Spine4__", "b__Spine3__", 0.08f, 0, 0),
    BONE("b__Spine5__", "b__Spine4__", 0, 0, 0),
    BENT("b__Neck0__", "b__Spine5__", 0.05f, 0.025f, 0, 0.382683432f, 0.923879533f),
    BONE("b__Neck1__", "b__Neck0__", 0.055f, 0, 0),
    BONE("b__Neck2__", "b__Neck1__", 0.055f, 0, 0),
    BONE("b__Neck3__", "b__Neck2__", 0.055f, 0, 0),
    BENT("b__Head__", "b__Neck3__", 0.055f, 0, 0, -0.382683432f, 0.923879533f),
    BONE("b__Jaw__", "b__Head__", 0.05f, -0.02f, 0),
    BONE("b__JawComp__", "b__Jaw__", 0, -0.05f, 0),
    BONE("b__Chin__", "b__JawComp__", 0.15f, 0, 0),
    THERE("JawMid", "JawComp"),
    BONE("b__Tongue0__", "b__JawComp__", 0.025f, 0.005f, 0),
    BONE("b__Tongue1__", "b__Tongue0__", 0.03f, 0, 0),
    BONE("b__Tongue2__", "b__Tongue1__", 0.03f, 0, 0),
    BONE("b__Tongue3__", "b__Tongue2__", 0.03f, 0, 0),
    BONE("b__Tongue4__", "b__Tongue3__", 0.03f, 0, 0),
    BONE("b__Skull__", "b__Head__", 0.05f, -0.02f, 0),
    THERE("Crest", "Skull"),
    THERE("Dome", "Skull"),
    THERE("Forehead", "Skull"),
    THERE("Stop", "Skull"),
    THERE("EarArea", "Skull"),
    EAR("Left", "L", 1),
    EAR("Right", "R", -1),
    BONE("b__MuzzleArea__", "b__Skull__", 0.11f, -0.03f, 0),
    BONE("b__FlewBase__", "b__MuzzleArea__", 0.05f, 0, 0),
    BONE("b__NoseArea__", "b__MuzzleArea__", 0.05f, 0, 0),
    THERE("NoseBase", "NoseArea"),
    THERE("NoseTip", "NoseBase"),
    THERE("Snout", "NoseArea"),
    THERE("NoseBridge", "NoseArea"),
    THERE("StopBridge", "MuzzleArea"),
    FACE("Left"),
    FACE("Right"),
    FRONT_LEG("L", 1),
    FRONT_LEG("R", -1),
    BONE("b__Chest__", "b__Spine3__", 0, -0.05f, 0),
    BONE("b__Back__", "b__Spine0__", 0, 0.04f, 0),
    BONE("b__Stomach0__", "b__Spine0__", 0.01f, -0.07f, 0),
    TURNED("b__Pelvis__", "b__ROOT_bind__", 0, 0, 0, 0, 1, 0, 0),
    BENT("b__Tail0__", "b__Pelvis__", 0.09f, 0, 0, -0.258819045f, 0.965925826f),
    BONE("b__Tail1__", "b__Tail0__", 0.055f, 0, 0),
    BONE("b__Tail2__", "b__Tail1__", 0.055f, 0, 0),
    BONE("b__Tail3__", "b__Tail2__", 0.055f, 0, 0),
    BONE("b__Tail4__", "b__Tail3__", 0.055f, 0, 0),
    BONE("b__Tail5__", "b__Tail4__", 0.055f, 0, 0),
    BONE("b__Tail6__", "b__Tail5__", 0.055f, 0, 0),
    BONE("b__Tail7__", "b__Tail6__", 0.055f, 0, 0),
    BONE("b__Tail8__", "b__Tail7__", 0.055f, 0, 0),
    HIND_LEG("L", 1),
    HIND_LEG("R", -1),
    BONE("b__Rump__", "b__Pelvis__", 0.05f, 0.035f, 0),
};
/* clang-format on */

const struct stand_in stand_in_sims3_pet = {
    .format = "sims3-rig",
    .name = "The Sims 3 pet stand-in",
    .axes = POSE_AXES_GLTF,
    .has_hashes = true,
    .joint_count = sizeof joints / sizeof *joints,
    .joints = joints,
};
