/* New archives of the index, with slots for entries that somebody fills. */
#ifndef POSED_SERVER_LIBRARY_INDEX_MAKING_H
#define POSED_SERVER_LIBRARY_INDEX_MAKING_H

#include "server/library/index/index.h"

/* Forced properties instead of detected ones; NULL: none. */
struct index_hints {
    const char *format, *game;
    const struct asset_id *id; /* already known */
};

/* An archive for a folder, with an empty slot for each entry. */
struct index_archive *archive_of_folder(const char *path, uint32_t entry_count);
/* An archive for a file that is not a container; id NULL: it is made of the bytes. */
struct index_archive *archive_of_file(const char *path, const struct file_stamp *stamp,
                                      struct pose_bytes bytes, const struct asset_id *id);
/* An archive for a container (of that format unless hints, which may be NULL, force another): opened, with
 * an empty slot for each entry; error is set if it cannot be opened. */
struct index_archive *archive_of_container(const char *path, const char *name, const char *format,
                                           const struct index_hints *hints, struct file_bytes *map,
                                           const struct pose_options *options);

#endif
