/* What is odd about clips of The Sims 3. */
#ifndef POSE_FORMATS_SIMS3_LINT_H
#define POSE_FORMATS_SIMS3_LINT_H

#include "lib/model/lint.h"

/* A clip whose instance id, as its file's name has it, is of another clip's name; whose own name is not the one there; with
 * sounds without a name; or that ends long after all that happens in it. */
void sims3_lint_clip(const struct lint *lint, const struct pose_clip *clip, const char *file);

/* For struct family. */
void sims3_lint(const struct lint *lint, const struct pose_document *document, const char *file);
bool sims3_morph_id(const struct pose_name *name, uint32_t *id);

#endif
