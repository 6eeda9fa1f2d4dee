/* Which of a clip's morph tracks drive a mesh's morph targets: those of the same name, else of the same id. */
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

bool pose_mesh_weights(const struct pose_mesh *mesh, const struct pose_sampler *sampler, const float *morphs,
                       float *weights)
{
    struct arena arena;
    struct morph_index index = {0};
    arena_init(&arena, NULL, 0, NULL);
    bool done = index_morphs(&index, &arena, pose_sampler_morphs(sampler), pose_sampler_morph_count(sampler));
    for (uint32_t i = 0; done && i < mesh->morph_count; i++) {
        const struct pose_morph_target *target = &mesh->morphs[i];
        int64_t found = target->name ? name_index_find(&index.names, target->name) : -1;
        if (found < 0 && target->has_id)
            found = find_id(&index, target->id);
        weights[i] = found < 0 ? target->weight : morphs[found];
    }
    arena_release(&arena);
    return done;
}
