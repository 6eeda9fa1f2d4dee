/*
 * Interned texts: the joints of a thousand clips of one rig are stored once. Reference-counted and thread-safe.
 */
#ifndef POSED_SERVER_LIBRARY_TEXTS_H
#define POSED_SERVER_LIBRARY_TEXTS_H

#include <stddef.h>

/* The shared copy of a text, with a reference for the caller; "" if out of memory. */
const char *text_hold(const char *text, size_t length);
/* Drops a reference from text_hold; NULL is allowed. */
void text_drop(const char *text);

/* The same for bytes, aligned for any number: NULL if there are none, or if out of memory. */
const void *bytes_hold(const void *bytes, size_t size);
void bytes_drop(const void *bytes);

#endif
