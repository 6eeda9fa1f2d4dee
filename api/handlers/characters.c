/* Characters: suits and appearances of The Sims, and those of Metroid Prime, with their skeleton, meshes and clips. */
#include "api/views/asset_json.h"
#include "api/handlers/handlers.h"
#include "server/library/relations.h"

#include <stdlib.h>
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

/* Clips that play on that skeleton, those of the character's archive alone. */
static void put_clips(struct json_writer *json, const struct catalog *catalog,
                      const struct catalog_item *item, const struct skeleton_choice *skeleton)
{
    enum { MAX_CLIPS = 1000 };
    const struct catalog_list *clips = &catalog->lists[ASSET_CLIP];
    unsigned count = 0;
    jsonw_array(json, "clips");
    for (uint32_t i = 0; i < clips->count && skeleton->asset && count < MAX_CLIPS; i++) {
        struct catalog_item *clip = catalog_item_in(&clips->items[i], item->place.archive);
        if (!clip || clip->asset->axes != skeleton->asset->axes ||
            catalog_skeleton(catalog, clip).asset != skeleton->asset)
            continue;
        put_clip(json, clip);
        count++;
    }
    jsonw_end(json);
}

enum api_outcome handle_character(struct api_call *call)
{
    struct catalog_item *item = asset_of_path(call, ASSET_CHARACTER, "character");
    if (!item)
        return API_DONE;
    struct asset_id digest = digest_begin(call, &item->asset->id);
    digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    if (reply_cached(call, digest, FRESH_REVALIDATE, true))
        return API_DONE;
    if (!call->request->may_wait)
        return API_WAIT;
    enum api_outcome outcome;
    struct decoded *decoded = reply_document(call, item, &outcome);
    if (!decoded)
        return outcome;
    const struct pose_character *character = &decoded->document->characters[item->asset->inner];
    struct relations relations;
    if (!relations_find(call->service, call->catalog, item, character, &relations)) {
        relations_release(&relations);
        document_put(decoded);
        return reply_no_memory(call);
    }
    struct skeleton_choice skeleton = relations_skeleton(call->catalog, item, &relations);
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    asset_head(&json, call->catalog, item->asset, item, decoded->document->format);
    if (skeleton.asset)
        jsonw_id(&json, "skeleton", &skeleton.asset->id);
    else
        jsonw_null(&json, "skeleton");
    put_parts(&json, &relations);
    if (relations.has_clips)
        put_named_clips(&json, &relations);
    else
        put_clips(&json, call->catalog, item, &skeleton);
    jsonw_array(&json, "warnings");
    jsonw_warnings(&json, decoded->document->warnings, decoded->document->warning_count);
    jsonw_warnings(&json, character->warnings, character->warning_count);
    jsonw_end(&json);
    if (character->extras)
        jsonw_value(&json, "extras", character->extras);
    else
        jsonw_raw(&json, "extras", "{}");
    jsonw_end(&json);
    relations_release(&relations);
    document_put(decoded);
    return reply_json(call, &body);
}
