/* Relations among The Sims' files: a suit names its meshes, an appearance or an outfit its bindings by key, a
 * binding its mesh and texture by key. */
#ifndef POSE_FORMATS_SIMS_RELATIONS_H
#define POSE_FORMATS_SIMS_RELATIONS_H

#include "pose.h"

/* For struct family. */
bool sims_relations(const struct pose_character *character, struct pose_bytes facts, pose_relate *relate,
                    void *user);
bool sims_has_key(const char *key, const char *entry_name, const char *container,
                  const struct pose_entry *row);

#endif
