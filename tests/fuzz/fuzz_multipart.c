/*
 * libFuzzer's target for forms: the first line is a Content-Type, the rest a body. Every part must lie in the body and
 * have a name that stays inside of a folder; the ZIP that is made of them must have the size that was foreseen.
 */
#include "api/protocol/disposition.h"
#include "api/protocol/multipart.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_PARTS = 100 };

static _Noreturn void give_up(const char *what)
{
    fprintf(stderr, "broken promise: %s\n", what);
    abort();
}

static void check_name(const char *name)
{
    if (!*name || *name == '/' || strchr(name, '\\'))
        give_up("a name that does not stay inside");
    for (const char *at = name; at; at = strchr(at, '/')) {
        at += *at == '/';
        size_t length = strcspn(at, "/");
        if (!length || (length == 2 && !memcmp(at, "..", 2)) || (length == 1 && *at == '.'))
            give_up("a name with a step that leads elsewhere");
    }
}

static bool count_bytes(void *user, const void *bytes, size_t size)
{
    (void)bytes;
    *(uint64_t *)user += size;
    return true;
}

static void check_parts(struct parts *parts, struct pose_bytes body)
{
    uint64_t inside = 0, written = 0;
    if (parts->count > MAX_PARTS)
        give_up("more parts than may be");
    for (uint32_t i = 0; i < parts->count; i++) {
        struct pose_bytes bytes = parts->items[i].bytes;
        if (bytes.size && (bytes.data < body.data || bytes.data + bytes.size > body.data + body.size))
            give_up("a part outside of the body");
        inside += bytes.size;
        check_name(parts->items[i].name);
    }
    if (inside > body.size)
        give_up("parts over each other");
    parts_sort(parts);
    if (!parts_write(parts, count_bytes, &written) || written < inside)
        give_up("a ZIP that lacks something");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    if (!end)
        return 0;
    size_t length = (size_t)(end - data);
    char *type = calloc(1, length + 1);
    uint8_t *copy = malloc(size - length);
    if (!type || !copy)
        abort();
    memcpy(type, data, length);
    memcpy(copy, end + 1, size - length - 1);
    struct pose_bytes body = {copy, size - length - 1};
    struct parts parts = {0};
    struct pose_error error;
    if (multipart_is(type) && multipart_parse(type, body, MAX_PARTS, &parts, &error))
        check_parts(&parts, body);
    parts_release(&parts);
    free(type);
    free(copy);
    return 0;
}
