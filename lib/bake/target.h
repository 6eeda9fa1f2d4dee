/*
 * What a format of clips can hold, and how files of it are asked for: one constant in the codec's own file, to which its
 * row of THE TABLE points. Everything that offers conversions reads it from there.
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
    uint32_t root_bone_id; /* what moves the figure, unless told */
};

struct target {
    const char *title;         /* whose losses are told: "Second Life" */
    enum target_family family; /* FAMILY_NONE: a format of exchange, which holds any clip */
    enum pose_axes axes;
    enum pose_rules rules, other_rules; /* its clips play by; other_rules: POSE_RULES_PLAIN for none */
    bool holds[POSE_PART_COUNT];
    const char
        *own_settings; /* blank-separated: those that change what a clip is, not only how it is written */
    bool resamples;    /* a format of exchange that holds a clip at another rate only if that was baked */
    bool reduces;      /* its encoder thins out keys that an engine had on every frame: setting "reduce" */
    bool wants_own_skeleton; /* its encoder looks at a skeleton in its own axes, though its files hold none */
    /* The kinds of files; what is NULL is the codec's (word: the id; extensions, media_type). Without options a kind is not
     * offered: it is the second file of a pair. More than one: the encoder's setting "container" is the word. */
    struct pose_target files[TARGET_FILES];
    /* The name of the second file of a pair, without extension, as the clip has it: in the extras' member of that name, else
     * this before the clip's own name. */
    const char *second_member, *second_prefix;
    const struct target_game *games; /* the first unless told; the last has a NULL name. NULL: there is one */
    float max_duration;              /* seconds that the game plays; 0: any */
    /* Whether its encoder wants a clip as it was read, to do itself what the game's own program does; NULL: never. */
    bool (*takes_as_read)(const struct pose_clip *clip);
};

#endif
