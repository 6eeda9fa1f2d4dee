/* What people mean by a name: assets of a catalogue, or of one file of it. */
#ifndef POSED_SERVER_LIBRARY_CALLED_H
#define POSED_SERVER_LIBRARY_CALLED_H

#include "lib/core/nearest.h"
#include "server/library/catalog.h"

/* Where they are looked for. */
struct called_in {
    const struct catalog *catalog;
    bool (*has)(const void *user, const struct catalog_item *item); /* NULL: everything is in it */
    const void *user;
};

/* Walks the assets of a kind; NULL at the end. Begin with 0. */
const struct catalog_item *called_next(const struct called_in *in, enum asset_kind kind, uint32_t *next);
/* How many clips are called that, see catalog_is_called; *found: the last of them, unchanged if there is none. */
uint32_t called_find(const struct called_in *in, const char *name, size_t length,
                     const struct catalog_item **found);
/* As many names as fit on a line. */
void called_list(const struct called_in *in, enum asset_kind kind, char *line, size_t capacity);
/* The clip whose name is nearest, as a hint at the end of a message; "" if none is near. */
void called_hint(const struct called_in *in, const char *name, char hint[NEAREST_HINT]);

#endif
