/* What parts of sims and objects consist of. */
#ifndef POSE_FORMATS_SIMS3_BODY_RELATIONS_H
#define POSE_FORMATS_SIMS3_BODY_RELATIONS_H

#include "lib/formats/family.h"

/* For struct family. A resource's id is its instance: taken from "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII" and
 * "name_0xIIIIIIIIIIIIIIII", otherwise the hash of the name. */
bool sims3_resource_id(const char *entry_name, uint64_t *id);
bool sims3_relations(const struct pose_character *character, struct pose_bytes facts, pose_relate *relate,
                     void *user);

#endif
