/* Meshes of other formats as GEOM, with their texture as DDS beside it. Facts: sims3-geom.md, 2 and 10. */
#include "lib/formats/fit.h"
#include "lib/formats/sims3/body/geom.h"
#include "lib/formats/sims3/body/material.h"
#include "lib/formats/sims3/known_names.h"

#include "lib/core/error.h"
#include "lib/core/hash.h"
#include "lib/model/mesh.h"
#include "lib/model/skin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MAX_VERTICES = UINT16_MAX + 1, /* indices of 2 bytes */
    MAX_BONES = UINT8_MAX + 1,
    FIRST_ID = 5000, /* as tools number bodies */
    KEY_TEXTURE = 0,
    KEY_CONTROLLER,
    KEYS,
};

#define DIFFUSE_MAP 0x6cc0fd85u
#define ALPHA_MAP 0xc3faac4fu
#define DIFFUSE 0x637daa05u

/* What makes a vertex: equal ones are one. No padding. */
struct row {
    float position[3], normal[3], uv[2], tangent[3];
    uint32_t bones[POSE_WEIGHTS];
    float weights[POSE_WEIGHTS];
};

struct fitting {
    struct fit_job *job;
    struct fit_body body;
    struct row *rows; /* [vertex_count] */
    struct fit_weld weld;
    uint32_t (*faces)[3];
    uint32_t face_count, flat;
};

/* ------------------------------------------------------------------------------------------------- vertices -- */

static bool fill_rows(struct fitting *fitting)
{
    const struct fit_body *body = &fitting->body;
    const struct pose_mesh *mesh = body->mesh;
    fitting->rows = ARENA_NEW(fitting->job->arena, struct row, body->vertex_count);
    for (uint32_t v = 0; fitting->rows && v < body->vertex_count; v++) {
        struct row *row = &fitting->rows[v];
        for (unsigned i = 0; i < 3; i++) { /* -0 is 0, so that equal places are equal */
            row->position[i] = body->positions[v][i] + 0.0f;
            row->normal[i] = body->normals[v][i] + 0.0f;
            row->tangent[i] =
                mesh->tangents && isfinite(mesh->tangents[v][i]) ? mesh->tangents[v][i] + 0.0f : 0;
        }
        for (unsigned i = 0; mesh->uvs && i < 2; i++)
            row->uv[i] = mesh->uvs[v][i] + 0.0f;
        for (unsigned i = 0; body->influences && i < POSE_WEIGHTS; i++) {
            uint32_t bone = body->influences[v].bones[i];
            row->weights[i] = body->influences[v].weights[i];
            row->bones[i] = row->weights[i] > 0 ? body->numbers[bone] : 0;
        }
    }
    return fitting->rows;
}

static bool put_faces(struct fitting *fitting)
{
    const struct fit_body *body = &fitting->body;
    fitting->faces = arena_alloc(fitting->job->arena, body->mesh->face_count, sizeof *fitting->faces);
    for (uint32_t i = 0; fitting->faces && i < body->mesh->face_count; i++) {
        uint32_t face[3];
        for (unsigned k = 0; k < 3; k++) {
            face[k] = fitting->weld.merged[body->faces[i][k]];
            if (face[k] >= MAX_VERTICES)
                return error_set(fitting->job->error, POSE_BAD_DATA, "too_many_vertices",
                                 "triangle %u needs vertex %u of %u; the format numbers %d", i, face[k],
                                 fitting->weld.count, MAX_VERTICES);
        }
        if (face[0] == face[1] || face[1] == face[2] || face[2] == face[0])
            fitting->flat++;
        else
            memcpy(fitting->faces[fitting->face_count++], face, sizeof face);
    }
    if (fitting->faces && !fitting->face_count)
        return error_set(fitting->job->error, POSE_BAD_DATA, "nothing_to_write",
                         "the mesh has no triangle with an area");
    return fitting->faces;
}

/* ------------------------------------------------------------------------------------------------- tangents -- */

