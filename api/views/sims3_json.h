/* What the API and the command line say about names of The Sims 3. */
#ifndef POSED_API_VIEWS_SIMS3_JSON_H
#define POSED_API_VIEWS_SIMS3_JSON_H

#include "server/library/catalog.h"
#include "lib/core/bytes/json_writer.h"

/* {"name","fnv32","fnv64","clip_id"} */
void sims3_hashes(struct json_writer *json, const char *name);

/* "0x" and 1 to 16 hex digits. */
bool sims3_parse_id(const char *text, uint64_t *id);

/* What the game of a clip knows by its name, and by that of the first place that it is filed under, into an open object. */
void clip_names(struct json_writer *json, const struct catalog *catalog, const struct catalog_item *item);

/*
 * The fallback chain of a name (the clip itself, then the one that stands for every age), or with name NULL of an id,
 * whose name is looked for among the clips, name maps, bones and morphs that are known; for each link its id, its name,
 * who it is for, and the entries of the archives that have it.
 */
void sims3_resolution(struct json_writer *json, const char *name, uint64_t id,
                      struct index_archive *const *archives, uint32_t count);

#endif
