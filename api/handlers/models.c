/* Skeletons, meshes and characters as GLB, with the requested clips. */
#include "lib/core/error.h"
#include "api/protocol/scope.h"
#include "api/views/asset_json.h"
#include "api/conversion/body.h"
#include "api/conversion/converted.h"
#include "api/handlers/assets.h"
#include "api/handlers/handlers.h"
#include "server/library/bodies/relations.h"

#include <stdlib.h>
#include <string.h>

struct model {
    struct api_call *call;
    const struct conversion *conversion;
    const char *name;
    struct conversion_parts parts;
    conversion_gather *gather; /* if the model is more, or less, than its parts; else NULL */
    struct catalog_item *character;
    struct worn_parts worn; /* by the character, beside its own meshes */
};

/* digest: of everything the model depends on. */
static enum api_outcome reply_model(struct model *model, struct asset_id digest, enum freshness freshness)
{
    struct api_call *call = model->call;
    struct cache_key key = {{'M'}};
    digest = conversion_digest(digest, model->conversion);
    struct asset_id tagged = id_quick(&digest, &model->conversion->strict, sizeof model->conversion->strict);
    if (reply_cached(call, tagged, freshness, false))
        return API_DONE;
    memcpy(key.bytes + 1, &digest, sizeof digest);
    struct conversion_order order = {.service = call->service,
                                     .options = call_options(call),
                                     .common = call->catalog,
                                     .conversion = model->conversion,
                                     .parts = &model->parts,
                                     .gather = model->gather,
                                     .user = model,
                                     .name = model->name};
    return reply_kept_conversion(call, &key, &order);
}

/* ---------------------------------------------------------------------------------------------- skeletons -- */

/* On its own the skeleton is not a stand-in for another. */
static bool gather_skeleton(void *user, struct ingredients *ingredients, struct convert_warnings *warnings,
                            struct pose_error *error)
{
    const struct model *model = user;
    (void)warnings;
    return ingredients_set_skeleton(ingredients, &model->parts.skeleton, error);
}

enum api_outcome handle_skeleton_model(struct api_call *call)
{
    struct found_asset found = asset_find(call, ASSET_SKELETON);
    struct conversion conversion;
    if (!found.asset)
        return API_DONE;
    const struct skeleton_choice choice = {
        .asset = found.asset, .item = found.item, .shipped = found.document};
    struct model model = {.call = call,
                          .conversion = &conversion,
                          .name = found.asset->name ? found.asset->name : "skeleton",
                          .parts.skeleton = {call->catalog, choice},
                          .gather = gather_skeleton};
    struct param_error error;
    enum api_outcome outcome =
        conversion_read(&call->params, pose_target_find("glb"), false, &conversion, &error)
            ? reply_model(&model, digest_begin(call, &found.asset->id), FRESH_CONTENT)
            : reply_parameter(call, &error);
    conversion_release(&conversion);
    return outcome;
}

/* ------------------------------------------------------------------------------------------------- meshes -- */

/* glTF, or the format of a game with that extension. */
static const struct pose_target *mesh_target(const char *extension)
{
    return !strcmp(extension, "glb") ? pose_target_find("glb") : convert_mesh_target_of(extension);
}

enum api_outcome handle_mesh_model(struct api_call *call)
{
    struct catalog_item *item = asset_find(call, ASSET_MESH).item;
    struct conversion conversion;
    if (!item)
        return API_DONE;
    const struct pose_target *target = mesh_target(call->values[1]);
    if (!target)
        return reply_no_conversion(call, pose_mesh_targets());
    struct model model = {.call = call,
                          .conversion = &conversion,
                          .name = item->asset->name,
                          .parts = {.mesh_count = 1, .meshes = {{call->catalog, item}}}};
    const struct conversion_place place = conversion_place(call, NULL);
    struct param_error error;
    enum api_outcome outcome;
    if (!conversion_read(&call->params, target, false, &conversion, &error) ||
        !conversion_parts_read(&place, &model.parts, &error)) {
        outcome = reply_parameter(call, &error);
    } else {
        /* The texture is the one beside the mesh. */
        struct asset_id digest = digest_begin(call, &item->asset->id);
        const struct index_asset *skeleton = model.parts.skeleton.choice.asset;
        bool is_fixed = scope_holds(call, &model.parts.skeleton.choice);
        if (!is_fixed)
            digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
        if (skeleton)
            digest = id_quick(&digest, &skeleton->id, sizeof skeleton->id);
        outcome = reply_model(&model, digest, is_fixed ? FRESH_CONTENT : FRESH_REVALIDATE);
    }
    conversion_release(&conversion);
    return outcome;
}

/* --------------------------------------------------------------------------------------------- characters -- */

static struct ingredient_skeleton choose_skeleton(const struct model *model,
                                                  const struct relations *relations)
{
    const struct catalog *catalog = model->call->catalog;
    if (!model->parts.automatic)
        return model->parts.skeleton;
    struct skeleton_choice choice = relations_skeleton(catalog, model->character, relations);
    if (!choice.asset && model->parts.clip_count && !relations->has_clips)
        choice = catalog_skeleton(catalog, (struct catalog_item *)(uintptr_t)model->parts.clips[0].item);
    return (struct ingredient_skeleton){catalog, choice};
}

