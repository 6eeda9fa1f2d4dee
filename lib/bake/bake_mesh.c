/* Meshes below nodes that are scaled, for games whose skeletons have no scale: scales are multiplied into the lengths
 * of bones and of the mesh, which is written as it stands in the rest pose. */
#include "lib/bake/bake.h"

#include "lib/model/matrix.h"
#include "lib/model/turn.h"

#include <string.h>

/* Where a joint rests in model space. */
struct rest {
    struct vec place;
    struct turn turn;
    struct vec scale;
};

static bool is_one(struct vec scale)
{
    return fabs(scale.x - 1) < 1e-4 && fabs(scale.y - 1) < 1e-4 && fabs(scale.z - 1) < 1e-4;
}

static struct vec vec_from(const float v[3])
{
    return (struct vec){(double)v[0], (double)v[1], (double)v[2]};
}

/* Returns whether some joint is scaled. */
static bool find_rest(const struct pose_skeleton *skeleton, const float (*matrices)[16], struct rest *rest)
{
    bool any = false;
    for (uint32_t j = 0; j < skeleton->joint_count; j++) {
        const struct pose_joint *joint = &skeleton->joints[j];
        const float *q = joint->rotation;
        rest[j] =
            (struct rest){vec_from(matrices[j] + 12),
                          turn_unit((struct turn){(double)q[0], (double)q[1], (double)q[2], (double)q[3]}),
                          vec_from(joint->scale)};
        if (joint->parent >= 0) {
            rest[j].turn = turn_unit(turn_mul(rest[joint->parent].turn, rest[j].turn));
            rest[j].scale = vec_mul(rest[joint->parent].scale, rest[j].scale);
        }
        any |= !is_one(rest[j].scale);
    }
    return any;
}

static const struct pose_skeleton *level_skeleton(const struct pose_skeleton *from, const struct rest *rest,
                                                  struct arena *arena)
{
    struct pose_skeleton *to = ARENA_NEW(arena, struct pose_skeleton, 1);
    struct pose_joint *joints = ARENA_NEW(arena, struct pose_joint, from->joint_count);
    if (!to || !joints)
        return NULL;
    for (uint32_t j = 0; j < from->joint_count; j++) {
        const int32_t parent = from->joints[j].parent;
        const struct vec origin = parent >= 0 ? rest[parent].place : (struct vec){0, 0, 0};
        const struct turn back = parent >= 0 ? turn_inverse(rest[parent].turn) : turn_none;
        const struct vec at = turn_point(back, vec_sub(rest[j].place, origin));
        joints[j] = from->joints[j];
        memcpy(joints[j].translation, (float[3]){(float)at.x, (float)at.y, (float)at.z},
               sizeof joints[j].translation);
        memcpy(joints[j].scale, (float[3]){1, 1, 1}, sizeof joints[j].scale);
    }
    *to = *from;
    to->joints = joints;
    to->binds = NULL;
    return to;
}

/* The vertices where the rest pose has them. */
static bool level_mesh(const struct pose_mesh_conversion *conversion, const float (*matrices)[16],
                       struct arena *arena, struct pose_mesh *mesh, struct pose_error *error)
{
    const struct pose_options options = {.allocator = arena->allocator, .limits.memory = arena->limit};
    struct pose_skin *skin =
        pose_skin_new(conversion->mesh, conversion->skeleton, POSE_AXES_GLTF, &options, error);
    if (!skin)
        return false;
    const size_t count = conversion->mesh->real_count;
    float(*positions)[3] = arena_alloc(arena, count, sizeof *positions);
    float(*normals)[3] = arena_alloc(arena, count, sizeof *normals);
    void *scratch = arena_alloc(arena, pose_deform_scratch(skin), 1);
    const bool done = positions && normals && scratch;
    if (done)
        pose_deform(skin, matrices[0], positions, normals, scratch);
    pose_skin_free(skin);
    *mesh = *conversion->mesh;
    mesh->positions = (const float(*)[3])positions;
    mesh->normals = (const float(*)[3])normals;
    mesh->inverse_binds = NULL; /* it is bound at rest */
    mesh->tangents = NULL;
    return done;
}

bool bake_level(struct pose_mesh_conversion *conversion, struct arena *arena, struct pose_mesh *mesh,
                struct pose_error *error)
{
    const struct pose_skeleton *skeleton = conversion->skeleton;
    const struct pose_mesh *from = conversion->mesh;
    if (!skeleton || skeleton->axes != POSE_AXES_GLTF || skeleton->scaling != POSE_SCALE_INHERITED ||
        from->axes != POSE_AXES_GLTF || from->space != POSE_SPACE_BIND || !from->influences || !from->tree ||
        from->tree != skeleton->tree)
        return true;
    float(*matrices)[16] = arena_alloc(arena, skeleton->joint_count, sizeof *matrices);
    struct rest *rest = ARENA_NEW(arena, struct rest, skeleton->joint_count);
    if (!matrices || !rest || !matrix_rest(skeleton, POSE_AXES_GLTF, arena, matrices))
        return false;
    if (!find_rest(skeleton, (const float(*)[16])matrices, rest))
        return true;
    if (!level_mesh(conversion, (const float(*)[16])matrices, arena, mesh, error))
        return false;
    conversion->mesh = mesh;
    conversion->skeleton = level_skeleton(skeleton, rest, arena);
    return conversion->skeleton;
}
