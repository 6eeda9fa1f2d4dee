/* Entries in as little memory as they need. */
#ifndef POSED_SERVER_LIBRARY_ENTRY_TIGHTEN_H
#define POSED_SERVER_LIBRARY_ENTRY_TIGHTEN_H

#include "server/library/index/index.h"

/*
 * The same entry in as little memory as it needs: one block, and what many files have alike is shared (texts.h). It must
 * not have been shared before, nor be changed afterwards: what links change (link.h) stays as it is. Takes over the entry,
 * which is returned unchanged if out of memory. spills: the block may lie in the spill (spill.h).
 */
struct index_entry *index_entry_tighten(struct index_entry *entry, bool spills);
/* Drops what an asset of a tight entry shares with others, except its search texts. */
void entry_drop_shared(const struct index_asset *asset);

#endif
