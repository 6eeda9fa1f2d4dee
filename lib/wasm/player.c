#include "lib/wasm/player.h"

#include "lib/core/error.h"
#include "lib/wasm/host.h"

#include <stdlib.h>
#include <string.h>

/* Skeletons of the files that are looked at for a clip. */
enum { MOST_TRIED = 64 };

/* -------------------------------------------------------------------------------------------- the skeleton -- */

struct choice {
    struct pose_document *document;
    const struct pose_skeleton *skeleton;
    bool is_made_for;
    uint32_t matches;
    unsigned adulthood;
};

static uint32_t count_moving(const struct pose_clip *clip)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_channel *channels = clip->tracks[i].channels;
        count +=
            channels[POSE_TRANSLATION].count || channels[POSE_ROTATION].count || channels[POSE_SCALE].count;
    }
    return count;
}

/* As the server chooses: by the game's naming, then by the most matches, then a grown person's, then the one with the
 * fewest other joints. */
static bool is_better(const struct choice *a, const struct choice *b)
{
    if (!b->skeleton || a->is_made_for != b->is_made_for)
        return !b->skeleton || a->is_made_for;
    if (a->matches != b->matches)
        return a->matches > b->matches;
    if (a->adulthood != b->adulthood)
        return a->adulthood > b->adulthood;
    return a->skeleton->joint_count < b->skeleton->joint_count;
}

/* Takes the document over. */
static void consider(struct choice *best, const struct player *player, const struct pose_naming *naming,
                     struct pose_document *document, uint32_t index)
{
    const struct pose_skeleton *skeleton = document ? &document->skeletons[index] : NULL;
    struct choice one = {.document = document, .skeleton = skeleton};
    if (skeleton) {
        one.matches = pose_skeleton_match(skeleton, player->clip);
        one.is_made_for = pose_made_for(naming, skeleton->name);
        one.adulthood = pose_adulthood(skeleton->name);
    }
    if (!skeleton || 2 * one.matches < count_moving(player->clip) || !one.matches || !is_better(&one, best)) {
        pose_document_free(document);
        return;
    }
    pose_document_free(best->document);
    *best = one;
}

/* Among those of the files; if none fits, among the built-in ones. */
static void choose(struct player *player, struct bundle *bundle, const struct pose_naming *naming)
{
    const struct bundle_list *list = &bundle->lists[BUNDLE_SKELETON];
    struct choice best = {0};
    struct pose_error error;
    for (uint32_t i = 0; i < list->count && i < MOST_TRIED; i++) {
        pose_error_init(&error);
        consider(&best, player, naming, bundle_load(bundle, &list->assets[i], &error), list->assets[i].index);
    }
    player->is_stand_in = !best.skeleton;
    for (unsigned i = 0; player->is_stand_in && pose_stand_in_name(i); i++) {
        pose_error_init(&error);
        consider(&best, player, naming, pose_stand_in(i, &bundle_options, &error), 0);
    }
    player->other = best.document;
    player->skeleton = best.skeleton;
}

static bool load_skeleton(struct player *player, struct bundle *bundle, const struct bundle_asset *clip,
                          int32_t wanted, struct pose_error *error)
{
    const struct bundle_list *list = &bundle->lists[BUNDLE_SKELETON];
    const struct pose_naming naming = {.format = player->document->format,
                                       .kind = "clip",
                                       .name = player->clip->name,
                                       .file = bundle_name(bundle, clip)};
    if (wanted == LOCAL_NONE)
        return true;
    if (wanted < 0 && player->document->skeleton_count) {
        player->skeleton = player->document->skeletons;
        for (uint32_t i = 0; i < player->document->skeleton_count; i++)
            if (player->clip->tree && player->document->skeletons[i].tree == player->clip->tree)
                player->skeleton = &player->document->skeletons[i];
        return true;
    }
    if (wanted < 0) {
        choose(player, bundle, &naming);
        return true;
    }
    if ((uint32_t)wanted >= list->count)
        return error_set(error, POSE_BAD_ARGUMENT, "unknown_skeleton", "there is no skeleton %d", wanted);
    player->other = bundle_load(bundle, &list->assets[wanted], error);
    player->skeleton = player->other ? &player->other->skeletons[list->assets[wanted].index] : NULL;
    return player->other;
}

