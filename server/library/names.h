/* Names of files and entries, which are paths, and lines of names for people. */
#ifndef POSED_SERVER_LIBRARY_NAMES_H
#define POSED_SERVER_LIBRARY_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* The last part: "walk.anim" of "a/walk.anim". */
const char *name_base(const char *path);
/* The length of a last part without its extension. What begins with its only dot has none. */
size_t name_stem(const char *base);
/* "a/walk.anim" has the stem "walk", whatever its case. */
bool name_has_stem(const char *path, const char *stem);

/* Adds a name to a line, after a comma; "..." ends a line that has no room for it, and then it is false. */
bool name_list_add(char *line, size_t capacity, const char *name);

#endif
