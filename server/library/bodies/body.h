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

#endif
