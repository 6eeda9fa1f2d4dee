/* An indexed entry as bytes, and back: what the cache of indexes keeps. */
#ifndef POSED_SERVER_LIBRARY_INDEX_PACK_H
#define POSED_SERVER_LIBRARY_INDEX_PACK_H

#include "server/library/index/entry.h"

/* Another number whenever the layout changes, or what ids are made of. */
enum { INDEX_PACK_VERSION = 5 };

/* False when it is none that can be kept: one that is linked with others of its archive, or one that
 * was over a limit, which may be another next time; or there is no memory for the bytes. */
bool index_pack(const struct index_entry *entry, struct pose_buffer *buffer);
/* NULL when the bytes are no entry. */
struct index_entry *index_unpack(const void *bytes, size_t size, const struct file_stamp *stamp);

#endif
