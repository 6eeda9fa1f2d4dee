/* One archive of the index: opening it, its table of names, reading its entries. */
#ifndef POSED_SERVER_LIBRARY_INDEX_ARCHIVE_H
#define POSED_SERVER_LIBRARY_INDEX_ARCHIVE_H

#include "server/library/index/entry.h"

struct name_slot {
    uint64_t hash; /* of the base name in lower case */
    uint32_t entry;
};

/* What is forced rather than found out; NULL: nothing. */
struct index_hints {
    const char *format, *game;
    const struct asset_id *id; /* known from earlier */
};

/* A folder, with an empty place for each of its entries. */
struct index_archive *archive_of_folder(const char *path, uint32_t entry_count);
/* A file that is no container. */
struct index_archive *archive_of_file(const char *path, const struct file_stamp *stamp,
                                      struct pose_bytes bytes);
/* A container (of that format, unless hints, which may be NULL, say another): opened, with an empty place for each of its
 * entries; error is set when it cannot be opened. */
struct index_archive *archive_of_container(const char *path, const char *name, const char *format,
                                           const struct index_hints *hints, struct file_bytes *map,
                                           const struct pose_options *options);
/* Sets the archive's error; always false. */
bool archive_over_limit(struct index_archive *archive, const char *limit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for what there is no memory for. */
bool archive_no_memory(struct index_archive *archive);
/* Drops the entries that are NULL and makes the table of names. */
void archive_finish(struct index_archive *archive);
/* The last step, before others see it: its time and its digest. What is sealed stays as it is. */
void archive_seal(struct index_archive *archive);
/* What the directory of a container, or of the open one inside of it, says of an entry. */
struct entry_facts container_facts(const struct index_archive *archive, uint32_t entry);
/* True when the bytes of that entry are to be decoded. */
bool container_wants_decoding(const struct entry_facts *facts);

#endif
