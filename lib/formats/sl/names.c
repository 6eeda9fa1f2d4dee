#include "lib/formats/sl/names.h"

#include "lib/core/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ joints -- */

struct joint_name {
    const char *name;
    uint8_t length;
    uint8_t number;
};

/* clang-format off */
#define NAME(name, number) {name, sizeof name - 1, number}

/* Sorted by length, then by bytes, so that most search steps compare one number. The aliases "avatar_X" follow
 * from X and are omitted. */
static const struct joint_name joint_names[] = {
    NAME("Jaw", 205), NAME("Top", 191), NAME("hip", 0), NAME("BUTT", 134), NAME("Chin", 170),
    NAME("HEAD", 144), NAME("NECK", 143), NAME("Neck", 197), NAME("Nose", 175), NAME("head", 8),
    NAME("neck", 7), NAME("BELLY", 135), NAME("CHEST", 139), NAME("Chest", 159), NAME("Groin", 211),
    NAME("Mouth", 169), NAME("Skull", 160), NAME("Spine", 167), NAME("chest", 6), NAME("lFoot", 114),
    NAME("lHand", 61), NAME("lShin", 113), NAME("mHead", 8), NAME("mNeck", 7), NAME("rFoot", 109),
    NAME("rHand", 80), NAME("rShin", 108), NAME("Bottom", 195), NAME("Center", 193), NAME("L_FOOT", 158),
    NAME("L_HAND", 148), NAME("PELVIS", 133), NAME("Pelvis", 168), NAME("R_FOOT", 155), NAME("R_HAND", 152),
    NAME("Tongue", 210), NAME("lShldr", 59), NAME("lThigh", 112), NAME("mChest", 6), NAME("mGroin", 123),
    NAME("mSkull", 9), NAME("mTail1", 117), NAME("mTail2", 118), NAME("mTail3", 119), NAME("mTail4", 120),
    NAME("mTail5", 121), NAME("mTail6", 122), NAME("mTorso", 3), NAME("rShldr", 78), NAME("rThigh", 107),
    NAME("Stomach", 186), NAME("abdomen", 3), NAME("lCollar", 58), NAME("mPelvis", 0), NAME("mSpine1", 1),
    NAME("mSpine2", 2), NAME("mSpine3", 4), NAME("mSpine4", 5), NAME("rCollar", 77), NAME("Center 2", 189),
    NAME("LEFT_PEC", 140), NAME("Left Ear", 171), NAME("Left Hip", 183), NAME("Left Pec", 187),
    NAME("Tail Tip", 202), NAME("Top Left", 192), NAME("lForeArm", 60), NAME("mEyeLeft", 11),
    NAME("mFaceJaw", 38), NAME("mHipLeft", 112), NAME("mToeLeft", 116), NAME("rForeArm", 79),
    NAME("L Forearm", 179), NAME("Left Foot", 165), NAME("Left Hand", 163), NAME("Left Wing", 203),
    NAME("R Forearm", 177), NAME("RIGHT_PEC", 141), NAME("Right Ear", 172), NAME("Right Hip", 180),
    NAME("Right Pec", 188), NAME("Tail Base", 201), NAME("Top Right", 190), NAME("mEyeRight", 10),
    NAME("mFaceChin", 39), NAME("mFaceRoot", 12), NAME("mFootLeft", 115), NAME("mHipRight", 107),
    NAME("mKneeLeft", 113), NAME("mToeRight", 111), NAME("LOWER_BACK", 138), NAME("L_CLAVICLE", 145),
    NAME("R_CLAVICLE", 149), NAME("Right Foot", 166), NAME("Right Hand", 164), NAME("Right Wing", 204),
    NAME("UPPER_BACK", 142), NAME("figureHair", 9), NAME("mAnkleLeft", 114), NAME("mElbowLeft", 60),
    NAME("mFootRight", 110), NAME("mKneeRight", 108), NAME("mWing1Left", 97), NAME("mWing2Left", 98),
    NAME("mWing3Left", 99), NAME("mWing4Left", 100), NAME("mWingsRoot", 96), NAME("mWristLeft", 61),
    NAME("Bottom Left", 194), NAME("L Lower Leg", 185), NAME("L Upper Arm", 178), NAME("L Upper Leg", 184),
    NAME("LEFT_HANDLE", 136), NAME("L_LOWER_ARM", 147), NAME("L_LOWER_LEG", 157), NAME("L_UPPER_ARM", 146),
    NAME("L_UPPER_LEG", 156), NAME("R Lower Leg", 182), NAME("R Upper Arm", 176), NAME("R Upper Leg", 181),
    NAME("R_LOWER_ARM", 151), NAME("R_LOWER_LEG", 154), NAME("R_UPPER_ARM", 150), NAME("R_UPPER_LEG", 153),
    NAME("mAnkleRight", 109), NAME("mCollarLeft", 58), NAME("mElbowRight", 79), NAME("mWing1Right", 102),
    NAME("mWing2Right", 103), NAME("mWing3Right", 104), NAME("mWing4Right", 105), NAME("mWristRight", 80),
    NAME("Alt Left Ear", 206), NAME("Alt Left Eye", 208), NAME("Bottom Right", 196),
    NAME("Left Eyeball", 173), NAME("RIGHT_HANDLE", 137), NAME("mCollarRight", 77),
    NAME("Alt Right Ear", 207), NAME("Alt Right Eye", 209), NAME("Avatar Center", 198),
    NAME("Left Shoulder", 161), NAME("Right Eyeball", 174), NAME("mFaceEar1Left", 27),
    NAME("mFaceEar2Left", 28), NAME("mFaceNoseBase", 48), NAME("mFaceNoseLeft", 31),
    NAME("mShoulderLeft", 59), NAME("mWing4FanLeft", 101), NAME("Left Hind Foot", 212),
    NAME("Right Shoulder", 162), NAME("mFaceEar1Right", 29), NAME("mFaceEar2Right", 30),
    NAME("mFaceJawShaper", 46), NAME("mFaceNoseRight", 33), NAME("mFaceTongueTip", 45),
    NAME("mHandRing1Left", 68), NAME("mHandRing2Left", 69), NAME("mHandRing3Left", 70),
    NAME("mHindLimb1Left", 125), NAME("mHindLimb2Left", 126), NAME("mHindLimb3Left", 127),
    NAME("mHindLimb4Left", 128), NAME("mHindLimbsRoot", 124), NAME("mShoulderRight", 78),
    NAME("mWing4FanRight", 106), NAME("Right Hind Foot", 213), NAME("mFaceEyeAltLeft", 14),
    NAME("mFaceNoseBridge", 57), NAME("mFaceNoseCenter", 32), NAME("mFaceTeethLower", 40),
    NAME("mFaceTeethUpper", 49), NAME("mFaceTongueBase", 44), NAME("mHandIndex1Left", 65),
    NAME("mHandIndex2Left", 66), NAME("mHandIndex3Left", 67), NAME("mHandPinky1Left", 71),
    NAME("mHandPinky2Left", 72), NAME("mHandPinky3Left", 73), NAME("mHandRing1Right", 87),
    NAME("mHandRing2Right", 88), NAME("mHandRing3Right", 89), NAME("mHandThumb1Left", 74),
    NAME("mHandThumb2Left", 75), NAME("mHandThumb3Left", 76), NAME("mHindLimb1Right", 129),
    NAME("mHindLimb2Right", 130), NAME("mHindLimb3Right", 131), NAME("mHindLimb4Right", 132),
    NAME("Left Ring Finger", 199), NAME("mFaceEyeAltRight", 13), NAME("mHandIndex1Right", 84),
    NAME("mHandIndex2Right", 85), NAME("mHandIndex3Right", 86), NAME("mHandMiddle1Left", 62),
    NAME("mHandMiddle2Left", 63), NAME("mHandMiddle3Left", 64), NAME("mHandPinky1Right", 90),
    NAME("mHandPinky2Right", 91), NAME("mHandPinky3Right", 92), NAME("mHandThumb1Right", 93),
    NAME("mHandThumb2Right", 94), NAME("mHandThumb3Right", 95), NAME("Right Ring Finger", 200),
    NAME("mFaceForeheadLeft", 15), NAME("mFaceLipLowerLeft", 41), NAME("mFaceLipUpperLeft", 50),
    NAME("mHandMiddle1Right", 81), NAME("mHandMiddle2Right", 82), NAME("mHandMiddle3Right", 83),
    NAME("mFaceForeheadRight", 16), NAME("mFaceLipCornerLeft", 52), NAME("mFaceLipLowerRight", 42),
    NAME("mFaceLipUpperRight", 51), NAME("mFaceCheekLowerLeft", 34), NAME("mFaceCheekUpperLeft", 35),
    NAME("mFaceForeheadCenter", 47), NAME("mFaceLipCornerRight", 53), NAME("mFaceLipLowerCenter", 43),
    NAME("mFaceLipUpperCenter", 54), NAME("mFaceCheekLowerRight", 36), NAME("mFaceCheekUpperRight", 37),
    NAME("mFaceEyeLidLowerLeft", 24), NAME("mFaceEyeLidUpperLeft", 23), NAME("mFaceEyeLidLowerRight", 26),
    NAME("mFaceEyeLidUpperRight", 25), NAME("mFaceEyebrowInnerLeft", 19), NAME("mFaceEyebrowOuterLeft", 17),
    NAME("mFaceEyebrowCenterLeft", 18), NAME("mFaceEyebrowInnerRight", 22),
    NAME("mFaceEyebrowOuterRight", 20), NAME("mFaceEyebrowCenterRight", 21),
    NAME("mFaceEyecornerInnerLeft", 55), NAME("mFaceEyecornerInnerRight", 56),
};
/* clang-format on */

