/* Escapes text for HTML and XML: it cannot begin a tag, end an attribute or hide what follows. */
#ifndef POSE_CORE_BYTES_MARKUP_H
#define POSE_CORE_BYTES_MARKUP_H

#include "lib/core/bytes/writer.h"

/* Writes text as element content or a quoted attribute. Control characters, marks that change the direction of
 * text, and invalid UTF-8 become U+FFFD. */
void markup_text(struct writer *writer, const char *text);

#endif
