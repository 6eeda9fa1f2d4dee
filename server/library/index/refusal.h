/* Why an archive cannot be served: the error that it carries. */
#ifndef POSED_SERVER_LIBRARY_INDEX_REFUSAL_H
#define POSED_SERVER_LIBRARY_INDEX_REFUSAL_H

#include "server/library/index/index.h"

/* Stores a copy of the error, or "out of memory" when the copy cannot be allocated. */
void archive_set_error(struct index_archive *archive, const struct pose_error *error);
/* The archive exceeds the limit of that name. Always returns false. */
bool archive_over_limit(struct index_archive *archive, const char *limit, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Out of memory. Always returns false. */
bool archive_no_memory(struct index_archive *archive);

#endif
