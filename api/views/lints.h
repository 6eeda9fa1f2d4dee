/* What a modder should know of an archive beyond broken files: lints of single files, and of what belongs together. */
#ifndef POSED_API_VIEWS_LINTS_H
#define POSED_API_VIEWS_LINTS_H

#include "server/library/catalog.h"
#include "lib/core/bytes/json_writer.h"

/*
 * Looks at the first archive of a catalogue, at bytes that lie in it several times once. Adds items ({code, severity,
 * message, entry}) to the open array: those of pose_lint for each file; of pose_lint_clip on the skeleton given (NULL:
 * on the archive's own that knows the most tracks and at least half of them); "missing_bone" of meshes on the archive's
 * skeleton that knows them best; "missing_mesh" of suits.
 */
void lint_archive(struct json_writer *json, const struct catalog *catalog,
                  const struct pose_skeleton *skeleton, const struct pose_options *options);

#endif
