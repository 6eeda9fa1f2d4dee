/*
 * Built-in skeletons, for clips without one: joint names are the games' own, proportions are not.
 * Each table is a file stand_in*.c in its game's folder, listed in stand_in.c.
 */
#ifndef POSE_MODEL_STAND_IN_H
#define POSE_MODEL_STAND_IN_H

#include "lib/model/build.h"

/* A row of a stand-in's table: parents precede children. */
struct stand_in_joint {
    const char *name;
    const char *parent; /* NULL for the root */
    float translation[3];
    float rotation[4];
    const char *aliases; /* blank-separated, NULL when there are none */
    float scale[3];      /* all zero: 1, 1, 1 */
    const char *kind;    /* for extras ("collision_volume"), NULL: none */
};

struct stand_in {
    const char *format; /* of the game's own skeletons: "sl-skeleton" */
    const char *name;
    enum pose_axes axes;
    enum pose_scaling scaling;
    const char *added_to_rest; /* the joint whose translation is added to the rest, NULL when none */
    bool has_hashes;           /* the id of a joint is FNV-32 of its name */
    float size;                /* by which all translations are multiplied; 0: 1 */
    uint32_t joint_count;
    const struct stand_in_joint *joints;
};

extern const struct stand_in stand_in_sl;
extern const struct stand_in stand_in_sims_adult;
extern const struct stand_in stand_in_sims3_adult;
extern const struct stand_in stand_in_sims3_child;
extern const struct stand_in stand_in_sims3_pet;

/* The table at that index; NULL after the last one. */
const struct stand_in *stand_in_get(unsigned index);

#endif
