/*
 * Relations in a pak of Metroid Prime: a character set names its animations, which play clips by id, and their
 * skeletons and events. Ids are taken from the start of entry names, so a folder of unpacked files can be linked
 * as well.
 */
#ifndef POSE_FORMATS_PRIME_JOIN_H
#define POSE_FORMATS_PRIME_JOIN_H

#include "lib/formats/family.h"

/* A clip played by one of the set's animations; in the order of the animations. */
struct prime_leaf {
    uint32_t anim;      /* its id */
    uint32_t animation; /* index in the set */
    const char *name;   /* of the animation */
};

struct prime_wearer {
    uint32_t cinf, cskr, cmdl;
    uint32_t count;
    const uint32_t *animations; /* [count] numbers, sorted */
};

struct prime_events_of {
    uint32_t anim, evnt;
};

/* The stored facts of a character set. */
struct prime_facts {
    uint32_t leaf_count, wearer_count, events_count, event_set_count;
    const struct prime_leaf *leaves;
    const struct prime_wearer *wearers;   /* its characters */
    const struct prime_events_of *events; /* first game only */
};

/* For struct family. */
void prime_write_facts(const struct pose_document *document, struct arena *arena, struct writer *writer);
bool prime_link(struct link_job *job);
bool prime_resource_id(const char *entry_name, uint64_t *id);
bool prime_relations(const struct pose_character *character, struct pose_bytes facts, pose_relate *relate,
                     void *user);

/* From stored bytes, into which the names point. False if the bytes are invalid, or out of memory. */
bool prime_read_facts(struct pose_bytes bytes, struct arena *arena, struct prime_facts *facts);
/* The index of the first leaf of that or a later animation; leaf_count if there is none. */
uint32_t prime_first_leaf(const struct prime_facts *facts, uint32_t animation);

#endif
