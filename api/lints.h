/* What a modder should know of an archive beyond broken files: lints of single files, and of what belongs together. */
#ifndef POSED_API_LINTS_H
#define POSED_API_LINTS_H

#include "server/index.h"
#include "server/json_writer.h"

/*
 * Adds items ({code, severity, message, entry}) to the open array: those of pose_lint for each file, "missing_bone" of
 * meshes on the archive's skeleton that knows them best, "missing_mesh" of suits.
 */
void lint_archive(struct json_writer *json, const struct index_archive *archive,
                  const struct pose_options *options);

#endif
