#include "lib/formats/sims/relations.h"

#include "lib/core/text.h"
#include "lib/core/value.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *text_of(const struct pose_value *object, const char *key)
{
    return value_get_string(object, key, NULL);
}

static const struct pose_value *items_of(const struct pose_value *object, const char *key)
{
    const struct pose_value *list = pose_value_find(object, key);
    return list ? list->first : NULL;
}

static bool relate_binding(const struct pose_value *extras, pose_relate *relate, void *user)
{
    return relate(user, &(struct pose_relation){.way = POSE_BY_KEY,
                                                .kind = "mesh",
                                                .wanted = text_of(pose_value_find(extras, "mesh"), "key"),
                                                .texture = text_of(pose_value_find(extras, "texture"), "key"),
                                                .bone = text_of(extras, "bone"),
                                                .axes = POSE_AXES_SIMS});
}

static bool relate_skins(const struct pose_value *extras, pose_relate *relate, void *user)
{
    for (const struct pose_value *skin = items_of(extras, "skins"); skin; skin = skin->next) {
        if (!relate(user, &(struct pose_relation){.way = POSE_BY_STEM,
                                                  .kind = "mesh",
                                                  .wanted = text_of(skin, "mesh"),
                                                  .bone = text_of(skin, "bone"),
                                                  .axes = POSE_AXES_SIMS}))
            return false;
    }
    return true;
}

static bool relate_bindings(const struct pose_value *extras, pose_relate *relate, void *user)
{
    for (const struct pose_value *key = items_of(extras, "bindings"); key; key = key->next) {
        const char *wanted = text_of(key, "key");
        if (!relate(user, &(struct pose_relation){.way = POSE_BY_KEY,
                                                  .kind = "character",
                                                  .wanted = wanted ? wanted : "",
                                                  .axes = POSE_AXES_SIMS}))
            return false;
    }
    return true;
}

/* An appearance for each tone of skin, of which a person wears one. */
static bool relate_tones(const struct pose_value *extras, pose_relate *relate, void *user)
{
    static const char *const tones[] = {"light", "medium", "dark"};
    for (size_t i = 0; i < sizeof tones / sizeof *tones; i++) {
        const struct pose_value *key = pose_value_find(extras, tones[i]);
        const char *wanted = text_of(key, "key");
        if (!wanted || !value_get_int(key, "file", 0))
            continue;
        if (!relate(user, &(struct pose_relation){.way = POSE_BY_KEY,
                                                  .kind = "character",
                                                  .wanted = wanted,
                                                  .axes = POSE_AXES_SIMS,
                                                  .variant = tones[i]}))
            return false;
    }
    return true;
}

bool sims_relations(const struct pose_character *character, struct pose_bytes facts, pose_relate *relate,
                    void *user)
{
    (void)facts;
    if (!strcmp(character->type, "binding"))
        relate_binding(character->extras, relate, user);
    else if (!strcmp(character->type, "suit"))
        relate_skins(character->extras, relate, user);
    else if (!strcmp(character->type, "outfit"))
        relate_tones(character->extras, relate, user);
    else
        relate_bindings(character->extras, relate, user);
    return false; /* the names do not tell whose clips they are */
}

/* Whether text begins with start, ignoring case. */
static bool begins_with(const char *text, const char *start, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text_lower(text[i]) != text_lower(start[i])) /* also differs at the end of text */
            return false;
    }
    return true;
}

/* "name.FFFFFFFFTTTTTTTT.ext", or only the key, as in archives without names. */
static bool name_has_key(const char *entry_name, const char *key)
{
    const char *slash = strrchr(entry_name, '/'), *part = slash ? slash + 1 : entry_name;
    size_t length = strlen(key);
    for (;;) {
        if (begins_with(part, key, length) && (!part[length] || part[length] == '.'))
            return true;
        part = strchr(part, '.');
        if (!part)
            return false;
        part++;
    }
}

/* Whether the archive's directory gives the entry the ids of a key: file and type, as in a FAR of The Sims
 * Online. */
static bool row_has_key(const struct pose_entry *row, const char *key)
{
    uint32_t file, type;
    return row->has_id && sscanf(key, "%8" SCNx32 "%8" SCNx32, &file, &type) == 2 && row->id == file &&
           row->type == type;
}

bool sims_has_key(const char *key, const char *entry_name, const char *container,
                  const struct pose_entry *row)
{
    if (!*key)
        return false;
    return name_has_key(entry_name, key) ||
           (row && container && !strcmp(container, "far3") && row_has_key(row, key));
}
