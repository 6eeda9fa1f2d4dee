/*
 * Human bones among the nodes, by the extensions of VRM 1.0 (VRMC_vrm of figures, VRMC_vrm_animation of motions)
 * and of 0.x (VRM), as specified by the VRM Consortium:
 *
 *     "extensions": {"VRMC_vrm": {"humanoid": {"humanBones": {"hips": {"node": 3}, ...}}}}
 *     "extensions": {"VRM": {"humanoid": {"humanBones": [{"bone": "hips", "node": 3}, ...]}}}
 *
 * A human bone is a joint even if no skin or animation uses it; the mapping is the skeleton's `extras.humanoid`,
 * with the names of 1.0.
 */
#include "lib/formats/gltf/read.h"

#include "lib/core/value.h"

#include <string.h>

/* 0.x names thumb bones like those of the other fingers. */
static const char *word_of(const char *bone)
{
    static const char *const words[][2] = {{"leftThumbProximal", "leftThumbMetacarpal"},
                                           {"leftThumbIntermediate", "leftThumbProximal"},
                                           {"rightThumbProximal", "rightThumbMetacarpal"},
                                           {"rightThumbIntermediate", "rightThumbProximal"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (!strcmp(bone, words[i][0]))
            return words[i][1];
    }
    return bone;
}

/* Makes its node a joint and records which bone it is. */
static bool take_bone(struct gltf *g, const struct pose_value *bone, const char *word,
                      struct value_list *humanoid)
{
    uint32_t node;
    if (bone->kind != POSE_OBJECT)
        return gltf_refuse(g, "bad_member", "", "each bone must be an object with a \"node\"");
    if (!gltf_index(g, bone, "node", g->nodes.count, true, &node))
        return false;
    gltf_mark_joint(g, node);
    const char *key = arena_copy_text(g->job->arena, word);
    if (key && g->node[node].name)
        value_put_string(humanoid, key, g->node[node].name);
    return true;
}

static bool read_bones(struct gltf *g, const struct pose_value *bones, struct value_list *humanoid)
{
    if (bones->kind != POSE_OBJECT)
        return gltf_refuse(g, "bad_member", "", "must be an object");
    for (const struct pose_value *bone = bones->first; bone; bone = bone->next) {
        if (!take_bone(g, bone, bone->key, humanoid))
            return false;
    }
    return true;
}

/* For 0.x: a node of -1 means none. */
static bool read_old_bones(struct gltf *g, const struct pose_value *bones, struct value_list *humanoid)
{
    if (bones->kind != POSE_ARRAY)
        return gltf_refuse(g, "bad_member", "", "must be an array");
    for (const struct pose_value *bone = bones->first; bone; bone = bone->next) {
        const char *word = value_get_string(bone, "bone", NULL);
        if (bone->kind == POSE_OBJECT && value_get_int(bone, "node", 0) == -1)
            continue;
        if (bone->kind == POSE_OBJECT && !word)
            return gltf_refuse(g, "missing_member", "", "a bone lacks its \"bone\"");
        if (!take_bone(g, bone, word ? word_of(word) : "", humanoid))
            return false;
    }
    return true;
}

bool gltf_read_humanoid(struct gltf *g)
{
    enum { VRM_0 = 2, EXTENSIONS };
    static const char *const names[EXTENSIONS] = {"VRMC_vrm", "VRMC_vrm_animation", [VRM_0] = "VRM"};
    const struct pose_value *extensions = pose_value_find(g->json.root, "extensions");
    for (unsigned i = 0; i < EXTENSIONS && !g->humanoid; i++) {
        const struct pose_value *bones =
            pose_value_find(pose_value_find(pose_value_find(extensions, names[i]), "humanoid"), "humanBones");
        if (!bones)
            continue;
        struct value_list humanoid = value_object(g->job->arena), extras = value_object(g->job->arena);
        gltf_at(g, "/extensions/%s/humanoid/humanBones", names[i]);
        if (i == VRM_0 ? !read_old_bones(g, bones, &humanoid) : !read_bones(g, bones, &humanoid))
            return false;
        if (value_done(&humanoid))
            value_put_list(&extras, "humanoid", &humanoid);
        g->humanoid = value_done(&extras);
    }
    return true;
}