/* The direction in which u grows, summed over a vertex's triangles. */
static void add_direction(struct fitting *fitting, const uint32_t face[3], float (*sums)[3])
{
    const struct row *a = &fitting->rows[fitting->weld.rows[face[0]]],
                     *b = &fitting->rows[fitting->weld.rows[face[1]]],
                     *c = &fitting->rows[fitting->weld.rows[face[2]]];
    double u1 = (double)b->uv[0] - (double)a->uv[0], v1 = (double)b->uv[1] - (double)a->uv[1];
    double u2 = (double)c->uv[0] - (double)a->uv[0], v2 = (double)c->uv[1] - (double)a->uv[1];
    double area = u1 * v2 - u2 * v1, direction[3], length = 0;
    for (unsigned i = 0; i < 3; i++) {
        double x = (double)b->position[i] - (double)a->position[i],
               y = (double)c->position[i] - (double)a->position[i];
        direction[i] = (x * v2 - y * v1) * (area < 0 ? -1 : 1);
        length += direction[i] * direction[i];
    }
    if (!(fabs(area) > 0) || !(length > 0) || !isfinite(length))
        return;
    for (unsigned corner = 0; corner < 3; corner++) {
        for (unsigned i = 0; i < 3; i++)
            sums[face[corner]][i] += (float)(direction[i] / sqrt(length));
    }
}

/* At right angles to the normal; any such direction where the texture gives none. */
static void settle(const float normal[3], float tangent[3])
{
    for (unsigned attempt = 0; attempt < 3; attempt++) {
        float along = tangent[0] * normal[0] + tangent[1] * normal[1] + tangent[2] * normal[2], length = 0;
        for (unsigned i = 0; i < 3; i++) {
            tangent[i] -= along * normal[i];
            length += tangent[i] * tangent[i];
        }
        if (length > 1e-6f && isfinite(length)) {
            for (unsigned i = 0; i < 3; i++)
                tangent[i] /= sqrtf(length);
            return;
        }
        for (unsigned i = 0; i < 3; i++)
            tangent[i] = (float)(i == attempt);
    }
}

static bool is_given(const float tangent[3])
{
    float square = tangent[0] * tangent[0] + tangent[1] * tangent[1] + tangent[2] * tangent[2];
    return square > 0.25f && square < 4;
}

/* Those of the file where it has them, else made from the texture coordinates. */
static bool make_tangents(struct fitting *fitting)
{
    float(*tangents)[3] = arena_alloc(fitting->job->arena, fitting->weld.count, sizeof *tangents);
    for (uint32_t i = 0; tangents && i < fitting->face_count; i++)
        add_direction(fitting, fitting->faces[i], tangents);
    for (uint32_t i = 0; tangents && i < fitting->weld.count; i++) {
        const struct row *row = &fitting->rows[fitting->weld.rows[i]];
        if (is_given(row->tangent))
            memcpy(tangents[i], row->tangent, sizeof row->tangent);
        else
            settle(row->normal, tangents[i]);
    }
    fitting->job->fitted.tangents = (const float(*)[3])tangents;
    return tangents;
}

/* --------------------------------------------------------------------------------------------- the new mesh -- */

/* Vertices at one place have one id, so that morphs move both sides of a seam. */
static bool make_ids(struct fitting *fitting)
{
    struct arena *arena = fitting->job->arena;
    uint32_t count = fitting->weld.count, *ids = ARENA_NEW(arena, uint32_t, count);
    float(*places)[3] = arena_alloc(arena, count, sizeof *places);
    struct fit_weld same;
    for (uint32_t i = 0; places && i < count; i++)
        memcpy(places[i], fitting->rows[fitting->weld.rows[i]].position, sizeof *places);
    if (!ids || !places || !fit_weld(arena, places, sizeof *places, count, NULL, &same))
        return false;
    for (uint32_t i = 0; i < count; i++)
        ids[i] = FIRST_ID + same.merged[i];
    fitting->job->fitted.vertex_ids = ids;
    return true;
}

