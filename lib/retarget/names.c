/* Names used outside of games: editors, engines, motion capture. */
#include "lib/retarget/names.h"

#define MIXAMO_LIMBS                                                                                         \
    .left = "left", .right = "right", .head = "head", .shoulder = "#shoulder", .upper_arm = "#arm",          \
    .lower_arm = "#forearm", .hand = "#hand", .upper_leg = "#upleg", .lower_leg = "#leg", .foot = "#foot",   \
    .toes = "#toebase", .finger = "#hand%@", .fingers = "thumb index middle ring pinky", .eye = "#eye"

static const struct humanoid_names mixamo = {MIXAMO_LIMBS, .id = "mixamo", .hips = "hips",
                                             .spine = "spine spine1 spine2", .neck = "neck"};

/* The motion capture library of Carnegie Mellon University. */
static const struct humanoid_names cmu = {MIXAMO_LIMBS, .id = "cmu", .hips = "hips",
                                          .spine = "lowerback spine spine1", .neck = "neck neck1"};

/* The canonical names; Unity and Godot use the same. */
static const struct humanoid_names vrm = {
    .id = "vrm",
    .left = "left",
    .right = "right",
    .hips = "hips",
    .spine = "spine chest upperchest",
    .neck = "neck",
    .head = "head",
    .jaw = "jaw",
    .eye = "#eye",
    .shoulder = "#shoulder",
    .upper_arm = "#upperarm",
    .lower_arm = "#lowerarm",
    .hand = "#hand",
    .upper_leg = "#upperleg",
    .lower_leg = "#lowerleg",
    .foot = "#foot",
    .toes = "#toes",
    .finger = "#%@",
    .thumb_joints = "metacarpal proximal distal",
    .finger_joints = "proximal intermediate distal",
};

static const struct humanoid_names vroid = {
    .id = "vroid",
    .left = "l",
    .right = "r",
    .hips = "j_bip_c_hips",
    .spine = "j_bip_c_spine j_bip_c_chest j_bip_c_upperchest",
    .neck = "j_bip_c_neck",
    .head = "j_bip_c_head",
    .eye = "j_adj_#_faceeye",
    .shoulder = "j_bip_#_shoulder",
    .upper_arm = "j_bip_#_upperarm",
    .lower_arm = "j_bip_#_lowerarm",
    .hand = "j_bip_#_hand",
    .upper_leg = "j_bip_#_upperleg",
    .lower_leg = "j_bip_#_lowerleg",
    .foot = "j_bip_#_foot",
    .toes = "j_bip_#_toebase",
    .finger = "j_bip_#_%@",
};

static const struct humanoid_names unreal = {
    .id = "unreal",
    .left = "l",
    .right = "r",
    .hips = "pelvis",
    .spine = "spine_01 spine_02 spine_03 spine_04 spine_05",
    .neck = "neck_01 neck_02",
    .head = "head",
    .shoulder = "clavicle_#",
    .upper_arm = "upperarm_#",
    .lower_arm = "lowerarm_#",
    .hand = "hand_#",
    .upper_leg = "thigh_#",
    .lower_leg = "calf_#",
    .foot = "foot_#",
    .toes = "ball_#",
    .finger = "%_0@_#",
    .fingers = "thumb index middle ring pinky",
};

/* 3ds Max; Source's models as well. */
static const struct humanoid_names biped = {
    .id = "biped",
    .left = "l",
    .right = "r",
    .hips = "pelvis",
    .spine = "spine spine1 spine2 spine3",
    .neck = "neck",
    .head = "head",
    .shoulder = "#_clavicle",
    .upper_arm = "#_upperarm",
    .lower_arm = "#_forearm",
    .hand = "#_hand",
    .upper_leg = "#_thigh",
    .lower_leg = "#_calf",
    .foot = "#_foot",
    .toes = "#_toe0",
};

/* Blender. */
static const struct humanoid_names rigify = {
    .id = "rigify",
    .left = "l",
    .right = "r",
    .hips = "spine",
    .spine = "spine.001 spine.002 spine.003",
    .neck = "spine.004 spine.005",
    .head = "spine.006",
    .shoulder = "shoulder.#",
    .upper_arm = "upper_arm.#",
    .lower_arm = "forearm.#",
    .hand = "hand.#",
    .upper_leg = "thigh.#",
    .lower_leg = "shin.#",
    .foot = "foot.#",
    .toes = "toe.#",
};

/* Old BVH files. */
static const struct humanoid_names classic = {
    .id = "classic",
    .left = "left",
    .right = "right",
    .hips = "hips",
    .spine = "chest chest2 chest3 chest4",
    .neck = "neck",
    .head = "head",
    .shoulder = "#collar",
    .upper_arm = "#shoulder",
    .lower_arm = "#elbow",
    .hand = "#wrist",
    .upper_leg = "#hip",
    .lower_leg = "#knee",
    .foot = "#ankle",
    .toes = "#toe",
};

static const struct humanoid_names smpl = {
    .id = "smpl",
    .left = "left",
    .right = "right",
    .hips = "pelvis",
    .spine = "spine1 spine2 spine3",
    .neck = "neck",
    .head = "head",
    .shoulder = "#_collar",
    .upper_arm = "#_shoulder",
    .lower_arm = "#_elbow",
    .hand = "#_wrist",
    .upper_leg = "#_hip",
    .lower_leg = "#_knee",
    .foot = "#_ankle",
    .toes = "#_foot",
    .finger = "#_%@",
    .fingers = "thumb index middle ring pinky",
};

/* Daz's Genesis. */
static const struct humanoid_names daz = {
    .id = "daz",
    .left = "l",
    .right = "r",
    .hips = "hip",
    .spine = "abdomenlower abdomenupper chestlower chestupper",
    .neck = "necklower neckupper",
    .head = "head",
    .shoulder = "#collar",
    .upper_arm = "#shldrbend",
    .lower_arm = "#forearmbend",
    .hand = "#hand",
    .upper_leg = "#thighbend",
    .lower_leg = "#shin",
    .foot = "#foot",
    .toes = "#toe",
    .finger = "#%@",
    .fingers = "thumb index mid ring pinky",
};

static const struct humanoid_names vrchat = {
    .id = "vrchat",
    .left = "left",
    .right = "right",
    .hips = "hips",
    .spine = "spine chest upper_chest",
    .neck = "neck",
    .head = "head",
    .eye = "#_eye",
    .shoulder = "#_shoulder",
    .upper_arm = "#_arm",
    .lower_arm = "#_elbow",
    .hand = "#_wrist",
    .upper_leg = "#_leg",
    .lower_leg = "#_knee",
    .foot = "#_ankle",
    .toes = "#_toe",
};

const struct humanoid_names *const humanoid_names_common[] = {
    &mixamo, &cmu, &vrm, &vroid, &unreal, &biped, &rigify, &classic, &smpl, &daz, &vrchat, NULL,
};
