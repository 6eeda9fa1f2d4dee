/* Whether Second Life's viewer accepts an upload, and how it reads BVH. */
#ifndef POSE_FORMATS_SL_VERDICT_H
#define POSE_FORMATS_SL_VERDICT_H

#include "lib/formats/bvh_dialect.h"

extern const struct bvh_dialect sl_bvh_dialect;

/* For struct family. */
void sl_judge(struct arena *arena, const struct pose_document *document, pose_judge *tell, void *user);

#endif
