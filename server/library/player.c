#include "server/library/player.h"

#include "server/ops/clock.h"

#include <stdlib.h>
#include <string.h>

struct making {
    struct service *service;
    const struct catalog *catalog;
    const struct catalog_item *clip;
    const struct skeleton_choice *skeleton;
    enum pose_axes axes;
    struct fetch *fetch;
};

static void free_player(struct cache_object *object)
{
    struct player *player = (struct player *)object;
    pose_text_free(player->local);
    pose_text_free(player->model);
    pose_sampler_free(player->sampler);
    document_put(player->clip_document);
    document_put(player->skeleton_document);
    free(player);
}

static bool fetch_documents(struct making *making, struct player *player, struct pose_error *error)
{
    struct fetch part = {.may_wait = true};
    player->clip_document = document_get(making->service, making->catalog, making->clip->place, &part);
    const struct skeleton_choice *choice = making->skeleton;
    if (player->clip_document && choice->item)
        player->skeleton_document =
            document_get(making->service, making->catalog, choice->item->place, &part);
    making->fetch->decode_seconds += part.decode_seconds;
    if (!player->clip_document || (choice->item && !player->skeleton_document)) {
        *error = part.error;
        return false;
    }
    player->clip = &player->clip_document->document->clips[making->clip->asset->inner];
    if (choice->item)
        player->skeleton = &player->skeleton_document->document->skeletons[choice->asset->inner];
    else if (choice->shipped)
        player->skeleton = &choice->shipped->skeletons[0];
    return true;
}

static bool prepare(struct making *making, struct player *player, struct pose_error *error)
{
    if (!fetch_documents(making, player, error))
        return false;
    enum pose_axes axes = making->axes == POSE_AXES_GLTF ? POSE_AXES_GLTF : player->clip->axes;
    player->sampler =
        pose_sampler_new(player->clip, player->skeleton, axes, &making->service->index_options.pose, error);
    if (!player->sampler)
        return false;
    player->local = pose_text_new(player->sampler, player->skeleton != NULL, false, NULL, 0);
    if (player->skeleton)
        player->model = pose_text_new(player->sampler, true, true, NULL, 0);
    if (!player->local || (player->skeleton && !player->model)) {
        pose_error_init(error);
        error->status = POSE_NO_MEMORY;
        return false;
    }
    return true;
}

static struct cache_object *make(void *user, struct pose_error *error)
{
    struct making *making = user;
    struct player *player = calloc(1, sizeof *player);
    if (!player) {
        pose_error_init(error);
        error->status = POSE_NO_MEMORY;
        return NULL;
    }
    atomic_init(&player->object.references, 1);
    player->object.free = free_player;
    if (!prepare(making, player, error)) {
        free_player(&player->object);
        return NULL;
    }
    /* The clip's document lives as long as the player, so it counts here too, in case the cache lets it go first. */
    player->object.weight = sizeof *player + pose_sampler_size(player->sampler) +
                            pose_text_size(player->local) + pose_text_size(player->model) +
                            player->clip_document->object.weight;
    return &player->object;
}

struct player *player_get(struct service *service, const struct catalog *catalog,
                          const struct catalog_item *clip, const struct skeleton_choice *skeleton,
                          enum pose_axes axes, struct fetch *fetch)
{
    struct making making = {service, catalog, clip, skeleton, axes, fetch};
    struct cache_key key = {{'P', (uint8_t)axes, skeleton->asset != NULL}};
    memcpy(key.bytes + 3, &clip->asset->id, sizeof clip->asset->id);
    if (skeleton->asset)
        memcpy(key.bytes + 19, &skeleton->asset->id, sizeof skeleton->asset->id);
    struct cache_object *object = cache_get(service->clips, &key, fetch->may_wait, clock_ms(), make, &making,
                                            &fetch->outcome, &fetch->error);
    fetch->missed |= fetch->outcome == CACHE_MADE;
    return (struct player *)object;
}

void player_put(struct player *player)
{
    if (player)
        cache_unref(&player->object);
}
