/*
 * Relations between the entries of one archive, as defined by their game: a clip's name, its skeleton, its events
 * (struct pose_link). Also finds entries that others refer to by number.
 */
#ifndef POSED_SERVER_LIBRARY_INDEX_LINK_H
#define POSED_SERVER_LIBRARY_INDEX_LINK_H

#include "server/library/index/index.h"

/* Links an archive, once, when all its entries are present and before it is shared. */
void index_link(struct index_archive *archive);

/* The same for an archive whose entries carry their links, see index_unpack_archive. */
void index_linked_before(struct index_archive *archive);

/* The entry of that format and id (see pose_resource_id), -1 if there is none. */
int64_t index_find_resource(const struct index_archive *archive, const char *format, uint64_t id);

#endif
