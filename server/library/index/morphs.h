/* Names of morphs from the name maps of packages. */
#ifndef POSED_SERVER_LIBRARY_INDEX_MORPHS_H
#define POSED_SERVER_LIBRARY_INDEX_MORPHS_H

#include "server/library/index/index.h"

/* Fills in the morphs of an archive that has just been opened. */
void index_list_morphs(struct index_archive *archive);

#endif
