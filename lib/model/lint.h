/* Likely mistakes in a valid file, beyond the warnings of decoding. Each code at most once per asset. */
#ifndef POSE_MODEL_LINT_H
#define POSE_MODEL_LINT_H

#include "lib/core/error.h"
#include "pose.h"

struct lint {
    pose_warn *warn;
    void *user;
};

/* Reports a finding, without an offset. */
void lint_report(const struct lint *lint, enum pose_severity severity, const char *code, const char *format,
                 ...) POSE_PRINTF(4, 5);

/* Checks that an asset is named like its file. Either may be NULL: no check. */
void lint_name(const struct lint *lint, const char *inner, const char *file);
/* Rotation keys off unit length. */
void lint_clip(const struct lint *lint, const struct pose_clip *clip);
/* Rest rotations off unit length. */
void lint_skeleton(const struct lint *lint, const struct pose_skeleton *skeleton);
/* Normals off unit length. */
void lint_mesh(const struct lint *lint, const struct pose_mesh *mesh);
/* Bones that the skeleton lacks. */
void lint_skin(const struct lint *lint, const struct pose_skin *skin);

#endif
