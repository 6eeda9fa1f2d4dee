/*
 * A clip on a skeleton, ready to be sampled: the two documents, the sampler, and the JSON text of everything that
 * does not change with time. Cached like a document.
 */
#ifndef POSED_SERVER_LIBRARY_PLAYER_H
#define POSED_SERVER_LIBRARY_PLAYER_H

#include "server/library/choose.h"
#include "server/library/documents.h"
#include "server/library/pose_text.h"

/* A retargeting to another person's skeleton. All pointers need only be valid during the call. */
struct carrying {
    struct skeleton_choice onto;
    unsigned flags; /* POSE_RETARGET_… */
    const struct pose_bone_map *map, *map_onto;
    uint32_t map_count, map_onto_count;
    const struct pose_joint_pair *pairs;
    uint32_t pair_count;
    struct asset_id digest; /* of everything except the clip and its skeleton */
};

struct player {
    struct cache_object object;
    struct decoded *clip_document,
        *skeleton_document; /* the second is NULL if there is none, or for a built-in one */
    const struct pose_clip *clip;
    const struct pose_skeleton *skeleton; /* NULL: none */
    struct pose_clip turned_clip; /* up=: copies with other axes; what they point to is the documents' */
    struct pose_skeleton turned_skeleton;
    const struct pose_sampler *sampler; /* the retargeting's, if there is one */
    struct pose_sampler *own;
    struct decoded *onto_document;
    const struct pose_skeleton *source_skeleton; /* the clip's own skeleton, if retargeted */
    struct pose_humanoid *source, *target;
    struct pose_retarget *retarget;
    char *codes; /* of its report's warnings, each once, comma-separated; NULL without one */
    struct pose_text *local, *model; /* model is NULL without a skeleton */
};

/* A clip on a skeleton, as a request wants it. */
struct playing {
    const struct catalog_item *clip;
    const struct skeleton_choice *skeleton;
    enum pose_axes axes;
    enum up up;
    const struct carrying *carrying; /* NULL: no retargeting */
};

/* Referenced; NULL as for document_get. */
struct player *player_get(struct service *service, const struct catalog *catalog,
                          const struct playing *playing, struct fetch *fetch);
/* Compiles the retargeting from the person whom the clip moves to the first one of the other skeleton; false with
 * error, whose field is the wrong parameter. */
bool carrying_compile(const struct carrying *carrying, const struct pose_clip *clip,
                      const struct pose_skeleton *from, const struct pose_skeleton *to, enum pose_axes axes,
                      const struct pose_options *options, struct pose_humanoid *people[2],
                      struct pose_retarget **retarget, struct pose_error *error);
void player_put(struct player *player);

#endif
