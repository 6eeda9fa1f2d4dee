/* Escapes untrusted text (names in files, paths of requests) for display: it cannot end a line, move the cursor
 * or break a JSON string. */
#ifndef POSE_CORE_ESCAPE_H
#define POSE_CORE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum escape_kind {
    ESCAPE_TEXT, /* control characters and invalid UTF-8 as \x1b, a backslash doubled */
    ESCAPE_JSON, /* as inside a JSON string; invalid UTF-8 becomes U+FFFD */
};

enum { ESCAPE_CAPACITY = 12 };

/* Escapes the character at text (not the NUL) into length bytes in piece. Returns the number of bytes of text it
 * used. */
size_t escape_character(enum escape_kind kind, const char *text, char piece[ESCAPE_CAPACITY], size_t *length);

/* True for bytes that no kind escapes. */
static inline bool escape_is_plain(char byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

/* Prints text as ESCAPE_TEXT. */
void escape_print(const char *text, FILE *out);

#endif
