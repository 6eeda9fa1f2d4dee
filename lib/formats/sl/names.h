/*
 * Names known to Second Life's viewer: of tracks, constraint volumes and emotes. Facts: sl-anim.md, 4 and 5.
 */
#ifndef POSE_FORMATS_SL_NAMES_H
#define POSE_FORMATS_SL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Joint numbers: bones depth first, as in stand_in_sl, then collision volumes, then attachment points by id. */
enum {
    SL_PELVIS = 0,
    SL_FIRST_VOLUME = 133,
    SL_FIRST_ATTACHMENT = 159,
    SL_JOINT_COUNT = 214,
};

/*
 * The number of the joint that a track of that name moves, -1 if the viewer does not know the name: bones,
 * aliases ("hip", "avatar_mPelvis"), collision volumes, attachment points (with blanks or '_'). Case-sensitive.
 * *own (may be NULL) becomes the name as static text, NULL if there is none.
 */
int sl_joint_find(const char *name, size_t length, const char **own);
/* The joint's own name, static; 0 <= number < SL_JOINT_COUNT. */
const char *sl_joint_name(int number);
/* The viewer refuses a clip with such a track. */
bool sl_joint_is_forbidden(const char *name, size_t length);
/* True if the viewer has a built-in animation of that name; ignores case. */
bool sl_emote_is_known(const char *name);

#endif
