/*
 * Compiling a retargeting, in three steps: which source joint drives each joint of the target, and how (entries.c),
 * the nodes to process for it (compile.c), and where ground and front are (world.c).
 */
#ifndef POSE_RETARGET_COMPILE_H
#define POSE_RETARGET_COMPILE_H

#include "lib/retarget/motion.h"

enum { MAX_ENTRIES = SLOT_COUNT + MAX_PAIRS };

/* A joint of the target and what drives it. Source and target are joints here, nodes only at the end. */
struct entry {
    int32_t joint;
    int slot; /* -1: a pair */
    struct attitude attitude;
    struct link link;
    struct turn align;
    bool is_direct;
};

struct compiling {
    struct pose_retarget *r;
    const struct pose_humanoid *source, *target;
    struct arena *scratch;
    struct pose_error *error;
    uint32_t count;
    struct entry *entries;               /* [MAX_ENTRIES] */
    bool exact[SLOT_COUNT];              /* the target's bone has exactly the orientation of the source's */
    bool *source_wanted, *target_wanted; /* [joint_count] */
    int32_t *entry_of;                   /* [joint_count] of the target, -1 */
};

/* Makes the entries of all driven joints: bones, then pairs. Returns false, with error, for invalid pairs or if
 * out of memory. */
bool entries_make(struct compiling *compiling, const struct pose_retarget_options *wishes);
/* The attitude of a bone of the source, in joints. */
struct attitude attitude_of(const struct compiling *compiling, int slot);
/* The same in nodes. */
struct attitude attitude_of_nodes(const struct compiling *compiling, struct attitude attitude);
/* A of a joint that is not a bone: it rotates with the body. */
struct turn align_of(const struct pose_humanoid *humanoid, int32_t joint);

/* Finds ground, heading and travel; needs the nodes. */
bool world_find(struct compiling *compiling, bool *ground_is_guessed);

#endif
