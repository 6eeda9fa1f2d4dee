#include "lib/core/bytes/markup.h"

#include "lib/core/escape.h"

static const char *entity_of(char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void markup_text(struct writer *writer, const char *text)
{
    while (*text) {
        char piece[ESCAPE_CAPACITY];
        size_t length;
        const char *entity = entity_of(*text);
        /* A character is unsafe if its JSON form is longer than, or differs from, the text. */
        size_t taken = escape_character(ESCAPE_JSON, text, piece, &length);
        if (entity)
            writer_text(writer, entity);
        else if (*text == '\\')
            writer_bytes(writer, text, 1);
        else if (piece[0] == '\\')
            writer_text(writer, "\xef\xbf\xbd");
        else
            writer_bytes(writer, text, taken);
        text += taken;
    }
}
