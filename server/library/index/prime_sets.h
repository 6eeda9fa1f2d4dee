/*
 * Who belongs to whom in a pak of Metroid Prime: a character set names its animations, which play clips by id, and the
 * skeletons and events of these. Ids are those that the entries' names begin with, so a folder of what was unpacked is
 * linked as well.
 */
#ifndef POSED_SERVER_LIBRARY_INDEX_PRIME_SETS_H
#define POSED_SERVER_LIBRARY_INDEX_PRIME_SETS_H

#include "server/library/index/index.h"

/* A clip that an animation of the set plays, in the order of the animations. */
struct prime_leaf {
    uint32_t anim;      /* its id */
    uint32_t animation; /* number in the set */
    const char *name;   /* of the animation */
};

struct prime_member {
    uint32_t cinf, cskr;
    uint32_t count;
    const uint32_t *animations; /* [count] numbers, sorted */
};

struct prime_events_of {
    uint32_t anim, evnt;
};

/* What an index keeps of a character set. */
struct prime_set {
    uint32_t leaf_count, member_count, events_count, event_set_count;
    const struct prime_leaf *leaves;
    const struct prime_member *members;
    const struct prime_events_of *events; /* the first game's */
};

/* Of the document of a character set, in the region. */
const struct prime_set *prime_set_new(struct region *region, const struct pose_document *document);

/* The id that an entry's name begins with: "000000A1_walk.ANIM". False when it begins with none. */
bool prime_resource_id(const char *entry_name, uint32_t *id);
/* The entry of that format and id, -1 when there is none. */
int64_t prime_find_resource(const struct index_archive *archive, const char *format, uint32_t id);

/* The first leaf of that animation or of a later one; leaf_count when there is none. */
uint32_t prime_first_leaf(const struct prime_set *set, uint32_t animation);

/* Gives the clips of an archive, whose entries are all there and not yet shared, their names, skeletons and events. */
void prime_link(struct index_archive *archive);

#endif
