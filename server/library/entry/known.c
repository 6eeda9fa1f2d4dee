#include "server/library/entry/known.h"

#include "lib/core/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HAS_ID = 1 };

static uint64_t hash_bytes(const char *text, bool without_case)
{
    return hash_fnv1a(text, strlen(text), without_case) & ~(uint64_t)HAS_ID;
}

uint64_t known_name(enum pose_axes axes, const char *name)
{
    return hash_bytes(name, axes == POSE_AXES_SIMS);
}

uint64_t known_id(uint32_t id)
{
    return (uint64_t)id << 1 | HAS_ID;
}

static int compare_known(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static bool knows(const struct index_asset *skeleton, uint64_t wanted)
{
    return skeleton->known_count &&
           bsearch(&wanted, skeleton->known, skeleton->known_count, sizeof wanted, compare_known) != NULL;
}

uint32_t known_matches(const struct index_asset *skeleton, const struct index_asset *clip)
{
    uint32_t matches = 0;
    if (skeleton->axes != clip->axes)
        return 0;
    for (uint32_t i = 0; i < clip->moving_count; i++)
        matches += clip->known[i] && knows(skeleton, clip->known[i]);
    return matches;
}

static bool moves_joint(const struct pose_track *track)
{
    return track->channels[POSE_TRANSLATION].count || track->channels[POSE_ROTATION].count ||
           track->channels[POSE_SCALE].count;
}

/* Tracks of weights and morphs are not joints. If a clip's keys are missing, all other tracks may be. */
static bool is_moving(const struct pose_track *track, bool any_moves)
{
    return any_moves ? moves_joint(track) : !track->channels[POSE_MORPH].count;
}

/* A track that is bound to a node of its file counts as that node's joint, whose name may differ: a clip of Metroid
 * Prime in a glTF file has ids, its nodes have the names of the skeleton. */
static uint64_t known_track(const struct pose_document *document, const struct pose_clip *clip,
                            const struct pose_track *track)
{
    const struct pose_skeleton *skeleton = document->skeleton_count ? document->skeletons : NULL;
    bool is_bound = skeleton && clip->tree && clip->tree == skeleton->tree && track->node &&
                    track->node <= skeleton->joint_count && skeleton->joints[track->node - 1].name;
    if (is_bound)
        return known_name(skeleton->axes, skeleton->joints[track->node - 1].name);
    if (track->has_id)
        return known_id(track->id);
    return track->name ? known_name(clip->axes, track->name) : 0;
}

void known_list_tracks(struct region *region, const struct pose_document *document,
                       const struct pose_clip *clip, struct index_asset *asset)
{
    uint64_t *known = REGION_NEW(region, uint64_t, clip->track_count);
    if (!known)
        return;
    bool any_moves = false;
    for (uint32_t i = 0; i < clip->track_count; i++)
        any_moves |= moves_joint(&clip->tracks[i]);
    uint32_t first = 0, last = clip->track_count;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        known[is_moving(track, any_moves) ? first++ : --last] = known_track(document, clip, track);
    }
    asset->known = known;
    asset->known_count = clip->track_count;
    asset->moving_count = first;
}

uint64_t known_rest(const struct pose_skeleton *skeleton)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        float rest[10];
        pose_joint_rest(skeleton, i, skeleton->axes, rest);
        float sign = rest[6] < 0 ? -1 : 1;
        for (unsigned k = 0; k < 10; k++) {
            float number = k >= 3 && k < 7 ? sign * rest[k] : rest[k];
            int64_t rounded = isfinite(number) ? llroundf(fminf(fmaxf(number * 1e4f, -1e15f), 1e15f)) : 0;
            hash = (hash ^ (uint64_t)rounded) * 0x100000001b3u;
        }
        hash = (hash ^ (uint64_t)skeleton->joints[i].parent) * 0x100000001b3u;
    }
    return hash;
}

void known_list_joints(struct region *region, const struct pose_skeleton *skeleton, struct index_asset *asset)
{
    size_t count = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        count += 2;
        for (const char *const *alias = skeleton->joints[i].aliases; alias && *alias; alias++)
            count++;
    }
    uint64_t *known = REGION_NEW(region, uint64_t, count);
    if (!known)
        return;
    size_t used = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        if (joint->name)
            known[used++] = known_name(skeleton->axes, joint->name);
        if (joint->has_id)
            known[used++] = known_id(joint->id);
        for (const char *const *alias = joint->aliases; alias && *alias; alias++)
            known[used++] = known_name(skeleton->axes, *alias);
    }
    qsort(known, used, sizeof *known, compare_known);
    uint32_t kept = 0;
    for (size_t i = 0; i < used; i++) {
        if (!kept || known[kept - 1] != known[i])
            known[kept++] = known[i];
    }
    asset->known = known;
    asset->known_count = kept;
}

/* The bones that a character's relations name. */
struct bone_list {
    struct index_asset *asset;
    uint64_t *known; /* NULL: only count */
    uint32_t count;
};

static bool take_bone(void *user, const struct pose_relation *relation)
{
    struct bone_list *bones = user;
    bones->asset->axes = (uint8_t)relation->axes;
    if (relation->bone && bones->known)
        bones->known[bones->count] = known_name(relation->axes, relation->bone);
    bones->count += relation->bone != NULL;
    return true;
}

void known_list_bones(struct region *region, const char *format, const struct pose_character *character,
                      struct index_asset *asset)
{
    struct bone_list bones = {.asset = asset};
    pose_relations(format, character, (struct pose_bytes){NULL, 0}, take_bone, &bones);
    bones.known = REGION_NEW(region, uint64_t, bones.count);
    if (!bones.known)
        return;
    bones.count = 0;
    pose_relations(format, character, (struct pose_bytes){NULL, 0}, take_bone, &bones);
    asset->known = bones.known;
    asset->joint_count = asset->moving_count = asset->known_count = bones.count;
}

void known_list_mesh(struct region *region, const struct pose_mesh *mesh, struct index_asset *asset)
{
    uint64_t *known = REGION_NEW(region, uint64_t, mesh->bone_count);
    for (uint32_t i = 0; known && i < mesh->bone_count; i++)
        known[i] = mesh->bone_ids   ? known_id(mesh->bone_ids[i])
                   : mesh->bones[i] ? known_name(mesh->axes, mesh->bones[i])
                                    : 0;
    asset->known = known;
    asset->known_count = asset->moving_count = mesh->bone_count;
}
