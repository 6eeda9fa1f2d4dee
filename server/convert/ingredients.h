/*
 * What takes part in a conversion, fetched and held: the clips, the skeleton, meshes and their pictures. Documents of the
 * service's catalogue come through its cache, those of a catalogue of a request's own bytes are decoded aside.
 */
#ifndef POSED_SERVER_CONVERT_INGREDIENTS_H
#define POSED_SERVER_CONVERT_INGREDIENTS_H

#include "server/convert/convert.h"
#include "server/library/documents.h"

enum { INGREDIENT_CLIPS = 1000, INGREDIENT_MESHES = 64, INGREDIENT_IMAGES = 64 };

/* An asset and the catalogue that it is in. */
struct ingredient {
    const struct catalog *catalog;
    const struct catalog_item *item;
};

/* A skeleton; choice.asset NULL: none. */
struct ingredient_skeleton {
    const struct catalog *catalog;
    struct skeleton_choice choice;
};

/* Which way is up in files that do not say it. */
enum up { UP_AUTO, UP_Y, UP_Z };

struct ingredients;

/* common: the service's catalogue, in which companions are found, too. */
struct ingredients *ingredients_new(struct service *service, const struct catalog *common);
void ingredients_free(struct ingredients *ingredients);

/* Each false with error. On the pool: they may decode. */
bool ingredients_add_clip(struct ingredients *ingredients, const struct ingredient *clip,
                          struct pose_error *error);
bool ingredients_set_skeleton(struct ingredients *ingredients, const struct ingredient_skeleton *skeleton,
                              struct pose_error *error);
/* With the picture that it names, or that texture (the name of an entry in its archive), when that is there. */
bool ingredients_add_mesh(struct ingredients *ingredients, const struct ingredient *mesh, const char *texture,
                          struct pose_error *error);

/* Clips of files that do not say which way is up, and the skeleton when it is of one, are up that way whatever their
 * figures look like. False with error when there is none, or memory is out. */
bool ingredients_turn(struct ingredients *ingredients, enum up up, struct pose_error *error);

/* Whether a clip is of a file with Z up. */
bool ingredients_are_z_up(const struct ingredients *ingredients);

/* Fills in what there is; it lives as long as the ingredients. */
void ingredients_list(const struct ingredients *ingredients, struct pose_conversion *conversion);
double ingredients_decode_seconds(const struct ingredients *ingredients);

/* The picture that a mesh names, in its archive; false when there is none. */
bool texture_find(const struct catalog *catalog, uint32_t archive, const char *texture,
                  struct catalog_place *place);

#endif
