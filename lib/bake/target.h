/*
 * What a clip format can hold, and how its files are requested: one constant in the codec's own file, which its row
 * in THE TABLE points to. Everything that offers conversions reads it from there.
 */
#ifndef POSE_BAKE_TARGET_H
#define POSE_BAKE_TARGET_H

#include "pose.h"

enum { TARGET_FILES = 2 };

/* Formats that share extras, events and the names of joints. */
enum target_family { FAMILY_NONE, FAMILY_SL, FAMILY_SIMS, FAMILY_SIMS3, FAMILY_PRIME };

/* One of the games whose files are of the format: setting "game". */
struct target_game {
    const char *name;
    bool holds_scale;
    bool has_all_bones;    /* a track for every bone of the skeleton, by ascending id */
    uint32_t root_bone_id; /* the bone that moves the figure, by default */
};

struct target {
    const char *title;         /* used in warnings: "Second Life" */
    enum target_family family; /* FAMILY_NONE: an exchange format, which holds any clip */
    enum pose_axes axes;
    enum pose_rules rules, other_rules; /* of its clips; other_rules: POSE_RULES_PLAIN if there are none */
    bool holds[POSE_PART_COUNT];
    const char *own_settings; /* blank-separated: those that change the clip, not only how it is written */
    bool lacks_scale; /* an exchange format whose joints have no scale: it is multiplied into lengths */
    const char *
        metres; /* an exchange format: the value of the setting "axes" that promises metres, so that nodes above
                         * the bones are folded; NULL: none does */
    bool resamples; /* an exchange format that needs a clip baked to change its rate */
    bool reduces;   /* its encoder reduces keys that an engine had on every frame: setting "reduce" */
    bool wants_own_skeleton; /* its encoder uses a skeleton in its own axes, although its files hold none */
    /* The file types; NULL fields default to the codec's (word: the id; extensions, media_type). One without
     * options is not offered: it is the second file of a pair. If there are several, the encoder's setting
     * "container" is the word. */
    struct pose_target files[TARGET_FILES];
    /* The name of the second file of a pair, without extension: the clip's extras' member second_member, else
     * second_prefix followed by the clip's own name. */
    const char *second_member, *second_prefix;
    const struct target_game
        *games;         /* the first is the default; the last has a NULL name. NULL: only one game */
    float max_duration; /* seconds that the game can play; 0: any */
    /* Whether its encoder needs a clip as it was read, to do what the game's own program does; NULL: never. */
    bool (*takes_as_read)(const struct pose_clip *clip);
    /* Whether a figure of the game has the bone that the track names; NULL: any may have it, or the encoder warns. */
    bool (*has_bone)(const struct pose_track *track);
};

#endif
