/*
 * The inputs of a conversion or a picture, loaded and held: clips, skeleton, meshes and their pictures. Documents of the
 * service's catalogue come from its cache; those of a request's own bytes are decoded separately.
 */
#ifndef POSED_SERVER_LIBRARY_INGREDIENTS_H
#define POSED_SERVER_LIBRARY_INGREDIENTS_H

#include "server/library/documents.h"
#include "server/ops/region.h"

enum { INGREDIENT_CLIPS = 1000, INGREDIENT_MESHES = 64, INGREDIENT_IMAGES = 64 };

/* An asset and its catalogue. */
struct ingredient {
    const struct catalog *catalog;
    const struct catalog_item *item;
};

/* The asset of that id in own (NULL: nothing) or else in common; false if neither has it. */
bool ingredient_find(const struct catalog *common, const struct catalog *own, enum asset_kind kind,
                     const struct asset_id *id, struct ingredient *found);

/* A skeleton; choice.asset NULL: none. */
struct ingredient_skeleton {
    const struct catalog *catalog;
    struct skeleton_choice choice;
};

struct ingredients;

/* common: the service's catalogue, which is also searched for companions. */
struct ingredients *ingredients_new(struct service *service, const struct catalog *common);
void ingredients_free(struct ingredients *ingredients);

/* Each returns false with error. May decode, so call on the pool. */
bool ingredients_add_clip(struct ingredients *ingredients, const struct ingredient *clip,
                          struct pose_error *error);
/* Adds a clip that was made for this conversion; it must outlive the ingredients. */
bool ingredients_put_clip(struct ingredients *ingredients, const struct pose_conversion_clip *clip,
                          struct pose_error *error);
bool ingredients_set_skeleton(struct ingredients *ingredients, const struct ingredient_skeleton *skeleton,
                              struct pose_error *error);
/* Adds a mesh with its texture, if found: the named entry of its archive, or else the picture that the
 * mesh names. */
bool ingredients_add_mesh(struct ingredients *ingredients, const struct ingredient *mesh, const char *texture,
                          struct pose_error *error);

/* Forces the up axis of clips in files that do not specify one, and of a skeleton from such a file,
 * whatever their figures look like. False with error if there is none, or out of memory. */
bool ingredients_turn(struct ingredients *ingredients, enum up up, struct pose_error *error);

/* Whether a clip is from a file with Z up. */
bool ingredients_are_z_up(const struct ingredients *ingredients);

/* Fills in pointers to the ingredients, borrowed as long as these live. */
void ingredients_list(const struct ingredients *ingredients, struct pose_conversion *conversion);
double ingredients_decode_seconds(const struct ingredients *ingredients);

#endif
