/* Text from outside (names out of files, paths of requests) for people's eyes: nothing in it may end a line, move a
 * cursor or break a JSON string. */
#ifndef POSE_CORE_ESCAPE_H
#define POSE_CORE_ESCAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum escape_kind {
    ESCAPE_TEXT, /* controls and what is not UTF-8 as \x1b, a backslash doubled */
    ESCAPE_JSON, /* as inside of a JSON string; what is not UTF-8 becomes U+FFFD */
};

enum { ESCAPE_CAPACITY = 12 };

/* The character at text (not the NUL) as it is to be written: length bytes in piece. Returns how many bytes of text it
 * stands for. */
size_t escape_character(enum escape_kind kind, const char *text, char piece[ESCAPE_CAPACITY], size_t *length);

/* True for bytes that every kind leaves as they are. */
static inline bool escape_is_plain(char byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

/* Writes text as ESCAPE_TEXT. */
void escape_print(const char *text, FILE *out);

#endif
