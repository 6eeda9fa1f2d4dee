/* JSON of a clip's metadata. */
#ifndef POSED_API_VIEWS_CLIP_JSON_H
#define POSED_API_VIEWS_CLIP_JSON_H

#include "api/protocol/reply.h"

/* Writes an object. With a document it includes the joints; with a skeleton also the names that the file
 * has only as hashes or ids. A clip that is not stored has no links and no skeleton. scope: the archive
 * that the links name; NULL: none. */
void clip_metadata(struct json_writer *json, const struct catalog *catalog, struct catalog_item *item,
                   const struct pose_document *document, const struct pose_skeleton *skeleton, bool kept,
                   const struct index_archive *scope);
/* Writes an object as of a list: without the joints, and with how many versions of the clip there are. */
void clip_row(struct json_writer *json, const struct catalog *catalog, struct catalog_item *item,
              uint32_t versions, const struct index_archive *scope);
/* Writes "id" … "entry" of any asset into an open object. */
void clip_head(struct json_writer *json, const struct catalog *catalog, const struct catalog_item *item);
/* The clip JSON of /keys, with every key and event, which depends on the file alone; in glTF's axes, or as
 * stored. */
void clip_keys(struct json_writer *json, const struct index_asset *asset, const struct index_entry *entry,
               const struct pose_document *document, bool gltf);

#endif
