/* The metadata of a clip as the API words it. */
#ifndef POSED_API_VIEWS_CLIP_JSON_H
#define POSED_API_VIEWS_CLIP_JSON_H

#include "api/protocol/reply.h"

/* An object: with a document its joints are in it, with a skeleton as well the names of those that the file has but ids
 * of. One that is not kept has no links and no skeleton. scope: the archive that the links name, NULL: none. */
void clip_metadata(struct json_writer *json, const struct catalog *catalog, struct catalog_item *item,
                   const struct pose_document *document, const struct pose_skeleton *skeleton, bool kept,
                   const struct index_archive *scope);
/* "id" … "entry" of any asset, into an open object. */
void clip_head(struct json_writer *json, const struct catalog *catalog, const struct catalog_item *item);
/* The clip JSON of /keys: what depends on the file alone, with every key and event; in glTF's axes, or as stored. */
void clip_keys(struct json_writer *json, const struct index_asset *asset, const struct index_entry *entry,
               const struct pose_document *document, bool gltf);

#endif
