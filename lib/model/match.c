#include "lib/model/match.h"

#include "lib/core/hash.h"
#include "lib/core/text.h"

#include <stdlib.h>
#include <string.h>

bool track_drives_joint(const struct pose_track *track)
{
    return track->channels[POSE_TRANSLATION].count || track->channels[POSE_ROTATION].count ||
           track->channels[POSE_SCALE].count;
}

bool track_is_joint(const struct pose_track *track)
{
    return track_drives_joint(track) || !track->channels[POSE_MORPH].count;
}

/* ------------------------------------------------------------------------------------------------- names -- */

/* A copy in lower case; NULL if out of memory (the arena has then failed). */
static char *fold(struct arena *arena, const char *name)
{
    char *copy = arena_copy_text(arena, name);
    for (char *c = copy; c && *c; c++)
        *c = text_lower(*c);
    return copy;
}

static uint32_t count_aliases(const struct pose_skeleton *skeleton)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        for (const char *const *alias = skeleton->joints[i].aliases; alias && *alias; alias++)
            count++;
    }
    return count;
}

static bool index_names(struct joint_index *index, struct arena *arena, const struct pose_skeleton *skeleton,
                        bool with_folded)
{
    uint32_t joints = skeleton->joint_count, aliases = count_aliases(skeleton);
    if (!name_index_init(&index->names, arena, joints) || !name_index_init(&index->aliases, arena, aliases) ||
        !name_index_init(&index->folded, arena, with_folded ? joints + aliases : 0))
        return false;
    for (uint32_t i = 0; i < joints; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        name_index_add(&index->names, joint->name, i);
        if (with_folded && joint->name)
            name_index_add(&index->folded, fold(arena, joint->name), i);
        for (const char *const *alias = joint->aliases; alias && *alias; alias++) {
            name_index_add(&index->aliases, *alias, i);
            if (with_folded)
                name_index_add(&index->folded, fold(arena, *alias), i);
        }
    }
    name_index_sort(&index->names);
    name_index_sort(&index->aliases);
    name_index_sort(&index->folded);
    return !arena->failed;
}

/* --------------------------------------------------------------------------------------------------- ids -- */

static int compare_ids(const void *a, const void *b)
{
    const struct joint_id *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->joint < y->joint ? -1 : x->joint > y->joint;
}

static bool index_ids(struct joint_index *index, struct arena *arena, const struct pose_skeleton *skeleton,
                      bool hash_names)
{
    index->ids = ARENA_NEW(arena, struct joint_id, skeleton->joint_count);
    if (!index->ids)
        return false;
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        if (joint->has_id)
            index->ids[index->id_count++] = (struct joint_id){joint->id, i};
        else if (hash_names && joint->name)
            index->ids[index->id_count++] =
                (struct joint_id){hash_fnv32(joint->name, strlen(joint->name)), i};
    }
    if (index->id_count > 1)
        qsort(index->ids, index->id_count, sizeof *index->ids, compare_ids);
    return true;
}

static int64_t find_id(const struct joint_index *index, const struct pose_track *track)
{
    if (!track->has_id)
        return -1;
    uint32_t low = 0, high = index->id_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (index->ids[middle].id < track->id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->id_count && index->ids[low].id == track->id ? (int64_t)index->ids[low].joint : -1;
}

/* ------------------------------------------------------------------------------------------------- index -- */

bool joint_index_init(struct joint_index *index, struct arena *arena, const struct pose_skeleton *skeleton,
                      enum pose_rules rules)
{
    bool sims3 = rules == POSE_RULES_SIMS3;
    *index = (struct joint_index){
        .ids_first = sims3 || rules == POSE_RULES_PRIME || rules == POSE_RULES_PRIME_FRAMES,
    };
    return index_names(index, arena, skeleton, rules == POSE_RULES_SIMS) &&
           index_ids(index, arena, skeleton, sims3);
}

static int64_t find_folded(const struct joint_index *index, const char *name)
{
    /* Names are short; a longer one cannot match. */
    char folded[256];
    size_t length = strlen(name);
    if (!index->folded.count || length >= sizeof folded)
        return -1;
    for (size_t i = 0; i <= length; i++)
        folded[i] = text_lower(name[i]);
    return name_index_find(&index->folded, folded);
}

static int64_t find_name(const struct joint_index *index, const char *name)
{
    if (!name)
        return -1;
    int64_t joint = name_index_find(&index->names, name);
    if (joint < 0)
        joint = name_index_find(&index->aliases, name);
    return joint < 0 ? find_folded(index, name) : joint;
}

uint64_t skeleton_tree(const struct pose_skeleton *skeleton)
{
    uint64_t hash = hash_fnv64("tree", 4);
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        hash = hash_fnv64_more(hash, (const char *)&joint->parent, sizeof joint->parent);
        hash =
            hash_fnv64_more(hash, joint->name ? joint->name : "", joint->name ? strlen(joint->name) + 1 : 0);
    }
    return hash | 1;
}

bool clip_is_of_tree(const struct pose_clip *clip, const struct pose_skeleton *skeleton)
{
    return clip->tree && clip->tree == skeleton->tree;
}

void joint_index_follow(struct joint_index *index, const struct pose_skeleton *skeleton,
                        const struct pose_clip *clip)
{
    index->node_count = clip_is_of_tree(clip, skeleton) ? skeleton->joint_count : 0;
}

int64_t joint_index_find(const struct joint_index *index, const struct pose_track *track)
{
    if (track->node && track->node <= index->node_count)
        return track->node - 1;
    int64_t joint = index->ids_first ? find_id(index, track) : find_name(index, track->name);
    if (joint < 0)
        joint = index->ids_first ? find_name(index, track->name) : find_id(index, track);
    return joint;
}

uint32_t pose_skeleton_match(const struct pose_skeleton *skeleton, const struct pose_clip *clip)
{
    struct arena arena;
    struct joint_index index;
    uint32_t count = 0;
    arena_init(&arena, NULL, 0, NULL);
    if (joint_index_init(&index, &arena, skeleton, clip->rules)) {
        joint_index_follow(&index, skeleton, clip);
        for (uint32_t i = 0; i < clip->track_count; i++) {
            const struct pose_track *track = &clip->tracks[i];
            count += track_is_joint(track) && joint_index_find(&index, track) >= 0;
        }
    }
    arena_release(&arena);
    return count;
}
