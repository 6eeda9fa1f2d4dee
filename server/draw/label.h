/* Converts names from files for cairo. */
#ifndef POSED_SERVER_DRAW_LABEL_H
#define POSED_SERVER_DRAW_LABEL_H

/* A copy of UTF-8 text with each noncharacter (U+FFFE, U+FDD0 ...) replaced by U+FFFD; must be freed.
 * Unicode allows noncharacters in text, but cairo would fail the whole picture. NULL if out of memory. */
char *label_text(const char *text);

#endif
