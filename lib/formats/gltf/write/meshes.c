#include "lib/formats/gltf/write/meshes.h"
#include "lib/formats/gltf/normal.h"

#include "lib/model/mesh.h"
#include "lib/model/skin.h"

#include <math.h>
#include <string.h>

/* ---------------------------------------------------------------------------------------- the game's meshes -- */

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
        *needs_frame |= pose_skin_missing_count(skin) > 0 || skin->positions;
        pose_skin_free(skin);
    }
    return true;
}

static void settle_normals(float (*normals)[3], uint32_t count)
{
    for (uint32_t v = 0; v < count; v++)
        gltf_unit_normal(normals[v]);
}

static void settle_positions(float (*positions)[3], uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) {
        for (unsigned i = 0; i < 3; i++)
            positions[v][i] = isfinite(positions[v][i]) ? positions[v][i] : 0;
    }
}

/* Vertices that no joint moves are attached to the frame, since a skinned vertex needs a joint. True if there
 * are any. */
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

/* The visible vertices in the rest pose: blended ones are bound at their blended positions. */
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

/* The joint of each vertex, real and blended. */
static uint32_t run_joint(const struct pose_skin *skin, uint32_t v)
{
    uint32_t low = 0, high = skin->run_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (skin->runs[middle].first <= v)
            low = middle;
        else
            high = middle;
    }
    return skin->runs[low].joint;
}

/*
 * A blended vertex of The Sims has two places that need not meet in the rest pose, which plain skinning cannot hold:
 * POSITION is their mean, and _POSITION_2 is the place of the copy, with its joint, so that our reader can tell them
 * apart again. Vertices with several copies have none.
 */
static bool put_seconds(struct gltf_mesh *to, const struct gltf_joints *joints, const struct pose_skin *skin,
                        struct arena *arena)
{
    const struct pose_mesh *mesh = skin->mesh;
    float(*seconds)[4] = arena_alloc(arena, mesh->real_count, sizeof *seconds);
    uint8_t *copies = ARENA_NEW(arena, uint8_t, mesh->real_count);
    if (!seconds || !copies)
        return false;
    for (uint32_t v = 0; v < mesh->real_count; v++)
        seconds[v][3] = -1;
    for (uint32_t k = 0; k < mesh->blend_count; k++) {
        uint32_t v = mesh->blends[k].vertex, copy = mesh->real_count + k, joint = run_joint(skin, copy);
        copies[v] = copies[v] ? 2 : 1;
        seconds[v][3] = copies[v] == 1 && joint != SKIN_NO_JOINT ? (float)joint : -1;
        const float *m = joint == SKIN_NO_JOINT ? matrix_identity : joints->joints[joint].matrix;
        for (unsigned i = 0; i < 3 && seconds[v][3] >= 0; i++) {
            float place = m[12 + i];
            for (unsigned c = 0; c < 3; c++)
                place += m[4 * c + i] * skin->planes[(size_t)c * skin->vertex_count + copy];
            seconds[v][i] = isfinite(place) ? place : 0;
        }
        for (unsigned i = 0; i < 3 && seconds[v][3] < 0; i++)
            seconds[v][i] = 0;
    }
    to->seconds = (const float(*)[4])seconds;
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
        .vertex_count = count,
        .face_count = mesh->face_count,
        .positions = (const float(*)[3])positions,
        .normals = (const float(*)[3])normals,
        .uvs = mesh->uvs ? (const float(*)[2])uvs : NULL,
        .joints = joints->skeleton ? (const uint32_t(*)[4])owners : NULL,
        .weights = (const float(*)[4])weights,
        .faces = (const uint32_t(*)[3])faces,
    };
    return !joints->skeleton || !mesh->blend_count ||
           put_seconds(&list->meshes[list->count - 1], joints, skin, arena);
}

/* A mesh in model space: borrows the skin's vertices, which must outlive it. */
static bool add_body(struct gltf_mesh_list *list, const struct gltf_joints *joints,
                     const struct pose_mesh *mesh, const struct pose_skin *skin, struct arena *arena)
{
    struct gltf_mesh *body = &list->meshes[list->count++];
    return gltf_body_fill(body, joints, mesh, skin, arena, &list->uses_frame);
}

