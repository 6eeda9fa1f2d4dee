/*
 * Who belongs to whom among The Sims' files: a suit names its meshes, an appearance its bindings by key, a binding its
 * mesh and texture by key. Names and keys are looked for in the archive of who asks, then on the command line.
 */
#ifndef POSED_SERVER_RELATIONS_H
#define POSED_SERVER_RELATIONS_H

#include "server/documents.h"

struct related_mesh {
    struct catalog_item *item; /* NULL: it is not there */
    char *bone;                /* what it hangs on, NULL when unknown */
    char *texture;             /* the name of the entry, NULL when there is none */
    char *wanted;              /* the name or key that was asked for */
};

struct relations {
    uint32_t count;
    struct related_mesh *meshes;
};

/* May decode bindings, so it is for the pool. */
void relations_find(struct service *service, const struct catalog *catalog, const struct catalog_item *item,
                    const struct pose_character *character, struct relations *relations);
void relations_release(struct relations *relations);

#endif
