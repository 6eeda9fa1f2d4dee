/* Content-Disposition (RFC 6266, and RFC 7578 for the parts of a form): the names that clients give to
 * what they send. */
#ifndef POSED_API_PROTOCOL_DISPOSITION_H
#define POSED_API_PROTOCOL_DISPOSITION_H

#include <stdbool.h>
#include <stddef.h>

/* Both from malloc, valid UTF-8, NULL if absent. */
struct disposition {
    char *field; /* name="…": the form's field */
    char *name;  /* filename*=UTF-8''… (RFC 8187), else filename="…" */
};

/* Parses the header's value. False on a syntax error; then there is nothing to free. */
bool disposition_parse(const char *text, size_t length, struct disposition *disposition);
void disposition_release(struct disposition *disposition);

/*
 * The value of a parameter after the first ';' ("boundary" of a Content-Type), from malloc; NULL if it is absent
 * or a syntax error comes before it.
 */
char *header_parameter(const char *text, size_t length, const char *name);

/*
 * Sanitizes a file name in place so that it stays inside a folder: '\' becomes '/', and a name that is absolute,
 * has a drive or contains ".." is reduced to its last component.
 */
void name_stay_inside(char *name);

#endif
