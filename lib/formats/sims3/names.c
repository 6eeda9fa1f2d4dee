#include "lib/formats/sims3/names.h"

#include "lib/formats/sims3/lint.h"

#include "lib/core/hash.h"
#include "lib/core/text.h"
#include "lib/model/stand_in.h"
#include "pose.h"

#include <stdio.h>
#include <string.h>

enum {
    MAX_PREFIX = 5,
    LAST_OF_PEOPLE = 6, /* higher ages are species */
};

/* Part of a name. */
struct part {
    const char *text;
    size_t length;
};

/* A name divided as the game does it. */
struct clip_name {
    bool generic; /* the whole name, undivided */
    bool two_actors;
    struct part x, y; /* actor codes */
    struct part rest; /* what follows the first '_' */
};

/* Codes known to the game, and the rigs of those that have their own (teens and elders use the adults'); the
 * meaning of codes without words is unknown. */
static const struct {
    char code[3];
    uint8_t number;
    const char *age, *species, *rig;
} ages[] = {
    {"b", 0x01, "baby", "human", "buRig"},
    {"p", 0x02, "toddler", "human", "puRig"},
    {"c", 0x03, "child", "human", "cuRig"},
    {"t", 0x04, "teen", "human", "auRig"},
    {"h", 0x05, NULL, NULL, NULL},
    {"e", 0x06, "elder", "human", "auRig"},
    {"ad", 0x08, "adult", "dog", "adRig"},
    {"cd", 0x09, "puppy", "dog", "cdRig"},
    {"al", 0x0a, "adult", "little dog", "alRig"},
    {"ac", 0x0d, "adult", "cat", "acRig"},
    {"cc", 0x0e, "kitten", "cat", "ccRig"},
    {"ah", 0x10, "adult", "horse", "ahRig"},
    {"ch", 0x11, "foal", "horse", "chRig"},
    {"ab", 0x12, NULL, NULL, NULL},
    {"ar", 0x13, NULL, NULL, NULL},
    {"a", 0, "adult", "human", "auRig"},
    {"o", 0, NULL, "object", NULL},
};

enum { AGES = sizeof ages / sizeof *ages };

/* The row of a code, AGES if the game does not know it. */
static size_t find_code(struct part code)
{
    for (size_t i = 0; i < AGES; i++) {
        if (strlen(ages[i].code) == code.length && text_lower(code.text[0]) == ages[i].code[0] &&
            (code.length == 1 || text_lower(code.text[1]) == ages[i].code[1]))
            return i;
    }
    return AGES;
}

static unsigned age_of(struct part code)
{
    size_t row = find_code(code);
    return row < AGES ? ages[row].number : 0;
}

static bool is_letter(struct part code, char letter)
{
    return code.length == 1 && text_lower(code.text[0]) == letter;
}

/* An adult or an object: these have no age in the mask. */
static bool is_default(struct part code)
{
    return is_letter(code, 'a') || is_letter(code, 'o');
}

