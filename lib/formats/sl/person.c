/* Bone names of Second Life's avatar: its own (avatar_skeleton.xml), and those of BVH files made for it. */
#include "lib/retarget/names.h"

static const struct humanoid_names avatar = {
    .id = "sl",
    .left = "left",
    .right = "right",
    .hips = "mpelvis",
    .spine = "mtorso mchest",
    .neck = "mneck",
    .head = "mhead",
    .jaw = "mfacejaw",
    .eye = "meye#",
    .shoulder = "mcollar#",
    .upper_arm = "mshoulder#",
    .lower_arm = "melbow#",
    .hand = "mwrist#",
    .upper_leg = "mhip#",
    .lower_leg = "mknee#",
    .foot = "mankle#",
    .toes = "mfoot#",
    .finger = "mhand%@#",
    .fingers = "thumb index middle ring pinky",
};

/* Poser's names, which the viewer's BVH upload knows. */
static const struct humanoid_names poser = {
    .id = "sl-bvh",
    .left = "l",
    .right = "r",
    .hips = "hip",
    .spine = "abdomen chest",
    .neck = "neck",
    .head = "head",
    .shoulder = "#collar",
    .upper_arm = "#shldr",
    .lower_arm = "#forearm",
    .hand = "#hand",
    .upper_leg = "#thigh",
    .lower_leg = "#shin",
    .foot = "#foot",
    .toes = "#toe",
    .finger = "#%@",
    .fingers = "thumb index mid ring pinky",
};

const struct humanoid_names *const sl_people[] = {&avatar, &poser, NULL};
