/* Search texts of an asset beyond its name: its joints and events. */
#ifndef POSED_SERVER_LIBRARY_ENTRY_KEYWORDS_H
#define POSED_SERVER_LIBRARY_ENTRY_KEYWORDS_H

#include "server/library/index/index.h"

/* Sets words, events and loop of a clip, or words of a skeleton or mesh; asset is one of the document's. */
void index_keywords(const struct pose_document *document, struct index_asset *asset);

#endif
