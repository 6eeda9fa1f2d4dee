/* mesh=, character=, with=: what a clip is shown as. */
#ifndef POSED_API_CHOICES_BODY_H
#define POSED_API_CHOICES_BODY_H

#include "api/choices/scope.h"
#include "api/choices/skeleton.h"
#include "server/library/bodies/cast.h"
#include "server/library/warnings.h"

enum body_kind {
    BODY_UNSAID, /* auto where something can have a body */
    BODY_AUTO,
    BODY_BONES,
    BODY_MANNEQUIN,
    BODY_NONE,
    BODY_MESHES,    /* given by their ids */
    BODY_CHARACTER, /* given by its id */
};

enum { MAX_BODY_MESHES = 16 };

struct body_choice {
    enum body_kind kind;
    unsigned mesh_count;
    struct ingredient meshes[MAX_BODY_MESHES];
    const struct catalog *catalog;  /* the character's */
    struct catalog_item *character; /* NULL: none */
    bool is_dressed;                /* with= says what is laid on it; else that which fits */
    struct worn_parts worn;
};

/* Reads mesh=, character= and with=. Meshes and characters are taken from the archive of archive=, if they are in it.
 * False with error. */
bool body_read(const struct choice_place *from, struct body_choice *choice, struct param_error *error);
/* Reads with=: meshes laid on a character, from its archive if they are in it; "none": none. False with error. */
bool body_read_worn(const struct params *params, const struct catalog *catalog,
                    const struct catalog_item *character, struct worn_parts *worn, struct param_error *error);

/* For what a body is wanted. */
struct body_stage {
    struct service *service;
    const struct catalog *common;    /* the service's */
    const struct ingredient *clip;   /* NULL: none */
    struct skeleton_choice skeleton; /* that it plays on; asset NULL: none */
    bool is_carried; /* by retargeting, so that the skeleton's archive counts instead of the clip's */
};

/* Adds the chosen meshes, those of the chosen character, or for auto of the one that is found, with their textures.
 * Warns of those that are missing. False with error. May decode, so call it on the pool. */
bool body_gather(const struct body_choice *choice, const struct body_stage *stage,
                 struct ingredients *ingredients, struct warnings *warnings, struct pose_error *error);
/* Whether body_gather depends only on the archive of the call's scope. May decode. */
bool body_is_inside(const struct api_call *call, const struct body_choice *choice,
                    const struct body_stage *stage);
/* Whether body_gather depends on more than the ids of the choice: on archives. */
bool body_depends(const struct body_choice *choice);
/* Adds everything that body_gather depends on. */
struct asset_id body_digest(struct asset_id digest, const struct body_choice *choice,
                            const struct body_stage *stage);

/* The mannequin on the figure that the clip moves; clip NULL: on the first person. NULL with error if that is not a
 * person; with POSE_OK if the kind does not insist. */
struct pose_document *body_mannequin(const struct pose_skeleton *skeleton, const struct pose_clip *clip,
                                     enum body_kind kind, const struct pose_options *options,
                                     struct pose_error *error);
/* Adds the meshes of a character, with their textures; warns of those that are missing. False with error. */
bool body_add_character(struct ingredients *ingredients, const struct catalog *catalog,
                        const struct relations *relations, struct warnings *warnings,
                        struct pose_error *error);

#endif
