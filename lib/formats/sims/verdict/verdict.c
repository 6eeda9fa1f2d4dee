#include "lib/formats/sims/verdict/verdict.h"

#include "lib/core/text.h"
#include "lib/formats/verdict.h"

#include <string.h>

/* The bones of adults and children, of which pets have most as well (sims1-character.md, 1). */
static const char *const bones[] = {
    "ROOT",   "PELVIS", "SPINE",  "SPINE1", "SPINE2", "NECK",   "HEAD",   "L_LEG",
    "L_LEG1", "L_FOOT", "L_TOE0", "R_LEG",  "R_LEG1", "R_FOOT", "R_TOE0", "L_ARM",
    "L_ARM1", "L_ARM2", "L_HAND", "R_ARM",  "R_ARM1", "R_ARM2", "R_HAND",
};

static bool is_bone(const char *name)
{
    for (size_t i = 0; i < sizeof bones / sizeof *bones; i++) {
        if (name && text_equal_nocase(name, bones[i]))
            return true;
    }
    return false;
}

bool sims_has_bone(const struct pose_track *track)
{
    return is_bone(track->name);
}

static const char *game_of(const char *format)
{
    return !strncmp(format, "tso-", 4) ? "tso" : !strncmp(format, "sims1-", 6) ? "sims1" : NULL;
}

/* Key k is played at k * duration / count (tso-anim.md, 2.2), so the first game needs a duration; what is left of the
 * second plays 30 frames a second whatever the file says. A motion without frames, or of a bone that no figure has,
 * moves nothing. */
static void judge_clip(struct verdict *verdict, const struct pose_clip *clip, bool needs_duration)
{
    static const char *const codes[] = {"no_cfp", "empty_motion", NULL};
    bool has_bone = !clip->track_count;
    uint32_t keys = 0;
    verdict_take(verdict, clip->warnings, clip->warning_count, codes);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        has_bone |= sims_has_bone(track);
        keys += track->channels[POSE_ROTATION].count || track->channels[POSE_TRANSLATION].count;
    }
    if (!clip->name || !*clip->name)
        verdict_refuse(verdict, "no_name", NULL, POSE_NO_OFFSET,
                       "a skill is found by its name, but this has none");
    if (!has_bone)
        verdict_refuse(verdict, "no_known_bone", verdict_joint(verdict, &clip->tracks[0]), POSE_NO_OFFSET,
                       "none of its %u bones is one of a figure of the game", clip->track_count);
    if (needs_duration && keys && !(value_get_float(clip->extras, "duration_ms", 1) > 0))
        verdict_refuse(verdict, "no_duration", NULL, POSE_NO_OFFSET,
                       "frames are played by their share of the duration, which is %g ms",
                       (double)value_get_float(clip->extras, "duration_ms", 0));
}

/* Vertices are in the space of their bone: one that no binding covers, or whose bone is missing, stays at the
 * origin (sims1-character.md, 4 and 5). */
static void judge_mesh(struct verdict *verdict, const struct pose_mesh *mesh)
{
    static const char *const codes[] = {"uneven_binding_coverage", NULL};
    bool has_bone = !mesh->bone_count || !mesh->bones;
    verdict_take(verdict, mesh->warnings, mesh->warning_count, codes);
    for (uint32_t i = 0; mesh->bones && i < mesh->bone_count; i++)
        has_bone |= is_bone(mesh->bones[i]);
    if (!has_bone)
        verdict_refuse(verdict, "no_known_bone", mesh->bones[0], POSE_NO_OFFSET,
                       "none of its %u bones is one of a figure of the game", mesh->bone_count);
}

void sims_judge(struct arena *arena, const struct pose_document *document, pose_judge *tell, void *user)
{
    const char *game = game_of(document->format);
    struct verdict verdict = verdict_begin(arena);
    static const char *const codes[] = {"empty_motion", "uneven_binding_coverage", NULL};
    if (!game || (!document->clip_count && !document->mesh_count))
        return;
    verdict_take(&verdict, document->warnings, document->warning_count, codes);
    for (uint32_t i = 0; i < document->clip_count; i++)
        judge_clip(&verdict, &document->clips[i], !strcmp(game, "sims1"));
    for (uint32_t i = 0; i < document->mesh_count; i++)
        judge_mesh(&verdict, &document->meshes[i]);
    verdict_tell(&verdict, game, tell, user);
}