static void warn_missing(struct encode_job *job, const struct pose_mesh *mesh, const struct pose_skin *skin)
{
    uint32_t count = pose_skin_missing_count(skin);
    char room[MESH_BONE_LABEL];
    if (skin->positions && !mesh->bone_count)
        return;
    if (skin->positions && !job->content->skeleton_count)
        encode_warn(job, "unbound_mesh", "mesh %s has no skeleton: nothing moves it",
                    mesh->name ? mesh->name : "without a name");
    else if (!job->content->skeleton_count)
        encode_warn(job, "unbound_mesh",
                    "mesh %s has no skeleton: its vertices stay in the space of their bones",
                    mesh->name ? mesh->name : "without a name");
    else if (count)
        encode_warn(job, "missing_bone", "mesh %s: the skeleton lacks %u of its bones (%s)",
                    mesh->name ? mesh->name : "without a name", count,
                    mesh_bone_label(mesh, pose_skin_missing(skin)[0], room));
}

static bool add_mesh(struct gltf_mesh_list *list, const struct gltf_joints *joints, uint32_t index,
                     struct encode_job *job)
{
    const struct pose_mesh *mesh = &job->content->meshes[index];
    if (is_empty(mesh)) {
        encode_warn(job, "empty_mesh", "mesh %s has no faces", mesh->name ? mesh->name : "without a name");
        return true;
    }
    if (!mesh_check(mesh, index, job->error))
        return false;
    struct pose_skin *skin = new_skin(job, mesh);
    if (!skin)
        return false;
    warn_missing(job, mesh, skin);
    uint32_t place = list->count;
    if (skin->positions) {
        bool done = add_body(list, joints, mesh, skin, job->arena);
        list->meshes[place].skin = skin;
        return done;
    }
    bool done = add_skinned(list, joints, mesh, skin, job->arena);
    if (done)
        list->meshes[place].source = mesh;
    pose_skin_free(skin);
    return done;
}

bool gltf_add_meshes(struct gltf_mesh_list *list, const struct gltf_joints *joints, struct encode_job *job)
{
    uint32_t count = job->content->mesh_count;
    list->meshes = ARENA_NEW(job->arena, struct gltf_mesh, count);
    for (uint32_t i = 0; list->meshes && i < count; i++) {
        if (!add_mesh(list, joints, i, job))
            return false;
    }
    return list->meshes != NULL;
}

void gltf_meshes_release(struct gltf_mesh_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        pose_skin_free((struct pose_skin *)list->meshes[i].skin);
    list->count = 0;
}

/* --------------------------------------------------------------------------------------------------- writing -- */

/* Integers as bytes, shorts or ints of glTF. */
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
    jsonw_integer(&file->json, name, accessor);
}

static void put_vertices(const struct gltf_mesh *mesh, struct gltf_file *file)
{
    uint32_t count = mesh->vertex_count;
    put_attribute(file, "POSITION",
                  gltf_accessor_view(file, GLTF_VERTICES, GLTF_VEC3, mesh->positions[0], count, true));
    put_attribute(file, "NORMAL",
                  gltf_accessor_view(file, GLTF_VERTICES, GLTF_VEC3, mesh->normals[0], count, false));
    if (mesh->uvs)
        put_attribute(file, "TEXCOORD_0",
                      gltf_accessor_view(file, GLTF_VERTICES, GLTF_VEC2, mesh->uvs[0], count, false));
    gltf_body_put_attributes(mesh, file);
    if (mesh->joints) {
        put_attribute(file, "JOINTS_0",
                      put_indices(file, GLTF_VERTICES, joint_component(mesh), GLTF_VEC4, mesh->joints[0],
                                  count, 4 * (size_t)count));
        put_attribute(file, "WEIGHTS_0",
                      gltf_accessor_view(file, GLTF_VERTICES, GLTF_VEC4, mesh->weights[0], count, false));
        if (mesh->seconds)
            put_attribute(file, "_POSITION_2",
                          gltf_accessor_view(file, GLTF_VERTICES, GLTF_VEC4, mesh->seconds[0], count, false));
    }
}

