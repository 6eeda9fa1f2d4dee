/* One archive of the index: its life, and what its directory says of its entries. */
#ifndef POSED_SERVER_LIBRARY_INDEX_ARCHIVE_H
#define POSED_SERVER_LIBRARY_INDEX_ARCHIVE_H

#include "server/library/entry/entry.h"

/* Drops entries that are NULL and builds the table of names. */
void archive_finish(struct index_archive *archive);
/* Sets time and digest, as the last step before the archive is shared. It must not change afterwards. */
void archive_seal(struct index_archive *archive);
bool archive_is_sealed(const struct index_archive *archive);
/* What the directory of a container, or of the open container nested in it, says about an entry. */
struct entry_facts container_facts(const struct index_archive *archive, uint32_t entry);
/* Whether the bytes of that entry should be decoded. */
bool container_wants_decoding(const struct entry_facts *facts);

#endif
