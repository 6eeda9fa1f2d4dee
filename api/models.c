/* Skeletons, meshes and characters as GLB: what is drawn, and the clips that are asked for. */
#include "api/asset_json.h"
#include "api/conversion.h"
#include "api/handlers.h"
#include "api/models.h"
#include "server/clock.h"
#include "server/relations.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct model {
    struct api_call *call;
    const struct conversion *conversion;
    const char *name;
    struct conversion_parts parts; /* of a mesh: it, and its skeleton */
    struct catalog_item *character;
    uint32_t clip_count;
    struct catalog_item **clips; /* from malloc */
    bool (*gather)(struct model *model, struct ingredients *ingredients, struct convert_warnings *warnings,
                   struct pose_error *error);
};

static struct cache_object *make_model(void *user, struct pose_error *error)
{
    struct model *model = user;
    struct service *service = model->call->service;
    struct ingredients *ingredients = ingredients_new(service, model->call->catalog);
    struct convert_warnings warnings = {0};
    struct converted *converted = NULL;
    struct pose_buffer bytes = {0};
    double begin = clock_seconds();
    if (model->gather(model, ingredients, &warnings, error)) {
        struct convert_content content = {
            .target = model->conversion->target, .options = &model->conversion->options, .name = model->name};
        ingredients_list(ingredients, &content);
        if (convert_run(&content, &service->index_options.pose, &warnings, &bytes, error) &&
            !(converted = converted_new(&bytes, &warnings))) {
            pose_error_init(error);
            error->status = POSE_NO_MEMORY;
        }
    }
    double decode_seconds = ingredients_decode_seconds(ingredients);
    model->call->fetch.decode_seconds += decode_seconds;
    model->call->write_seconds = clock_seconds() - begin - decode_seconds;
    pose_buffer_free(&bytes);
    convert_warnings_release(&warnings);
    ingredients_free(ingredients);
    return converted ? &converted->object : NULL;
}

/* digest: of all that the model depends on. */
static enum api_outcome reply_model(struct model *model, struct asset_id digest, enum freshness freshness)
{
    struct api_call *call = model->call;
    struct cache_key key = {{'M'}};
    digest = conversion_digest(digest, model->conversion);
    struct asset_id tagged = id_quick(&digest, &model->conversion->strict, sizeof model->conversion->strict);
    if (reply_cached(call, tagged, freshness, false))
        return API_DONE;
    memcpy(key.bytes + 1, &digest, sizeof digest);
    struct converted *converted =
        (struct converted *)cache_get(call->service->replies, &key, call->request->may_wait, clock_ms(),
                                      make_model, model, &call->fetch.outcome, &call->fetch.error);
    call->fetch.missed = call->fetch.outcome == CACHE_MADE;
    call->response->cache = call->fetch.missed ? "miss" : "hit";
    return converted ? reply_converted(call, model->conversion, converted, model->name) : reply_fetch(call);
}

/* ---------------------------------------------------------------------------------------------- skeletons -- */

static bool gather_skeleton(struct model *model, struct ingredients *ingredients,
                            struct convert_warnings *warnings, struct pose_error *error)
{
    (void)warnings;
    return ingredients_set_skeleton(ingredients, &model->parts.skeleton, error);
}

enum api_outcome skeleton_model_reply(struct api_call *call, const struct skeleton_choice *choice)
{
    struct conversion conversion;
    struct model model = {.call = call,
                          .conversion = &conversion,
                          .name = choice->asset->name ? choice->asset->name : "skeleton",
                          .parts.skeleton = {call->catalog, *choice},
                          .gather = gather_skeleton};
    enum api_outcome outcome = API_DONE;
    if (conversion_read(call, convert_target_find("glb"), &conversion))
        outcome = reply_model(&model, digest_begin(call, &choice->asset->id), FRESH_CONTENT);
    conversion_release(&conversion);
    return outcome;
}

/* ------------------------------------------------------------------------------------------------- meshes -- */

static bool gather_mesh(struct model *model, struct ingredients *ingredients,
                        struct convert_warnings *warnings, struct pose_error *error)
{
    conversion_warn_of_skeleton(model->conversion, &model->parts.skeleton, warnings);
    return ingredients_set_skeleton(ingredients, &model->parts.skeleton, error) &&
           ingredients_add_mesh(ingredients, &model->parts.meshes[0], NULL, error);
}

enum api_outcome handle_mesh_model(struct api_call *call)
{
    struct catalog_item *item = asset_of_path(call, ASSET_MESH, "mesh");
    struct conversion conversion;
    if (!item)
        return API_DONE;
    struct model model = {.call = call,
                          .conversion = &conversion,
                          .name = item->asset->name,
                          .parts = {.mesh_count = 1, .meshes = {{call->catalog, item}}},
                          .gather = gather_mesh};
    enum api_outcome outcome = API_DONE;
    if (conversion_read(call, convert_target_find("glb"), &conversion) &&
        conversion_parts_read(call, NULL, &model.parts)) {
        /* The texture is what lies beside the mesh. */
        struct asset_id digest = digest_begin(call, &item->asset->id);
        const struct index_asset *skeleton = model.parts.skeleton.choice.asset;
        digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
        if (skeleton)
            digest = id_quick(&digest, &skeleton->id, sizeof skeleton->id);
        outcome = reply_model(&model, digest, FRESH_REVALIDATE);
    }
    conversion_release(&conversion);
    return outcome;
}

