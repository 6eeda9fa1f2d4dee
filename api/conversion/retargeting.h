/* retarget=1 and what goes with it: whose skeleton a clip is carried over to, and how. */
#ifndef POSED_API_CONVERSION_RETARGETING_H
#define POSED_API_CONVERSION_RETARGETING_H

#include "api/protocol/params.h"
#include "api/protocol/reply.h"
#include "server/library/player.h"

struct retargeting {
    bool on;
    bool automatic; /* onto=auto: depends on what else is loaded */
    struct carrying carrying;
    double tolerance;     /* degrees */
    const char *texts[2]; /* map and map_onto as they were given */
    void *maps[2];        /* read */
    struct pose_bone_map *bones[2];
    struct pose_joint_pair *pairs;
};

/* What is asked for, and where skeletons are looked for. */
struct retargeting_place {
    const struct params *params;
    const struct catalog *catalog;
};

/*
 * target: the format that is asked for, whose skeletons auto looks for; NULL: auto finds none. source: what the clip stands
 * on. False with error.
 */
bool retargeting_read(const struct retargeting_place *at, const struct catalog_item *clip, const char *target,
                      const struct skeleton_choice *source, struct retargeting *retargeting,
                      struct param_error *error);
/* Reads the maps, whose texts must still be there. False with error. To be released in either case. */
bool retargeting_open(struct retargeting *retargeting, struct pose_error *error);
void retargeting_release(struct retargeting *retargeting);
/* NULL when it is not asked for. */
const struct carrying *retargeting_carrying(const struct retargeting *retargeting);
/* The problem of what could not be carried over: 400 naming the parameter, or 422. */
enum api_outcome retargeting_failed(struct api_call *call, const struct pose_error *error);
/* What is to be said of how onto=auto was chosen; false: nothing. */
bool retargeting_warning(const struct retargeting *retargeting, struct pose_warning *warning);
/* Content-Location of the twin with explicit skeletons. */
void retargeting_twin(struct api_call *call, const char *path, const struct skeleton_choice *source,
                      const struct retargeting *retargeting);

#endif
