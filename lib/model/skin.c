#include "lib/model/skin.h"

#include "lib/core/error.h"
#include "lib/model/axes.h"
#include "lib/model/match.h"

/* ---------------------------------------------------------------------------------------- bones to joints -- */

/* The joint of each bone: by id, then by a joint's own name, then by alias, then ignoring case, as for the
 * tracks of a clip. The rules of The Sims 3 use ids, and hashes of names. */
static bool find_joints(struct pose_skin *skin, const struct pose_skeleton *skeleton, struct arena *scratch)
{
    static const struct pose_skeleton none;
    const struct pose_mesh *mesh = skin->mesh;
    struct joint_index index;
    skin->missing = ARENA_NEW(&skin->arena, uint32_t, mesh->bone_count);
    skin->joints = ARENA_NEW(&skin->arena, uint32_t, mesh->bone_count);
    skin->joint_count = skeleton ? skeleton->joint_count : 0;
    if (!skin->missing || !skin->joints ||
        !joint_index_init(&index, scratch, skeleton ? skeleton : &none,
                          mesh->bone_ids ? POSE_RULES_SIMS3 : POSE_RULES_SIMS))
        return false;
    index.node_count = mesh->tree && mesh->tree == (skeleton ? skeleton->tree : 0) ? skin->joint_count : 0;
    for (uint32_t i = 0; i < mesh->bone_count; i++) {
        const struct pose_track bone = {.name = mesh->bones ? mesh->bones[i] : NULL,
                                        .node = mesh->bone_joints ? mesh->bone_joints[i] : 0,
                                        .has_id = mesh->bone_ids,
                                        .id = mesh->bone_ids ? mesh->bone_ids[i] : 0};
        int64_t found = joint_index_find(&index, &bone);
        skin->joints[i] = found < 0 ? SKIN_NO_JOINT : (uint32_t)found;
        if (found < 0)
            skin->missing[skin->missing_count++] = i;
    }
    return true;
}

/* The first vertex at or after v without a joint. next holds the links, which each visit shortens (path
 * compression). */
static uint32_t find_free(uint32_t *next, uint32_t v)
{
    while (next[v] != v) {
        next[v] = next[next[v]];
        v = next[v];
    }
    return v;
}

static void paint(uint32_t *owner, uint32_t *next, uint32_t first, uint32_t count, uint32_t joint)
{
    for (uint32_t v = find_free(next, first); v < first + count; v = find_free(next, v)) {
        owner[v] = joint;
        next[v] = v + 1;
    }
}

/*
 * The joint of each vertex. Real files bind each vertex once; if a file binds one several times, the last binding
 * counts. Processing bindings backwards and each vertex once makes this linear in vertices and bindings.
 */
static uint32_t *find_owners(const struct pose_skin *skin, const uint32_t *joints, struct arena *scratch)
{
    const struct pose_mesh *mesh = skin->mesh;
    uint32_t *owner = ARENA_NEW(scratch, uint32_t, skin->vertex_count);
    uint32_t *next = ARENA_NEW(scratch, uint32_t, (size_t)skin->vertex_count + 1);
    if (!owner || !next)
        return NULL;
    for (uint32_t v = 0; v < skin->vertex_count; v++)
        owner[v] = SKIN_NO_JOINT;
    for (uint32_t v = 0; v <= skin->vertex_count; v++)
        next[v] = v;
    for (uint32_t i = mesh->binding_count; i-- > 0;) {
        const struct pose_binding *binding = &mesh->bindings[i];
        paint(owner, next, binding->first, binding->count, joints[binding->bone]);
        paint(owner, next, mesh->real_count + binding->blend_first, binding->blend_count,
              joints[binding->bone]);
    }
    return owner;
}

static bool make_runs(struct pose_skin *skin, const uint32_t *owner)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < skin->vertex_count; v++)
        count += v == 0 || owner[v] != owner[v - 1];
    skin->runs = ARENA_NEW(&skin->arena, struct skin_run, count);
    if (!skin->runs)
        return false;
    for (uint32_t v = 0; v < skin->vertex_count; v++) {
        if (v == 0 || owner[v] != owner[v - 1])
            skin->runs[skin->run_count++] = (struct skin_run){.joint = owner[v], .first = v};
        skin->runs[skin->run_count - 1].count++;
    }
    return true;
}

static bool bind(struct pose_skin *skin, const struct pose_skeleton *skeleton, struct arena *scratch)
{
    if (!find_joints(skin, skeleton, scratch))
        return false;
    const uint32_t *owner = find_owners(skin, skin->joints, scratch);
    return owner && make_runs(skin, owner);
}

/* ---------------------------------------------------------------------------------------------- the copies -- */

/* Converts rows of three to planes, in other axes. */
static void fill_planes(const struct axes_map *map, double unit, const float (*rows)[3], size_t count,
                        float *planes)
{
    for (unsigned i = 0; i < 3; i++) {
        for (size_t v = 0; v < count; v++) {
            float value = rows[v][map->source[i]];
            value = map->negate[i] ? 0 - value : value;
            planes[i * count + v] = (float)(unit * (double)value);
        }
    }
}