/* --------------------------------------------------------------------------------------------- characters -- */

static bool gather_parts(struct model *model, const struct relations *relations,
                         struct ingredients *ingredients, struct convert_warnings *warnings,
                         struct pose_error *error)
{
    struct api_call *call = model->call;
    struct ingredient_skeleton skeleton = model->parts.skeleton;
    if (model->parts.automatic) {
        skeleton = (struct ingredient_skeleton){
            call->catalog, relations_skeleton(call->catalog, model->character, relations)};
        if (!skeleton.choice.asset && model->clip_count && !relations->has_clips)
            skeleton.choice = catalog_skeleton(call->catalog, model->clips[0]);
    }
    conversion_warn_of_skeleton(model->conversion, &skeleton, warnings);
    if (!ingredients_set_skeleton(ingredients, &skeleton, error))
        return false;
    for (uint32_t i = 0; i < relations->count && skeleton.choice.asset; i++) {
        const struct related_mesh *part = &relations->meshes[i];
        struct ingredient mesh = {call->catalog, part->item};
        if (!part->item) {
            char message[200];
            snprintf(message, sizeof message, "mesh %.120s is not there", part->wanted ? part->wanted : "");
            convert_warn_text(warnings, "missing_mesh", POSE_WARNING, message);
        } else if (!ingredients_add_mesh(ingredients, &mesh, part->texture, error)) {
            return false;
        }
    }
    return true;
}

static bool gather_character(struct model *model, struct ingredients *ingredients,
                             struct convert_warnings *warnings, struct pose_error *error)
{
    struct api_call *call = model->call;
    struct fetch fetch = {.may_wait = true};
    struct relations relations;
    struct decoded *decoded = document_get(call->service, call->catalog, model->character->place, &fetch);
    if (!decoded) {
        *error = fetch.error;
        return false;
    }
    relations_find(call->service, call->catalog, model->character,
                   &decoded->document->characters[model->character->asset->inner], &relations);
    bool done = gather_parts(model, &relations, ingredients, warnings, error);
    for (uint32_t i = 0; i < model->clip_count && done; i++)
        done = ingredients_add_clip(ingredients, &(struct ingredient){call->catalog, model->clips[i]}, error);
    relations_release(&relations);
    document_put(decoded);
    return done;
}

static bool read_clips(struct api_call *call, struct model *model)
{
    const char *text = params_get(&call->params, "clips");
    struct asset_id id;
    if (!text)
        return true;
    model->clips = must_alloc(strlen(text) / 33 + 1, sizeof *model->clips);
    for (const char *at = text; at;) {
        size_t length = strcspn(at, ",");
        struct catalog_item *item =
            id_parse(at, length, &id) ? catalog_find(call->catalog, ASSET_CLIP, &id) : NULL;
        if (!item) {
            reply_bad_parameter(call, "clips", "there is no clip \"%.*s\"", (int)(length < 60 ? length : 60),
                                at);
            return false;
        }
        model->clips[model->clip_count++] = item;
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

static struct asset_id character_digest(const struct model *model)
{
    const struct api_call *call = model->call;
    struct asset_id digest = digest_begin(call, &model->character->asset->id);
    digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    digest = digest_text(digest, params_get(&call->params, "skeleton"));
    for (uint32_t i = 0; i < model->clip_count; i++)
        digest = id_quick(&digest, &model->clips[i]->asset->id, sizeof digest);
    return digest;
}

enum api_outcome handle_character_model(struct api_call *call)
{
    struct catalog_item *item = asset_of_path(call, ASSET_CHARACTER, "character");
    struct conversion conversion;
    if (!item)
        return API_DONE;
    struct model model = {.call = call,
                          .conversion = &conversion,
                          .name = item->asset->name,
                          .character = item,
                          .gather = gather_character};
    enum api_outcome outcome = API_DONE;
    double seconds = 0;
    if (conversion_read(call, convert_target_find("glb"), &conversion) && read_clips(call, &model) &&
        conversion_parts_read(call, NULL, &model.parts)) {
        for (uint32_t i = 0; i < model.clip_count; i++)
            seconds += (double)model.clips[i]->asset->duration;
        if (conversion_frames_fit(call, &conversion, seconds))
            outcome = reply_model(&model, character_digest(&model), FRESH_REVALIDATE);
    }
    free(model.clips);
    conversion_release(&conversion);
    return outcome;
}
