/* Whether The Sims 3 would play a clip or draw a mesh. */
#ifndef POSE_FORMATS_SIMS3_VERDICT_H
#define POSE_FORMATS_SIMS3_VERDICT_H

#include "lib/formats/family.h"

/* For struct family. */
void sims3_judge(struct arena *arena, const struct pose_document *document, pose_judge *tell, void *user);

#endif
