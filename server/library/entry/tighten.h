/* Entries in as little memory as they need, see index_entry_tighten. */
#ifndef POSED_SERVER_LIBRARY_ENTRY_TIGHTEN_H
#define POSED_SERVER_LIBRARY_ENTRY_TIGHTEN_H

#include "server/library/index/index.h"

/* Drops what an asset of a tight entry shares with others, except its search texts. */
void entry_drop_shared(const struct index_asset *asset);

#endif
