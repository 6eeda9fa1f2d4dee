/* What bytes are: the JSON of POST /v1/inspect and of `posed info --json`. */
#ifndef POSED_API_INSPECTION_H
#define POSED_API_INSPECTION_H

#include "server/index.h"

/*
 * Decodes all of it and appends the description to out. False with error when the bytes are of no known format, or one
 * broken file: nothing is appended then. format, game and neighbours may be NULL; found is the format that was
 * found out, NULL when none was.
 */
bool inspect_bytes(const char *name, struct pose_bytes bytes, const char *format, const char *game,
                   const struct index_neighbours *neighbours, const struct index_options *options,
                   struct pose_buffer *out, const char **found, struct pose_error *error);

#endif
