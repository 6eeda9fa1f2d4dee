#include "lib/formats/sl/body/palette.h"

#include <string.h>

/* Depth first, as in the avatar's skeleton. */
static const struct {
    const char *name;
    uint8_t parent;
} avatar[AVATAR_JOINTS] = {
    {"mRoot", 0},        {"mPelvis", 0},      {"mTorso", 1},          {"mChest", 2},
    {"mNeck", 3},        {"mHead", 4},        {"mSkull", 5},          {"mEyeRight", 5},
    {"mEyeLeft", 5},     {"mCollarLeft", 3},  {"mShoulderLeft", 9},   {"mElbowLeft", 10},
    {"mWristLeft", 11},  {"mCollarRight", 3}, {"mShoulderRight", 13}, {"mElbowRight", 14},
    {"mWristRight", 15}, {"mHipRight", 1},    {"mKneeRight", 17},     {"mAnkleRight", 18},
    {"mFootRight", 19},  {"mToeRight", 20},   {"mHipLeft", 1},        {"mKneeLeft", 22},
    {"mAnkleLeft", 23},  {"mFootLeft", 24},   {"mToeLeft", 25},
};

const char *sl_avatar_joint(unsigned index)
{
    return avatar[index].name;
}

int sl_avatar_joint_find(const char *name)
{
    for (int i = PALETTE_ROOT + 1; i < AVATAR_JOINTS; i++) {
        if (!strcmp(avatar[i].name, name))
            return i;
    }
    return -1;
}

static void put(struct sl_palette *palette, unsigned joint)
{
    if (palette->count < MAX_SKIN_JOINTS)
        palette->joints[palette->count++] = (uint8_t)joint;
    else
        palette->is_cut = true;
}

void sl_palette_make(const bool *named, struct sl_palette *palette)
{
    *palette = (struct sl_palette){0};
    for (unsigned joint = PALETTE_ROOT + 1; joint < AVATAR_JOINTS; joint++) {
        if (!named[joint])
            continue;
        if (!palette->count || palette->joints[palette->count - 1] != avatar[joint].parent)
            put(palette, avatar[joint].parent);
        put(palette, joint);
    }
}
