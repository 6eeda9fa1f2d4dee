/*
 * How families of skeletons call the bones of a person: a table each. The tables of games lie with their formats
 * (lib/formats/family.h); those of editors, engines and motion capture here.
 *
 * Patterns are in lower case with '_' for blanks and dashes; '#' stands for the side, '%' for the finger, '@' for the
 * joint of the finger. Names that a list separates are blank-separated. NULL: the family has no such bone.
 */
#ifndef POSE_RETARGET_NAMES_H
#define POSE_RETARGET_NAMES_H

#include <stddef.h>

struct humanoid_names {
    const char *id;
    const char *left, *right;
    const char *root; /* a joint above the hips that carries the figure, NULL: the hips do */
    const char *hips;
    const char *spine; /* a list, from below */
    const char *neck;  /* a list, from below */
    const char *head, *jaw, *eye;
    const char *shoulder, *upper_arm, *lower_arm, *hand;
    const char *upper_leg, *lower_leg, *foot, *toes;
    const char *finger;        /* "#hand%@" */
    const char *fingers;       /* five words from the thumb on; NULL: thumb index middle ring little */
    const char *thumb_joints;  /* three words; NULL: 1 2 3 */
    const char *finger_joints; /* likewise of the others */
};

/* Ends with NULL. */
extern const struct humanoid_names *const humanoid_names_common[];

#endif
