/* What parts of sims and objects are made of. */
#ifndef POSE_FORMATS_SIMS3_BODY_RELATIONS_H
#define POSE_FORMATS_SIMS3_BODY_RELATIONS_H

#include "lib/formats/family.h"

/* For struct family. A resource's id is its instance: of "TTTTTTTT-GGGGGGGG-IIIIIIIIIIIIIIII" and "name_0xIIIIIIIIIIIIIIII" as it
 * stands there, else the hash of the name. */
bool sims3_resource_id(const char *entry_name, uint64_t *id);
bool sims3_relations(const struct pose_character *character, struct pose_bytes facts, pose_relate *relate,
                     void *user);

#endif