static bool copy_vertices(struct pose_skin *skin, const struct axes_map *map)
{
    const struct pose_mesh *mesh = skin->mesh;
    size_t count = skin->vertex_count;
    skin->planes = ARENA_NEW(&skin->arena, float, SKIN_PLANES *count);
    skin->blends = ARENA_NEW(&skin->arena, struct skin_blend, mesh->blend_count);
    if (!skin->planes || !skin->blends)
        return false;
    fill_planes(map, map->unit, mesh->positions, count, skin->planes);
    fill_planes(map, 1, mesh->normals, count, skin->planes + 3 * count);
    for (uint32_t k = 0; k < mesh->blend_count; k++)
        skin->blends[k] = (struct skin_blend){mesh->blends[k].vertex, (float)mesh->blends[k].weight / 32768};
    return true;
}

/* A map with an odd number of reflections and swaps is a mirror. */
static bool is_mirror(const struct axes_map *map)
{
    bool odd = map->negate[0] ^ map->negate[1] ^ map->negate[2];
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned k = 0; k < i; k++)
            odd ^= map->source[k] > map->source[i];
    }
    return odd;
}

static bool copy_faces(struct pose_skin *skin, const struct axes_map *map)
{
    const struct pose_mesh *mesh = skin->mesh;
    skin->faces = mesh->faces;
    if (!is_mirror(map))
        return true;
    uint32_t(*faces)[3] = arena_alloc(&skin->arena, mesh->face_count, sizeof *faces);
    for (uint32_t i = 0; faces && i < mesh->face_count; i++) {
        faces[i][0] = mesh->faces[i][0];
        faces[i][1] = mesh->faces[i][2];
        faces[i][2] = mesh->faces[i][1];
    }
    skin->faces = (const uint32_t(*)[3])faces;
    return faces != NULL;
}

/* ------------------------------------------------------------------------------------------ entry points -- */

static bool fill_in(struct pose_skin *skin, const struct pose_skeleton *skeleton, enum pose_axes axes,
                    struct arena *scratch)
{
    struct axes_map map = axes_map_between(skin->mesh->axes, axes);
    if (skin->mesh->space == POSE_SPACE_BIND)
        return find_joints(skin, skeleton, scratch) && skin_bind_fill(skin, skeleton, axes, scratch) &&
               copy_faces(skin, &map);
    return bind(skin, skeleton, scratch) && copy_vertices(skin, &map) && copy_faces(skin, &map);
}

struct pose_skin *pose_skin_new(const struct pose_mesh *mesh, const struct pose_skeleton *skeleton,
                                enum pose_axes axes, const struct pose_options *options,
                                struct pose_error *error)
{
    struct pose_error local;
    error = error ? error : &local;
    pose_error_init(error);
    struct arena arena, scratch;
    const struct pose_allocator *allocator = options ? options->allocator : NULL;
    size_t limit = options ? options->limits.memory : 0;
    arena_init(&arena, allocator, limit, error);
    arena_init(&scratch, allocator, limit, error);
    struct pose_skin *skin = ARENA_NEW(&arena, struct pose_skin, 1);
    if (!skin)
        return NULL;
    *skin = (struct pose_skin){
        .arena = arena, .mesh = mesh, .vertex_count = mesh->real_count + mesh->blend_count};
    bool done = fill_in(skin, skeleton, axes, &scratch);
    arena_release(&scratch);
    if (!done) {
        pose_skin_free(skin);
        return NULL;
    }
    skin->arena.error = NULL;
    return skin;
}

void pose_skin_free(struct pose_skin *skin)
{
    if (!skin)
        return;
    struct arena arena = skin->arena;
    arena_release(&arena);
}

size_t pose_skin_size(const struct pose_skin *skin)
{
    return skin->arena.held;
}

uint32_t pose_skin_missing_count(const struct pose_skin *skin)
{
    return skin->missing_count;
}

const uint32_t *pose_skin_missing(const struct pose_skin *skin)
{
    return skin->missing;
}

const uint32_t (*pose_skin_faces(const struct pose_skin *skin))[3]
{
    return skin->faces;
}

int64_t pose_skin_joint(const struct pose_skin *skin, uint32_t bone)
{
    return skin->joints[bone] == SKIN_NO_JOINT ? -1 : (int64_t)skin->joints[bone];
}

const float (*pose_skin_positions(const struct pose_skin *skin))[3]
{
    return (const float(*)[3])skin->positions;
}

const float (*pose_skin_normals(const struct pose_skin *skin))[3]
{
    return (const float(*)[3])skin->normals;
}

const float (*pose_skin_inverse_binds(const struct pose_skin *skin))[16]
{
    return (const float(*)[16])skin->inverse_binds;
}
