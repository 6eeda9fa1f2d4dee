/*
 * Finds the joint of a skeleton that a clip's track drives. Names are compared byte by byte, a joint's own before
 * aliases; for The Sims, then ignoring case (sims1-character.md, 5). A track of a glTF belongs to its node, named
 * or not. Prime and The Sims 3 match ids first; a Sims 3 joint without an id is matched by the hash of its name
 * (sims3-rig.md).
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
    struct name_index folded; /* names and aliases in lower case; empty unless the rules need it */
    struct joint_id *ids;     /* sorted by id, then by joint */
    uint32_t id_count;
    uint32_t node_count; /* joints that tracks' nodes may refer to; 0: nodes are ignored */
};

/* Returns false if out of memory. */
bool joint_index_init(struct joint_index *index, struct arena *arena, const struct pose_skeleton *skeleton,
                      enum pose_rules rules);
/* Uses the nodes of the clip's tracks if the skeleton has the clip's tree. */
void joint_index_follow(struct joint_index *index, const struct pose_skeleton *skeleton,
                        const struct pose_clip *clip);
/* The joint that the track drives, -1 when there is none. */
int64_t joint_index_find(const struct joint_index *index, const struct pose_track *track);

/* The hash of the joints' names and parents: struct pose_skeleton's tree, for formats whose tracks have nodes. */
uint64_t skeleton_tree(const struct pose_skeleton *skeleton);
/* Whether the clip's tracks are bound to the skeleton's joints. */
bool clip_is_of_tree(const struct pose_clip *clip, const struct pose_skeleton *skeleton);

/* True for a track that belongs to a pose: it drives a transform, or nothing at all. Others only drive morphs. */
bool track_is_joint(const struct pose_track *track);
/* True if it has keys of translation, rotation or scale. */
bool track_drives_joint(const struct pose_track *track);

#endif
