/* archive=: an asset as seen in one of the archives that contain its bytes. */
#ifndef POSED_API_CHOICES_SCOPE_H
#define POSED_API_CHOICES_SCOPE_H

#include "api/protocol/reply.h"

/*
 * Reads archive= and sets the item as that archive has it, and the call's scope. False, with 400 answered, if
 * there is no such archive or the item is not in it (or NULL).
 */
bool scope_item(struct api_call *call, struct catalog_item **item);
/* The same with the archive as text; NULL: no scope. */
bool scope_item_in(struct api_call *call, const char *archive, struct catalog_item **item);
/* Another asset of the request as the scope has it; unchanged if the scope does not contain it or there is
 * no scope. */
struct catalog_item *scope_other(const struct api_call *call, struct catalog_item *item);
/* Whether the item is inside the scope, whose id stands for its contents. False without a scope. */
bool scope_has(const struct api_call *call, const struct catalog_item *item);
/* Whether the chosen skeleton is inside the scope, whose id stands for its contents: then nothing else
 * that is loaded can change the choice. */
bool scope_holds(const struct api_call *call, const struct skeleton_choice *choice);

#endif
