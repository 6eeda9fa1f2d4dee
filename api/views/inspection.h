/* What bytes are: the JSON of POST /v1/inspect and of `posed info --json`. */
#ifndef POSED_API_VIEWS_INSPECTION_H
#define POSED_API_VIEWS_INSPECTION_H

#include "server/library/index/upload.h"

/*
 * What is asked about: bytes with a name. All but these may be NULL: format and game force those of a file, neighbours
 * have its companions, and clips are looked at on the skeleton.
 */
struct inspected {
    const char *name;
    struct pose_bytes bytes;
    const char *format, *game;
    const struct index_neighbours *neighbours;
    const struct pose_skeleton *skeleton;
};

/* Appends the description of a sound archive (index_verdict), which was indexed as is asked, to out. */
void inspect_archive(struct index_archive *archive, const struct inspected *what,
                     const struct index_options *options, struct pose_buffer *out);

/*
 * Decodes all of it and appends the description to out. False with error when the bytes are of no known format, or one
 * broken file: nothing is appended then. found is the format that was found out, NULL when none was.
 */
bool inspect_bytes(const struct inspected *what, const struct index_options *options, struct pose_buffer *out,
                   const char **found, struct pose_error *error);

#endif
