#include "lib/formats/sl/verdict.h"

#include "lib/formats/sl/bvh.h"
#include "lib/formats/sl/bvh_upload.h"
#include "lib/formats/sl/names.h"

#include <string.h>

/*
 * What the viewer refuses besides files that already fail to decode (sl-anim, validation against a skeleton).
 */
static bool viewer_refuses(const struct pose_warning *warning)
{
    static const char *const codes[] = {"unknown_joint", "unknown_source_volume", "unknown_target_volume",
                                        "undriven_chain"};
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        if (!strcmp(warning->code, codes[i]))
            return true;
    }
    return false;
}

static void put_reason(struct value_list *reasons, const struct pose_warning *warning)
{
    struct value_list reason = value_object(reasons->arena);
    value_put_string(&reason, "code", warning->code);
    value_put_string(&reason, "message", warning->message);
    if (warning->offset != POSE_NO_OFFSET)
        value_put_int(&reason, "offset", (int64_t)warning->offset);
    value_put_list(reasons, NULL, &reason);
}

/* BVH reasons were found on reading: objects with code, message and line. */
static const struct pose_value *bvh_reasons(const struct pose_document *document)
{
    return document->clip_count ? pose_value_find(document->clips->extras, UPLOAD_REASONS) : NULL;
}

void sl_judge(struct arena *arena, const struct pose_document *document, pose_judge *tell, void *user)
{
    struct value_list made = value_array(arena);
    const struct pose_value *reasons = made.value;
    if (!strcmp(document->format, "bvh")) {
        const struct pose_value *found = bvh_reasons(document);
        reasons = found ? found : reasons;
    } else if (!strcmp(document->format, "sl-anim")) {
        for (uint32_t i = 0; i < document->warning_count; i++) {
            if (viewer_refuses(&document->warnings[i]))
                put_reason(&made, &document->warnings[i]);
        }
    } else {
        return;
    }
    tell(user, &(struct pose_verdict){
                   .target = "sl-viewer", .accepted = !reasons || !reasons->first, .reasons = reasons});
}

/* ----------------------------------------------------------------------------------------------------- BVH -- */

static bool has_root(const char *name)
{
    return sl_joint_find(name, strlen(name), NULL) == SL_PELVIS;
}

static bool has_clip(const struct pose_clip *clip)
{
    return clip->rules == POSE_RULES_SL || (clip->origin && !strcmp(clip->origin, "sl-anim"));
}

const struct bvh_dialect sl_bvh_dialect = {
    .axes = POSE_AXES_INCHES,
    .has_root = has_root,
    .has_clip = has_clip,
    .reasons_key = UPLOAD_REASONS,
    .reasons = sl_bvh_reasons,
};
