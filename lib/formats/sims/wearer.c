#include "lib/formats/sims/wearer.h"

#include "lib/core/text.h"

#include <string.h>

static bool begins_with(const char *text, const char *start)
{
    while (*start && text_lower(*text) == *start)
        text++, start++;
    return !*start;
}

static bool contains(const char *text, const char *word)
{
    for (; *text; text++) {
        if (begins_with(text, word))
            return true;
    }
    return false;
}

/*
 * Who wears clothes of that name: in "b001uc" the last two letters are sex (male, female, any) and age. A mesh
 * has the suit's name after its "xskin-". False if the name does not say.
 */
static bool read_wearer(const char *name, struct pose_wear *part)
{
    name += begins_with(name, "xskin-") ? 6 : 0;
    if (!*name)
        return false;
    name += 1 + strspn(name + 1, "0123456789");
    if (!*name || !strchr("fmu", text_lower(*name)))
        return false;
    char sex = text_lower(*name), age = text_lower(name[1]);
    if (age != 'c' && age != 'a')
        return false;
    part->age = age == 'c' ? "child" : "adult";
    part->sex = sex == 'u' ? 0 : sex;
    return true;
}

static const char *wearer_of(const char *name)
{
    struct pose_wear part;
    return read_wearer(name, &part) ? part.age : NULL;
}

/* Who a clip is for by its name: "a2o-walk" is for adults. */
static const char *species_of(const struct pose_naming *what)
{
    static const char *const species[][2] = {{"a2", "adult"}, {"c2", "child"},     {"d2", "dog"},
                                             {"k2", "cat"},   {"adult-", "adult"}, {"child-", "child"}};
    for (size_t i = 0; i < sizeof species / sizeof species[0]; i++) {
        if (begins_with(what->name, species[i][0]))
            return species[i][1];
    }
    return strcmp(what->kind, "clip") ? wearer_of(what->name) : NULL;
}

bool sims_made_for(const struct pose_naming *what, const char *skeleton)
{
    const char *species = species_of(what);
    return species && contains(skeleton, species);
}

unsigned sims_adulthood(const char *skeleton)
{
    return contains(skeleton, "adult") ? 2 : 0;
}

/* The start of the last but n-th of the words that dashes separate; NULL: there are fewer. */
static const char *word_from_end(const char *name, unsigned n)
{
    for (const char *at = name + strlen(name); at > name; at--) {
        if (at[-1] == '-' && !n--)
            return at;
    }
    return NULL;
}

/* A mesh is called "xskin-SUIT-BONE-PART". Hands belong to every suit; boxes that censor are no one's. */
static bool read_place(const char *name, bool has_wearer, struct pose_wear *part)
{
    const char *bone = word_from_end(name, 1), *what = word_from_end(name, 0);
    if (!begins_with(name, "xskin-") || !bone || bone < name + 6)
        return false;
    bool is_hand = begins_with(bone, "l_hand-") || begins_with(bone, "r_hand-");
    part->has_place = true;
    part->place = POSE_PLACE_ACCESSORY;
    if (is_hand && text_lower(name[6]) == 'h') {
        part->place = POSE_PLACE_HANDS;
        part->side = text_lower(*bone);
        return true;
    }
    if (begins_with(bone, "head-") && begins_with(what, "head"))
        part->place = POSE_PLACE_HEAD;
    else if (begins_with(bone, "pelvis-") && contains(what, "body"))
        part->place = POSE_PLACE_BODY;
    return has_wearer;
}

bool sims_wear_of(const struct pose_naming *what, struct pose_wear *part)
{
    bool has_wearer = read_wearer(what->name, part);
    if (strcmp(what->kind, "mesh") != 0)
        return has_wearer;
    if (read_place(what->name, has_wearer, part))
        return true;
    /* Of The Sims Online: free names, beside those of its predecessor. */
    if (!what->format || strcmp(what->format, "tso-mesh") != 0)
        return false;
    *part = (struct pose_wear){.by_bones = true, .head = "HEAD", .hands = {"L_HAND", "R_HAND"}};
    return true;
}
