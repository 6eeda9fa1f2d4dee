/* What a modder should know of a sound file, beyond what decoding warns about. One finding of a code an asset. */
#ifndef POSE_MODEL_LINT_H
#define POSE_MODEL_LINT_H

#include "lib/core/error.h"
#include "pose.h"

struct lint {
    pose_warn *warn;
    void *user;
};

/* A finding without a place in the file. */
void lint_report(const struct lint *lint, enum pose_severity severity, const char *code, const char *format,
                 ...) POSE_PRINTF(4, 5);

/* An asset whose name should be that of its file. Either may be NULL: then nothing can be said. */
void lint_name(const struct lint *lint, const char *inner, const char *file);
/* Rotation keys off unit length. */
void lint_clip(const struct lint *lint, const struct pose_clip *clip);
/* Rest rotations off unit length. */
void lint_skeleton(const struct lint *lint, const struct pose_skeleton *skeleton);
/* Normals off unit length. */
void lint_mesh(const struct lint *lint, const struct pose_mesh *mesh);

#endif
