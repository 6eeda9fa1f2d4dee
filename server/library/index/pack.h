/* Serialises indexed entries for the index cache. */
#ifndef POSED_SERVER_LIBRARY_INDEX_PACK_H
#define POSED_SERVER_LIBRARY_INDEX_PACK_H

#include "server/library/index/entry.h"

/* Increase it whenever the layout or the input of ids changes. */
enum { INDEX_PACK_VERSION = 5 };

/* False for an entry that cannot be cached: one that is linked with others of its archive, or one that
 * exceeded a limit, which may change; also if out of memory. */
bool index_pack(const struct index_entry *entry, struct pose_buffer *buffer);
/* NULL if the bytes are not a valid entry. */
struct index_entry *index_unpack(const void *bytes, size_t size, const struct file_stamp *stamp);

#endif
