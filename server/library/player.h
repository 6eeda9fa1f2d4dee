/*
 * A clip on a skeleton, ready to be sampled: the two documents, the sampler between them, and the JSON text of
 * everything that does not change with time. Cached like a document.
 */
#ifndef POSED_SERVER_LIBRARY_PLAYER_H
#define POSED_SERVER_LIBRARY_PLAYER_H

#include "server/library/choose.h"
#include "server/library/documents.h"
#include "server/library/pose_text.h"

struct player {
    struct cache_object object;
    struct decoded *clip_document, *skeleton_document; /* the second NULL without, or when shipped */
    const struct pose_clip *clip;
    const struct pose_skeleton *skeleton; /* NULL: none */
    struct pose_sampler *sampler;
    struct pose_text *local, *model; /* model NULL without a skeleton */
};

/* Referenced; NULL as document_get. */
struct player *player_get(struct service *service, const struct catalog *catalog,
                          const struct catalog_item *clip, const struct skeleton_choice *skeleton,
                          enum pose_axes axes, struct fetch *fetch);
void player_put(struct player *player);

#endif
