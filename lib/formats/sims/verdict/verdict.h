/* Whether The Sims and The Sims Online would play a skill or draw a mesh. */
#ifndef POSE_FORMATS_SIMS_VERDICT_VERDICT_H
#define POSE_FORMATS_SIMS_VERDICT_VERDICT_H

#include "lib/formats/family.h"

/* Whether the bone is one of a figure of the game; for struct target. */
bool sims_has_bone(const struct pose_track *track);
/* For struct family. */
void sims_judge(struct arena *arena, const struct pose_document *document, pose_judge *tell, void *user);

#endif
