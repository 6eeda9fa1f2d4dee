/* Whether The Sims and The Sims Online would play a skill or draw a mesh. */
#ifndef POSE_FORMATS_SIMS_VERDICT_VERDICT_H
#define POSE_FORMATS_SIMS_VERDICT_VERDICT_H

#include "lib/formats/family.h"

/* For struct family. */
void sims_judge(struct arena *arena, const struct pose_document *document, pose_judge *tell, void *user);

#endif
