/*
 * The bind pose of the joints: the inverses of a skin's inverse bind matrices (section 3.7.3.1). The nodes
 * themselves may be at any frame of an animation. An unreadable skin yields no bind pose, which nothing else
 * needs; one that is packed in a way that is not supported is warned of.
 */
#include "lib/formats/gltf/read.h"
#include "lib/model/matrix.h"

#include <string.h>

enum { MAX_SKINS = 64 };

/* [count][16], NULL if there are no usable ones; false if out of memory. A skin without any has the identity. */
static bool read_matrices(struct gltf *g, uint32_t index, uint64_t joints, const float **matrices,
                          bool *are_identity)
{
    struct pose_error *error = g->job->error, before = *error;
    const struct pose_value *skin = gltf_object(g, "/skins", &g->skins, index);
    uint32_t accessor;
    uint64_t count;
    *matrices = NULL;
    const bool is_read = gltf_index(g, skin, "inverseBindMatrices", g->accessors.count, false, &accessor);
    *are_identity = is_read && accessor == GLTF_NONE;
    if (is_read && accessor != GLTF_NONE && gltf_accessor_count(g, accessor, 16, &count) && count >= joints &&
        count <= g->nodes.count)
        *matrices = gltf_accessor_read(g, accessor, 16, false);
    if (error->status == POSE_NO_MEMORY)
        return false;
    if (error->status == POSE_UNSUPPORTED)
        warning_add(&g->job->warnings, POSE_WARNING, "binds_left_out", POSE_NO_OFFSET,
                    "the bind pose of /skins/%u is not read: %s", index, error->detail);
    *error = before;
    return true;
}

static bool read_skin(struct gltf *g, uint32_t index, struct pose_skeleton *skeleton, const int32_t *place,
                      float (*binds)[16])
{
    struct json_list joints;
    const float *matrices;
    bool are_identity;
    if (!gltf_list(g, g->skins.items[index], "joints", &joints) ||
        !read_matrices(g, index, joints.count, &matrices, &are_identity))
        return false;
    for (uint32_t i = 0; i < joints.count && (matrices || are_identity); i++) {
        int32_t joint = place[joints.items[i]->as.integer];
        if (joint >= 0 && skeleton->file_order)
            joint = (int32_t)skeleton->file_order[joint];
        float bind[16];
        /* If several skins have a joint, the first one counts. */
        const float *inverse = matrices ? matrices + (size_t)i * 16 : matrix_identity;
        if (joint < 0 || binds[joint][15] != 0 || !matrix_invert(inverse, bind))
            continue;
        memcpy(binds[joint], bind, sizeof bind);
        binds[joint][15] = 1;
    }
    return true;
}

bool gltf_read_binds(struct gltf *g, struct pose_skeleton *skeleton, const int32_t *place)
{
    if (g->is_ours || !g->skins.count)
        return true; /* our own files are bound at rest */
    float(*binds)[16] = arena_alloc(g->job->arena, skeleton->joint_count, sizeof *binds);
    if (!binds)
        return false;
    memset(binds, 0, skeleton->joint_count * sizeof *binds);
    for (uint32_t i = 0; i < g->skins.count && i < MAX_SKINS; i++) {
        if (!read_skin(g, i, skeleton, place, binds))
            return false;
    }
    skeleton->binds = (const float(*)[16])binds;
    return true;
}
