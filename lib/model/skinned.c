#include "pose.h"

bool pose_skinned_joints(const struct pose_skeleton *skeleton, bool *skinned)
{
    bool any = false;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        skinned[i] = skeleton->joints[i].in_skin;
        any |= skinned[i];
    }
    for (uint32_t i = skeleton->joint_count; i-- > 0;) {
        int32_t parent = skeleton->joints[i].parent;
        if (skinned[i] && parent >= 0)
            skinned[parent] = true;
    }
    return any;
}
