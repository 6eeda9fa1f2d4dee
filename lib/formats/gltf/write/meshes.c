#include "lib/formats/gltf/write/meshes.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------- the game's meshes -- */

/* What the file says of indices is what the decoder has checked; content that others made may say anything. */
static bool check_mesh(const struct pose_mesh *mesh, uint32_t index, struct pose_error *error)
{
    for (uint32_t i = 0; i < mesh->face_count; i++) {
        for (unsigned k = 0; k < 3; k++) {
            if (mesh->faces[i][k] >= mesh->real_count)
                return error_set(error, POSE_BAD_DATA, "face_index", "meshes[%u].faces[%u]: no vertex %u",
                                 index, i, mesh->faces[i][k]);
        }
    }
    return true;
}

static bool is_empty(const struct pose_mesh *mesh)
{
    return !mesh->real_count || !mesh->face_count;
}

static struct pose_skin *new_skin(const struct encode_job *job, const struct pose_mesh *mesh)
{
    const struct pose_options options = {.allocator = job->arena->allocator,
                                         .limits.memory = job->arena->limit};
    const struct pose_content *content = job->content;
    return pose_skin_new(mesh, content->skeleton_count ? content->skeletons : NULL, POSE_AXES_GLTF, &options,
                         job->error);
}

bool gltf_meshes_need_frame(const struct encode_job *job, bool *needs_frame)
{
    const struct pose_content *content = job->content;
    *needs_frame = false;
    for (uint32_t i = 0; content->skeleton_count && i < content->mesh_count; i++) {
        struct pose_skin *skin = new_skin(job, &content->meshes[i]);
        if (!skin)
            return false;
        *needs_frame |= pose_skin_missing_count(skin) > 0;
        pose_skin_free(skin);
    }
    return true;
}

static void settle_normals(float (*normals)[3], uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) {
        float *n = normals[v], length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (!(length > 1e-6f) || !isfinite(length)) {
            n[0] = n[2] = 0;
            n[1] = length = 1;
        }
        for (unsigned i = 0; i < 3; i++)
            n[i] /= length;
    }
}

static void settle_positions(float (*positions)[3], uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) {
        for (unsigned i = 0; i < 3; i++)
            positions[v][i] = isfinite(positions[v][i]) ? positions[v][i] : 0;
    }
}

/* Vertices that no joint moves hang on the frame, since a skinned vertex has to hang on something. True when there are
 * any. */
static bool hang_on_frame(uint32_t (*joints)[4], float (*weights)[4], uint32_t count, uint32_t frame)
{
    bool any = false;
    for (uint32_t v = 0; v < count; v++) {
        if (weights[v][0] > 0)
            continue;
        joints[v][0] = frame;
        weights[v][0] = 1;
        any = true;
    }
    return any;
}

/* The drawn vertices in the rest pose: where blended ones pull them then is where they are bound. */
static bool deform(const struct gltf_joints *joints, const struct pose_skin *skin, struct arena *arena,
                   float (*positions)[3], float (*normals)[3])
{
    float *matrices = ARENA_NEW(arena, float, (size_t)joints->count * 16);
    void *scratch = arena_alloc(arena, pose_deform_scratch(skin), 1);
    if (!matrices || !scratch)
        return false;
    for (uint32_t i = 0; i < joints->count; i++)
        memcpy(matrices + 16 * (size_t)i, joints->joints[i].matrix, 16 * sizeof *matrices);
    pose_deform(skin, matrices, positions, normals, scratch);
    return true;
}

