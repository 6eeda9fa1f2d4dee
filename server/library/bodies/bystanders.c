#include "server/library/bodies/bystanders.h"

#include "lib/core/error.h"
#include "server/ops/region.h"

#include <stdlib.h>

/* The figure of the person whom the clip moves; 0: not a person, or not one figure. */
static uint32_t find_own(const struct pose_skeleton *skeleton, const struct pose_clip *clip,
                         const struct pose_options *options, struct pose_error *error)
{
    struct pose_humanoid *person = pose_humanoid_of_clip(skeleton, clip, NULL, 0, options, error);
    const uint32_t own = person ? pose_humanoid_report(person)->figure : 0;
    pose_humanoid_free(person);
    return own;
}

bool bystanders_find(const struct pose_skeleton *skeleton, const struct pose_sampler *sampler,
                     const struct pose_clip *clip, const struct pose_options *options, bool **stands,
                     struct pose_error *error)
{
    const uint32_t count = skeleton->joint_count;
    *stands = NULL;
    if (!skeleton->figures)
        return true;
    const uint32_t own = find_own(skeleton, clip, options, error);
    if (!own && error->status == POSE_NO_MEMORY)
        return false;
    pose_error_init(error);
    if (!own)
        return true;
    bool *moved = try_alloc((size_t)count + 1, sizeof *moved), *list = try_alloc(count, sizeof *list);
    const struct pose_row *rows = pose_sampler_rows(sampler);
    for (uint32_t i = 0; moved && i < count; i++)
        moved[skeleton->figures[i]] |= rows[i].driven;
    for (uint32_t i = 0; moved && list && i < count; i++) {
        const uint32_t figure = skeleton->figures[i];
        list[i] = figure && figure != own && !moved[figure];
    }
    free(moved);
    *stands = list;
    return (moved && list) || error_no_memory(error);
}

bool bystanders_has(const bool *stands, const struct pose_skin *skin, const struct pose_mesh *mesh)
{
    bool any = false;
    for (uint32_t i = 0; i < mesh->bone_count; i++) {
        const int64_t joint = pose_skin_joint(skin, i);
        if (joint >= 0 && !stands[joint])
            return false;
        any |= joint >= 0;
    }
    return any;
}
