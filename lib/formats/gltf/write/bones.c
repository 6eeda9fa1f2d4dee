#include "lib/formats/gltf/write/meshes.h"

#include <math.h>
#include <string.h>

/* An octahedron: a tip at the joint, a ring, a tip at the child. */
enum { TIPS_AND_RING = 6, SIDES = 8 };

struct bones {
    const struct gltf_joints *joints;
    float size; /* of the whole figure, metres */
    uint32_t count, capacity;
    float (*positions)[3];
    float (*normals)[3];
    uint32_t (*owners)[4];
    float (*weights)[4];
    uint32_t (*faces)[3];
};

static float length_of(const float v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void cross(const float a[3], const float b[3], float out[3])
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Two directions perpendicular to a third. */
static void find_sides(const float along[3], float side[3], float other[3])
{
    static const float axes[2][3] = {{1, 0, 0}, {0, 0, 1}};
    cross(along, axes[fabsf(along[0]) > 0.8f], side);
    float length = length_of(side);
    for (unsigned i = 0; i < 3; i++)
        side[i] /= length;
    cross(along, side, other);
}

static const float *place_of(const struct bones *bones, uint32_t joint)
{
    return bones->joints->joints[joint].matrix + 12;
}

/* An octahedron of that length along a unit direction. Normals point away from the axis, so that it looks round. */
static void add_bone(struct bones *bones, uint32_t joint, const float along[3], float length, float waist,
                     float radius)
{
    static const uint32_t faces[SIDES][3] = {{0, 2, 1}, {0, 3, 2}, {0, 4, 3}, {0, 1, 4},
                                             {5, 1, 2}, {5, 2, 3}, {5, 3, 4}, {5, 4, 1}};
    static const float turns[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    if (bones->count == bones->capacity)
        return;
    uint32_t first = bones->count * TIPS_AND_RING;
    float side[3], other[3];
    find_sides(along, side, other);
    for (uint32_t v = 0; v < TIPS_AND_RING; v++) {
        bool is_ring = v > 0 && v < 5;
        float way = v == 0 ? 0 : v == 5 ? length : waist;
        for (unsigned i = 0; i < 3; i++) {
            float out = is_ring ? turns[v - 1][0] * side[i] + turns[v - 1][1] * other[i] : 0;
            bones->positions[first + v][i] = place_of(bones, joint)[i] + along[i] * way + out * radius;
            bones->normals[first + v][i] = is_ring ? out : v ? along[i] : 0 - along[i];
        }
        bones->owners[first + v][0] = joint;
        bones->weights[first + v][0] = 1;
    }
    for (uint32_t f = 0; f < SIDES; f++) {
        for (unsigned i = 0; i < 3; i++)
            bones->faces[bones->count * SIDES + f][i] = first + faces[f][i];
    }
    bones->count++;
}

static bool is_finite(const float v[3])
{
    return isfinite(v[0]) && isfinite(v[1]) && isfinite(v[2]) && length_of(v) < 1e15f;
}

static void add_to_child(struct bones *bones, uint32_t joint, uint32_t child, bool *has_bone)
{
    float along[3];
    for (unsigned i = 0; i < 3; i++)
        along[i] = place_of(bones, child)[i] - place_of(bones, joint)[i];
    float length = length_of(along);
    if (!is_finite(along) || !(length > bones->size * 0.002f))
        return;
    for (unsigned i = 0; i < 3; i++)
        along[i] /= length;
    add_bone(bones, joint, along, length, length * 0.15f, fminf(length * 0.1f, bones->size * 0.02f));
    *has_bone = true;
}

/* A joint without children: the bone continues a little in the same direction. */
static void add_end(struct bones *bones, uint32_t joint)
{
    static const float up[3] = {0, 1, 0};
    int32_t parent = bones->joints->joints[joint].parent;
    float along[3], length = 0, size = bones->size * 0.02f;
    for (unsigned i = 0; i < 3; i++)
        along[i] = parent < 0 ? 0 : place_of(bones, joint)[i] - place_of(bones, (uint32_t)parent)[i];
    if (is_finite(along))
        length = length_of(along);
    if (!(length > bones->size * 0.002f)) {
        add_bone(bones, joint, up, size, size * 0.5f, size * 0.5f);
        return;
    }
    for (unsigned i = 0; i < 3; i++)
        along[i] /= length;
    size = fminf(size, length * 0.4f);
    add_bone(bones, joint, along, size, size * 0.3f, size * 0.3f);
}

/* The diagonal of the box around all joints. */
static float find_size(const struct gltf_joints *joints)
{
    float least[3] = {0}, most[3] = {0}, whole[3];
    for (uint32_t i = 0; i < joints->count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            float place = joints->joints[i].matrix[12 + k];
            least[k] = i == 0 || place < least[k] ? place : least[k];
            most[k] = i == 0 || place > most[k] ? place : most[k];
        }
    }
    for (unsigned k = 0; k < 3; k++)
        whole[k] = most[k] - least[k];
    float size = length_of(whole);
    return isfinite(size) && size > 1e-4f ? size : 1;
}

static bool make_room(struct bones *bones, struct arena *arena)
{
    /* One bone per child, and an end bone if there are no children. */
    bones->capacity = 2 * bones->joints->count;
    size_t vertices = (size_t)bones->capacity * TIPS_AND_RING;
    bones->positions = arena_alloc(arena, vertices, sizeof *bones->positions);
    bones->normals = arena_alloc(arena, vertices, sizeof *bones->normals);
    bones->owners = arena_alloc(arena, vertices, sizeof *bones->owners);
    bones->weights = arena_alloc(arena, vertices, sizeof *bones->weights);
    bones->faces = arena_alloc(arena, (size_t)bones->capacity * SIDES, sizeof *bones->faces);
    return !arena->failed;
}

bool gltf_add_bones(struct gltf_mesh_list *list, const struct gltf_joints *joints, struct encode_job *job)
{
    struct bones bones = {.joints = joints, .size = find_size(joints)};
    bool *has_bone = ARENA_NEW(job->arena, bool, joints->count);
    list->meshes = ARENA_NEW(job->arena, struct gltf_mesh, 1);
    if (!has_bone || !list->meshes || !make_room(&bones, job->arena))
        return false;
    for (uint32_t i = 0; i < joints->count; i++) {
        int32_t parent = joints->joints[i].parent;
        if (parent >= 0 && is_finite(place_of(&bones, (uint32_t)parent)))
            add_to_child(&bones, (uint32_t)parent, i, &has_bone[parent]);
    }
    for (uint32_t i = 0; i < joints->count; i++) {
        if (!has_bone[i] && is_finite(place_of(&bones, i)))
            add_end(&bones, i);
    }
    if (!bones.count)
        return true;
    list->count = 1;
    list->meshes[0] = (struct gltf_mesh){
        .name = "bones",
        .vertex_count = bones.count * TIPS_AND_RING,
        .face_count = bones.count * SIDES,
        .positions = (const float(*)[3])bones.positions,
        .normals = (const float(*)[3])bones.normals,
        .joints = (const uint32_t(*)[4])bones.owners,
        .weights = (const float(*)[4])bones.weights,
        .faces = (const uint32_t(*)[3])bones.faces,
    };
    return true;
}
