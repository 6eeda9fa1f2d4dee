/*
 * A clip on a skeleton, ready to be sampled: the two documents, the sampler between them, and the JSON text of
 * everything that does not change with time. Cached like a document.
 */
#ifndef POSED_SERVER_LIBRARY_PLAYER_H
#define POSED_SERVER_LIBRARY_PLAYER_H

#include "server/library/choose.h"
#include "server/library/documents.h"
#include "server/library/pose_text.h"

/* A clip of one person on another's skeleton. What it points to must outlive the call only. */
struct carrying {
    struct skeleton_choice onto;
    unsigned flags; /* POSE_RETARGET_… */
    const struct pose_bone_map *map, *map_onto;
    uint32_t map_count, map_onto_count;
    const struct pose_joint_pair *pairs;
    uint32_t pair_count;
    struct asset_id digest; /* of all but the clip and the skeleton that it stands on */
};

struct player {
    struct cache_object object;
    struct decoded *clip_document, *skeleton_document; /* the second NULL without, or when shipped */
    const struct pose_clip *clip;
    const struct pose_skeleton *skeleton; /* NULL: none */
    const struct pose_sampler *sampler;   /* of the retargeting when there is one */
    struct pose_sampler *own;
    struct decoded *onto_document;
    const struct pose_skeleton *source_skeleton; /* that the clip stands on, when it is carried to another */
    struct pose_humanoid *source, *target;
    struct pose_retarget *retarget;
    struct pose_text *local, *model; /* model NULL without a skeleton */
};

/* Referenced; NULL as document_get. carrying NULL: on the skeleton as it is. */
struct player *player_get(struct service *service, const struct catalog *catalog,
                          const struct catalog_item *clip, const struct skeleton_choice *skeleton,
                          enum pose_axes axes, const struct carrying *carrying, struct fetch *fetch);
/* The two people and what goes from one to the other; false with error, whose field is the parameter that is wrong. */
bool carrying_compile(const struct carrying *carrying, const struct pose_clip *clip,
                      const struct pose_skeleton *from, const struct pose_skeleton *to, enum pose_axes axes,
                      const struct pose_options *options, struct pose_humanoid *people[2],
                      struct pose_retarget **retarget, struct pose_error *error);
void player_put(struct player *player);

#endif
