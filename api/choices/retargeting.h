/* retarget=1 and its parameters: the skeleton that a clip is retargeted to, and how. */
#ifndef POSED_API_CHOICES_RETARGETING_H
#define POSED_API_CHOICES_RETARGETING_H

#include "api/choices/skeleton.h"
#include "api/protocol/reply.h"
#include "server/library/player.h"

struct retargeting {
    bool on;
    bool automatic; /* onto=auto: depends on what else is loaded */
    struct carrying carrying;
    double tolerance;     /* degrees */
    const char *texts[2]; /* map and map_onto as given */
    void *maps[2];        /* parsed */
    struct pose_bone_map *bones[2];
    struct pose_joint_pair *pairs;
};

/*
 * Searches the common catalogue only. target: the requested format, whose skeletons auto considers; NULL: auto finds
 * none. source: the clip's skeleton. False with error.
 */
bool retargeting_read(const struct choice_place *from, const struct catalog_item *clip, const char *target,
                      const struct skeleton_choice *source, struct retargeting *retargeting,
                      struct param_error *error);
/* Parses the maps, whose texts must still be valid. False with error. Must be released in either case. */
bool retargeting_open(struct retargeting *retargeting, struct pose_error *error);
void retargeting_release(struct retargeting *retargeting);
/* NULL if no retargeting was requested. */
const struct carrying *retargeting_carrying(const struct retargeting *retargeting);
/* The problem for a failed retargeting: 400 with the parameter, or 422. */
enum api_outcome retargeting_failed(struct api_call *call, const struct pose_error *error);
/* A warning about how onto=auto was chosen; false if there is none. */
bool retargeting_warning(const struct retargeting *retargeting, struct pose_warning *warning);
/* Content-Location of the equivalent URL with explicit skeletons. */
void retargeting_twin(struct api_call *call, const char *path, const struct skeleton_choice *source,
                      const struct retargeting *retargeting);

#endif