static bool gather_parts(struct model *model, struct relations *relations, struct ingredients *ingredients,
                         struct convert_warnings *warnings, struct pose_error *error)
{
    struct api_call *call = model->call;
    struct ingredient_skeleton skeleton = choose_skeleton(model, relations);
    if (!parts_wear(call->catalog, model->character, relations, &model->worn, error))
        return false;
    if (!conversion_add_skeleton(&skeleton, model->conversion, ingredients, warnings, error))
        return false;
    return !skeleton.choice.asset ||
           body_add_character(ingredients, call->catalog, relations, warnings, error);
}

static bool gather_character(void *user, struct ingredients *ingredients, struct convert_warnings *warnings,
                             struct pose_error *error)
{
    struct model *model = user;
    struct relations relations;
    bool done =
        relations_load(model->call->service, model->call->catalog, model->character, &relations, error) &&
        gather_parts(model, &relations, ingredients, warnings, error);
    for (uint32_t i = 0; i < model->parts.clip_count && done; i++)
        done = ingredients_add_clip(ingredients, &model->parts.clips[i], error);
    relations_release(&relations);
    return done;
}

/* Whether everything that the model consists of is inside the scope. To be called on the pool. */
static bool is_whole_in_scope(const struct model *model)
{
    const struct api_call *call = model->call;
    struct relations relations;
    struct pose_error error;
    bool is_whole = relations_load(call->service, call->catalog, model->character, &relations, &error);
    const struct ingredient_skeleton skeleton = choose_skeleton(model, &relations);
    is_whole = is_whole && !relations.needs_others &&
               (!model->parts.automatic || scope_holds(call, &skeleton.choice));
    for (unsigned i = 0; i < model->worn.count; i++)
        is_whole = is_whole && scope_has(call, model->worn.meshes[i]);
    relations_release(&relations);
    return is_whole;
}

/* clips=, from malloc; false with error. */
static bool read_clips(const struct api_call *call, struct ingredient **clips, uint32_t *count,
                       struct param_error *error)
{
    const char *text = params_get(&call->params, "clips");
    struct asset_id id;
    if (!text)
        return true;
    *clips = try_alloc(strlen(text) / ID_TEXT + 1, sizeof **clips);
    if (!*clips)
        return param_no_memory(error, "clips");
    for (const char *at = text; at;) {
        size_t length = strcspn(at, ",");
        struct catalog_item *item =
            id_parse(at, length, &id) ? catalog_find(call->catalog, ASSET_CLIP, &id) : NULL;
        if (!item)
            return param_fail(error, "clips", "no clip \"%.*s\"", (int)(length < 60 ? length : 60), at);
        (*clips)[(*count)++] = (struct ingredient){call->catalog, scope_other(call, item)};
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

static struct asset_id character_digest(const struct model *model, bool is_fixed)
{
    const struct api_call *call = model->call;
    struct asset_id digest = digest_begin(call, &model->character->asset->id);
    if (!is_fixed)
        digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    digest = digest_text(digest, params_get(&call->params, "skeleton"));
    for (uint32_t i = 0; i < model->parts.clip_count; i++)
        digest = id_quick(&digest, &model->parts.clips[i].item->asset->id, sizeof digest);
    digest = id_quick(&digest, &model->worn.count, sizeof model->worn.count);
    for (unsigned i = 0; i < model->worn.count; i++)
        digest = id_quick(&digest, &model->worn.meshes[i]->asset->id, sizeof digest);
    return digest;
}

static enum api_outcome reply_character(struct model *model)
{
    const struct api_call *call = model->call;
    if (call->scope && !call->request->may_wait)
        return API_WAIT;
    bool is_fixed = call->scope && is_whole_in_scope(model);
    return reply_model(model, character_digest(model, is_fixed), is_fixed ? FRESH_CONTENT : FRESH_REVALIDATE);
}

enum api_outcome handle_character_model(struct api_call *call)
{
    struct catalog_item *item = asset_find(call, ASSET_CHARACTER).item;
    struct conversion conversion;
    if (!item)
        return API_DONE;
    struct model model = {.call = call,
                          .conversion = &conversion,
                          .name = item->asset->name,
                          .character = item,
                          .gather = gather_character};
    enum api_outcome outcome;
    struct ingredient *clips = NULL;
    uint32_t clip_count = 0;
    const struct conversion_place place = conversion_place(call, NULL);
    struct param_error error;
    bool read = conversion_read(&call->params, pose_target_find("glb"), false, &conversion, &error) &&
                read_clips(call, &clips, &clip_count, &error) &&
                body_read_worn(&call->params, call->catalog, item, &model.worn, &error) &&
                conversion_skeleton_read(&place, &model.parts, &error);
    /* Set only now: skeleton=auto means the character's, whichever clips are requested. */
    model.parts.clips = clips;
    model.parts.clip_count = clip_count;
    if (!read || !conversion_frames_fit(&place, &conversion, &model.parts, &error))
        outcome = reply_parameter(call, &error);
    else
        outcome = reply_character(&model);
    free(clips);
    conversion_release(&conversion);
    return outcome;
}
