/*
 * Texts that many assets share: the joints of a thousand clips of one rig are said once. Each is kept as long as somebody
 * holds it; any thread may call.
 */
#ifndef POSED_SERVER_LIBRARY_INDEX_TEXTS_H
#define POSED_SERVER_LIBRARY_INDEX_TEXTS_H

#include <stddef.h>

/* The one copy of a text, held for the caller; "" when there is no memory for it. */
const char *text_hold(const char *text, size_t length);
/* Gives back what text_hold gave; NULL is fine. */
void text_drop(const char *text);

#endif
