/* The common part of skeletons, meshes and characters in lists, and the filters of those lists. */
#ifndef POSED_API_VIEWS_ASSET_JSON_H
#define POSED_API_VIEWS_ASSET_JSON_H

#include "api/protocol/lists.h"

void jsonw_id(struct json_writer *json, const char *key, const struct asset_id *id);
/* A time in UTC as in RFC 3339; a time before 1970, which means unknown, is left out. */
void jsonw_time(struct json_writer *json, const char *key, int64_t ms);
void jsonw_optional_id(struct json_writer *json, const char *key, const struct asset_id *id); /* NULL: null */
/* Writes "id", "name", "format", "archive", "entry" and the summary of its kind into an open object. item
 * NULL: a built-in asset. */
void asset_head(struct json_writer *json, const struct catalog *catalog, const struct index_asset *asset,
                const struct catalog_item *item, const char *format);
/* The list of one kind, see list_read. */
enum api_outcome asset_list(struct api_call *call, enum asset_kind kind);

#endif
