/* Meshes ready for drawing: with weights from another entry of the archive, and the pictures that their
 * materials name. */
#ifndef POSED_SERVER_LIBRARY_BODY_H
#define POSED_SERVER_LIBRARY_BODY_H

#include "server/library/documents.h"

/* A loaded mesh, which holds references. */
struct body {
    struct decoded *own, *skin;
    struct pose_document *joined; /* NULL: the mesh is complete without it */
    const struct pose_mesh *mesh;
};

/* False with fetch->outcome as from document_get; must be released in either case. */
bool body_get(struct service *service, const struct catalog *catalog, const struct catalog_item *item,
              struct fetch *fetch, struct body *body);
void body_put(struct body *body);

/* The entry of a picture that a material names by its number in the mesh's archive; false if there is
 * none. */
bool body_find_image(const struct catalog *catalog, uint32_t archive, const char *reference,
                     struct catalog_place *place);
/* The picture file of the mesh's archive that has that name, whatever its folder and extension; false if there is
 * none. Looks at all entries. */
bool body_find_texture(const struct catalog *catalog, uint32_t archive, const char *texture,
                       struct catalog_place *place);
/* The image of that name in the mesh's own document; NULL if it has none. */
const struct pose_image *body_own_image(const struct pose_document *document, const char *reference);

/* The image that a material names (NULL: none), looked for in these three places; NULL if it is not there. mesh,
 * document: the mesh's. searches: how many more times all entries may be looked at, counted down. */
const struct index_asset *body_image_asset(const struct catalog *catalog, struct catalog_place mesh,
                                           const struct pose_document *document, const char *reference,
                                           unsigned *searches);

#endif
