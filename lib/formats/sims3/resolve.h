/* What names tell about Sims 3 clips, and which of them have a name or an id. */
#ifndef POSE_FORMATS_SIMS3_RESOLVE_H
#define POSE_FORMATS_SIMS3_RESOLVE_H

#include "lib/core/bytes/json_writer.h"

#include <stdbool.h>

/* For struct family. */
bool sims3_is_filed(const char *file);
void sims3_describe(const char *name, const char *file, struct json_writer *json);

#endif
