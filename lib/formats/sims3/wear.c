/* Who wears a part of a sim, and where, by its name: "afBodyDressSunbelt_lod1" (sims3-geom.md, 4). */
#include "lib/formats/sims3/names.h"

#include "lib/core/text.h"

#include <string.h>

static const struct {
    char letter;
    const char *age;
} ages[] = {{'b', "baby"},  {'p', "toddler"}, {'c', "child"}, {'t', "teen"},
            {'y', "adult"}, {'a', "adult"},   {'e', "elder"}};

/* What a name goes on with. A top covers what a body does; what is below it goes with it. */
static const struct {
    const char *word;
    enum pose_place place;
} places[] = {
    {"Body", POSE_PLACE_BODY},        {"Top", POSE_PLACE_BODY},           {"Face", POSE_PLACE_HEAD},
    {"Head", POSE_PLACE_HEAD},        {"Glove", POSE_PLACE_HANDS},        {"Hair", POSE_PLACE_ACCESSORY},
    {"Bottom", POSE_PLACE_ACCESSORY}, {"Shoes", POSE_PLACE_ACCESSORY},    {"Socks", POSE_PLACE_ACCESSORY},
    {"Beard", POSE_PLACE_ACCESSORY},  {"Accessory", POSE_PLACE_ACCESSORY}};

static bool begins_with(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

/* "…_lod2" and "…_lod3" are for the distance; 0 and 1 are the finest of faces and of clothes. */
static bool is_coarse(const char *name)
{
    const char *level = NULL;
    for (const char *at = strstr(name, "_lod"); at; at = strstr(at + 1, "_lod"))
        level = at + 4;
    return level && *level >= '2' && *level <= '9';
}

bool sims3_wear_of(const struct pose_naming *what, struct pose_wear *part)
{
    struct pose_sims3_key key;
    const char *name = pose_sims3_key(what->name, &key) ? key.name : what->name;
    if (!name || strlen(name) < 3 || !strchr("fmu", name[1]))
        return false;
    for (size_t i = 0; i < sizeof ages / sizeof *ages; i++)
        part->age = ages[i].letter == name[0] ? ages[i].age : part->age;
    part->sex = name[1] == 'u' ? 0 : name[1];
    for (size_t i = 0; i < sizeof places / sizeof *places && !part->has_place; i++) {
        part->has_place = begins_with(name + 2, places[i].word);
        part->place = part->has_place ? places[i].place : part->place;
    }
    part->is_coarse = is_coarse(name);
    return part->age && part->has_place;
}
