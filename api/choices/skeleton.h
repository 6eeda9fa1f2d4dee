/* skeleton= and up=: what a clip plays on, and which way is up in its file. */
#ifndef POSED_API_CHOICES_SKELETON_H
#define POSED_API_CHOICES_SKELETON_H

#include "api/protocol/params.h"
#include "server/library/bodies/ingredients.h"

/* Where what a request names is found. */
struct choice_place {
    const struct params *params;
    const struct catalog *common; /* the service's */
    const struct catalog *own;    /* of the request's own bytes, searched first; NULL: none */
};

/* Reads skeleton= (auto: whether it is auto). of: the clip or mesh that auto is for; its item NULL: none.
 * skeleton stays empty if there is none. False with error. */
bool skeleton_read(const struct choice_place *from, const struct ingredient *of,
                   struct ingredient_skeleton *skeleton, bool *automatic, struct param_error *error);
/* Reads up=. False with error. */
bool up_read(const struct params *params, enum up *up, struct param_error *error);

#endif