/* The faces from first on, and their material. */
static void put_faces(const struct gltf_mesh *mesh, const struct pose_primitive *primitive,
                      struct gltf_file *file)
{
    /* 65535 would mean primitive restart. */
    uint32_t count = primitive->face_count;
    put_attribute(file, "indices",
                  put_indices(file, GLTF_INDICES, mesh->vertex_count < UINT16_MAX ? GLTF_SHORTS : GLTF_INTS,
                              GLTF_SCALAR, mesh->faces[primitive->face_first], 3 * count, 3 * (size_t)count));
    put_attribute(file, "material", mesh->first_material + primitive->material);
}

/* The primitives share their vertices: all refer to the attributes of the first one. */
static void put_primitives(const struct gltf_mesh *mesh, struct gltf_file *file)
{
    const struct pose_primitive whole = {.face_count = mesh->face_count};
    bool is_whole = !mesh->source || !mesh->source->primitive_count;
    const struct pose_primitive *list = is_whole ? &whole : mesh->source->primitives;
    uint32_t count = is_whole ? 1 : mesh->source->primitive_count;
    uint32_t(*morphs)[2] = NULL;
    const char *attributes = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (!list[i].face_count)
            continue;
        jsonw_object(&file->json, NULL);
        if (attributes) {
            jsonw_raw(&file->json, "attributes", attributes);
        } else {
            jsonw_object(&file->json, "attributes");
            size_t start = file->json_bytes.size;
            put_vertices(mesh, file);
            jsonw_end(&file->json);
            if (!start || file->json_bytes.size <= start) /* out of memory; json_bytes is then empty */
                return;
            attributes = arena_text(file->job->arena, (const char *)file->json_bytes.data + start - 1,
                                    file->json_bytes.size - start + 1);
            if (mesh->skin && mesh->skin->mesh->morph_count) {
                morphs = arena_alloc(file->job->arena, mesh->skin->mesh->morph_count, sizeof *morphs);
                if (morphs)
                    gltf_body_put_morphs(mesh, file, morphs);
                else
                    error_no_memory(file->job->error);
            }
        }
        put_faces(mesh, &list[i], file);
        if (morphs)
            gltf_body_put_targets(mesh, (const uint32_t(*)[2])morphs, file);
        jsonw_end(&file->json);
    }
}

static void put_mesh(const struct gltf_mesh *mesh, struct gltf_file *file)
{
    jsonw_object(&file->json, NULL);
    /* The same as its node's: three.js renames neither then. */
    jsonw_string(&file->json, "name", mesh->called);
    jsonw_array(&file->json, "primitives");
    put_primitives(mesh, file);
    jsonw_end(&file->json);
    gltf_body_put_weights(mesh, file);
    jsonw_end(&file->json);
}

bool gltf_meshes_put(struct gltf_mesh_list *list, struct gltf_file *file)
{
    if (!list->count)
        return true;
    if (!gltf_materials_collect(list, file->job->arena) || !gltf_images_put(list, file))
        return error_no_memory(file->job->error);
    gltf_materials_put(list, file);
    jsonw_array(&file->json, "meshes");
    for (uint32_t i = 0; i < list->count; i++)
        put_mesh(&list->meshes[i], file);
    jsonw_end(&file->json);
    return !error_is_set(file->job->error);
}

static void put_node_name(struct gltf_mesh *mesh, struct gltf_file *file)
{
    const char *wanted = mesh->name ? mesh->name : "mesh";
    mesh->called = gltf_names_take(&file->names, wanted);
    jsonw_string(&file->json, "name", mesh->called);
    if (!strcmp(mesh->called, wanted))
        return;
    jsonw_object(&file->json, "extras");
    jsonw_object(&file->json, "posed");
    gltf_names_put_wanted(&file->json, mesh->called, wanted);
    jsonw_end(&file->json);
    jsonw_end(&file->json);
}

void gltf_meshes_put_nodes(struct gltf_mesh_list *list, struct gltf_file *file)
{
    struct json_writer *json = &file->json;
    uint32_t own_skins = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        jsonw_object(json, NULL);
        put_node_name(&list->meshes[i], file);
        jsonw_integer(json, "mesh", i);
        if (list->meshes[i].joints)
            jsonw_integer(json, "skin", list->meshes[i].has_own_skin ? ++own_skins : 0);
        jsonw_end(json);
    }
}
