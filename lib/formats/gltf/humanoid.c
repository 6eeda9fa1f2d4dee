/*
 * Whose bones the nodes are, by the extensions of VRM 1.0 (VRMC_vrm of figures, VRMC_vrm_animation of motions; read in
 * the specification of the VRM Consortium):
 *
 *     "extensions": {"VRMC_vrm": {"humanoid": {"humanBones": {"hips": {"node": 3}, ...}}}}
 *
 * A human bone is a joint also where no skin and no animation has it; which is which is the skeleton's `extras.humanoid`.
 */
#include "lib/formats/gltf/read.h"

#include "lib/core/value.h"

static bool read_bones(struct gltf *g, const char *extension, const struct pose_value *bones,
                       struct value_list *humanoid)
{
    gltf_at(g, "/extensions/%s/humanoid/humanBones", extension);
    if (bones->kind != POSE_OBJECT)
        return gltf_refuse(g, "bad_member", "", "must be an object");
    for (const struct pose_value *bone = bones->first; bone; bone = bone->next) {
        uint32_t node;
        if (bone->kind != POSE_OBJECT)
            return gltf_refuse(g, "bad_member", "", "each bone must be an object with a \"node\"");
        if (!gltf_index(g, bone, "node", g->nodes.count, true, &node))
            return false;
        gltf_mark_joint(g, node);
        const char *key = arena_copy_text(g->job->arena, bone->key);
        if (key && g->node[node].name)
            value_put_string(humanoid, key, g->node[node].name);
    }
    return true;
}

bool gltf_read_humanoid(struct gltf *g)
{
    static const char *const names[] = {"VRMC_vrm", "VRMC_vrm_animation"};
    const struct pose_value *extensions = pose_value_find(g->json.root, "extensions");
    for (unsigned i = 0; i < 2 && !g->humanoid; i++) {
        const struct pose_value *bones =
            pose_value_find(pose_value_find(pose_value_find(extensions, names[i]), "humanoid"), "humanBones");
        if (!bones)
            continue;
        struct value_list humanoid = value_object(g->job->arena), extras = value_object(g->job->arena);
        if (!read_bones(g, names[i], bones, &humanoid))
            return false;
        if (value_done(&humanoid))
            value_put_list(&extras, "humanoid", &humanoid);
        g->humanoid = value_done(&extras);
    }
    return true;
}
