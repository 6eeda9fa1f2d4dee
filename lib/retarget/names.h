/*
 * The names of bones in families of skeletons, one table per family. Tables of games are with their formats (see
 * lib/formats/family.h); those of editors, engines and motion capture are here.
 *
 * Patterns are in lower case with '_' for blanks and dashes; '#' stands for the side, '%' for the finger, '@' for
 * the joint of the finger. Lists are blank-separated. NULL: the family has no such bone.
 */
#ifndef POSE_RETARGET_NAMES_H
#define POSE_RETARGET_NAMES_H

#include <stddef.h>

struct humanoid_names {
    const char *id;
    const char *left, *right;
    const char *root; /* a joint above the hips that carries the figure, NULL: the hips do */
    const char *hips;
    const char *spine; /* a list, from the bottom */
    const char *neck;  /* a list, from the bottom */
    const char *head, *jaw, *eye;
    const char *shoulder, *upper_arm, *lower_arm, *hand;
    const char *upper_leg, *lower_leg, *foot, *toes;
    const char *finger;        /* "#hand%@" */
    const char *fingers;       /* five words from the thumb on; NULL: thumb index middle ring little */
    const char *thumb_joints;  /* three words; NULL: 1 2 3 */
    const char *finger_joints; /* likewise for the others */
};

/* NULL-terminated. */
extern const struct humanoid_names *const humanoid_names_common[];

#endif
