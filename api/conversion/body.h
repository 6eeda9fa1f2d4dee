/* mesh=: what a clip is shown as. */
#ifndef POSED_API_CONVERSION_BODY_H
#define POSED_API_CONVERSION_BODY_H

#include "api/protocol/params.h"
#include "server/convert/ingredients.h"
#include "server/library/parts.h"

enum body_kind {
    BODY_UNSAID,
    BODY_AUTO,
    BODY_BONES,
    BODY_MANNEQUIN,
    BODY_NONE,
    BODY_MESHES, /* given by their ids */
};

enum { BODY_MESHES_MOST = 16 };

struct body_choice {
    enum body_kind kind;
    unsigned mesh_count;
    struct ingredient meshes[BODY_MESHES_MOST];
};

/*
 * Reads mesh=. own: the catalogue of the request's own bytes, searched first; NULL: none. Meshes are taken from the
 * archive of archive=, if they are in it. False with error.
 */
bool body_read(const struct params *params, const struct catalog *common, const struct catalog *own,
               struct body_choice *choice, struct param_error *error);
/* Reads with=: meshes laid on a character, from its archive if they are in it. False with error. */
bool body_read_worn(const struct params *params, const struct catalog *catalog,
                    const struct catalog_item *character, struct worn_parts *worn, struct param_error *error);
/* The mannequin on a skeleton. NULL with error if that is not a person's; with POSE_OK if the kind does not insist. */
struct pose_document *body_mannequin(const struct pose_skeleton *skeleton, enum body_kind kind,
                                     const struct pose_options *options, struct pose_error *error);
/* Adds the meshes of a character, with their textures; warns of those that are missing. False with error. */
bool body_add_character(struct ingredients *ingredients, const struct catalog *catalog,
                        const struct relations *relations, struct convert_warnings *warnings,
                        struct pose_error *error);

#endif
