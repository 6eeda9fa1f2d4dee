/* Converts corners of display lists, which index each attribute separately, to vertices of a mesh. Facts:
 * prime-cmdl.md, 3. */
#include "lib/formats/prime/model/model.h"
#include "lib/model/mesh.h"

#include <math.h>
#include <string.h>

static const float short_normal_unit = 1.0f / 16384, short_uv_unit = 1.0f / 32768;

bool cmdl_vertices_init(struct cmdl_vertices *vertices, struct cmdl *model, uint32_t corner_count)
{
    size_t size = 16;
    while (size < 2 * (size_t)corner_count)
        size *= 2;
    *vertices =
        (struct cmdl_vertices){.model = model, .capacity = corner_count, .mask = (uint32_t)(size - 1)};
    vertices->corners = ARENA_NEW(&model->scratch, struct cmdl_corner, corner_count);
    vertices->slots = ARENA_NEW(&model->scratch, uint32_t, size);
    return vertices->corners && vertices->slots;
}

static uint32_t hash_corner(const struct cmdl_corner *corner)
{
    uint64_t hash = corner->position * 0x9e3779b97f4a7c15u;
    hash = (hash ^ corner->normal) * 0xff51afd7ed558ccdu;
    hash = (hash ^ corner->color ^ (uint64_t)corner->slot << 32) * 0xc4ceb9fe1a85ec53u;
    hash = (hash ^ corner->uvs[0] ^ (uint64_t)corner->uvs[1] << 32) * 0x9e3779b97f4a7c15u;
    return (uint32_t)(hash >> 32);
}

/* At most half of the slots are used, so there is always a free one. */
uint32_t cmdl_vertices_add(struct cmdl_vertices *vertices, const struct cmdl_corner *corner)
{
    uint32_t slot = hash_corner(corner) & vertices->mask;
    while (vertices->slots[slot]) {
        uint32_t found = vertices->slots[slot] - 1;
        if (!memcmp(&vertices->corners[found], corner, sizeof *corner))
            return found;
        slot = (slot + 1) & vertices->mask;
    }
    vertices->corners[vertices->count] = *corner;
    vertices->slots[slot] = ++vertices->count;
    return vertices->count - 1;
}

/* ----------------------------------------------------------------------------------------------- attributes -- */

static uint32_t u32_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool read_floats(const struct cmdl *model, const struct cmdl_array *array, uint32_t index,
                        unsigned count, const char *name, float *values)
{
    const uint8_t *from = array->data + (size_t)index * count * 4;
    for (unsigned i = 0; i < count; i++) {
        uint32_t bits = u32_at(from + 4 * i);
        memcpy(&values[i], &bits, sizeof bits);
        if (!isfinite(values[i])) {
            struct reader reader = model->reader;
            reader_enter(&reader, name, index);
            return reader_fail_at(&reader, array->offset + (uint64_t)(from - array->data) + 4 * i, NULL,
                                  "not_finite", "not a finite number");
        }
    }
    return true;
}

static bool read_normal(const struct cmdl *model, uint32_t index, float normal[3])
{
    const struct cmdl_array *array = &model->arrays[CMDL_NORMALS];
    if (!(model->flags & CMDL_SHORT_NORMALS))
        return read_floats(model, array, index, 3, "normals", normal);
    const uint8_t *from = array->data + 6 * (size_t)index;
    float square = 0;
    for (unsigned i = 0; i < 3; i++) {
        normal[i] = (float)(int16_t)(from[2 * i] << 8 | from[2 * i + 1]) * short_normal_unit;
        square += normal[i] * normal[i];
    }
    for (unsigned i = 0; i < 3 && square > 0; i++)
        normal[i] /= sqrtf(square);
    return true;
}

static bool read_uv(const struct cmdl *model, uint32_t index, float uv[2])
{
    if (index == CMDL_NONE)
        return true;
    if (index < CMDL_SHORT)
        return read_floats(model, &model->arrays[CMDL_UVS], index, 2, "uvs", uv);
    const uint8_t *from = model->arrays[CMDL_SHORT_UV_ARRAY].data + 4 * (size_t)(index - CMDL_SHORT);
    for (unsigned i = 0; i < 2; i++)
        uv[i] = (float)(from[2 * i] << 8 | from[2 * i + 1]) * short_uv_unit;
    return true;
}

/* Which optional attributes any vertex has. */
struct presence {
    bool normals, all_normals, colors, uvs[2], slots;
};

