/* The rules by which clips are played, and the axes of files, by their names; whose they are the families' rows say. */
#ifndef POSE_FORMATS_RULES_H
#define POSE_FORMATS_RULES_H

#include "pose.h"

/* The joint whose translation keys are added to its rest. */
struct root_rule {
    const char *const *names; /* besides those that a skeleton has for it; the last is NULL */
    float rest[3];            /* where none is known */
};

/* The rules of a family's clips. */
struct rules_row {
    enum pose_rules rules;
    const char *name;             /* "plain", "sl" */
    const char *interpolation;    /* of rotations between keys: "slerp", "nlerp" */
    enum pose_axes axes;          /* of the game */
    const char *format;           /* that its clips are in; as near as can be told */
    const struct root_rule *root; /* NULL: keys are what they are */
};

struct axes_row {
    enum pose_axes axes;
    const char *name;
};

const struct rules_row *rules_row(enum pose_rules rules);
/* NULL when no rules are called so. */
const struct rules_row *rules_find(const char *name);
/* The rules of a format's clips; the plain ones of one that has none of its own, is not known, or NULL. */
enum pose_rules format_rules(const char *format);

const char *axes_name(enum pose_axes axes);
/* -1 when no axes are called so. */
int axes_find(const char *name);

#endif
