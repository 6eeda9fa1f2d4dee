/* Text inside HTML and XML: nothing in it can begin a tag, end an attribute or hide what follows. */
#ifndef POSE_CORE_BYTES_MARKUP_H
#define POSE_CORE_BYTES_MARKUP_H

#include "lib/core/bytes/writer.h"

/* Writes text for element content or a quoted attribute. Controls, marks that turn the direction of text, and what is
 * not UTF-8 become U+FFFD. */
void markup_text(struct writer *writer, const char *text);

#endif
