/* Whether Metroid Prime 1 or 2 would play a clip or draw a model. */
#ifndef POSE_FORMATS_PRIME_VERDICT_H
#define POSE_FORMATS_PRIME_VERDICT_H

#include "lib/formats/family.h"

/* For struct family. */
void prime_judge(struct arena *arena, const struct pose_document *document, pose_judge *tell, void *user);

#endif
