/* Meshes in model space: bind matrices, cleaned-up influences, vertices and morphs in the requested axes. */
#include "lib/model/mesh.h"
#include "lib/model/skin.h"

#include <math.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------- bind matrices -- */

/* The matrix of a joint on its pivot. */
static void hang_on_pivot(const float pivot[3], const struct axes_map *map, float inverse[16])
{
    memcpy(inverse, matrix_identity, sizeof matrix_identity);
    for (unsigned i = 0; i < 3; i++)
        inverse[12 + i] = 0 - pivot[i];
    matrix_convert_axes(inverse, map);
}

/* A bone without a joint, or whose joint cannot be inverted, never moves. */
static bool find_binds(struct pose_skin *skin, const struct pose_skeleton *skeleton, enum pose_axes axes,
                       const struct axes_map *map, struct arena *scratch)
{
    const struct pose_mesh *mesh = skin->mesh;
    float(*rest)[16] = arena_alloc(scratch, skin->joint_count, sizeof *rest);
    skin->inverse_binds = arena_alloc(&skin->arena, mesh->bone_count, sizeof *skin->inverse_binds);
    if (!rest || !skin->inverse_binds || (skeleton && !matrix_rest(skeleton, axes, scratch, rest)))
        return false;
    for (uint32_t i = 0; i < mesh->bone_count; i++) {
        const uint32_t joint = skin->joints[i];
        float *inverse = skin->inverse_binds[i];
        memcpy(inverse, mesh->inverse_binds ? mesh->inverse_binds[i] : matrix_identity,
               sizeof matrix_identity);
        if (mesh->inverse_binds) {
            matrix_convert_axes(inverse, map);
        } else if (joint != SKIN_NO_JOINT && skeleton->pivots && skeleton->axes == mesh->axes) {
            hang_on_pivot(skeleton->pivots[joint], map, inverse);
        } else if (joint != SKIN_NO_JOINT && !matrix_invert(rest[joint], inverse)) {
            memcpy(inverse, matrix_identity, sizeof matrix_identity);
            skin->joints[i] = SKIN_NO_JOINT;
        }
    }
    return true;
}

/* ---------------------------------------------------------------------------------------------- influences -- */

static const float too_light = 1e-6f;

/* Adds a share to the bone's own, or inserts it in order. */
static void add_share(struct pose_influences *clean, unsigned *count, uint32_t bone, float weight)
{
    unsigned place = 0;
    while (place < *count && clean->bones[place] != bone)
        place++;
    if (place < *count)
        weight += clean->weights[place];
    else
        ++*count;
    for (; place > 0 && clean->weights[place - 1] < weight; place--) {
        clean->bones[place] = clean->bones[place - 1];
        clean->weights[place] = clean->weights[place - 1];
    }
    clean->bones[place] = bone;
    clean->weights[place] = weight;
}

static struct pose_influences clean_up(const struct pose_influences *stored, uint32_t bone_count)
{
    struct pose_influences clean = {0};
    unsigned count = 0;
    double sum = 0;
    for (unsigned i = 0; i < POSE_WEIGHTS; i++) {
        float weight = stored->weights[i];
        if (!(weight > too_light) || !isfinite(weight) || stored->bones[i] >= bone_count)
            continue;
        add_share(&clean, &count, stored->bones[i], weight);
        sum += (double)weight;
    }
    for (unsigned i = 0; i < count; i++)
        clean.weights[i] = (float)((double)clean.weights[i] / sum);
    for (unsigned i = count; i < POSE_WEIGHTS; i++)
        clean.bones[i] = clean.bones[0];
    return clean;
}

static bool find_influences(struct pose_skin *skin)
{
    const struct pose_mesh *mesh = skin->mesh;
    skin->influences = ARENA_NEW(&skin->arena, struct pose_influences, mesh->real_count);
    for (uint32_t v = 0; skin->influences && mesh->influences && v < mesh->real_count; v++)
        skin->influences[v] = clean_up(&mesh->influences[v], mesh->bone_count);
    return skin->influences != NULL;
}