/* Compares as bsearch expects: before, at or after the entry. */
static int compare_name(const char *name, size_t length, const struct joint_name *entry)
{
    if (length != entry->length)
        return length < entry->length ? -1 : 1;
    return memcmp(name, entry->name, length);
}

static const struct joint_name *find_name(const char *name, size_t length)
{
    size_t first = 0, end = sizeof joint_names / sizeof *joint_names;
    while (first < end) {
        size_t middle = (first + end) / 2;
        int order = compare_name(name, length, &joint_names[middle]);
        if (order == 0)
            return &joint_names[middle];
        if (order < 0)
            end = middle;
        else
            first = middle + 1;
    }
    return NULL;
}

/* "avatar_mPelvis": every bone has such an alias. */
static const struct joint_name *find_prefixed(const char *name, size_t length)
{
    static const char prefix[] = "avatar_m";
    const size_t skipped = sizeof prefix - 2;
    if (length <= skipped || memcmp(name, prefix, sizeof prefix - 1) != 0)
        return NULL;
    return find_name(name + skipped, length - skipped);
}

/* "Left_Hand": attachment points have blanks in their names; '_' may replace them. */
static const struct joint_name *find_attachment(const char *name, size_t length)
{
    char blanks[32];
    if (length > sizeof blanks || !memchr(name, '_', length))
        return NULL;
    for (size_t i = 0; i < length; i++)
        blanks[i] = name[i] == '_' ? ' ' : name[i];
    const struct joint_name *found = find_name(blanks, length);
    return found && found->number >= SL_FIRST_ATTACHMENT ? found : NULL;
}