static bool add_skinned(struct gltf_mesh_list *list, const struct gltf_joints *joints,
                        const struct pose_mesh *mesh, const struct pose_skin *skin, struct arena *arena)
{
    uint32_t count = mesh->real_count;
    float(*positions)[3] = arena_alloc(arena, count, sizeof *positions),
    (*normals)[3] = arena_alloc(arena, count, sizeof *normals),
    (*weights)[4] = arena_alloc(arena, count, sizeof *weights),
    (*uvs)[2] = arena_alloc(arena, count, sizeof *uvs);
    uint32_t(*owners)[4] = arena_alloc(arena, count, sizeof *owners),
    (*faces)[3] = arena_alloc(arena, mesh->face_count, sizeof *faces);
    if (!positions || !normals || !weights || !owners || !faces || !uvs ||
        !deform(joints, skin, arena, positions, normals))
        return false;
    settle_positions(positions, count);
    settle_normals(normals, count);
    memcpy(faces, pose_skin_faces(skin), mesh->face_count * sizeof *faces);
    for (uint32_t v = 0; mesh->uvs && v < count; v++) {
        for (unsigned i = 0; i < 2; i++)
            uvs[v][i] = isfinite(mesh->uvs[v][i]) ? mesh->uvs[v][i] : 0;
    }
    if (joints->skeleton) {
        pose_skin_weights(skin, owners, weights);
        list->uses_frame |= hang_on_frame(owners, weights, count, joints->count);
    }
    list->meshes[list->count++] = (struct gltf_mesh){
        .name = mesh->name,
        .texture = mesh->texture,
        .vertex_count = count,
        .face_count = mesh->face_count,
        .positions = (const float(*)[3])positions,
        .normals = (const float(*)[3])normals,
        .uvs = mesh->uvs ? (const float(*)[2])uvs : NULL,
        .joints = joints->skeleton ? (const uint32_t(*)[4])owners : NULL,
        .weights = (const float(*)[4])weights,
        .faces = (const uint32_t(*)[3])faces,
    };
    return true;
}

static void warn_missing(struct encode_job *job, const struct pose_mesh *mesh, const struct pose_skin *skin)
{
    uint32_t count = pose_skin_missing_count(skin);
    if (!job->content->skeleton_count)
        encode_warn(job, "unbound_mesh",
                    "mesh %s has no skeleton: its vertices stay in the space of their bones",
                    mesh->name ? mesh->name : "without a name");
    else if (count)
        encode_warn(job, "missing_bone", "mesh %s: the skeleton lacks %u of its bones (%s)",
                    mesh->name ? mesh->name : "without a name", count,
                    mesh->bones[pose_skin_missing(skin)[0]]);
}

bool gltf_add_meshes(struct gltf_mesh_list *list, const struct gltf_joints *joints, struct encode_job *job)
{
    const struct pose_content *content = job->content;
    list->meshes = ARENA_NEW(job->arena, struct gltf_mesh, content->mesh_count);
    for (uint32_t i = 0; list->meshes && i < content->mesh_count; i++) {
        const struct pose_mesh *mesh = &content->meshes[i];
        if (is_empty(mesh)) {
            encode_warn(job, "empty_mesh", "mesh %s has no faces to be drawn",
                        mesh->name ? mesh->name : "without a name");
            continue;
        }
        if (!check_mesh(mesh, i, job->error))
            return false;
        struct pose_skin *skin = new_skin(job, mesh);
        if (!skin)
            return false;
        warn_missing(job, mesh, skin);
        bool done = add_skinned(list, joints, mesh, skin, job->arena);
        pose_skin_free(skin);
        if (!done)
            return false;
    }
    return list->meshes != NULL;
}

/* --------------------------------------------------------------------------------------------------- writing -- */

/* Whole numbers as bytes, shorts or ints of glTF. */
static uint32_t put_indices(struct gltf_file *file, enum gltf_target target, enum gltf_component component,
                            enum gltf_shape shape, const uint32_t *numbers, uint32_t count, size_t amount)
{
    gltf_view_begin(file, target);
    uint32_t accessor = gltf_accessor_add(file, component, shape, count);
    for (size_t i = 0; i < amount; i++) {
        if (component == GLTF_BYTES)
            writer_u8(&file->bin, (uint8_t)numbers[i]);
        else if (component == GLTF_SHORTS)
            writer_u16le(&file->bin, (uint16_t)numbers[i]);
        else
            writer_u32le(&file->bin, numbers[i]);
    }
    gltf_view_end(file);
    return accessor;
}

static enum gltf_component joint_component(const struct gltf_mesh *mesh)
{
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        for (unsigned i = 0; i < 4; i++) {
            if (mesh->joints[v][i] > UINT8_MAX)
                return GLTF_SHORTS;
        }
    }
    return GLTF_BYTES;
}

static void put_attribute(struct gltf_file *file, const char *name, uint32_t accessor)
{
    gltf_json_key(file, name);
    gltf_json_uint(file, accessor);
}

