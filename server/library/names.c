#include "server/library/names.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *name_base(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

size_t name_stem(const char *base)
{
    const char *dot = strrchr(base, '.');
    return dot && dot != base ? (size_t)(dot - base) : strlen(base);
}

bool name_has_stem(const char *path, const char *stem)
{
    const char *base = name_base(path);
    size_t length = strlen(stem);
    return !strncasecmp(base, stem, length) && base[length] == '.';
}

bool name_list_add(char *line, size_t capacity, const char *name)
{
    size_t used = strlen(line);
    const char *comma = used ? ", " : "";
    bool fits = used + strlen(name) + sizeof ", , ..." <= capacity;
    if (used + sizeof ", ..." <= capacity)
        snprintf(line + used, capacity - used, "%s%s", comma, fits ? name : "...");
    return fits;
}

static bool has_code(const char *line, const char *code)
{
    const size_t length = strlen(code);
    for (const char *at = line; (at = strstr(at, code)); at += length) {
        if ((at == line || at[-1] == ' ') && (!at[length] || at[length] == ','))
            return true;
    }
    return false;
}

void code_list_add(char *line, size_t capacity, const char *code)
{
    const size_t used = strlen(line);
    if (*code && !has_code(line, code) && used + strlen(code) + sizeof ", " <= capacity)
        stpcpy(stpcpy(line + used, used ? ", " : ""), code);
}

const char *name_make_safe(char *text)
{
    for (char *at = text; *at; at++) {
        unsigned char c = (unsigned char)*at;
        if (c < 0x20 || c == 0x7f || strchr("/\\:*?\"<>|", c))
            *at = '_';
    }
    size_t length = strlen(text);
    while (length && (text[length - 1] == '.' || text[length - 1] == ' '))
        text[--length] = '\0';
    while (*text == '.' || *text == ' ')
        text++;
    return *text ? text : "clip";
}
