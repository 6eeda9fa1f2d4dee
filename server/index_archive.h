/* One archive of the index: opening it, its table of names, reading its entries. */
#ifndef POSED_SERVER_INDEX_ARCHIVE_H
#define POSED_SERVER_INDEX_ARCHIVE_H

#include "server/index_entry.h"

struct name_slot {
    uint64_t hash; /* of the base name in lower case */
    uint32_t entry;
};

/* A folder, with an empty place for each of its entries. */
struct index_archive *archive_of_folder(const char *path, uint32_t entry_count);
/* A file that is no container. */
struct index_archive *archive_of_file(const char *path, const struct file_stamp *stamp);
/* A container: opened, with an empty place for each of its entries; error is set when it cannot be opened. */
struct index_archive *archive_of_container(const char *path, const char *name, const char *format,
                                           struct file_bytes *map, const struct pose_options *options);
/* Drops the entries that are NULL and makes the table of names. */
void archive_finish(struct index_archive *archive);
/* What the directory of a container says of an entry. */
struct entry_facts container_facts(const struct index_archive *archive, uint32_t entry);
/* True when the bytes of that entry are to be decoded. */
bool container_wants_decoding(const struct entry_facts *facts);

#endif
