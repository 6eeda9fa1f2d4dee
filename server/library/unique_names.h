/* Names of files that are made beside each other. */
#ifndef POSED_SERVER_LIBRARY_UNIQUE_NAMES_H
#define POSED_SERVER_LIBRARY_UNIQUE_NAMES_H

#include <stddef.h>

/*
 * Makes names differ, also where case does not count: of those that repeat the first stays, the others become "walk (2)",
 * "walk (3)" … in the order given. Each is from malloc, and replaced where it changes.
 */
void names_make_unique(char **const names[], size_t count);

#endif
