/* Colours as users write them. */
#ifndef POSED_SERVER_DRAW_COLOR_H
#define POSED_SERVER_DRAW_COLOR_H

#include <stdbool.h>

struct color {
    double r, g, b, a; /* 0 … 1 */
};

/* "transparent", "white", "black", "#rgb", "#rrggbb" or "#rrggbbaa", with or without the "#". */
bool color_parse(const char *text, struct color *color);

#endif
