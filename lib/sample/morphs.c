/* Which of a clip's morph tracks drive a mesh's morph targets: those of the same name, else of the same id. */
#include "lib/sample/morphs.h"

#include "lib/core/names.h"
#include "lib/sample/sampler.h"

#include <stdlib.h>

struct morph_id {
    uint32_t id, morph;
};

static int compare_ids(const void *a, const void *b)
{
    const struct morph_id *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->morph < y->morph ? -1 : x->morph > y->morph;
}

struct morph_index {
    struct name_index names;
    struct morph_id *ids;
    uint32_t id_count;
};

static bool index_morphs(struct morph_index *index, struct arena *arena, const struct pose_morph *morphs,
                         uint32_t count)
{
    index->ids = ARENA_NEW(arena, struct morph_id, count);
    if (!index->ids || !name_index_init(&index->names, arena, count))
        return false;
    for (uint32_t i = 0; i < count; i++) {
        name_index_add(&index->names, morphs[i].name, i);
        if (morphs[i].has_id)
            index->ids[index->id_count++] = (struct morph_id){morphs[i].id, i};
    }
    name_index_sort(&index->names);
    if (index->id_count > 1)
        qsort(index->ids, index->id_count, sizeof *index->ids, compare_ids);
    return true;
}

static int64_t find_id(const struct morph_index *index, uint32_t id)
{
    uint32_t low = 0, high = index->id_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (index->ids[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < index->id_count && index->ids[low].id == id ? (int64_t)index->ids[low].morph : -1;
}

const int64_t *morphs_of_targets(const struct pose_mesh *mesh, const struct pose_morph *morphs,
                                 uint32_t count, struct arena *arena)
{
    struct morph_index index = {0};
    int64_t *found = ARENA_NEW(arena, int64_t, mesh->morph_count);
    if (!found || !index_morphs(&index, arena, morphs, count))
        return NULL;
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        const struct pose_morph_target *target = &mesh->morphs[i];
        found[i] = target->name ? name_index_find(&index.names, target->name) : -1;
        if (found[i] < 0 && target->has_id)
            found[i] = find_id(&index, target->id);
    }
    return found;
}

bool pose_mesh_weights(const struct pose_mesh *mesh, const struct pose_sampler *sampler, const float *morphs,
                       float *weights)
{
    struct arena arena;
    arena_init(&arena, NULL, 0, NULL);
    const int64_t *found =
        morphs_of_targets(mesh, pose_sampler_morphs(sampler), pose_sampler_morph_count(sampler), &arena);
    for (uint32_t i = 0; found && i < mesh->morph_count; i++)
        weights[i] = found[i] < 0 ? mesh->morphs[i].weight : morphs[found[i]];
    arena_release(&arena);
    return found;
}
