#include "lib/formats/sims3/verdict.h"

#include "lib/formats/verdict.h"

#include <math.h>
#include <string.h>

enum {
    CHAINS_OF_PEOPLE = 5, /* of the rigs of people; pets have 1 (sims3-rig.md) */
    LAST_TICK = 65535,
};

/* The tick of a time, and whether the time is on it. */
static bool is_on_tick(double t, double tick)
{
    double nearest = round(t / tick);
    return fabs(t - nearest * tick) <= 1e-4 + 1e-6 * t;
}

/* Ticks are 16 bits wide, and keys lie on them (sims3-clip.md, 3 and 8). */
static void judge_ticks(struct verdict *verdict, const struct pose_clip *clip)
{
    double tick = clip->fps > 0 ? 1 / (double)clip->fps : 1 / 30.0;
    if ((double)clip->duration / tick > LAST_TICK + 0.5)
        verdict_refuse(verdict, "too_many_ticks", NULL, POSE_NO_OFFSET, "%.0f ticks; a clip has at most %d",
                       (double)clip->duration / tick, LAST_TICK + 1);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (enum pose_part part = POSE_TRANSLATION; part < POSE_PART_COUNT; part++) {
            const struct pose_channel *channel = &clip->tracks[i].channels[part];
            uint32_t k = 0;
            while (k < channel->count && is_on_tick((double)channel->times[k], tick))
                k++;
            if (k < channel->count) {
                verdict_refuse(verdict, "off_tick", verdict_joint(verdict, &clip->tracks[i]), POSE_NO_OFFSET,
                               "a key at %.6g s is not on a tick of %.6g s", (double)channel->times[k], tick);
                return;
            }
        }
    }
}

/* Channels find bones by the hash of their name; a sim has bones whose names are known. */
static void judge_bones(struct verdict *verdict, const struct pose_clip *clip)
{
    struct pose_sims3_actor actors[2];
    struct pose_sims3_name hashes;
    char variant[POSE_SIMS3_NAME];
    pose_sims3_hash(clip->name ? clip->name : "", &hashes);
    bool is_sim = clip->name && pose_sims3_actors(clip->name, hashes.clip_id, actors, variant) &&
                  actors[0].species && strcmp(actors[0].species, "object") != 0;
    bool has_bone = !clip->track_count;
    for (uint32_t i = 0; i < clip->track_count; i++)
        has_bone |= clip->tracks[i].has_id && pose_sims3_bone(clip->tracks[i].id);
    if (is_sim && !has_bone)
        verdict_refuse(verdict, "no_known_bone", verdict_joint(verdict, &clip->tracks[0]), POSE_NO_OFFSET,
                       "it is called a clip of a sim, but none of its %u hashes is of a bone of one",
                       clip->track_count);
}

static void judge_clip(struct verdict *verdict, const struct pose_clip *clip)
{
    size_t chains = value_count(pose_value_find(clip->extras, "ik_chains"));
    if (!clip->name || !*clip->name)
        verdict_refuse(verdict, "no_name", NULL, POSE_NO_OFFSET,
                       "the game finds a clip by the hash of its name, but this has none");
    if (chains > CHAINS_OF_PEOPLE)
        verdict_refuse(verdict, "ik_chains", NULL, POSE_NO_OFFSET,
                       "the IK table has %zu chains; the rigs of people have %d, those of pets 1", chains,
                       CHAINS_OF_PEOPLE);
    judge_ticks(verdict, clip);
    judge_bones(verdict, clip);
}

void sims3_judge(struct arena *arena, const struct pose_document *document, pose_judge *tell, void *user)
{
    static const char *const codes[] = {
        "unknown_channel", "component_count", "unsorted_keys", "equal_key_times", "duplicate_channel",
        /* of meshes */
        "joint_index", "negative_weight", "no_weight", "half_a_skin", "empty", "odd_index_count", NULL};
    struct verdict verdict = verdict_begin(arena);
    if (strncmp(document->format, "sims3-", 6) || (!document->clip_count && !document->mesh_count))
        return;
    verdict_take(&verdict, document->warnings, document->warning_count, codes);
    for (uint32_t i = 0; i < document->clip_count; i++) {
        const struct pose_clip *clip = &document->clips[i];
        verdict_take(&verdict, clip->warnings, clip->warning_count, codes);
        judge_clip(&verdict, clip);
    }
    for (uint32_t i = 0; i < document->mesh_count; i++)
        verdict_take(&verdict, document->meshes[i].warnings, document->meshes[i].warning_count, codes);
    verdict_tell(&verdict, "sims3", tell, user);
}
