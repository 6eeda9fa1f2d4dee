/*
 * Which joint of a skeleton a clip's track drives. Names compare byte by byte, a joint's own before aliases; for The
 * Sims then without case (sims1-character.md, 5). A glTF's track belongs to its node, named or not. Prime and The Sims 3 know joints by id first, and a Sims 3 joint
 * without an id by the hash of its name (sims3-rig.md).
 */
#ifndef POSE_MODEL_MATCH_H
#define POSE_MODEL_MATCH_H

#include "lib/core/names.h"

struct joint_id {
    uint32_t id;
    uint32_t joint;
};

/* An index over the joints; it points into the skeleton. */
struct joint_index {
    bool ids_first;
    struct name_index names;
    struct name_index aliases;
    struct name_index folded; /* names and aliases in lower case; empty unless the rules ask for it */
    struct joint_id *ids;     /* sorted by id, then by joint */
    uint32_t id_count;
    uint32_t node_count; /* joints that tracks' nodes may mean; 0: they mean none of this skeleton's */
};

/* False when memory is out. */
bool joint_index_init(struct joint_index *index, struct arena *arena, const struct pose_skeleton *skeleton,
                      enum pose_rules rules);
/* Tracks of the clip that say which joint is theirs are believed, when the skeleton has the clip's tree. */
void joint_index_follow(struct joint_index *index, const struct pose_skeleton *skeleton,
                        const struct pose_clip *clip);
/* The joint that the track drives, -1 when there is none. */
int64_t joint_index_find(const struct joint_index *index, const struct pose_track *track);

/* The names and parents of the joints, hashed: what struct pose_skeleton's tree is where tracks say which joint is theirs. */
uint64_t skeleton_tree(const struct pose_skeleton *skeleton);
/* Whether the clip's tracks are bound to the skeleton's joints. */
bool clip_is_of_tree(const struct pose_clip *clip, const struct pose_skeleton *skeleton);

/* True for a track that belongs to a pose: it drives a transform, or nothing at all. Others drive morphs alone. */
bool track_is_joint(const struct pose_track *track);
/* True when it has keys of a translation, rotation or scale. */
bool track_drives_joint(const struct pose_track *track);

#endif
