/* UTF-8: validation, and sanitising text for display. */
#ifndef POSE_CORE_UTF8_H
#define POSE_CORE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* The length (1 to 4) of the valid UTF-8 sequence at text; 0 when there is none within length bytes. */
size_t text_utf8_sequence(const char *text, size_t length);
bool text_is_utf8(const char *text, size_t length);
/* Sanitises a message that may quote a file: control characters and invalid UTF-8 (including a truncated
 * sequence at the end) become '?', in place. */
void text_make_line(char *text);

#endif
