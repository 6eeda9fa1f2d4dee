/* Playback rules of clips, and axes of files, by name; the families' rows define them. */
#ifndef POSE_FORMATS_RULES_H
#define POSE_FORMATS_RULES_H

#include "pose.h"

/* The joint whose translation keys are added to its rest position. */
struct root_rule {
    const char *const *names; /* besides those that a skeleton gives it; the last is NULL */
    float rest[3];            /* where none is known */
};

/* The rules of a family's clips. */
struct rules_row {
    enum pose_rules rules;
    const char *name;             /* "plain", "sl" */
    const char *interpolation;    /* of rotations between keys: "slerp", "nlerp" */
    enum pose_axes axes;          /* of the game */
    const char *format;           /* the format of its clips; a best guess */
    const struct root_rule *root; /* NULL: keys are used as they are */
};

struct axes_row {
    enum pose_axes axes;
    const char *name;
};

const struct rules_row *rules_row(enum pose_rules rules);
/* NULL if there are no rules of that name. */
const struct rules_row *rules_find(const char *name);
/* The rules of a format's clips; the plain ones if it has none, is unknown or NULL. */
enum pose_rules format_rules(const char *format);

/* What a clip's name has to be preceded by, so that by the format's naming rules the clip is made for the skeleton of that
 * name; static, "": nothing. name and skeleton may be NULL. */
const char *format_clip_prefix(const char *format, const char *name, const char *skeleton);

const char *axes_name(enum pose_axes axes);
/* -1 if there are no axes of that name. */
int axes_find(const char *name);

#endif
