#include "server/draw/color.h"

#include "lib/core/hex.h"

#include <stddef.h>
#include <string.h>

bool color_parse(const char *text, struct color *color)
{
    static const struct {
        const char *name;
        struct color color;
    } named[] = {{"transparent", {0, 0, 0, 0}}, {"white", {1, 1, 1, 1}}, {"black", {0, 0, 0, 1}}};
    double parts[4] = {0, 0, 0, 1};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (!strcmp(text, named[i].name)) {
            *color = named[i].color;
            return true;
        }
    }
    text += *text == '#';
    size_t length = strlen(text), digits = length == 3 ? 1 : 2;
    if (length != 3 && length != 6 && length != 8)
        return false;
    for (size_t i = 0; i < length; i += digits) {
        int high = hex_digit(text[i]), low = hex_digit(text[i + digits - 1]);
        if (high < 0 || low < 0)
            return false;
        parts[i / digits] = (high * 16 + low) / 255.0;
    }
    *color = (struct color){parts[0], parts[1], parts[2], parts[3]};
    return true;
}
