/* Second Life animations, put together field by field. */
#ifndef TESTS_SUPPORT_SL_FILES_H
#define TESTS_SUPPORT_SL_FILES_H

#include "tests/support/little_file.h"

/* Everything up to num_joints: priority 3, no emote, a loop of the whole, ease 0.5 and 0.25, hand pose 1. */
void sl_put_head(struct little_file *file, float duration, uint32_t joint_count);
/* Name, priority 3, and these keys (time, x, y, z) as words. */
void sl_put_joint(struct little_file *file, const char *name, const uint16_t (*rotations)[4],
                  uint32_t rotation_count, const uint16_t (*positions)[4], uint32_t position_count);
/* A constraint of that chain length from L_HAND to GROUND, with a number of its own in each float. */
void sl_put_constraint(struct little_file *file, unsigned chain_length);

/*
 * The worked example of the format's spec, section 1, with its 97 bytes: mPelvis with two keys of each kind. The
 * offsets of its fields:
 */
extern const uint8_t sl_example[97];
enum {
    SL_AT_VERSION = 0,
    SL_AT_PRIORITY = 4,
    SL_AT_DURATION = 8,
    SL_AT_EMOTE = 12,
    SL_AT_LOOP_IN = 13,
    SL_AT_LOOP_OUT = 17,
    SL_AT_EASE_IN = 25,
    SL_AT_EASE_OUT = 29,
    SL_AT_HAND_POSE = 33,
    SL_AT_NUM_JOINTS = 37,
    SL_AT_NAME = 41,
    SL_AT_JOINT_PRIORITY = 49,
    SL_AT_ROT_KEYS = 53,
    SL_AT_POS_KEYS = 73,
    SL_AT_NUM_CONSTRAINTS = 93,
    SL_AT_CONSTRAINT = 97,
};
/* The example and one constraint more. */
void sl_put_example(struct little_file *file, bool with_constraint);

#endif
