#include "lib/formats/sl/verdict.h"

#include "lib/formats/sl/bvh.h"
#include "lib/formats/sl/bvh_upload.h"
#include "lib/formats/sl/names.h"
#include "lib/formats/verdict.h"

#include <string.h>

/* What the viewer refuses besides files that already fail to decode (sl-anim, validation against a skeleton). */
static const char *const refused[] = {"unknown_joint", "unknown_source_volume", "unknown_target_volume",
                                      "undriven_chain", NULL};

/* BVH reasons were found on reading: objects with code, message and line. */
static const struct pose_value *bvh_reasons(const struct pose_document *document)
{
    return document->clip_count ? pose_value_find(document->clips->extras, UPLOAD_REASONS) : NULL;
}

void sl_judge(struct arena *arena, const struct pose_document *document, pose_judge *tell, void *user)
{
    struct verdict verdict = verdict_begin(arena);
    bool is_bvh = !strcmp(document->format, "bvh");
    const struct pose_value *found = is_bvh ? bvh_reasons(document) : NULL;
    if (!is_bvh && strcmp(document->format, "sl-anim") != 0)
        return;
    if (!is_bvh)
        verdict_take(&verdict, document->warnings, document->warning_count, refused);
    for (const struct pose_value *reason = found ? found->first : NULL; reason; reason = reason->next)
        verdict_keep(&verdict, reason);
    verdict_tell(&verdict, "sl-viewer", tell, user);
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
