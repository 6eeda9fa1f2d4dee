#include "api/choices/skeleton.h"

#include "server/library/choose.h"

#include <string.h>

/* The best one in the body itself, else one from the catalogue, chosen as for any external clip. */
static struct ingredient_skeleton automatic_skeleton(const struct catalog *common,
                                                     const struct ingredient *item)
{
    struct ingredient_skeleton found = {.catalog = item->catalog};
    struct catalog_item *of = (struct catalog_item *)(uintptr_t)item->item;
    found.choice = catalog_skeleton(item->catalog, of);
    if (item->catalog == common || found.choice.item)
        return found;
    struct catalog_item stranger = {.asset = of->asset, .place = {UINT32_MAX, 0}};
    atomic_init(&stranger.skeleton, INT64_MIN);
    return (struct ingredient_skeleton){common, catalog_skeleton(common, &stranger)};
}

static struct ingredient_skeleton named_skeleton(const struct choice_place *from, const char *text)
{
    struct asset_id id;
    struct ingredient found = {0};
    if (!id_parse(text, strlen(text), &id))
        return (struct ingredient_skeleton){0};
    if (from->own && ingredient_find(from->common, from->own, ASSET_SKELETON, &id, &found))
        return (struct ingredient_skeleton){found.catalog, {.asset = found.item->asset, .item = found.item}};
    return (struct ingredient_skeleton){from->common, catalog_find_skeleton(from->common, &id)};
}

bool skeleton_read(const struct choice_place *from, const struct ingredient *of,
                   struct ingredient_skeleton *skeleton, bool *automatic, struct param_error *error)
{
    const char *text = params_get(from->params, "skeleton");
    *automatic = !text || !strcmp(text, "auto");
    if (*automatic) {
        if (of->item)
            *skeleton = automatic_skeleton(from->common, of);
        return true;
    }
    if (!strcmp(text, "none"))
        return true;
    *skeleton = named_skeleton(from, text);
    return skeleton->choice.asset ||
           param_fail(error, "skeleton", "\"%.60s\" is neither auto, none, nor the id of a skeleton", text);
}

bool up_read(const struct params *params, enum up *up, struct param_error *error)
{
    static const char *const words[] = {[UP_AUTO] = "auto", [UP_Y] = "y", [UP_Z] = "z", [UP_Z + 1] = NULL};
    int word = UP_AUTO;
    if (!params_choice(params, "up", words, &word, error))
        return false;
    *up = (enum up)word;
    return true;
}
