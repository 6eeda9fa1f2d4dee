#include "lib/formats/sl/bvh_upload.h"

#include <string.h>

/* The root of the file was not Second Life's pelvis, so its units were not taken for inches. */
static bool has_other_root(const struct pose_value *reasons)
{
    for (const struct pose_value *reason = reasons->first; reason; reason = reason->next) {
        const struct pose_value *code = pose_value_find(reason, "code");
        if (code && code->kind == POSE_STRING && !strcmp(code->as.string, "bad_root"))
            return true;
    }
    return false;
}

bool clip_is_upload(const struct pose_clip *clip)
{
    const struct pose_value *reasons = pose_value_find(clip->extras, UPLOAD_REASONS);
    if (!reasons || reasons->kind != POSE_ARRAY || clip->rules != POSE_RULES_PLAIN)
        return false;
    /* Clips that were converted to metres are treated like any other. */
    return clip->axes == POSE_AXES_INCHES || (clip->axes == POSE_AXES_GLTF && has_other_root(reasons));
}