/* ------------------------------------------------------------------------------------------------ vertices -- */

static void convert(const struct axes_map *map, double unit, const float (*from)[3], size_t count,
                    float (*to)[3])
{
    for (size_t v = 0; v < count; v++) {
        for (unsigned i = 0; i < 3; i++) {
            float value = from[v][map->source[i]];
            to[v][i] = (float)(unit * (double)(map->negate[i] ? 0 - value : value));
        }
    }
}

static float (*converted(struct pose_skin *skin, const struct axes_map *map, double unit,
                         const float (*from)[3], size_t count))[3]
{
    float(*to)[3] = arena_alloc(&skin->arena, count, sizeof *to);
    if (to)
        convert(map, unit, from, count, to);
    return to;
}

static bool copy_vertices(struct pose_skin *skin, const struct axes_map *map, struct arena *scratch)
{
    const struct pose_mesh *mesh = skin->mesh;
    const float(*normals)[3] = mesh->normals;
    if (!normals) {
        float(*made)[3] = arena_alloc(scratch, mesh->real_count, sizeof *made);
        if (!made)
            return false;
        mesh_make_normals(mesh, made);
        normals = (const float(*)[3])made;
    }
    skin->positions = converted(skin, map, map->unit, mesh->positions, mesh->real_count);
    skin->normals = converted(skin, map, 1, normals, mesh->real_count);
    return skin->positions && skin->normals;
}

static bool copy_morphs(struct pose_skin *skin, const struct axes_map *map)
{
    const struct pose_mesh *mesh = skin->mesh;
    skin->morphs = ARENA_NEW(&skin->arena, struct skin_morph, mesh->morph_count);
    for (uint32_t i = 0; skin->morphs && i < mesh->morph_count; i++) {
        const struct pose_morph_target *from = &mesh->morphs[i];
        struct skin_morph *to = &skin->morphs[i];
        *to = (struct skin_morph){.count = from->count, .vertices = from->vertices};
        to->positions = converted(skin, map, map->unit, from->positions, from->count);
        if (from->normals)
            to->normals = converted(skin, map, 1, from->normals, from->count);
    }
    return !skin->arena.failed;
}

bool skin_bind_fill(struct pose_skin *skin, const struct pose_skeleton *skeleton, enum pose_axes axes,
                    struct arena *scratch)
{
    struct axes_map map = axes_map_between(skin->mesh->axes, axes);
    return find_binds(skin, skeleton, axes, &map, scratch) && find_influences(skin) &&
           copy_vertices(skin, &map, scratch) && copy_morphs(skin, &map);
}

/* ------------------------------------------------------------------------------------------------- weights -- */

/* Two bones may share a joint, and several may have none. */
static void add_weight(uint32_t joints[4], float weights[4], uint32_t joint, float weight)
{
    unsigned place = 0;
    while (weights[place] > 0 && joints[place] != joint)
        place++;
    joints[place] = joint;
    weights[place] += weight;
    for (; place > 0 && weights[place - 1] < weights[place]; place--) {
        float lighter = weights[place - 1];
        joints[place] = joints[place - 1];
        weights[place - 1] = weights[place];
        weights[place] = lighter;
        joints[place - 1] = joint;
    }
}

void skin_bind_weights(const struct pose_skin *skin, uint32_t (*joints)[4], float (*weights)[4])
{
    for (uint32_t v = 0; v < skin->mesh->real_count; v++) {
        const struct pose_influences *influences = &skin->influences[v];
        memset(joints[v], 0, sizeof joints[v]);
        memset(weights[v], 0, sizeof weights[v]);
        for (unsigned i = 0; i < POSE_WEIGHTS && influences->weights[i] > 0; i++) {
            uint32_t joint = skin->joints[influences->bones[i]];
            add_weight(joints[v], weights[v], joint == SKIN_NO_JOINT ? skin->joint_count : joint,
                       influences->weights[i]);
        }
    }
}
