/* One archive of the index: opening it, its table of names, reading its entries. */
#ifndef POSED_SERVER_LIBRARY_INDEX_ARCHIVE_H
#define POSED_SERVER_LIBRARY_INDEX_ARCHIVE_H

#include "server/library/entry/entry.h"

struct name_slot {
    uint64_t hash; /* of the base name in lower case */
    uint32_t entry;
};

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
/* Drops entries that are NULL and builds the table of names. */
void archive_finish(struct index_archive *archive);
/* The names of all entries, sorted: how they compare, that of one entry, and some of them. */
int archive_compare_names(const void *a, const void *b);
struct name_slot archive_name_slot(const struct index_archive *archive, uint32_t entry);
void archive_sort_names(struct name_slot *names, uint32_t count);
void archive_fill_names(const struct index_archive *archive, struct name_slot *names);
/* Sets time and digest, as the last step before the archive is shared. It must not change afterwards. */
void archive_seal(struct index_archive *archive);
bool archive_is_sealed(const struct index_archive *archive);
/* What the directory of a container, or of the open container nested in it, says about an entry. */
struct entry_facts container_facts(const struct index_archive *archive, uint32_t entry);
/* Whether the bytes of that entry should be decoded. */
bool container_wants_decoding(const struct entry_facts *facts);

#endif