bool player_load(struct player *player, struct bundle *bundle, uint32_t clip, int32_t skeleton,
                 struct pose_error *error)
{
    const struct bundle_list *list = &bundle->lists[BUNDLE_CLIP];
    *player = (struct player){0};
    if (clip >= list->count)
        return error_set(error, POSE_BAD_ARGUMENT, "unknown_clip", "there is no clip %u", clip);
    player->document = bundle_load(bundle, &list->assets[clip], error);
    if (!player->document)
        return false;
    player->clip = &player->document->clips[list->assets[clip].index];
    return load_skeleton(player, bundle, &list->assets[clip], skeleton, error);
}

/* ------------------------------------------------------------------------------------------------ sampling -- */

bool player_compile(struct player *player, enum pose_axes axes, struct pose_error *error)
{
    player->sampler = pose_sampler_new(player->clip, player->skeleton, axes, &bundle_options, error);
    if (!player->sampler)
        return false;
    size_t rows = pose_sampler_row_count(player->sampler), morphs = pose_sampler_morph_count(player->sampler);
    player->rows = calloc(rows * 10 + morphs + 1, sizeof *player->rows);
    player->matrices = calloc(rows * 16 + 1, sizeof *player->matrices);
    return (player->rows && player->matrices) || error_no_memory(error);
}

void player_describe(const struct player *player, struct pose_buffer *out)
{
    struct json_writer json;
    const struct pose_row *rows = pose_sampler_rows(player->sampler);
    const struct pose_morph *morphs = pose_sampler_morphs(player->sampler);
    jsonw_init(&json, out);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "skeleton", player->skeleton ? player->skeleton->name : NULL);
    jsonw_bool(&json, "stand_in", player->skeleton && player->is_stand_in);
    jsonw_number(&json, "duration", player->clip->duration);
    jsonw_array(&json, "joints");
    for (uint32_t i = 0; i < pose_sampler_row_count(player->sampler); i++) {
        jsonw_object(&json, NULL);
        jsonw_string(&json, "name", rows[i].name);
        if (rows[i].has_id)
            jsonw_integer(&json, "id", rows[i].id);
        jsonw_integer(&json, "parent", rows[i].parent);
        jsonw_end(&json);
    }
    jsonw_end(&json);
    jsonw_array(&json, "morphs");
    for (uint32_t i = 0; i < pose_sampler_morph_count(player->sampler); i++) {
        jsonw_object(&json, NULL);
        jsonw_string(&json, "name", morphs[i].name);
        if (morphs[i].has_id)
            jsonw_integer(&json, "id", morphs[i].id);
        jsonw_end(&json);
    }
    jsonw_end(&json);
    jsonw_integer(&json, "unmatched", pose_sampler_unmatched_count(player->sampler));
    jsonw_end(&json);
}

/* ----------------------------------------------------------------------------------------------------- GLB -- */

bool player_glb(const struct player *player, struct pose_buffer *out, struct pose_error *error)
{
    const struct pose_document *document = player->document;
    const struct pose_conversion_clip clip = {.clip = player->clip, .from = document->format, .name = "clip"};
    struct pose_conversion wanted = {
        .to = "glb", .clip_count = 1, .clips = &clip, .skeleton = player->skeleton};
    if (document->mesh_count && player->skeleton) {
        wanted.meshes = document->meshes;
        wanted.mesh_count = document->mesh_count;
        wanted.images = document->images;
        wanted.image_count = document->image_count;
    }
    return pose_convert(&wanted, &bundle_options, NULL, NULL, out, NULL, error);
}

void player_free(struct player *player)
{
    pose_sampler_free(player->sampler);
    pose_document_free(player->other);
    pose_document_free(player->document);
    free(player->rows);
    free(player->series);
    free(player->matrices);
    *player = (struct player){0};
}
