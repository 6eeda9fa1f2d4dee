/* What meshes in model space have beyond The Sims' meshes: bind matrices, further UVs, colours, morph targets. */
#include "lib/formats/gltf/write/meshes.h"
#include "lib/formats/gltf/normal.h"
#include "lib/model/mesh.h"
#include "lib/model/skin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static float held(float value)
{
    return isfinite(value) ? value : 0;
}

/* ------------------------------------------------------------------------------------------------ vertices -- */

static bool copy_vertices(struct gltf_mesh *to, const struct pose_mesh *mesh, const struct pose_skin *skin,
                          struct arena *arena)
{
    uint32_t count = mesh->real_count;
    float(*positions)[3] = arena_alloc(arena, count, sizeof *positions),
    (*normals)[3] = arena_alloc(arena, count, sizeof *normals),
    (*uvs)[2] = arena_alloc(arena, count, sizeof *uvs);
    if (!positions || !normals || !uvs)
        return false;
    for (uint32_t v = 0; v < count; v++) {
        for (unsigned i = 0; i < 3; i++) {
            positions[v][i] = held(skin->positions[v][i]);
            normals[v][i] = skin->normals[v][i];
        }
        gltf_unit_normal(normals[v]);
        for (unsigned i = 0; mesh->uvs && i < 2; i++)
            uvs[v][i] = held(mesh->uvs[v][i]);
    }
    to->positions = (const float(*)[3])positions;
    to->normals = (const float(*)[3])normals;
    to->uvs = mesh->uvs ? (const float(*)[2])uvs : NULL;
    return true;
}

/* A skin of the mesh's own: each of its joints once, the frame last. Changes owners from joints of the skeleton
 * to joints of the skin. */
static bool bind_itself(struct gltf_mesh *to, const struct pose_skin *skin, uint32_t (*owners)[4],
                        struct arena *arena)
{
    const struct pose_mesh *mesh = skin->mesh;
    uint32_t *slots = ARENA_NEW(arena, uint32_t, (size_t)skin->joint_count + 1);
    uint32_t *joints = ARENA_NEW(arena, uint32_t, (size_t)mesh->bone_count + 1);
    float(*binds)[16] = arena_alloc(arena, (size_t)mesh->bone_count + 1, sizeof *binds);
    if (!slots || !joints || !binds)
        return false;
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->bone_count; i++) {
        uint32_t joint = skin->joints[i];
        if (joint == SKIN_NO_JOINT || slots[joint])
            continue;
        memcpy(binds[count], skin->inverse_binds[i], sizeof *binds);
        joints[count++] = joint;
        slots[joint] = count;
    }
    memcpy(binds[count], matrix_identity, sizeof *binds);
    joints[count++] = skin->joint_count;
    slots[skin->joint_count] = count;
    for (uint32_t v = 0; v < mesh->real_count; v++) {
        for (unsigned i = 0; i < 4; i++)
            owners[v][i] = to->weights[v][i] > 0 ? slots[owners[v][i]] - 1 : 0;
    }
    to->has_own_skin = true;
    to->own_count = count;
    to->own_joints = joints;
    to->own_binds = (const float(*)[16])binds;
    return true;
}

/* Vertices without weights are attached to the frame. */
static bool fill_weights(struct gltf_mesh *to, const struct gltf_joints *joints, const struct pose_skin *skin,
                         struct arena *arena, bool *uses_frame)
{
    uint32_t count = to->vertex_count, frame = joints->count;
    uint32_t(*owners)[4] = arena_alloc(arena, count, sizeof *owners);
    float(*weights)[4] = arena_alloc(arena, count, sizeof *weights);
    if (!owners || !weights)
        return false;
    pose_skin_weights(skin, owners, weights);
    bool on_frame = false;
    for (uint32_t v = 0; v < count; v++) {
        if (!(weights[v][0] > 0)) {
            owners[v][0] = frame;
            weights[v][0] = 1;
        }
        for (unsigned i = 0; i < 4 && weights[v][i] > 0; i++)
            on_frame |= owners[v][i] == frame;
    }
    to->joints = (const uint32_t(*)[4])owners;
    to->weights = (const float(*)[4])weights;
    if (skin->mesh->inverse_binds)
        return bind_itself(to, skin, owners, arena);
    *uses_frame |= on_frame;
    return true;
}

bool gltf_body_fill(struct gltf_mesh *to, const struct gltf_joints *joints, const struct pose_mesh *mesh,
                    const struct pose_skin *skin, struct arena *arena, bool *uses_frame)
{
    *to = (struct gltf_mesh){.name = mesh->name,
                             .source = mesh,
                             .vertex_count = mesh->real_count,
                             .face_count = mesh->face_count,
                             .faces = pose_skin_faces(skin)};
    bool is_skinned = joints->skeleton && mesh->bone_count && mesh->influences;
    return copy_vertices(to, mesh, skin, arena) &&
           (!is_skinned || fill_weights(to, joints, skin, arena, uses_frame));
}

