/* Who belongs to whom: what a character names, as its family tells it (pose_relations), among what is there. Names and keys
 * are looked for in the archive of who asks, then on the command line. */
#ifndef POSED_SERVER_LIBRARY_RELATIONS_H
#define POSED_SERVER_LIBRARY_RELATIONS_H

#include "server/library/choose.h"
#include "server/library/documents.h"

struct related_mesh {
    struct catalog_item *item; /* NULL: it is not there */
    char *bone;                /* what it hangs on, NULL when unknown */
    char *texture;             /* the name of the entry, NULL when there is none */
    char *wanted;              /* the name or key that was asked for */
};

struct relations {
    uint32_t count;
    struct related_mesh *meshes;
    struct skeleton_choice skeleton; /* that it names; empty when it names none */
    bool has_clips;                  /* it names its clips, if any */
    uint32_t clip_count;
    struct catalog_item **clips;
    bool no_memory; /* something is missing */
};

/* May decode bindings, so it is for the pool. False when there is no memory; to be released all the same. */
bool relations_find(struct service *service, const struct catalog *catalog, const struct catalog_item *item,
                    const struct pose_character *character, struct relations *relations);
void relations_release(struct relations *relations);
/* The skeleton that the character names, else the one that knows the most bones of the first mesh that is there. */
struct skeleton_choice relations_skeleton(const struct catalog *catalog, struct catalog_item *item,
                                          const struct relations *relations);

#endif
