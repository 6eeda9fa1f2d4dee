/* Content-Disposition (RFC 6266, and RFC 7578 for the parts of a form): how a client calls what it sends. */
#ifndef POSED_API_PROTOCOL_DISPOSITION_H
#define POSED_API_PROTOCOL_DISPOSITION_H

#include <stdbool.h>
#include <stddef.h>

/* Both from malloc, well-formed UTF-8, NULL when they are not given. */
struct disposition {
    char *field; /* name="…": the form's field */
    char *name;  /* filename*=UTF-8''… (RFC 8187), else filename="…" */
};

/* Reads the header's value. False when it is not what the grammar allows; nothing is to be released then. */
bool disposition_parse(const char *text, size_t length, struct disposition *disposition);
void disposition_release(struct disposition *disposition);

/*
 * The value of a parameter behind the first ';' ("boundary" of a Content-Type), from malloc; NULL when it is not
 * there, or the grammar is broken before it.
 */
char *header_parameter(const char *text, size_t length, const char *name);

/*
 * Makes a file's name one that stays inside of a folder, in place: '\' becomes '/', and a name that is absolute, has a
 * drive or a ".." part keeps its last part only.
 */
void name_stay_inside(char *name);

#endif
