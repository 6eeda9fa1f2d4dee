/*
 * A model of Metroid Prime with the skin that determines which bones move it. Groups cover consecutive runs of
 * the position array; in the second game a surface's bank of matrices gives the group of a vertex, and takes
 * precedence, as the hardware draws with it. Facts: prime-cmdl.md, 6.
 */
#include "lib/formats/prime/model/model.h"

#include "lib/core/value.h"

#include <string.h>

enum { USED_WEIGHTS = 3, ROOT_MP1 = 3, ROOT_MP2 = 0 };

struct group {
    uint64_t end; /* of its positions: the cumulative count */
    struct pose_influences influences;
};

struct joining {
    struct body_job *job;
    const struct pose_mesh *model, *skin;
    uint32_t group_count;
    struct group *groups;
    uint32_t bank_count; /* entries in complete banks */
    uint32_t *banks;
    uint32_t bone_count;
    uint32_t bones[PRIME_BONE_LIMIT + 1];
    int bone_of[PRIME_BONE_LIMIT]; /* by id, -1: none yet */
    uint32_t root;
};

static uint32_t bone_index(struct joining *work, int64_t id)
{
    if (id < 0 || id >= PRIME_BONE_LIMIT)
        id = work->root;
    if (work->bone_of[id] < 0) {
        work->bone_of[id] = (int)work->bone_count;
        work->bones[work->bone_count++] = (uint32_t)id;
    }
    return (uint32_t)work->bone_of[id];
}

/* The game keeps the first three weights of a group; the remaining weight goes to the root. */
static void take_group(struct joining *work, const struct pose_value *item, struct group *group,
                       uint32_t *extra)
{
    const struct pose_value *weights = pose_value_find(item, "weights");
    unsigned count = 0, seen = 0;
    for (const struct pose_value *one = weights ? weights->first : NULL; one; one = one->next) {
        float weight = value_get_float(one, "weight", 0);
        *extra += seen == USED_WEIGHTS;
        if (seen++ >= USED_WEIGHTS || !(weight > 0))
            continue;
        group->influences.bones[count] = bone_index(work, value_get_int(one, "bone_id", work->root));
        group->influences.weights[count++] = weight;
    }
    if (!count) {
        group->influences.bones[0] = bone_index(work, work->root);
        group->influences.weights[0] = 1;
    }
}

static bool take_groups(struct joining *work)
{
    const struct pose_value *list = pose_value_find(work->skin->extras, "groups");
    uint32_t count = list ? (uint32_t)value_count(list) : 0, extra = 0;
    uint64_t end = 0;
    work->groups = ARENA_NEW(work->job->arena, struct group, count);
    for (const struct pose_value *item = list && work->groups ? list->first : NULL; item; item = item->next) {
        struct group *group = &work->groups[work->group_count++];
        end += (uint64_t)(value_get_int(item, "vertex_count", 0) & UINT32_MAX);
        group->end = end;
        take_group(work, item, group, &extra);
    }
    if (extra)
        warning_add(&work->job->warnings, POSE_WARNING, "weights_ignored", POSE_NO_OFFSET,
                    "%u groups have more than the %d weights that the game uses", extra, USED_WEIGHTS);
    return work->groups != NULL;
}

static bool take_banks(struct joining *work)
{
    const struct pose_value *list = pose_value_find(work->skin->extras, "matrix_banks");
    uint32_t count = list ? (uint32_t)value_count(list) : 0;
    work->banks = ARENA_NEW(work->job->arena, uint32_t, count);
    for (const struct pose_value *item = list && work->banks ? list->first : NULL; item; item = item->next)
        work->banks[work->bank_count++] = item->kind == POSE_INT ? (uint32_t)item->as.integer : UINT32_MAX;
    work->bank_count -= work->bank_count % PRIME_BANK_SIZE;
    return work->banks != NULL;
}

/* The group whose range contains a position; group_count if it is after all of them. */
static uint32_t group_by_range(const struct joining *work, uint32_t position)
{
    uint32_t low = 0, high = work->group_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (work->groups[middle].end <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t group_by_slot(const struct joining *work, uint32_t vertex)
{
    uint32_t slot = work->model->vertex_slots ? work->model->vertex_slots[vertex] : CMDL_NONE;
    return slot < work->bank_count ? work->banks[slot] : CMDL_NONE;
}

static bool spread(struct joining *work, struct pose_mesh *mesh)
{
    struct pose_influences *influences =
        ARENA_NEW(work->job->arena, struct pose_influences, mesh->real_count);
    struct pose_influences root = {.bones = {bone_index(work, work->root)}, .weights = {1}};
    uint32_t beyond = 0, differ = 0;
    for (uint32_t v = 0; influences && v < mesh->real_count; v++) {
        uint32_t by_range = group_by_range(work, mesh->vertex_ids[v]), group = group_by_slot(work, v);
        beyond += by_range >= work->group_count;
        if (group >= work->group_count)
            group = by_range;
        differ += group != by_range;
        influences[v] = group < work->group_count ? work->groups[group].influences : root;
    }
    if (beyond)
        warning_add(&work->job->warnings, POSE_WARNING, "skin_too_short", POSE_NO_OFFSET,
                    "%u vertices are beyond the skin's groups; they follow the root", beyond);
    if (differ)
        warning_add(&work->job->warnings, POSE_WARNING, "groups_differ", POSE_NO_OFFSET,
                    "%u vertices have different groups by matrix and by index", differ);
    mesh->influences = influences;
    return influences != NULL;
}

static bool join(struct joining *work, struct pose_mesh *mesh)
{
    bool is_mp2 = !strcmp(value_get_string(work->model->extras, "game", ""), prime_games[PRIME_MP2]);
    work->root = is_mp2 ? ROOT_MP2 : ROOT_MP1;
    for (int i = 0; i < PRIME_BONE_LIMIT; i++)
        work->bone_of[i] = -1;
    *mesh = *work->model;
    if (!take_groups(work) || !take_banks(work) || !spread(work, mesh))
        return false;
    uint32_t *ids = ARENA_NEW(work->job->arena, uint32_t, work->bone_count);
    if (ids)
        memcpy(ids, work->bones, work->bone_count * sizeof *ids);
    mesh->bone_ids = ids;
    mesh->bone_count = work->bone_count;
    return ids != NULL;
}

bool prime_join(struct body_job *job)
{
    struct joining work = {.job = job, .model = job->mesh, .skin = job->other};
    if (!work.model->vertex_ids || !work.skin->weighted_count) {
        *job->joined = *job->mesh;
        return true;
    }
    return join(&work, job->joined);
}
