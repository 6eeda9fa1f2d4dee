/*
 * The entries of one archive say things of each other, as their game has it: what a clip is called, which skeleton it is
 * on, where its events are (struct pose_link). And some call each other by numbers, which are found here.
 */
#ifndef POSED_SERVER_LIBRARY_INDEX_LINK_H
#define POSED_SERVER_LIBRARY_INDEX_LINK_H

#include "server/library/index/index.h"

/* Links an archive, once; its entries are all there and not yet shared. */
void index_link(struct index_archive *archive);

/* The entry of that format and id (see pose_resource_id), -1 when there is none. */
int64_t index_find_resource(const struct index_archive *archive, const char *format, uint64_t id);

#endif
