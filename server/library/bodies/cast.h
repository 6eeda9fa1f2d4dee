/* Casting: the body that a clip is shown with. */
#ifndef POSED_SERVER_LIBRARY_CAST_H
#define POSED_SERVER_LIBRARY_CAST_H

#include "server/library/bodies/parts.h"

struct cast {
    const struct catalog *catalog;  /* of everything here */
    struct catalog_item *character; /* NULL: the meshes of the clip's own file, or nobody */
    struct relations relations;     /* its meshes, and those laid on it; count 0: nobody */
    /* Everything is from one archive, and nothing that is outside could change the choice. */
    bool is_inside;
};

/* The clip that plays, and on what. */
struct scene_setting {
    const struct catalog *catalog;
    const struct catalog_item *clip;    /* NULL, or of another catalogue: it has no say */
    uint32_t archive;                   /* searched before the PATHs; UINT32_MAX: none */
    const struct index_asset *skeleton; /* that it plays on */
};

/*
 * Chooses the meshes of the clip's own file on its skeleton; else a character on the skeleton, of the archive, else of
 * a PATH: first one that names the clip, then one that is a whole body. worn: what is laid on a character; NULL: what
 * fits the places that are free on it.
 * At most 64 characters of each are looked at. False with error; must be released in either case. May decode, so call
 * it on the pool.
 */
bool cast_find(struct service *service, const struct scene_setting *setting, const struct worn_parts *worn,
               struct cast *cast, struct pose_error *error);
/* The same for a given character. */
bool cast_character(struct service *service, const struct catalog *catalog, struct catalog_item *character,
                    const struct worn_parts *worn, struct cast *cast, struct pose_error *error);
void cast_release(struct cast *cast);

#endif