int sl_joint_find(const char *name, size_t length, const char **own)
{
    const struct joint_name *found = find_name(name, length);
    if (own)
        *own = found ? found->name : NULL;
    if (!found)
        found = find_prefixed(name, length);
    if (!found)
        found = find_attachment(name, length);
    return found ? found->number : -1;
}

/* Bones are named mX; their other names are aliases. */
const char *sl_joint_name(int number)
{
    for (size_t i = 0; i < sizeof joint_names / sizeof *joint_names; i++) {
        if (joint_names[i].number == number && (number >= SL_FIRST_VOLUME || *joint_names[i].name == 'm'))
            return joint_names[i].name;
    }
    return NULL;
}

bool sl_joint_is_forbidden(const char *name, size_t length)
{
    return (length == 7 && !memcmp(name, "mScreen", 7)) || (length == 5 && !memcmp(name, "mRoot", 5));
}

/* ------------------------------------------------------------------------------------------------ emotes -- */

/* clang-format off */
/* The viewer's built-in animations, sorted. */
static const char *const emotes[] = {
    "aim_l_bow", "aim_r_bazooka", "aim_r_handgun", "aim_r_rifle", "angry_fingerwag", "angry_tantrum",
    "away", "backflip", "blowkiss", "bow", "brush", "busy", "clap", "courtbow", "crouch", "crouchwalk",
    "dance1", "dance2", "dance3", "dance4", "dance5", "dance6", "dance7", "dance8", "dead", "drink",
    "express_afraid", "express_afraid_emote", "express_anger", "express_anger_emote", "express_bored",
    "express_bored_emote", "express_cry", "express_cry_emote", "express_disdain", "express_embarrased",
    "express_embarrassed_emote", "express_frown", "express_kiss", "express_laugh", "express_laugh_emote",
    "express_open_mouth", "express_repulsed", "express_repulsed_emote", "express_sad", "express_sad_emote",
    "express_shrug", "express_shrug_emote", "express_smile", "express_surprise", "express_surprise_emote",
    "express_tongue_out", "express_toothsmile", "express_wink", "express_wink_emote", "express_worry",
    "express_worry_emote", "falldown", "female_run_new", "female_walk", "female_walk_new", "fist_pump",
    "fly", "flyslow", "hello", "hold_l_bow", "hold_r_bazooka", "hold_r_handgun", "hold_r_rifle",
    "hold_throw_r", "hover", "hover_down", "hover_up", "impatient", "jump", "jumpforjoy",
    "kick_roundhouse_r", "kissmybutt", "land", "laugh_short", "motorcycle_sit", "musclebeach", "no_head",
    "no_unhappy", "nyanya", "peace", "point_me", "point_you", "prejump", "punch_l", "punch_onetwo",
    "punch_r", "rps_countdown", "rps_paper", "rps_rock", "rps_scissors", "run", "run_new", "salute",
    "shoot_l_bow", "shout", "sit", "sit_female", "sit_generic", "sit_ground", "sit_ground_constrained",
    "sit_to_stand", "sleep", "smoke_idle", "smoke_inhale", "smoke_throw_down", "snapshot", "soft_land",
    "stand", "stand_1", "stand_2", "stand_3", "stand_4", "standup", "stretch", "stride", "surf",
    "sword_strike_r", "talk", "throw_r", "tryon_shirt", "turn_180", "turnback_180", "turnleft", "turnright",
    "type", "walk", "walk_new", "whisper", "whistle", "wink_hollywood", "yes_happy", "yes_head",
    "yoga_float",
};
/* clang-format on */

static int compare_emotes(const void *key, const void *entry)
{
    return text_compare_nocase(key, *(const char *const *)entry);
}

bool sl_emote_is_known(const char *name)
{
    return bsearch(name, emotes, sizeof emotes / sizeof *emotes, sizeof *emotes, compare_emotes) != NULL;
}