static struct presence look(const struct cmdl_vertices *vertices)
{
    struct presence found = {.all_normals = true};
    for (uint32_t v = 0; v < vertices->count; v++) {
        const struct cmdl_corner *corner = &vertices->corners[v];
        found.normals |= corner->normal != CMDL_NONE;
        found.all_normals &= corner->normal != CMDL_NONE;
        found.colors |= corner->color != CMDL_NONE;
        found.uvs[0] |= corner->uvs[0] != CMDL_NONE;
        found.uvs[1] |= corner->uvs[1] != CMDL_NONE && corner->uvs[1] != corner->uvs[0];
        found.slots |= corner->slot != CMDL_NONE;
    }
    return found;
}

static bool put_positions(const struct cmdl_vertices *vertices, struct pose_mesh *mesh)
{
    struct arena *arena = vertices->model->job->arena;
    float(*positions)[3] = arena_alloc(arena, vertices->count, sizeof *positions);
    uint32_t *ids = ARENA_NEW(arena, uint32_t, vertices->count);
    if (!positions || !ids)
        return false;
    for (uint32_t v = 0; v < vertices->count; v++) {
        ids[v] = vertices->corners[v].position;
        if (!read_floats(vertices->model, &vertices->model->arrays[CMDL_POSITIONS], ids[v], 3, "positions",
                         positions[v]))
            return false;
    }
    mesh->positions = (const float(*)[3])positions;
    mesh->vertex_ids = ids;
    return true;
}

/* If only some vertices have normals, the others get those of their faces. */
static bool put_normals(const struct cmdl_vertices *vertices, const struct presence *found,
                        struct pose_mesh *mesh)
{
    float(*normals)[3] = arena_alloc(vertices->model->job->arena, vertices->count, sizeof *normals);
    if (!normals)
        return false;
    if (!found->all_normals)
        mesh_make_normals(mesh, normals);
    for (uint32_t v = 0; v < vertices->count; v++) {
        uint32_t index = vertices->corners[v].normal;
        if (index != CMDL_NONE && !read_normal(vertices->model, index, normals[v]))
            return false;
    }
    mesh->normals = (const float(*)[3])normals;
    return true;
}

static bool put_uvs(const struct cmdl_vertices *vertices, unsigned set, struct pose_mesh *mesh)
{
    struct arena *arena = vertices->model->job->arena;
    float(*uvs)[2] = arena_alloc(arena, vertices->count, sizeof *uvs);
    const float(**further)[2] = arena_alloc(arena, 1, sizeof *further);
    if (!uvs || !further)
        return false;
    for (uint32_t v = 0; v < vertices->count; v++) {
        if (!read_uv(vertices->model, vertices->corners[v].uvs[set], uvs[v]))
            return false;
    }
    if (set == 0) {
        mesh->uvs = (const float(*)[2])uvs;
        return true;
    }
    *further = (const float(*)[2])uvs;
    mesh->further_uvs = further;
    mesh->further_uv_count = 1;
    return true;
}

static bool put_colors(const struct cmdl_vertices *vertices, struct pose_mesh *mesh)
{
    uint8_t(*colors)[4] = arena_alloc(vertices->model->job->arena, vertices->count, sizeof *colors);
    const uint8_t *from = vertices->model->arrays[CMDL_COLORS].data;
    for (uint32_t v = 0; colors && v < vertices->count; v++) {
        uint32_t index = vertices->corners[v].color;
        if (index == CMDL_NONE)
            memset(colors[v], 255, 4);
        else
            memcpy(colors[v], from + 4 * (size_t)index, 4);
    }
    mesh->colors = (const uint8_t(*)[4])colors;
    return colors != NULL;
}

static bool put_slots(const struct cmdl_vertices *vertices, struct pose_mesh *mesh)
{
    uint32_t *slots = ARENA_NEW(vertices->model->job->arena, uint32_t, vertices->count);
    for (uint32_t v = 0; slots && v < vertices->count; v++)
        slots[v] = vertices->corners[v].slot;
    mesh->vertex_slots = slots;
    return slots != NULL;
}

bool cmdl_vertices_finish(const struct cmdl_vertices *vertices, struct pose_mesh *mesh)
{
    struct presence found = look(vertices);
    mesh->real_count = vertices->count;
    return put_positions(vertices, mesh) && (!found.normals || put_normals(vertices, &found, mesh)) &&
           (!found.uvs[0] || put_uvs(vertices, 0, mesh)) &&
           (!(found.uvs[0] && found.uvs[1]) || put_uvs(vertices, 1, mesh)) &&
           (!found.colors || put_colors(vertices, mesh)) && (!found.slots || put_slots(vertices, mesh));
}
