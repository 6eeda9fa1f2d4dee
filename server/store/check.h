/* Whether a store could be opened, without opening it. */
#ifndef POSED_SERVER_STORE_CHECK_H
#define POSED_SERVER_STORE_CHECK_H

#include "server/store/draft.h"

/*
 * Whether store_open would find the folder fit: it is one, or can be made; what it has to write can be written; its
 * catalogue is none of a later version. Nothing is made or changed, and another posed may use it.
 */
bool store_check(const char *folder, struct store_error *error);

#endif