void gltf_bodies_put_skins(const struct gltf_mesh_list *list, const struct gltf_joints *joints,
                           struct gltf_file *file)
{
    for (uint32_t i = 0; i < list->count; i++) {
        const struct gltf_mesh *mesh = &list->meshes[i];
        if (!mesh->has_own_skin)
            continue;
        gltf_view_begin(file, GLTF_NO_TARGET);
        uint32_t accessor = gltf_accessor_add(file, GLTF_FLOATS, GLTF_MAT4, mesh->own_count);
        gltf_bin_floats(file, mesh->own_binds[0], 16 * (size_t)mesh->own_count);
        gltf_view_end(file);
        struct json_writer *json = &file->json;
        jsonw_object(json, NULL);
        jsonw_integer(json, "inverseBindMatrices", accessor);
        jsonw_array(json, "joints");
        for (uint32_t k = 0; k < mesh->own_count; k++) {
            uint32_t joint = mesh->own_joints[k];
            jsonw_integer(json, NULL,
                          joint < joints->count ? joints->joints[joint].holder : joints->frame_node);
        }
        jsonw_end(json);
        jsonw_integer(json, "skeleton", joints->frame_node);
        jsonw_end(json);
    }
}

/* ---------------------------------------------------------------------------------------------- attributes -- */

static void put_further_uvs(const struct pose_mesh *mesh, uint32_t set, struct gltf_file *file)
{
    float(*uvs)[2] = arena_alloc(file->job->arena, mesh->real_count, sizeof *uvs);
    char key[24] = "TEXCOORD_";
    if (!uvs)
        return;
    for (uint32_t v = 0; v < mesh->real_count; v++) {
        uvs[v][0] = held(mesh->further_uvs[set - 1][v][0]);
        uvs[v][1] = held(mesh->further_uvs[set - 1][v][1]);
    }
    key[9] = (char)('0' + set);
    uint32_t accessor = gltf_accessor_view(file, GLTF_VERTICES, GLTF_VEC2, uvs[0], mesh->real_count, false);
    jsonw_integer(&file->json, key, accessor);
}

void gltf_body_put_attributes(const struct gltf_mesh *mesh, struct gltf_file *file)
{
    const struct pose_mesh *source = mesh->source;
    for (uint32_t set = 1; source && mesh->uvs && set <= source->further_uv_count && set < 10; set++)
        put_further_uvs(source, set, file);
    if (!source || !source->colors)
        return;
    gltf_view_begin(file, GLTF_VERTICES);
    uint32_t accessor = gltf_accessor_add(file, GLTF_BYTES, GLTF_VEC4, mesh->vertex_count);
    if (accessor < file->accessor_count)
        file->accessors[accessor].is_normalised = true;
    writer_bytes(&file->bin, source->colors, mesh->vertex_count * sizeof *source->colors);
    gltf_view_end(file);
    jsonw_integer(&file->json, "COLOR_0", accessor);
}

/* -------------------------------------------------------------------------------------------------- morphs -- */

static uint32_t put_sparse(const struct skin_morph *morph, const float (*rows)[3], uint32_t vertex_count,
                           bool bounded, struct gltf_file *file)
{
    float(*values)[3] = arena_alloc(file->job->arena, morph->count, sizeof *values);
    if (!values)
        return 0;
    for (uint32_t k = 0; k < morph->count; k++) {
        for (unsigned i = 0; i < 3; i++)
            values[k][i] = held(rows[k][i]);
    }
    return gltf_accessor_sparse(file, vertex_count, morph->vertices, (const float(*)[3])values, morph->count,
                                bounded);
}

void gltf_body_put_morphs(const struct gltf_mesh *mesh, struct gltf_file *file, uint32_t (*numbers)[2])
{
    const struct pose_skin *skin = mesh->skin;
    for (uint32_t i = 0; i < skin->mesh->morph_count; i++) {
        const struct skin_morph *morph = &skin->morphs[i];
        numbers[i][0] =
            put_sparse(morph, (const float(*)[3])morph->positions, mesh->vertex_count, true, file);
        if (morph->normals)
            numbers[i][1] =
                put_sparse(morph, (const float(*)[3])morph->normals, mesh->vertex_count, false, file);
    }
}

/* All targets of a mesh must have the same attributes. */
static bool has_normals(const struct pose_skin *skin)
{
    for (uint32_t i = 0; i < skin->mesh->morph_count; i++) {
        if (!skin->morphs[i].normals)
            return false;
    }
    return true;
}

void gltf_body_put_targets(const struct gltf_mesh *mesh, const uint32_t (*numbers)[2], struct gltf_file *file)
{
    bool with_normals = has_normals(mesh->skin);
    struct json_writer *json = &file->json;
    jsonw_array(json, "targets");
    for (uint32_t i = 0; i < mesh->skin->mesh->morph_count; i++) {
        jsonw_object(json, NULL);
        jsonw_integer(json, "POSITION", numbers[i][0]);
        if (with_normals)
            jsonw_integer(json, "NORMAL", numbers[i][1]);
        jsonw_end(json);
    }
    jsonw_end(json);
}

void gltf_body_put_weights(const struct gltf_mesh *mesh, struct gltf_file *file)
{
    const struct pose_mesh *source = mesh->skin ? mesh->skin->mesh : NULL;
    if (!source || !source->morph_count)
        return;
    struct json_writer *json = &file->json;
    jsonw_array(json, "weights");
    for (uint32_t i = 0; i < source->morph_count; i++)
        jsonw_finite_number(json, NULL, source->morphs[i].weight);
    jsonw_end(json);
    jsonw_object(json, "extras");
    jsonw_array(json, "targetNames");
    for (uint32_t i = 0; i < source->morph_count; i++) {
        const struct pose_morph_target *morph = &source->morphs[i];
        char name[20];
        snprintf(name, sizeof name, "morph_%u", morph->has_id ? morph->id : i);
        jsonw_string(json, NULL, morph->name ? morph->name : name);
    }
    jsonw_end(json);
    jsonw_end(json);
}