static bool put_vertices(struct fitting *fitting)
{
    struct arena *arena = fitting->job->arena;
    struct pose_mesh *fitted = &fitting->job->fitted;
    uint32_t count = fitting->weld.count;
    float(*positions)[3] = arena_alloc(arena, count, sizeof *positions),
    (*normals)[3] = arena_alloc(arena, count, sizeof *normals),
    (*uvs)[2] = arena_alloc(arena, count, sizeof *uvs);
    struct pose_influences *influences = ARENA_NEW(arena, struct pose_influences, count);
    if (!positions || !normals || !uvs || !influences)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct row *row = &fitting->rows[fitting->weld.rows[i]];
        memcpy(positions[i], row->position, sizeof row->position);
        memcpy(normals[i], row->normal, sizeof row->normal);
        memcpy(uvs[i], row->uv, sizeof row->uv);
        memcpy(influences[i].bones, row->bones, sizeof row->bones);
        memcpy(influences[i].weights, row->weights, sizeof row->weights);
    }
    fitted->real_count = count;
    fitted->positions = (const float(*)[3])positions;
    fitted->normals = (const float(*)[3])normals;
    fitted->uvs = (const float(*)[2])uvs;
    fitted->influences = fitting->body.influences ? influences : NULL;
    fitted->faces = (const uint32_t(*)[3])fitting->faces;
    fitted->face_count = fitting->face_count;
    return make_ids(fitting) && make_tangents(fitting);
}

/* The hash by which the game knows a bone: the skeleton's, else of its name. */
static uint32_t bone_id(const struct fitting *fitting, uint32_t bone)
{
    const struct pose_skeleton *skeleton = fitting->job->conversion->skeleton;
    int64_t joint = skeleton ? pose_skin_joint(fitting->body.skin, bone) : -1;
    if (joint >= 0 && skeleton->joints[joint].has_id)
        return skeleton->joints[joint].id;
    char label[MESH_BONE_LABEL];
    const char *name = mesh_bone_label(fitting->body.mesh, bone, label);
    return fitting->body.mesh->bone_ids ? fitting->body.mesh->bone_ids[bone] : hash_fnv32(name, strlen(name));
}

/* The first vertex that needs a bone. */
static uint32_t user_of(const struct fitting *fitting, uint32_t number)
{
    for (uint32_t i = 0; i < fitting->weld.count; i++) {
        const struct row *row = &fitting->rows[fitting->weld.rows[i]];
        for (unsigned k = 0; k < POSE_WEIGHTS; k++) {
            if (row->weights[k] > 0 && row->bones[k] == number)
                return fitting->weld.rows[i];
        }
    }
    return 0;
}

static bool put_bones(struct fitting *fitting)
{
    const struct fit_body *body = &fitting->body;
    struct arena *arena = fitting->job->arena;
    uint32_t count = body->used_count, unknown = 0, first_unknown = 0;
    char label[MESH_BONE_LABEL];
    if (count > MAX_BONES)
        return error_set(fitting->job->error, POSE_BAD_DATA, "too_many_bones",
                         "vertex %u needs the bone after the %d that a mesh has; there are %u",
                         user_of(fitting, MAX_BONES), MAX_BONES, count);
    uint32_t *ids = ARENA_NEW(arena, uint32_t, count);
    const char **names = ARENA_NEW(arena, const char *, count);
    for (uint32_t i = 0; ids && names && i < count; i++) {
        ids[i] = bone_id(fitting, body->used[i]);
        names[i] = arena_copy_text(arena, mesh_bone_label(body->mesh, body->used[i], label));
        if (!sims3_bone_name(ids[i]))
            first_unknown = unknown++ ? first_unknown : i;
    }
    if (ids && names && unknown)
        fit_warn(fitting->job, "unknown_bone", "%u bones (%s) are none of the game's figures", unknown,
                 names[first_unknown]);
    if (!body->influences)
        fit_warn(fitting->job, "unbound_mesh", "no bone moves the mesh; the game's clothes have some");
    fitting->job->fitted.bone_count = count;
    fitting->job->fitted.bone_ids = ids;
    fitting->job->fitted.bones = names;
    return ids && names;
}

/* ------------------------------------------------------------------------------------------------- material -- */

