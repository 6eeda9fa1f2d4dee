#include "server/library/player.h"

#include "lib/core/error.h"
#include "server/library/names.h"
#include "server/ops/clock.h"
#include "server/ops/work/yield.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct making {
    struct service *service;
    const struct catalog *catalog;
    const struct playing *playing;
    struct fetch *fetch;
};

static void free_player(struct cache_object *object)
{
    struct player *player = (struct player *)object;
    pose_text_free(player->local);
    pose_text_free(player->model);
    pose_retarget_free(player->retarget);
    free(player->codes);
    pose_humanoid_free(player->source);
    pose_humanoid_free(player->target);
    pose_sampler_free(player->own);
    document_put(player->onto_document);
    document_put(player->clip_document);
    document_put(player->skeleton_document);
    free(player);
}

/* up=: as if the files had been read so. */
static void turn(struct player *player, enum up up)
{
    if (up != UP_AUTO && format_lacks_up(player->clip_document->document->format)) {
        player->turned_clip = *player->clip;
        player->turned_clip.axes = axes_turned(player->clip->axes, up);
        player->clip = &player->turned_clip;
    }
    if (up != UP_AUTO && player->skeleton_document &&
        format_lacks_up(player->skeleton_document->document->format)) {
        player->turned_skeleton = *player->skeleton;
        player->turned_skeleton.axes = axes_turned(player->skeleton->axes, up);
        player->skeleton = &player->turned_skeleton;
    }
}

static bool fetch_documents(struct making *making, struct player *player, struct pose_error *error)
{
    struct fetch part = {.may_wait = true};
    player->clip_document =
        document_get(making->service, making->catalog, making->playing->clip->place, &part);
    const struct skeleton_choice *choice = making->playing->skeleton;
    if (player->clip_document && choice->item)
        player->skeleton_document =
            document_get(making->service, making->catalog, choice->item->place, &part);
    making->fetch->decode_seconds += part.decode_seconds;
    if (!player->clip_document || (choice->item && !player->skeleton_document)) {
        *error = part.error;
        return false;
    }
    player->clip = &player->clip_document->document->clips[making->playing->clip->asset->inner];
    if (choice->item)
        player->skeleton = &player->skeleton_document->document->skeletons[choice->asset->inner];
    else if (choice->shipped)
        player->skeleton = &choice->shipped->skeletons[0];
    turn(player, making->playing->up);
    return true;
}

static bool prefix(struct pose_error *error, const char *whose, const char *parameter)
{
    char detail[sizeof error->detail];
    snprintf(detail, sizeof detail, "%s: %.300s", whose, error->detail);
    memcpy(error->detail, detail, sizeof detail);
    if (error->status == POSE_BAD_ARGUMENT)
        snprintf(error->field, sizeof error->field, "%s", parameter);
    return false;
}

bool carrying_compile(const struct carrying *carrying, const struct pose_clip *clip,
                      const struct pose_skeleton *from, const struct pose_skeleton *to, enum pose_axes axes,
                      const struct pose_options *options, struct pose_humanoid *people[2],
                      struct pose_retarget **retarget, struct pose_error *error)
{
    const struct pose_retarget_options wishes = {
        .flags = carrying->flags, .pairs = carrying->pairs, .pair_count = carrying->pair_count, .axes = axes};
    people[0] = pose_humanoid_of_clip(from, clip, carrying->map, carrying->map_count, options, error);
    if (!people[0])
        return prefix(error, "source", "map");
    people[1] = pose_humanoid_new(to, carrying->map_onto, carrying->map_onto_count, options, error);
    if (!people[1])
        return prefix(error, "target", "map_onto");
    *retarget = pose_retarget_new(clip, people[0], people[1], &wishes, options, error);
    return *retarget || prefix(error, "map", "map");
}

/* NULL if out of memory. */
static char *list_codes(const struct pose_retarget_report *report)
{
    size_t room = 1;
    for (uint32_t i = 0; i < report->warning_count; i++)
        room += strlen(report->warnings[i].code) + strlen(", ");
    char *codes = calloc(room, 1);
    for (uint32_t i = 0; codes && i < report->warning_count; i++)
        code_list_add(codes, room, report->warnings[i].code);
    return codes;
}

static bool carry(struct making *making, struct player *player, struct pose_error *error)
{
    struct fetch part = {.may_wait = true};
    const struct skeleton_choice *onto = &making->playing->carrying->onto;
    const struct pose_skeleton *target = onto->shipped ? &onto->shipped->skeletons[0] : NULL;
    struct pose_humanoid *people[2] = {NULL, NULL};
    if (onto->item) {
        player->onto_document = document_get(making->service, making->catalog, onto->item->place, &part);
        making->fetch->decode_seconds += part.decode_seconds;
        if (!player->onto_document) {
            *error = part.error;
            return false;
        }
        target = &player->onto_document->document->skeletons[onto->asset->inner];
    }
    bool done = carrying_compile(making->playing->carrying, player->clip, player->skeleton, target,
                                 making->playing->axes, &making->service->index_options.pose, people,
                                 &player->retarget, error);
    player->source = people[0];
    player->target = people[1];
    player->source_skeleton = player->skeleton;
    player->skeleton = target;
    if (!done)
        return false;
    player->sampler = pose_retarget_rows(player->retarget);
    player->codes = list_codes(pose_retarget_report(player->retarget));
    return player->codes || error_no_memory(error);
}

static bool make_sampler(struct making *making, struct player *player, struct pose_error *error)
{
    if (making->playing->carrying)
        return carry(making, player, error);
    enum pose_axes axes = making->playing->axes == POSE_AXES_GLTF ? POSE_AXES_GLTF : player->clip->axes;
    player->own =
        pose_sampler_new(player->clip, player->skeleton, axes, &making->service->index_options.pose, error);
    player->sampler = player->own;
    return player->own;
}

static bool prepare(struct making *making, struct player *player, struct pose_error *error)
{
    if (!fetch_documents(making, player, error) || !make_sampler(making, player, error))
        return false;
    yield_sometimes();
    player->local = pose_text_new(player->sampler, player->skeleton != NULL, false, NULL, 0);
    yield_sometimes();
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
    /* The player keeps the clip's document alive, so it counts here too, in case the cache drops it first. */
    player->object.weight =
        sizeof *player +
        (player->retarget ? pose_retarget_size(player->retarget) + 65536 : pose_sampler_size(player->own)) +
        pose_text_size(player->local) + pose_text_size(player->model) + player->clip_document->object.weight;
    return &player->object;
}

struct player *player_get(struct service *service, const struct catalog *catalog,
                          const struct playing *playing, struct fetch *fetch)
{
    struct making making = {service, catalog, playing, fetch};
    const struct index_asset *clip = playing->clip->asset, *skeleton = playing->skeleton->asset;
    struct cache_key key = {{playing->carrying ? 'R' : 'P', (uint8_t)playing->axes,
                             (uint8_t)(playing->up << 1 | (skeleton != NULL))}};
    memcpy(key.bytes + 3, &clip->id, sizeof clip->id);
    if (skeleton)
        memcpy(key.bytes + 19, &skeleton->id, sizeof skeleton->id);
    if (playing->carrying) {
        struct asset_id both = id_quick(&playing->carrying->digest, key.bytes + 3, 2 * sizeof both);
        memcpy(key.bytes + 3, &both, sizeof both);
        memset(key.bytes + 19, 0, sizeof both);
    }
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
