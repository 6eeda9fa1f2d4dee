/* Who the names of The Sims' files refer to: adults, children, dogs or cats. */
#ifndef POSE_FORMATS_SIMS_WEARER_H
#define POSE_FORMATS_SIMS_WEARER_H

#include "pose.h"

#include <stdbool.h>

/* For struct family: "a2o-walk" and clothes like "b001ua" are made for the skeleton "adult". */
bool sims_made_for(const struct pose_naming *what, const char *skeleton);
/* For struct family: "adult" is a grown person's. */
unsigned sims_adulthood(const char *skeleton);
/* "xskin-c010fa_jo-HEAD-HEAD" is the head of a woman, "hulo" the left hand of anybody. */
bool sims_wear_of(const struct pose_naming *what, struct pose_wear *part);

#endif
