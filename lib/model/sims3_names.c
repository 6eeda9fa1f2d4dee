#include "lib/model/sims3_names.h"

#include "lib/core/hash.h"
#include "lib/core/text.h"
#include "pose.h"

#include <stdio.h>
#include <string.h>

enum {
    LONGEST_PREFIX = 5,
    LAST_OF_PEOPLE = 6, /* greater ages are species */
};

/* Part of a name. */
struct part {
    const char *text;
    size_t length;
};

/* A name cut as the game does. */
struct clip_name {
    bool generic; /* the whole name as it stands */
    bool two_actors;
    struct part x, y; /* actor codes */
    struct part rest; /* what follows the first '_' */
};

static const struct {
    const char code[3];
    uint8_t age;
} ages[] = {
    {"b", 0x01},  {"p", 0x02},  {"c", 0x03},  {"t", 0x04},  {"h", 0x05},
    {"e", 0x06},  {"ad", 0x08}, {"cd", 0x09}, {"al", 0x0a}, {"ac", 0x0d},
    {"cc", 0x0e}, {"ah", 0x10}, {"ch", 0x11}, {"ab", 0x12}, {"ar", 0x13},
};

static unsigned age_of(struct part code)
{
    for (size_t i = 0; i < sizeof ages / sizeof *ages; i++) {
        if (strlen(ages[i].code) == code.length && text_lower(code.text[0]) == ages[i].code[0] &&
            (code.length == 1 || text_lower(code.text[1]) == ages[i].code[1]))
            return ages[i].age;
    }
    return 0;
}

static bool is_letter(struct part code, char letter)
{
    return code.length == 1 && text_lower(code.text[0]) == letter;
}

/* An adult or an object: those have no age in the mask. */
static bool is_default(struct part code)
{
    return is_letter(code, 'a') || is_letter(code, 'o');
}

static struct clip_name cut_name(const char *name, size_t length)
{
    struct clip_name cut = {.generic = true};
    const char *underscore = length ? memchr(name, '_', length) : NULL;
    size_t prefix = underscore ? (size_t)(underscore - name) : 0;
    if (!prefix || prefix > LONGEST_PREFIX)
        return cut;
    const char *two = memchr(name, '2', prefix);
    cut.x = (struct part){name, two ? (size_t)(two - name) : prefix};
    if (two)
        cut.y = (struct part){two + 1, (size_t)(underscore - two) - 1};
    if (!cut.x.length || cut.x.length > 2)
        return cut;
    cut.rest = (struct part){underscore + 1, length - prefix - 1};
    cut.two_actors = cut.y.length == 1 || cut.y.length == 2;
    cut.generic = is_default(cut.x) && (!cut.two_actors || is_default(cut.y));
    return cut;
}

static uint64_t hash_pieces(const char *prefix, struct part rest)
{
    return hash_fnv64_more(hash_fnv64(prefix, strlen(prefix)), rest.text, rest.length);
}

static char generic_letter(struct part code)
{
    return text_lower(code.text[0]) == 'o' ? 'o' : 'a';
}

/* "a2o_" of a name that is not generic; returns its length. */
static size_t generic_prefix(const struct clip_name *cut, char prefix[5])
{
    size_t length = 0;
    prefix[length++] = cut->two_actors ? generic_letter(cut->x) : 'a';
    if (cut->two_actors) {
        prefix[length++] = '2';
        prefix[length++] = generic_letter(cut->y);
    }
    prefix[length++] = '_';
    prefix[length] = 0;
    return length;
}

size_t sims3_generic_name(const char *name, size_t length, char *generic, size_t capacity)
{
    struct clip_name cut = cut_name(name, length);
    char prefix[5] = "";
    size_t before = cut.generic ? 0 : generic_prefix(&cut, prefix);
    struct part rest = cut.generic ? (struct part){name, length} : cut.rest;
    snprintf(generic, capacity, "%s%.*s", prefix, (int)rest.length, rest.text);
    return before + rest.length;
}

uint64_t sims3_clip_instance(const char *name, size_t length)
{
    struct clip_name cut = cut_name(name, length);
    if (cut.generic)
        return hash_fnv64(name, length) & ~(1ull << 63);
    char prefix[5];
    generic_prefix(&cut, prefix);
    uint64_t hash = hash_pieces(prefix, cut.rest);
    uint64_t mask = 0x8000u | age_of(cut.x) << 8;
    if (cut.two_actors)
        mask |= age_of(cut.y);
    return (hash & ~(1ull << 63)) ^ mask << 48;
}

uint32_t sims3_clip_group(const char *name, size_t length)
{
    struct clip_name cut = cut_name(name, length);
    if (cut.generic)
        return 0;
    bool pets = age_of(cut.x) > LAST_OF_PEOPLE || (cut.two_actors && age_of(cut.y) > LAST_OF_PEOPLE);
    return pets ? 0x48000000u : 0;
}

void pose_sims3_hash(const char *name, struct pose_sims3_name *hashes)
{
    size_t length = strlen(name);
    hashes->fnv32 = hash_fnv32(name, length);
    hashes->fnv64 = hash_fnv64(name, length);
    hashes->clip_id = sims3_clip_instance(name, length);
    hashes->clip_group = sims3_clip_group(name, length);
    sims3_generic_name(name, length, hashes->generic, sizeof hashes->generic);
}
