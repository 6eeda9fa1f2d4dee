/* The weights of morph targets as channels of the meshes' nodes: the keys of all targets at their common times. */
#include "lib/formats/gltf/write/channels.h"
#include "lib/model/skin.h"
#include "lib/sample/curve.h"
#include "lib/sample/morphs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A mesh, and what drives its targets. */
struct weighing {
    const struct pose_mesh *mesh;
    const struct pose_channel **channels; /* [morph_count], NULL: keeps its weight */
    uint32_t driven;
    const float *times; /* [count] */
    uint32_t count;
};

static int compare_times(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* Finds the morph tracks of a clip that drive the mesh's targets. */
static bool find_channels(struct gltf_writing *writing, struct weighing *weighing)
{
    const struct pose_clip *clip = gltf_writing_clip(writing);
    const struct pose_mesh *mesh = weighing->mesh;
    struct pose_morph *morphs = ARENA_NEW(&writing->arena, struct pose_morph, clip->track_count);
    const struct pose_channel **driving = arena_alloc(&writing->arena, clip->track_count, sizeof *driving);
    weighing->channels = arena_alloc(&writing->arena, mesh->morph_count, sizeof *weighing->channels);
    uint32_t count = 0;
    for (uint32_t i = 0; morphs && driving && i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        if (!track->channels[POSE_MORPH].count)
            continue;
        morphs[count] = (struct pose_morph){track->name, track->has_id, track->id};
        driving[count++] = &track->channels[POSE_MORPH];
    }
    const int64_t *found = morphs && driving ? morphs_of_targets(mesh, morphs, count, &writing->arena) : NULL;
    for (uint32_t i = 0; found && weighing->channels && i < mesh->morph_count; i++) {
        weighing->channels[i] = found[i] < 0 ? NULL : driving[found[i]];
        weighing->driven += found[i] >= 0;
    }
    return found && weighing->channels;
}

/* The times of all keys within the clip, and its end. */
static bool gather_times(struct gltf_writing *writing, struct weighing *weighing)
{
    const struct pose_clip *clip = gltf_writing_clip(writing);
    size_t all = 2, kept = 0;
    for (uint32_t i = 0; i < weighing->mesh->morph_count; i++)
        all += weighing->channels[i] ? weighing->channels[i]->count : 0;
    float *times = ARENA_NEW(&writing->arena, float, all);
    if (!times)
        return false;
    all = 0;
    times[all++] = 0;
    times[all++] = writing->end;
    for (uint32_t i = 0; i < weighing->mesh->morph_count; i++) {
        if (!weighing->channels[i])
            continue;
        gltf_key_times(clip, weighing->channels[i], times + all);
        all += weighing->channels[i]->count;
    }
    qsort(times, all, sizeof *times, compare_times);
    for (size_t k = 0; k < all && times[k] <= writing->end; k++) {
        if (!kept || times[k] > times[kept - 1])
            times[kept++] = times[k];
    }
    weighing->times = times;
    weighing->count = (uint32_t)kept;
    return true;
}

/* The column of one target. */
static bool fill_column(struct gltf_writing *writing, const struct weighing *weighing, uint32_t target,
                        const double *times, float *column, float *values)
{
    const struct pose_channel *channel = weighing->channels[target];
    const float still = weighing->mesh->morphs[target].weight;
    const uint32_t targets = weighing->mesh->morph_count;
    struct curve curve;
    if (channel) {
        if (!curve_init(&curve, &writing->arena, gltf_writing_clip(writing), POSE_MORPH, channel))
            return false;
        curve_sample(&curve, times, weighing->count, column);
    }
    for (uint32_t k = 0; k < weighing->count; k++) {
        const float value = channel ? column[k] : still;
        values[(size_t)k * targets + target] = isfinite(value) ? value : 0;
    }
    return arena_step(&writing->arena);
}

static bool put_weights(struct gltf_writing *writing, const struct weighing *weighing, uint32_t node)
{
    enum { MOST = 4 * 1000 * 1000 }; /* as many keys as a clip may have */
    const uint32_t targets = weighing->mesh->morph_count;
    if ((uint64_t)weighing->count * targets > MOST)
        return error_limit(writing->arena.error, "keys",
                           "weights of %u targets at %u times: more than %d keys", targets, weighing->count,
                           (int)MOST);
    double *times = ARENA_NEW(&writing->arena, double, weighing->count);
    float *column = ARENA_NEW(&writing->arena, float, weighing->count);
    float *values = arena_alloc(&writing->arena, weighing->count, targets * sizeof *values);
    if (!times || !column || !values)
        return false;
    for (uint32_t k = 0; k < weighing->count; k++)
        times[k] = (double)weighing->times[k];
    for (uint32_t i = 0; i < targets; i++) {
        if (!fill_column(writing, weighing, i, times, column, values))
            return false;
    }
    gltf_channel_put_weights(writing, node, weighing->times, weighing->count, values, targets);
    return true;
}

bool gltf_weights_put(struct gltf_writing *writing)
{
    const struct gltf_mesh_list *meshes = writing->meshes;
    for (uint32_t i = 0; writing->clip->sampler.morph_count && i < meshes->count; i++) {
        const struct pose_skin *skin = meshes->meshes[i].skin;
        struct weighing weighing = {.mesh = skin ? skin->mesh : NULL};
        if (!skin || !skin->mesh->morph_count)
            continue;
        if (!find_channels(writing, &weighing))
            return false;
        if (!weighing.driven)
            continue;
        if (writing->resampler) {
            weighing.times = writing->frame_times;
            weighing.count = writing->frame_count;
        } else if (!gather_times(writing, &weighing)) {
            return false;
        }
        if (!put_weights(writing, &weighing, writing->animation->joints->node_count + i))
            return false;
    }
    return true;
}
