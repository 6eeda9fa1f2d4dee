/* Laying further meshes on a character: which may be, and which are worth it (suggest). */
#ifndef POSED_SERVER_LIBRARY_PARTS_H
#define POSED_SERVER_LIBRARY_PARTS_H

#include "server/library/bodies/relations.h"

/* Meshes that a request lays on a character, beside the character's own. */
struct worn_parts {
    unsigned count;
    struct catalog_item *meshes[RELATIONS_ADDED_MOST];
};

/* Whether a mesh may be a body: a hat or a cape hangs on a few bones, and is nobody. The bones of a mesh may be in
 * another entry. */
bool parts_covers_much(const struct index_asset *skeleton, const struct index_asset *mesh);

/* Adds the meshes to those of the character. False with error (other_skeleton) if one is on another skeleton than the
 * character: neither is it chosen for the mesh, nor does it have all its bones and, by the family's naming, its age. */
bool parts_wear(const struct catalog *catalog, struct catalog_item *character, struct relations *relations,
                const struct worn_parts *worn, struct pose_error *error);

enum { SUGGESTIONS_PER_PLACE = 16, MAX_SUGGESTED_PARTS = POSE_PLACES * SUGGESTIONS_PER_PLACE };

struct suggestion {
    struct catalog_item *mesh;
    enum pose_place place;
    double score; /* 0 … 1 */
};

/*
 * Meshes for the places that are free on a character, from its archive and the command line, best first: of its
 * skeleton, age and sex by the family's naming rules; none if these say nothing of its own meshes. At most 10,000
 * meshes of each are considered. Returns their count.
 */
uint32_t parts_suggest(const struct catalog *catalog, struct catalog_item *character,
                       const struct relations *relations, const struct index_asset *skeleton,
                       struct suggestion suggestions[MAX_SUGGESTED_PARTS]);

/*
 * Adds the best suggestion for each free place but those of accessories, from the character's own archive if it has
 * any. Whether nothing outside of that archive was taken, or could ever be.
 */
bool parts_complete(const struct catalog *catalog, struct catalog_item *character,
                    struct relations *relations, const struct index_asset *skeleton);

#endif
