/*
 * Several figures in one file, as packs of characters are: joints of one skin, or of skins that share joints or hang
 * on one another, are of one figure. Without any skin each tree of the scene is one.
 * Our own files say it of each joint (gltf.h).
 */
#include "lib/formats/gltf/read.h"

#include "lib/core/value.h"
#include "lib/model/figures.h"

static void put_skins(struct gltf *g, struct figure_sets *sets)
{
    for (uint32_t skin = 0; skin < g->skins.count; skin++) {
        const struct pose_value *joints = pose_value_find(g->skins.items[skin], "joints");
        for (const struct pose_value *item = joints->first; item; item = item->next) {
            const int32_t joint = g->node[item->as.integer].joint; /* checked by gltf_read_skins */
            if (joint >= 0)
                figure_sets_put(sets, (uint32_t)joint, skin);
        }
    }
}

/* What our writer kept: the number of each joint's figure. */
static void put_kept(struct gltf *g, struct figure_sets *sets)
{
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        const struct pose_value *posed =
            pose_value_find(pose_value_find(g->nodes.items[i], "extras"), "posed");
        const int64_t figure = value_get_int(posed, "figure", 0);
        if (g->node[i].joint >= 0 && figure >= 1 && figure <= sets->count)
            figure_sets_put(sets, (uint32_t)g->node[i].joint, (uint32_t)(figure - 1));
    }
}

static void put_roots(const struct pose_skeleton *skeleton, struct figure_sets *sets)
{
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        if (skeleton->joints[i].parent < 0)
            figure_sets_put(sets, i, i);
    }
}

bool gltf_find_figures(struct gltf *g, struct pose_skeleton *skeleton)
{
    struct arena *scratch = &g->json.arena;
    struct figure_sets sets;
    const bool has_skins = g->skins.count && !g->is_ours;
    if (!figure_sets_init(&sets, skeleton->joint_count, has_skins ? g->skins.count : skeleton->joint_count,
                          scratch))
        return false;
    if (g->is_ours)
        put_kept(g, &sets);
    else if (has_skins)
        put_skins(g, &sets);
    else
        put_roots(skeleton, &sets);
    return figure_sets_finish(&sets, skeleton, g->job->arena, scratch);
}
