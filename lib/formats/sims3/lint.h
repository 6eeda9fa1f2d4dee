/* Checks of Sims 3 clips, and of meshes on rigs. */
#ifndef POSE_FORMATS_SIMS3_LINT_H
#define POSE_FORMATS_SIMS3_LINT_H

#include "lib/model/lint.h"

/* Reports a clip whose instance id, as given in its file name, belongs to another clip's name; whose own name
 * differs from that in the file name; that has sounds without a name; or that ends long after everything in it. */
void sims3_lint_clip(const struct lint *lint, const struct pose_clip *clip, const char *file);

/* For struct family. */
void sims3_lint(const struct lint *lint, const struct pose_document *document, const char *file);
void sims3_lint_skin(const struct lint *lint, const struct pose_skin *skin);
bool sims3_morph_id(const struct pose_name *name, uint32_t *id);

#endif
