/* Characters: suits and appearances of The Sims with their skeleton, meshes and clips. */
#include "api/asset_json.h"
#include "api/clip_json.h"
#include "api/handlers.h"
#include "server/relations.h"

#include <stdlib.h>
#include <string.h>

enum api_outcome handle_characters(struct api_call *call)
{
    return asset_list(call, ASSET_CHARACTER);
}

static void put_parts(struct json *json, const struct relations *relations)
{
    json_array(json, "meshes");
    for (uint32_t i = 0; i < relations->count; i++) {
        const struct related_mesh *part = &relations->meshes[i];
        if (!part->item)
            continue;
        json_object(json, NULL);
        json_id(json, "id", &part->item->asset->id);
        json_string(json, "name", part->item->asset->name);
        json_string(json, "bone", part->bone);
        json_string(json, "texture", part->texture);
        json_end(json);
    }
    json_end(json);
    json_array(json, "missing");
    for (uint32_t i = 0; i < relations->count; i++) {
        if (!relations->meshes[i].item)
            json_string(json, NULL, relations->meshes[i].wanted);
    }
    json_end(json);
}

/* The skeleton that knows the most bones of the first mesh that is there. */
static struct skeleton_choice skeleton_of(const struct catalog *catalog, struct catalog_item *item,
                                          const struct relations *relations)
{
    for (uint32_t i = 0; i < relations->count; i++) {
        struct skeleton_choice choice = {0};
        if (relations->meshes[i].item)
            choice = catalog_skeleton(catalog, relations->meshes[i].item);
        if (choice.asset)
            return choice;
    }
    return catalog_skeleton(catalog, item);
}

/* Clips that play on that skeleton, those of the character's archive alone. */
static void put_clips(struct json *json, const struct catalog *catalog, const struct catalog_item *item,
                      const struct skeleton_choice *skeleton)
{
    enum { MOST_CLIPS = 1000 };
    const struct catalog_list *clips = &catalog->lists[ASSET_CLIP];
    unsigned count = 0;
    json_array(json, "clips");
    for (uint32_t i = 0; i < clips->count && skeleton->asset && count < MOST_CLIPS; i++) {
        struct catalog_item *clip = &clips->items[i];
        if (clip->place.archive != item->place.archive || clip->asset->axes != skeleton->asset->axes ||
            catalog_skeleton(catalog, clip).asset != skeleton->asset)
            continue;
        json_object(json, NULL);
        json_id(json, "id", &clip->asset->id);
        json_string(json, "name", clip->asset->name);
        json_end(json);
        count++;
    }
    json_end(json);
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
    struct decoded *decoded = document_get(call->service, call->catalog, item->place, &call->fetch);
    call->response->cache = call->fetch.missed ? "miss" : "hit";
    if (!decoded)
        return reply_fetch(call);
    const struct pose_character *character = &decoded->document->characters[item->asset->inner];
    struct relations relations;
    relations_find(call->service, call->catalog, item, character, &relations);
    struct skeleton_choice skeleton = skeleton_of(call->catalog, item, &relations);
    struct pose_buffer body = {0};
    struct json json;
    json_init(&json, &body);
    json_object(&json, NULL);
    asset_head(&json, call->catalog, item->asset, item, decoded->document->format);
    if (skeleton.asset)
        json_id(&json, "skeleton", &skeleton.asset->id);
    else
        json_null(&json, "skeleton");
    put_parts(&json, &relations);
    put_clips(&json, call->catalog, item, &skeleton);
    json_array(&json, "warnings");
    json_warnings(&json, decoded->document->warnings, decoded->document->warning_count);
    json_warnings(&json, character->warnings, character->warning_count);
    json_end(&json);
    if (character->extras)
        json_value(&json, "extras", character->extras);
    else
        json_raw(&json, "extras", "{}");
    json_end(&json);
    relations_release(&relations);
    document_put(decoded);
    return reply_json(call, &body);
}
