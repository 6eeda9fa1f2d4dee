/* Clips that were read from BVH, on their way to Second Life. */
#ifndef POSE_FORMATS_SL_BVH_UPLOAD_H
#define POSE_FORMATS_SL_BVH_UPLOAD_H

#include "pose.h"

/* The member of a BVH clip's extras that holds the reasons for which Second Life's viewer would refuse the file: a list
 * of objects with code, message and line. */
#define UPLOAD_REASONS "sl_viewer"

/* True when the clip's numbers are still those of the file, so that it can become what the viewer would make of it. */
bool clip_is_upload(const struct pose_clip *clip);

#endif