static void put_word(uint8_t *to, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* A material's block with a texture, the first key, or with a colour. */
static void put_block(struct value_list *extras, const struct pose_material *from, bool has_texture)
{
    enum { HEAD = 16, ROW = 16 };
    uint8_t block[HEAD + 2 * ROW + 32] = "MTNF";
    uint32_t rows = has_texture ? 2 : 1, size = has_texture ? 32 : 12, start = HEAD + rows * ROW;
    put_word(block + 8, size);
    put_word(block + 12, rows);
    for (uint32_t i = 0; i < rows; i++) {
        uint8_t *row = block + HEAD + i * ROW;
        put_word(row, has_texture ? (i ? ALPHA_MAP : DIFFUSE_MAP) : DIFFUSE);
        put_word(row + 4, has_texture ? 4 : 1);
        put_word(row + 8, has_texture ? 4 : 3);
        put_word(row + 12, start + 16 * i);
    }
    for (unsigned i = 0; !has_texture && i < 3; i++) {
        uint32_t bits;
        float value = from ? from->base_color[i] : 1;
        memcpy(&bits, &value, sizeof bits);
        put_word(block + start + 4 * i, isfinite(value) ? bits : 0);
    }
    value_put_hex(extras, "block", block, start + size);
}

/* The texture beside the mesh; its key goes to the table, followed by that of the skin controller. */
static bool put_material(struct fitting *fitting, const char *stem)
{
    struct fit_job *job = fitting->job;
    const struct pose_mesh *mesh = job->conversion->mesh;
    struct pose_material *material = ARENA_NEW(job->arena, struct pose_material, 1);
    struct value_list extras = value_object(job->arena), whole = value_object(job->arena);
    bool several, has_texture = false;
    const char *name = fit_main_image(mesh, &several), *texture = stem;
    const struct pose_image *image = fit_find_image(job, name);
    if (several)
        fit_warn(job, "several_textures", "the mesh has several textures, the file has one: %s",
                 name ? name : "none");
    if (image) {
        char file[POSE_MESH_FILE_NAME];
        texture = fit_stem(job, name);
        uint64_t instance = texture ? hash_fnv64(texture, strlen(texture)) : 0;
        snprintf(file, sizeof file, "%s_0x%016llX.dds", texture ? texture : "", (unsigned long long)instance);
        has_texture = fit_put_image(job, image, "sims3-dds", file);
    }
    if (!material || !texture || error_is_set(job->error))
        return false;
    value_put_int(&extras, "shader", SHADER_SKIN);
    put_block(&extras, mesh->material_count ? mesh->materials : NULL, has_texture);
    material->extras = value_done(&extras);
    const struct sims3_resource keys[KEYS] = {
        [KEY_TEXTURE] = {.type = SIMS3_DDS, .instance = hash_fnv64(texture, strlen(texture))},
        [KEY_CONTROLLER] = {.type = SIMS3_SKIN_CONTROLLER, .instance = hash_fnv64(stem, strlen(stem))},
    };
    sims3_put_keys(&whole, "keys", has_texture ? keys : keys + 1, has_texture ? KEYS : KEYS - 1);
    value_put_int(&whole, "skin_controller", has_texture ? KEY_CONTROLLER : 0);
    job->fitted.extras = value_done(&whole);
    job->fitted.materials = material;
    job->fitted.material_count = 1;
    return !job->arena->failed;
}

/* ---------------------------------------------------------------------------------------------------- entry -- */

static bool fit(struct fitting *fitting)
{
    struct fit_job *job = fitting->job;
    const char *stem = fit_stem(job, job->name);
    if (!stem || !fit_body_open(&fitting->body, job, POSE_AXES_GLTF, POSE_WEIGHTS) || !fill_rows(fitting))
        return false;
    const struct fit_body *body = &fitting->body;
    const bool *used = fit_used_vertices(job->arena, body->faces, body->mesh->face_count, body->vertex_count);
    if (!used ||
        !fit_weld(job->arena, fitting->rows, sizeof *fitting->rows, body->vertex_count, used,
                  &fitting->weld) ||
        !put_faces(fitting) || !put_vertices(fitting) || !put_bones(fitting) || !put_material(fitting, stem))
        return false;
    fit_warn_flat(job, fitting->flat);
    fit_warn_attributes(job);
    return true;
}

bool geom_fit(struct fit_job *job)
{
    struct fitting fitting = {.job = job};
    const struct pose_mesh *mesh = job->conversion->mesh;
    const char *stem = fit_stem(job, job->name);
    if (!stem)
        return false;
    snprintf(job->file, sizeof job->file, "%s.simgeom", stem);
    if (mesh->space == POSE_SPACE_BIND && pose_value_find(mesh->extras, "elements")) {
        job->fitted = *mesh;
        return true;
    }
    job->fitted = (struct pose_mesh){.axes = POSE_AXES_GLTF, .space = POSE_SPACE_BIND};
    bool done = fit(&fitting);
    fit_body_close(&fitting.body);
    return done;
}