static void put_mesh(const struct gltf_mesh *mesh, uint32_t material, struct gltf_file *file)
{
    uint32_t count = mesh->vertex_count;
    gltf_json_comma(file);
    gltf_json_text(file, "{");
    if (mesh->name) {
        gltf_json_key(file, "name");
        gltf_json_string(file, mesh->name);
    }
    gltf_json_key(file, "primitives");
    gltf_json_text(file, "[{\"attributes\":{");
    put_attribute(file, "POSITION",
                  gltf_accessor_view(file, GLTF_VERTICES, GLTF_VEC3, mesh->positions[0], count, true));
    put_attribute(file, "NORMAL",
                  gltf_accessor_view(file, GLTF_VERTICES, GLTF_VEC3, mesh->normals[0], count, false));
    if (mesh->uvs)
        put_attribute(file, "TEXCOORD_0",
                      gltf_accessor_view(file, GLTF_VERTICES, GLTF_VEC2, mesh->uvs[0], count, false));
    if (mesh->joints) {
        put_attribute(file, "JOINTS_0",
                      put_indices(file, GLTF_VERTICES, joint_component(mesh), GLTF_VEC4, mesh->joints[0],
                                  count, 4 * (size_t)count));
        put_attribute(file, "WEIGHTS_0",
                      gltf_accessor_view(file, GLTF_VERTICES, GLTF_VEC4, mesh->weights[0], count, false));
    }
    gltf_json_text(file, "}");
    /* 65535 itself restarts a primitive. */
    put_attribute(file, "indices",
                  put_indices(file, GLTF_INDICES, count < UINT16_MAX ? GLTF_SHORTS : GLTF_INTS, GLTF_SCALAR,
                              mesh->faces[0], 3 * mesh->face_count, 3 * (size_t)mesh->face_count));
    put_attribute(file, "material", material);
    gltf_json_text(file, "}]}");
}

static void put_material(const struct gltf_mesh *mesh, const struct gltf_texture *texture,
                         struct gltf_file *file)
{
    gltf_json_comma(file);
    gltf_json_text(file, "{\"name\":");
    writer_json_string(&file->json, mesh->texture ? mesh->texture : mesh->name ? mesh->name : "material");
    gltf_json_key(file, "pbrMetallicRoughness");
    gltf_json_text(file, "{");
    if (texture->number >= 0) {
        gltf_json_text(file, "\"baseColorTexture\":{\"index\":");
        gltf_json_uint(file, (uint32_t)texture->number);
        gltf_json_text(file, "}");
    } else {
        gltf_json_text(file, "\"baseColorFactor\":[0.72,0.72,0.75,1]");
    }
    gltf_json_text(file, ",\"metallicFactor\":0,\"roughnessFactor\":0.8}");
    if (texture->see_through)
        gltf_json_text(file, ",\"alphaMode\":\"MASK\"");
    gltf_json_text(file, "}");
}

void gltf_meshes_put(const struct gltf_mesh_list *list, struct gltf_file *file)
{
    struct gltf_texture *textures = ARENA_NEW(file->job->arena, struct gltf_texture, list->count);
    if (!list->count || !textures || !gltf_images_put(list, file, textures))
        return;
    gltf_json_key(file, "materials");
    gltf_json_text(file, "[");
    for (uint32_t i = 0; i < list->count; i++)
        put_material(&list->meshes[i], &textures[i], file);
    gltf_json_text(file, "]");
    gltf_json_key(file, "meshes");
    gltf_json_text(file, "[");
    for (uint32_t i = 0; i < list->count; i++)
        put_mesh(&list->meshes[i], i, file);
    gltf_json_text(file, "]");
}

void gltf_meshes_put_nodes(const struct gltf_mesh_list *list, struct gltf_file *file)
{
    for (uint32_t i = 0; i < list->count; i++) {
        gltf_json_comma(file);
        gltf_json_text(file, "{\"name\":");
        writer_json_string(&file->json, list->meshes[i].name ? list->meshes[i].name : "mesh");
        gltf_json_key(file, "mesh");
        gltf_json_uint(file, i);
        if (list->meshes[i].joints)
            gltf_json_text(file, ",\"skin\":0");
        gltf_json_text(file, "}");
    }
}
