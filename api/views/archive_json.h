/* JSON of archives and entries. */
#ifndef POSED_API_VIEWS_ARCHIVE_JSON_H
#define POSED_API_VIEWS_ARCHIVE_JSON_H

#include "api/protocol/reply.h"

/* Writes "id" … "source" of an archive into an open object. */
void archive_head(struct json_writer *json, const struct index_archive *archive);
/* The whole archive with the ids and names of its assets, and what was rejected. */
void archive_whole(struct json_writer *json, const struct index_archive *archive);
/* "rejected": every entry with an error. */
void archive_rejected(struct json_writer *json, const struct index_archive *archive);
void archive_links(struct json_writer *json, const struct index_archive *archive);
void entry_item(struct json_writer *json, const struct index_archive *archive, uint32_t index);

#endif
