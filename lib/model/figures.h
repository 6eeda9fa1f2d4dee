/* Skeletons of several figures, and which of them a clip moves. */
#ifndef POSE_MODEL_FIGURES_H
#define POSE_MODEL_FIGURES_H

#include "lib/core/arena.h"
#include "pose.h"

/* How many figures the skeleton has; 0 if it does not tell them apart. */
uint32_t figures_count(const struct pose_skeleton *skeleton);
/*
 * Sets *figure to the one that the clip moves, counted from 1: the one with the most joints whose keys change;
 * of equal ones that with the most joints that have keys, then the first. 0: none, or the skeleton does not tell
 * figures apart. Returns false if out of memory.
 */
bool figures_find_moved(const struct pose_skeleton *skeleton, const struct pose_clip *clip,
                        struct arena *scratch, uint32_t *figure);
/* Whether the joint is part of that figure or of all of them. figure 0: always. */
static inline bool figures_has(const struct pose_skeleton *skeleton, uint32_t figure, uint32_t joint)
{
    return !figure || !skeleton->figures || !skeleton->figures[joint] || skeleton->figures[joint] == figure;
}

/*
 * Sets of joints that are known to be of one figure. set[i]: the number of joint i's, below count; UINT32_MAX:
 * none. joined[i] is i, or a set that i was joined with.
 */
struct figure_sets {
    uint32_t count;
    uint32_t *set;    /* [joint_count] */
    uint32_t *joined; /* [count] */
};
/* count sets, none of which has a joint yet. Returns false if out of memory. */
bool figure_sets_init(struct figure_sets *sets, uint32_t joint_count, uint32_t count, struct arena *scratch);
/* Puts a joint into a set, which is joined with the one that has the joint already. */
void figure_sets_put(struct figure_sets *sets, uint32_t joint, uint32_t set);
/*
 * Fills in skeleton->figures, [joint_count] in arena. Sets that hang on one another are one figure. A joint of no
 * set is part of the figure above it, else of the only one below it, else of none. Leaves it NULL if there is only
 * one figure. Returns false if out of memory.
 */
bool figure_sets_finish(struct figure_sets *sets, struct pose_skeleton *skeleton, struct arena *arena,
                        struct arena *scratch);

#endif
