/* Names of files as cairo takes them. */
#ifndef POSED_SERVER_DRAW_LABEL_H
#define POSED_SERVER_DRAW_LABEL_H

/* A copy of UTF-8, to be freed: U+FFFD stands for each noncharacter (U+FFFE, U+FDD0 ...), over which cairo would fail
 * the whole picture though Unicode lets them be in text. NULL when memory is out. */
char *label_text(const char *text);

#endif
