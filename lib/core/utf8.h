/* UTF-8: what is well-formed, and lines for people out of what may not be. */
#ifndef POSE_CORE_UTF8_H
#define POSE_CORE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* The length (1 to 4) of the well-formed UTF-8 sequence at text, 0 when there is none within length bytes. */
size_t text_utf8_sequence(const char *text, size_t length);
bool text_is_utf8(const char *text, size_t length);
/* Makes a message out of what may quote a file: control characters and whatever is not UTF-8 (also a sequence that was
 * cut off at the end) become '?', in place. */
void text_make_line(char *text);

#endif
