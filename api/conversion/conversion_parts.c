#include "api/conversion/conversion_parts.h"

#include "server/library/choose.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ reading -- */

static bool find_item(struct api_call *call, const struct catalog *own, enum asset_kind kind,
                      const struct asset_id *id, struct ingredient *found)
{
    *found = (struct ingredient){own, own ? catalog_find(own, kind, id) : NULL};
    if (!found->item)
        *found = (struct ingredient){call->catalog, catalog_find(call->catalog, kind, id)};
    return found->item;
}

static bool read_meshes(struct api_call *call, const struct catalog *own, struct conversion_parts *parts)
{
    struct asset_id id;
    for (const char *at = params_get(&call->params, "mesh"); at;) {
        size_t length = strcspn(at, ",");
        if (parts->mesh_count == CONVERSION_MESHES) {
            reply_bad_parameter(call, "mesh", "more than %d meshes", CONVERSION_MESHES);
            return false;
        }
        if (!id_parse(at, length, &id) ||
            !find_item(call, own, ASSET_MESH, &id, &parts->meshes[parts->mesh_count++])) {
            reply_bad_parameter(call, "mesh", "there is no mesh \"%.*s\"", (int)(length < 60 ? length : 60),
                                at);
            return false;
        }
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

/* The best one in the body itself, else of the catalogue as for any clip from elsewhere. */
static struct ingredient_skeleton automatic_skeleton(struct api_call *call, const struct ingredient *item)
{
    struct ingredient_skeleton found = {.catalog = item->catalog};
    struct catalog_item *of = (struct catalog_item *)(uintptr_t)item->item;
    found.choice = catalog_skeleton(item->catalog, of);
    if (item->catalog == call->catalog || found.choice.item)
        return found;
    struct catalog_item stranger = {.asset = of->asset, .place = {UINT32_MAX, 0}};
    atomic_init(&stranger.skeleton, INT64_MIN);
    return (struct ingredient_skeleton){call->catalog, catalog_skeleton(call->catalog, &stranger)};
}

bool conversion_parts_read(struct api_call *call, const struct catalog *own, struct conversion_parts *parts)
{
    const char *text = params_get(&call->params, "skeleton");
    struct asset_id id;
    if (!read_meshes(call, own, parts))
        return false;
    parts->automatic = !text || !strcmp(text, "auto");
    const struct ingredient *of = parts->clip_count ? parts->clips : &parts->meshes[0];
    if (parts->automatic) {
        if (of->item)
            parts->skeleton = automatic_skeleton(call, of);
    } else if (strcmp(text, "none") != 0) {
        struct ingredient found = {0};
        if (id_parse(text, strlen(text), &id) && own && find_item(call, own, ASSET_SKELETON, &id, &found))
            parts->skeleton =
                (struct ingredient_skeleton){found.catalog, {.asset = found.item->asset, .item = found.item}};
        else if (id_parse(text, strlen(text), &id))
            parts->skeleton =
                (struct ingredient_skeleton){call->catalog, catalog_find_skeleton(call->catalog, &id)};
        if (!parts->skeleton.choice.asset) {
            reply_bad_parameter(call, "skeleton", "\"%.60s\" is neither auto, none, nor the id of a skeleton",
                                text);
            return false;
        }
    }
    if (parts->mesh_count && parts->clip_count && !parts->skeleton.choice.asset) {
        reply_bad_parameter(call, "skeleton", "a mesh needs a skeleton, and there is none for this clip");
        return false;
    }
    return true;
}

void conversion_parts_offer_skeleton(struct conversion_parts *parts,
                                     const struct ingredient_skeleton *skeleton)
{
    if (!parts->clip_count && parts->automatic && !parts->skeleton.choice.asset)
        parts->skeleton = *skeleton;
}

bool conversion_frames_fit(struct api_call *call, const struct conversion *conversion,
                           const struct conversion_parts *parts)
{
    struct param_error error;
    double seconds = 0, most = (double)call->service->config->max_frames;
    for (uint32_t i = 0; i < parts->clip_count; i++)
        seconds += (double)parts->clips[i].item->asset->duration;
    double frames = seconds * (double)conversion->options.fps;
    if (frames <= most)
        return true;
    param_fail(&error, "fps", "%.0f frames are more than max-frames, %.0f", frames, most);
    strcpy(error.limit, "max-frames");
    reply_parameter(call, &error);
    return false;
}

/* ------------------------------------------------------------------------------------------------- adding -- */

bool conversion_add_skeleton(const struct ingredient_skeleton *skeleton, const struct conversion *conversion,
                             struct ingredients *ingredients, struct convert_warnings *warnings,
                             struct pose_error *error)
{
    struct pose_warning warning;
    if (skeleton_warning(&skeleton->choice, &warning) && conversion->target->on_skeleton)
        convert_warn_text(warnings, warning.code, warning.severity, warning.message);
    return ingredients_set_skeleton(ingredients, skeleton, error);
}

bool conversion_parts_add(const struct conversion_parts *parts, const struct conversion *conversion,
                          struct ingredients *ingredients, struct convert_warnings *warnings,
                          struct pose_error *error)
{
    for (uint32_t i = 0; i < parts->clip_count; i++) {
        if (!ingredients_add_clip(ingredients, &parts->clips[i], error))
            return false;
    }
    for (unsigned i = 0; i < parts->mesh_count; i++) {
        if (!ingredients_add_mesh(ingredients, &parts->meshes[i], NULL, error))
            return false;
    }
    return conversion_add_skeleton(&parts->skeleton, conversion, ingredients, warnings, error);
}

struct asset_id conversion_parts_digest(const struct conversion_parts *parts)
{
    struct asset_id digest = {{0}};
    if (parts->skeleton.choice.asset)
        digest = id_quick(&digest, &parts->skeleton.choice.asset->id, sizeof digest);
    for (unsigned i = 0; i < parts->mesh_count; i++) {
        const struct catalog *catalog = parts->meshes[i].catalog;
        digest = id_quick(&digest, &parts->meshes[i].item->asset->id, sizeof digest);
        digest = id_quick(&digest, &catalog->digest, sizeof digest);
    }
    return digest;
}
