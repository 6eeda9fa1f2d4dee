#include "lib/formats/gltf/write/names.h"

#include "lib/core/arena.h"
#include "lib/core/hash.h"

#include <stdio.h>
#include <string.h>

/* The length of the blank that a text begins with, as JavaScript's \s knows them in UTF-8; 0: it begins with none. */
static size_t blank_length(const char *text)
{
    static const char *const wide[] = {"\xC2\xA0",     "\xE1\x9A\x80", "\xE2\x80\xA8", "\xE2\x80\xA9",
                                       "\xE2\x80\xAF", "\xE2\x81\x9F", "\xE3\x80\x80", "\xEF\xBB\xBF"};
    if (*text == ' ' || (*text >= '\t' && *text <= '\r'))
        return 1;
    for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
        if (!strncmp(text, wide[i], strlen(wide[i])))
            return strlen(wide[i]);
    }
    const bool is_general =
        !strncmp(text, "\xE2\x80", 2) && (uint8_t)text[2] >= 0x80 && (uint8_t)text[2] <= 0x8A;
    return is_general ? 3 : 0;
}

/* The name as three.js' PropertyBinding.sanitizeNodeName makes it; NULL if out of memory. */
static char *spell(struct arena *arena, const char *name)
{
    char *key = arena_text(arena, name, strlen(name)), *to = key;
    for (const char *from = name; key && *from;) {
        const size_t blank = blank_length(from);
        if (blank)
            *to++ = '_';
        else if (!strchr("[].:/", *from))
            *to++ = *from;
        from += blank ? blank : 1;
    }
    if (key)
        *to = '\0';
    return key;
}

/* The place of a key, or the free one where it belongs. */
static struct gltf_taken *find(const struct gltf_names *names, const char *key)
{
    uint64_t hash = hash_fnv64(key, strlen(key));
    uint32_t at = (uint32_t)(hash ^ hash >> 32) & names->mask;
    while (names->taken[at].key && strcmp(names->taken[at].key, key) != 0)
        at = (at + 1) & names->mask;
    return &names->taken[at];
}

bool gltf_names_init(struct gltf_names *names, struct arena *arena, uint32_t count)
{
    size_t size = 16;
    while (size < 2 * ((size_t)count + 1))
        size *= 2;
    *names = (struct gltf_names){
        .arena = arena, .mask = (uint32_t)(size - 1), .taken = ARENA_NEW(arena, struct gltf_taken, size)};
    return names->taken;
}

static char *number(struct arena *arena, const char *name, uint32_t count)
{
    const size_t size = strlen(name) + 12;
    char *text = ARENA_NEW(arena, char, size);
    if (text)
        snprintf(text, size, "%s_%u", name, count);
    return text;
}

const char *gltf_names_take(struct gltf_names *names, const char *wanted)
{
    char *key = spell(names->arena, wanted);
    if (!key)
        return wanted;
    struct gltf_taken *place = *key ? find(names, key) : &names->nothing;
    if (*key && !place->key) {
        *place = (struct gltf_taken){key, 1};
        return wanted;
    }
    for (uint32_t count = place->next ? place->next : 1;; count++) {
        const char *name = number(names->arena, wanted, count);
        key = name ? spell(names->arena, name) : NULL;
        if (!key)
            return wanted;
        struct gltf_taken *other = find(names, key);
        if (other->key)
            continue;
        *other = (struct gltf_taken){key, 1};
        place->next = count + 1;
        return name;
    }
}

void gltf_names_put_wanted(struct json_writer *json, const char *name, const char *wanted)
{
    if (!strcmp(name, wanted))
        return;
    jsonw_string(json, "name", wanted);
    jsonw_string(json, "called", name);
}
