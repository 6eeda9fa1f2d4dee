/*
 * What lists show of an asset and what skeleton=auto needs to know about it, taken from its document: asset must be zeroed,
 * except for its name and the fields that the caller has set. If the region has failed, something is missing.
 */
#ifndef POSED_SERVER_LIBRARY_ENTRY_SUMMARY_H
#define POSED_SERVER_LIBRARY_ENTRY_SUMMARY_H

#include "server/library/index/index.h"

/* The clip of the document at asset->inner. */
void index_summarise_clip(struct region *region, const struct pose_document *document,
                          struct index_asset *asset);
/* How many keys a clip has, as its summary says. */
uint32_t index_key_count(const struct index_asset *asset);
/* Also gives it the skeleton's name if it has none. */
void index_summarise_skeleton(struct region *region, const struct pose_skeleton *skeleton,
                              struct index_asset *asset);
void index_summarise_mesh(struct region *region, const struct pose_mesh *mesh, struct index_asset *asset);
void index_summarise_image(struct region *region, const struct pose_image *image, struct index_asset *asset);
void index_summarise_character(struct region *region, const char *format,
                               const struct pose_character *character, struct index_asset *asset);

#endif
