/* What skeletons, meshes and characters have in common in lists, and how lists of them are filtered. */
#ifndef POSED_API_VIEWS_ASSET_JSON_H
#define POSED_API_VIEWS_ASSET_JSON_H

#include "api/protocol/lists.h"

void jsonw_id(struct json_writer *json, const char *key, const struct asset_id *id);
/* A time as RFC 3339 has it, in UTC; one before 1970 (which says that it is not known) is left out. */
void jsonw_time(struct json_writer *json, const char *key, int64_t ms);
void jsonw_optional_id(struct json_writer *json, const char *key, const struct asset_id *id); /* NULL: null */
/* "id", "name", "format", "archive", "entry" and what its kind sums up, into an open object. item NULL: one that is
 * shipped. */
void asset_head(struct json_writer *json, const struct catalog *catalog, const struct index_asset *asset,
                const struct catalog_item *item, const char *format);
/* The list of a kind, see list_read. */
enum api_outcome asset_list(struct api_call *call, enum asset_kind kind);

#endif
