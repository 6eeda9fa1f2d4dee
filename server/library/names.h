/* Names of files and entries as paths, and lists of names for messages. */
#ifndef POSED_SERVER_LIBRARY_NAMES_H
#define POSED_SERVER_LIBRARY_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* The last component: "walk.anim" of "a/walk.anim". */
const char *name_base(const char *path);
/* The length of a base name without its extension. A name whose only dot comes first has no extension. */
size_t name_stem(const char *base);
/* Whether the stem matches, ignoring case: "a/walk.anim" has the stem "walk". */
bool name_has_stem(const char *path, const char *stem);

/* Makes a name valid on every file system, in place: no separators, control characters, or characters that
 * Windows forbids; never empty, "." or "..". UTF-8 is kept. Returns text, or a constant. */
const char *name_make_safe(char *text);

/* Appends a name to a line, after a comma. If there is no room, appends "..." and returns false. */
bool name_list_add(char *line, size_t capacity, const char *name);
/* Appends the code of a warning to a line, after a comma, unless the line has it. One without room is left out. */
void code_list_add(char *line, size_t capacity, const char *code);

#endif
