/* Characters: suits and appearances of The Sims, and those of Metroid Prime, with their skeleton, meshes and clips. */
#include "api/handlers/assets.h"
#include "api/handlers/handlers.h"
#include "api/choices/body.h"
#include "api/views/asset_json.h"
#include "lib/core/error.h"
#include "server/library/bodies/relations.h"

#include <string.h>

enum api_outcome handle_characters(struct api_call *call)
{
    return asset_list(call, ASSET_CHARACTER);
}

static void put_parts(struct json_writer *json, const struct relations *relations)
{
    jsonw_array(json, "meshes");
    for (uint32_t i = 0; i < relations->count; i++) {
        const struct related_mesh *part = &relations->meshes[i];
        if (!part->item)
            continue;
        jsonw_object(json, NULL);
        jsonw_id(json, "id", &part->item->asset->id);
        jsonw_string(json, "name", part->item->asset->name);
        jsonw_string(json, "bone", part->bone);
        jsonw_string(json, "texture", part->texture);
        jsonw_end(json);
    }
    jsonw_end(json);
    jsonw_array(json, "missing");
    for (uint32_t i = 0; i < relations->count; i++) {
        if (!relations->meshes[i].item)
            jsonw_string(json, NULL, relations->meshes[i].wanted);
    }
    jsonw_end(json);
}

static void put_variants(struct json_writer *json, const struct relations *relations)
{
    if (!relations->variant_count)
        return;
    jsonw_array(json, "variants");
    for (uint32_t i = 0; i < relations->variant_count; i++) {
        jsonw_object(json, NULL);
        jsonw_string(json, "name", relations->variants[i].name);
        jsonw_id(json, "character", &relations->variants[i].item->asset->id);
        jsonw_end(json);
    }
    jsonw_end(json);
}

static void put_clip(struct json_writer *json, const struct catalog_item *clip)
{
    jsonw_object(json, NULL);
    jsonw_id(json, "id", &clip->asset->id);
    jsonw_string(json, "name", clip->asset->name);
    jsonw_end(json);
}

static void put_named_clips(struct json_writer *json, const struct relations *relations)
{
    jsonw_array(json, "clips");
    for (uint32_t i = 0; i < relations->clip_count; i++)
        put_clip(json, relations->clips[i]);
    jsonw_end(json);
}

/* The clip if this is where its archive has it first. */
static struct catalog_item *clip_of(const struct catalog *catalog, const struct index_asset *asset,
                                    uint32_t archive)
{
    struct catalog_item *clip =
        asset->kind == ASSET_CLIP ? catalog_find(catalog, ASSET_CLIP, &asset->id) : NULL;
    clip = clip ? catalog_item_in(clip, archive) : NULL;
    return clip && clip->asset == asset ? clip : NULL;
}

/* Clips of the character's own archive that play on that skeleton. */
static void put_clips(struct json_writer *json, const struct catalog *catalog,
                      const struct catalog_item *item, const struct skeleton_choice *skeleton)
{
    enum { MAX_CLIPS = 1000 };
    const struct index_archive *archive = catalog->archives[item->place.archive];
    unsigned count = 0;
    jsonw_array(json, "clips");
    for (uint32_t e = 0; e < archive->entry_count && skeleton->asset; e++) {
        const struct index_entry *entry = archive->entries[e];
        for (uint32_t i = 0; i < entry->asset_count && count < MAX_CLIPS; i++) {
            struct catalog_item *clip = clip_of(catalog, &entry->assets[i], item->place.archive);
            if (!clip || clip->asset->axes != skeleton->asset->axes ||
                catalog_skeleton(catalog, clip).asset != skeleton->asset)
                continue;
            put_clip(json, clip);
            count++;
        }
    }
    jsonw_end(json);
}

static void put_suggestions(struct json_writer *json, const struct suggestion *suggestions, uint32_t count)
{
    static const char *const places[] = {[POSE_PLACE_BODY] = "body",
                                         [POSE_PLACE_HEAD] = "head",
                                         [POSE_PLACE_HANDS] = "hands",
                                         [POSE_PLACE_ACCESSORY] = "accessory"};
    jsonw_array(json, "suggest");
    for (uint32_t i = 0; i < count; i++) {
        jsonw_object(json, NULL);
        jsonw_id(json, "mesh", &suggestions[i].mesh->asset->id);
        jsonw_string(json, "name", suggestions[i].mesh->asset->name);
        jsonw_string(json, "place", places[suggestions[i].place]);
        jsonw_number(json, "score", (float)suggestions[i].score);
        jsonw_end(json);
    }
    jsonw_end(json);
}

static void put_members(struct api_call *call, struct json_writer *json, struct catalog_item *character,
                        const struct relations *relations, const struct skeleton_choice *skeleton)
{
    struct suggestion suggestions[MAX_SUGGESTED_PARTS];
    jsonw_optional_id(json, "skeleton", skeleton->asset ? &skeleton->asset->id : NULL);
    put_parts(json, relations);
    put_variants(json, relations);
    put_suggestions(json, suggestions,
                    parts_suggest(call->catalog, character, relations, skeleton->asset, suggestions));
    if (relations->has_clips)
        put_named_clips(json, relations);
    else
        put_clips(json, call->catalog, character, skeleton);
}

static bool put_character(struct api_call *call, struct json_writer *json, const struct found_asset *found,
                          bool is_native, struct pose_error *error)
{
    const struct pose_character *character = &found->document->characters[found->inner];
    struct relations relations;
    struct worn_parts worn;
    struct param_error ignored; /* read before */
    (void)is_native;
    pose_error_init(error);
    bool done = relations_find(call->service, call->catalog, found->item, character, &relations) ||
                error_no_memory(error);
    if (done) {
        struct skeleton_choice skeleton = relations_skeleton(call->catalog, found->item, &relations);
        body_read_worn(&call->params, call->catalog, found->item, &worn, &ignored);
        done = parts_wear(call->catalog, found->item, &relations, &worn, error);
        if (done)
            put_members(call, json, found->item, &relations, &skeleton);
    }
    relations_release(&relations);
    return done;
}

enum api_outcome handle_character(struct api_call *call)
{
    struct catalog_item *item = asset_find(call, ASSET_CHARACTER).item;
    struct worn_parts worn;
    struct param_error error;
    if (!item)
        return API_DONE;
    if (!body_read_worn(&call->params, call->catalog, item, &worn, &error))
        return reply_parameter(call, &error);
    return reply_asset(call, &(struct asset_frame){.kind = ASSET_CHARACTER, .put = put_character});
}
