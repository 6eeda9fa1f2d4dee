/* Describes unknown bytes: the JSON of POST /v1/inspect and of `posed info --json`. */
#ifndef POSED_API_VIEWS_INSPECTION_H
#define POSED_API_VIEWS_INSPECTION_H

#include "server/library/index/upload.h"

/*
 * The bytes to inspect and their name. All other fields may be NULL: format and game are forced for a file,
 * neighbours has its companion files, and clips are checked on the skeleton.
 */
struct inspected {
    const char *name;
    struct pose_bytes bytes;
    const char *format, *game;
    const struct index_neighbours *neighbours;
    const struct pose_skeleton *skeleton;
};

/* Appends the description of a sound archive (index_verdict), already indexed with these options, to out. */
void inspect_archive(struct index_archive *archive, const struct inspected *what,
                     const struct index_options *options, struct pose_buffer *out);

/*
 * Decodes everything and appends the description to out. False with error, and nothing appended, if the bytes are
 * of no known format or are one broken file. found is the detected format, or NULL.
 */
bool inspect_bytes(const struct inspected *what, const struct index_options *options, struct pose_buffer *out,
                   const char **found, struct pose_error *error);

#endif
