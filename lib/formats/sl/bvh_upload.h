/* Clips that were read from BVH and are written for Second Life. */
#ifndef POSE_FORMATS_SL_BVH_UPLOAD_H
#define POSE_FORMATS_SL_BVH_UPLOAD_H

#include "pose.h"

/* The key in a BVH clip's extras that holds the reasons for which Second Life's viewer would refuse the file: a
 * list of objects with code, message and line. */
#define UPLOAD_REASONS "sl_viewer"

/* True if the clip's numbers are still those of the file, so that the viewer's conversion can be reproduced. */
bool clip_is_upload(const struct pose_clip *clip);

#endif