static struct clip_name cut_name(const char *name, size_t length)
{
    struct clip_name cut = {.generic = true};
    const char *underscore = length ? memchr(name, '_', length) : NULL;
    size_t prefix = underscore ? (size_t)(underscore - name) : 0;
    if (!prefix || prefix > MAX_PREFIX)
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

/* The prefix "a2o_" of a name that is not generic; returns its length. */
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

/* The generic name for all ages ("t2c_kiss_x": "a2a_kiss_x"); a generic name is unchanged. Always NUL-terminated
 * and truncated to capacity; returns the untruncated length. */
static size_t sims3_generic_name(const char *name, size_t length, char *generic, size_t capacity)
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

/* A morph track stores the low half of the FNV-64 of the morph's name, and the morph's resource has the whole
 * hash as its instance. So a package with morphs and a name map provides the names for other packages' tracks. */
bool sims3_morph_id(const struct pose_name *name, uint32_t *id)
{
    *id = (uint32_t)name->id;
    return hash_fnv64(name->text, strlen(name->text)) == name->id;
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

/* ------------------------------------------------------------------------------------- from an id to actors -- */

/* What all variants of a name have in common: the beginnings of the generic names that it may be a variant of. */
static const struct {
    char prefix[5];
    char x, y; /* y 0: one actor */
} generics[] = {{"a_", 'a', 0},     {"o_", 'o', 0},     {"a2a_", 'a', 'a'},
                {"a2o_", 'a', 'o'}, {"o2a_", 'o', 'a'}, {"o2o_", 'o', 'o'}};

static void set_actor(size_t row, struct pose_sims3_actor *actor)
{
    memcpy(actor->code, ages[row].code, sizeof actor->code);
    actor->age = ages[row].age;
    actor->species = ages[row].species;
}

/* The actor of an age; 0 is an adult or an object, depending on the generic name. */
static bool find_actor(unsigned number, char letter, struct pose_sims3_actor *actor)
{
    for (size_t i = 0; i < AGES; i++) {
        if (ages[i].number == number && (number || ages[i].code[0] == letter)) {
            set_actor(i, actor);
            return true;
        }
    }
    return false;
}

/* An actor as spelled in the name, known or not. */
static void spell_actor(struct part code, struct pose_sims3_actor *actor)
{
    *actor = (struct pose_sims3_actor){.age = NULL};
    for (size_t i = 0; i < code.length && i + 1 < sizeof actor->code; i++)
        actor->code[i] = text_lower(code.text[i]);
    for (size_t i = 0; i < AGES; i++) {
        if (!strcmp(ages[i].code, actor->code))
            set_actor(i, actor);
    }
}

/* Decodes the xor mask between an id and that of a generic name. Ages that are all 0 belong to unknown codes. */
static bool read_mask(unsigned mask, char x, char y, struct pose_sims3_actor actors[2])
{
    unsigned first = mask >> 8 & 0x7f, second = mask & 0xff;
    if (mask && (!(mask & 0x8000) || (!first && !second) || (!y && second)))
        return false;
    return find_actor(first, x, &actors[0]) && (!y || find_actor(second, y, &actors[1]));
}

unsigned pose_sims3_actors(const char *name, uint64_t id, struct pose_sims3_actor actors[2],
                           char variant[POSE_SIMS3_NAME])
{
    struct clip_name cut = cut_name(name, strlen(name));
    unsigned count = 0;
    *variant = 0;
    if (!cut.rest.text)
        return 0;
    if (sims3_clip_instance(name, strlen(name)) == id) {
        spell_actor(cut.x, &actors[0]);
        if (cut.two_actors)
            spell_actor(cut.y, &actors[1]);
        snprintf(variant, POSE_SIMS3_NAME, "%s", name);
        return cut.two_actors ? 2 : 1;
    }
    for (size_t i = 0; i < sizeof generics / sizeof *generics && !count; i++) {
        uint64_t difference = (hash_pieces(generics[i].prefix, cut.rest) & ~(1ull << 63)) ^ id;
        if (difference << 16 ||
            !read_mask((unsigned)(difference >> 48), generics[i].x, generics[i].y, actors))
            continue;
        count = generics[i].y ? 2 : 1;
        snprintf(variant, POSE_SIMS3_NAME, "%s%s%s_%.*s", actors[0].code, count == 2 ? "2" : "",
                 count == 2 ? actors[1].code : "", (int)cut.rest.length, cut.rest.text);
    }
    return count;
}

/* ----------------------------------------------------------------------------------------- keys in file names -- */

static bool read_hex(const char *text, unsigned digits, uint64_t *value)
{
    *value = 0;
    for (unsigned i = 0; i < digits; i++) {
        char c = text_lower(text[i]);
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f'))
            return false;
        *value = *value << 4 | (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    return true;
}

static bool has_prefix(const char *text, const char *prefix)
{
    while (*prefix && text_lower(*text) == text_lower(*prefix))
        text++, prefix++;
    return !*prefix;
}

/* Package tools append "%%+CLIP.animation"; other names may contain dots. */
static size_t name_length(const char *name)
{
    const char *tag = strstr(name, "%%+");
    if (tag)
        return (size_t)(tag - name);
    return text_has_extension(name, ".clip .animation .rig .grannyrig") ? text_stem_length(name)
                                                                        : strlen(name);
}

bool pose_sims3_key(const char *file, struct pose_sims3_key *key)
{
    enum { GROUP = 9, INSTANCE = 18, END = 34 };
    const char *base = text_base_name(file);
    bool exported = has_prefix(base, "s3_");
    char separator = exported ? '_' : '-';
    uint64_t type, group, more;
    *key = (struct pose_sims3_key){.type = 0};
    base += exported ? 3 : 0;
    if (strlen(base) < END || base[GROUP - 1] != separator || base[INSTANCE - 1] != separator ||
        !read_hex(base, 8, &type) || !read_hex(base + GROUP, 8, &group) ||
        !read_hex(base + INSTANCE, 16, &key->instance) || read_hex(base + END, 1, &more))
        return false;
    key->type = (uint32_t)type;
    key->group = (uint32_t)group;
    if (base[END] == '_' && base[END + 1]) {
        key->name_length = name_length(base + END + 1);
        key->name = key->name_length ? base + END + 1 : NULL;
    }
    return true;
}

/* --------------------------------------------------------------------------------- from names to their rig -- */

/* Whether a clip is of its second actor: by "_y" at the end of the name, otherwise by the clip itself. */
static bool is_of_second(const struct pose_naming *what)
{
    if (text_ends_with_nocase(what->name, "_x"))
        return false;
    return text_ends_with_nocase(what->name, "_y") || (what->actor && text_equal_nocase(what->actor, "y"));
}

/* The name, or the variant's, built in room, if a package's key is more specific ("a_walk" under the id of
 * "ad_walk"). */
static const char *variant_of(const struct pose_naming *what, char room[POSE_SIMS3_NAME])
{
    struct pose_sims3_actor actors[2];
    struct pose_sims3_key key;
    if (!what->file || !pose_sims3_key(what->file, &key) ||
        !pose_sims3_actors(what->name, key.instance, actors, room))
        return what->name;
    return room;
}

/* Whether the built-in skeleton of that name is for those of the rig: "auRig" is a human adult's, "cdRig" a puppy's. */
static bool stands_in(const char *skeleton, const char *rig)
{
    const struct stand_in *stand_in = rig[1] != 'u'   ? &stand_in_sims3_pet
                                      : rig[0] == 'a' ? &stand_in_sims3_adult
                                                      : &stand_in_sims3_child;
    return !strcmp(skeleton, stand_in->name);
}

/* Whether the skeleton has the rig's name, alone or after its key. */
static bool is_rig(const char *skeleton, const char *rig)
{
    struct pose_sims3_key key;
    if (stands_in(skeleton, rig))
        return true;
    if (!pose_sims3_key(skeleton, &key))
        return text_equal_nocase(skeleton, rig);
    return key.name && key.name_length == strlen(rig) && has_prefix(key.name, rig);
}

/* The rig for a part or mesh of that name, "auRig" for "afBodyDressSunbelt_lod1"; NULL: the name does not tell. */
static const char *sims3_rig_of_part(const char *name)
{
    static const struct {
        const char *letters, *rig;
    } people[] = {{"tyae", "auRig"}, {"c", "cuRig"}, {"p", "puRig"}, {"b", "buRig"}};
    if (strlen(name) < 3 || !strchr("fmu", name[1]) || name[2] < 'A' || name[2] > 'Z')
        return NULL;
    for (size_t i = 0; i < sizeof people / sizeof *people; i++) {
        if (strchr(people[i].letters, name[0]))
            return people[i].rig;
    }
    return NULL;
}

/* For meshes and worn parts: the part's own name, or the name after the key. */
static bool is_part_for(const struct pose_naming *what, const char *skeleton)
{
    struct pose_sims3_key key;
    const char *name = pose_sims3_key(what->name, &key) ? key.name : what->name;
    const char *rig = name ? sims3_rig_of_part(name) : NULL;
    return rig && is_rig(skeleton, rig);
}

bool sims3_made_for(const struct pose_naming *what, const char *skeleton)
{
    char room[POSE_SIMS3_NAME];
    if (what->kind && strcmp(what->kind, "clip") != 0)
        return what->format && !strncmp(what->format, "sims3-", 6) && is_part_for(what, skeleton);
    const char *name = variant_of(what, room);
    struct clip_name cut = cut_name(name, strlen(name));
    if (!cut.rest.text)
        return false;
    size_t row = find_code(cut.two_actors && is_of_second(what) ? cut.y : cut.x);
    return row < AGES && ages[row].rig && is_rig(skeleton, ages[row].rig);
}

unsigned sims3_adulthood(const char *skeleton)
{
    for (size_t i = 0; i < AGES; i++) {
        if (ages[i].rig && !strcmp(ages[i].age, "adult") && is_rig(skeleton, ages[i].rig))
            return strcmp(ages[i].species, "human") ? 1 : 2;
    }
    return 0;
}

const char *sims3_clip_prefix(const char *skeleton)
{
    /* Only people get clips of others. */
    static const char *const people[][2] = {
        {"auRig", "a_"}, {"cuRig", "c_"}, {"puRig", "p_"}, {"buRig", "b_"}};
    for (size_t i = 0; i < sizeof people / sizeof *people; i++) {
        if (is_rig(skeleton, people[i][0]))
            return people[i][1];
    }
    return NULL;
}
