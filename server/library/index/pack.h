/* Serialises indexed entries for the index cache, and whole uploads for the store. */
#ifndef POSED_SERVER_LIBRARY_INDEX_PACK_H
#define POSED_SERVER_LIBRARY_INDEX_PACK_H

#include "server/library/entry/entry.h"

/* Increase it whenever the layout or the input of ids changes. */
enum { INDEX_PACK_VERSION = 7 };
/* Of the decoder and the layout: what another revision has packed is made anew. */
uint32_t index_pack_revision(void);

/* False for an entry that cannot be cached: one that is linked with others of its archive, or one that
 * exceeded a limit, which may change; also if out of memory. */
bool index_pack(const struct index_entry *entry, struct pose_buffer *buffer);
/* NULL if the bytes are not a valid entry. */
struct index_entry *index_unpack(const void *bytes, size_t size, const struct file_stamp *stamp);

/*
 * All entries of an upload with their links and its nested containers. False if one of them exceeded a limit, which
 * may change, or could not be read; also if out of memory.
 */
bool index_pack_archive(const struct index_archive *archive, struct pose_buffer *buffer);
bool index_packed_is_container(struct pose_bytes packed);
/*
 * Fills the slots of an archive that has just been opened. False if the bytes are damaged or do not fit it: it can
 * then only be released.
 */
bool index_unpack_archive(struct pose_bytes packed, struct index_archive *archive);

#endif
