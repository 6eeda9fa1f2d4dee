/* Of a file of several figures those who stand beside the person whom a clip moves. */
#ifndef POSED_SERVER_LIBRARY_BODIES_BYSTANDERS_H
#define POSED_SERVER_LIBRARY_BODIES_BYSTANDERS_H

#include "pose.h"

/* Sets *stands to [joint_count] flags: the joint is of such a figure. Freed by the caller; NULL if there is none.
 * The sampler is of that skeleton. clip NULL: retargeted, onto the first person. False with error. */
bool bystanders_find(const struct pose_skeleton *skeleton, const struct pose_sampler *sampler,
                     const struct pose_clip *clip, const struct pose_options *options, bool **stands,
                     struct pose_error *error);
/* Whether only joints of bystanders move the mesh. */
bool bystanders_has(const bool *stands, const struct pose_skin *skin, const struct pose_mesh *mesh);

#endif
