/* Unique names for files in one folder. */
#ifndef POSED_SERVER_LIBRARY_UNIQUE_NAMES_H
#define POSED_SERVER_LIBRARY_UNIQUE_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes names distinct, even on case-insensitive file systems: the first of several equal names is kept, the
 * others become "walk (2)", "walk (3)" … in the given order. Each is from malloc, and replaced if it changes.
 * False if out of memory; then not all are distinct.
 */
bool names_make_unique(char **const names[], size_t count);

#endif
