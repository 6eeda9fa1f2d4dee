/*
 * Who belongs to whom in a pak of Metroid Prime: a character set names its animations, which play clips by id, and the
 * skeletons and events of these. Ids are those that the entries' names begin with, so a folder of what was unpacked is
 * joined as well.
 */
#ifndef POSE_FORMATS_PRIME_JOIN_H
#define POSE_FORMATS_PRIME_JOIN_H

#include "lib/formats/family.h"

/* A clip that an animation of the set plays, in the order of the animations. */
struct prime_leaf {
    uint32_t anim;      /* its id */
    uint32_t animation; /* number in the set */
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

/* What is remembered of a character set. */
struct prime_facts {
    uint32_t leaf_count, wearer_count, events_count, event_set_count;
    const struct prime_leaf *leaves;
    const struct prime_wearer *wearers;   /* its characters */
    const struct prime_events_of *events; /* the first game's */
};

/* For struct family. */
void prime_write_facts(const struct pose_document *document, struct arena *arena, struct writer *writer);
bool prime_link(struct link_job *job);
bool prime_resource_id(const char *entry_name, uint64_t *id);
bool prime_relations(const struct pose_character *character, struct pose_bytes facts, pose_relate *relate,
                     void *user);

/* Of the document of a set; and of its bytes, whose names are pointed at. False when these are broken or memory is out. */
bool prime_take_facts(const struct pose_document *document, struct arena *arena, struct prime_facts *facts);
bool prime_read_facts(struct pose_bytes bytes, struct arena *arena, struct prime_facts *facts);
/* The first leaf of that animation or of a later one; leaf_count when there is none. */
uint32_t prime_first_leaf(const struct prime_facts *facts, uint32_t animation);

#endif
