#include "server/ops/base_path.h"

#include <stdio.h>
#include <string.h>

static char prefix[BASE_PATH_CAPACITY];

/* No empty part, and none that a client would resolve by itself. */
static bool has_plain_parts(const char *text)
{
    while (*text) {
        size_t length = strcspn(++text, "/");
        if (!length || (length == 1 && text[0] == '.') || (length == 2 && !strncmp(text, "..", 2)))
            return false;
        text += length;
    }
    return true;
}

/* Behind a proxy that takes the prefix off, an address of ours and one below the prefix could not be told apart. */
static bool is_of_ours(const char *text)
{
    static const char *const first[] = {
        "v1",          "metrics",      "healthz",       "readyz", "docs",       "clip",       "archive",
        "character",   "skeleton",     "compare",       "embed",  "moderation", "assets",     "client.js",
        "favicon.ico", "openapi.json", "posed-clip.js", "oembed", "robots.txt", "sitemap.xml"};
    const size_t length = strcspn(text + 1, "/");
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        if (strlen(first[i]) == length && !strncmp(text + 1, first[i], length))
            return true;
    }
    return false;
}

bool base_path_is_valid(const char *text, const char **why)
{
    static const char plain[] = "/-._~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    *why = NULL;
    if (!strcmp(text, "/"))
        return true;
    if (text[0] != '/' || text[strlen(text) - 1] == '/')
        *why = "it begins with a slash and does not end with one, as in /poses";
    else if (strlen(text) >= BASE_PATH_CAPACITY)
        *why = "it has at most 64 characters";
    else if (text[strspn(text, plain)])
        *why = "it consists of letters, digits, slashes and -._~";
    else if (!has_plain_parts(text))
        *why = "no part of it is empty, . or ..";
    else if (is_of_ours(text))
        *why = "the daemon has addresses of its own that begin so";
    return !*why;
}

void base_path_set(const char *text)
{
    snprintf(prefix, sizeof prefix, "%s", text && strcmp(text, "/") ? text : "");
}

const char *base_path(void)
{
    return prefix;
}

const char *base_path_strip(const char *path)
{
    const size_t length = strlen(prefix);
    if (!length || strncmp(path, prefix, length) != 0)
        return path;
    if (path[length] == '/')
        return path + length;
    return path[length] ? path : "/";
}
