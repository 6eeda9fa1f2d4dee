/* Resolves what a character refers to, as its family defines (pose_relations). Names and keys are searched
 * in the requesting asset's archive, then on the command line. */
#ifndef POSED_SERVER_LIBRARY_RELATIONS_H
#define POSED_SERVER_LIBRARY_RELATIONS_H

#include "server/library/choose.h"
#include "server/library/documents.h"

enum { RELATIONS_ADDED_MOST = 16, MAX_VARIANTS = 8 };

struct related_mesh {
    struct catalog_item *item; /* NULL: missing */
    char *bone;                /* the bone it is attached to; NULL if unknown */
    char *texture;             /* entry name; NULL if none */
    char *wanted;              /* the name or key requested */
};

/* One of several characters of which one is worn, such as an outfit on another tone of skin. */
struct related_variant {
    char *name;
    struct catalog_item *item;
};

struct relations {
    uint32_t count;
    struct related_mesh *meshes;
    struct skeleton_choice skeleton; /* named by the character; empty if none is */
    uint32_t variant_count;          /* of those that are there; the first is worn */
    struct related_variant variants[MAX_VARIANTS];
    bool has_clips; /* it names its clips, even if none exists */
    uint32_t clip_count;
    struct catalog_item **clips;
    bool needs_others; /* something other than clips is outside its own archive, or missing */
    bool no_memory;    /* incomplete: out of memory */
};

/* May decode bindings, so call it on the pool. False if out of memory; must be released in either case. */
bool relations_find(struct service *service, const struct catalog *catalog, const struct catalog_item *item,
                    const struct pose_character *character, struct relations *relations);
/* The same, for a character that is not decoded yet. False with error. */
bool relations_load(struct service *service, const struct catalog *catalog,
                    const struct catalog_item *character, struct relations *relations,
                    struct pose_error *error);
/* Adds a mesh that the character does not name, unless it has it already; at most RELATIONS_ADDED_MOST. */
void relations_add(struct relations *relations, struct catalog_item *mesh);
void relations_release(struct relations *relations);
/* The skeleton that the character names, else the one that has the most bones of its first available mesh. */
struct skeleton_choice relations_skeleton(const struct catalog *catalog, struct catalog_item *item,
                                          const struct relations *relations);

#endif
