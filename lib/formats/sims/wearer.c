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
 * has the suit's name after its "xskin-".
 */
static const char *wearer_of(const char *name)
{
    name += begins_with(name, "xskin-") ? 6 : 0;
    if (!*name)
        return NULL;
    name += 1 + strspn(name + 1, "0123456789");
    if (!*name || !strchr("fmu", text_lower(*name)))
        return NULL;
    char age = text_lower(name[1]);
    return age == 'c' ? "child" : age == 'a' ? "adult" : NULL;
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
