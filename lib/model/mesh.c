#include "lib/model/mesh.h"

#include "lib/core/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- checking -- */

static bool check_faces(const struct pose_mesh *mesh, uint32_t k, struct pose_error *error)
{
    for (uint32_t i = 0; i < mesh->face_count; i++) {
        for (unsigned corner = 0; corner < 3; corner++) {
            if (mesh->faces[i][corner] >= mesh->real_count)
                return error_set(error, POSE_BAD_DATA, "face_index", "meshes[%u].faces[%u]: no vertex %u", k,
                                 i, mesh->faces[i][corner]);
        }
    }
    return true;
}

static bool check_primitives(const struct pose_mesh *mesh, uint32_t k, struct pose_error *error)
{
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const struct pose_primitive *primitive = &mesh->primitives[i];
        if (primitive->material >= mesh->material_count || primitive->face_first > mesh->face_count ||
            primitive->face_count > mesh->face_count - primitive->face_first)
            return error_set(error, POSE_BAD_DATA, "bad_primitive",
                             "meshes[%u].primitives[%u]: material %u of %u, faces from %u on, %u of %u", k, i,
                             primitive->material, mesh->material_count, primitive->face_first,
                             primitive->face_count, mesh->face_count);
    }
    return true;
}

/* A material that shows nothing may name any UV set: it is not written. Expects primitives in range. */
static bool check_materials(const struct pose_mesh *mesh, uint32_t k, struct pose_error *error)
{
    uint32_t sets = mesh->further_uv_count + 1;
    uint32_t count = mesh->primitive_count ? mesh->primitive_count : mesh->material_count != 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct pose_primitive *primitive = mesh->primitive_count ? &mesh->primitives[i] : NULL;
        uint32_t number = primitive ? primitive->material : 0;
        const struct pose_material *material = &mesh->materials[number];
        if (primitive && !primitive->face_count)
            continue;
        if (material->image_uv >= sets || material->emissive_uv >= sets)
            return error_set(error, POSE_BAD_DATA, "bad_material",
                             "meshes[%u].materials[%u]: UV set %u of %u", k, number,
                             material->image_uv >= sets ? material->image_uv : material->emissive_uv, sets);
    }
    return true;
}

static bool check_morphs(const struct pose_mesh *mesh, uint32_t k, struct pose_error *error)
{
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        const struct pose_morph_target *morph = &mesh->morphs[i];
        for (uint32_t v = 0; v < morph->count; v++) {
            if (morph->vertices[v] >= mesh->real_count || (v && morph->vertices[v] <= morph->vertices[v - 1]))
                return error_set(error, POSE_BAD_DATA, "bad_morph",
                                 "meshes[%u].morphs[%u]: vertex %u is out of range or out of order", k, i,
                                 morph->vertices[v]);
        }
    }
    return true;
}

bool mesh_check(const struct pose_mesh *mesh, uint32_t k, struct pose_error *error)
{
    return check_faces(mesh, k, error) && check_primitives(mesh, k, error) &&
           check_materials(mesh, k, error) && check_morphs(mesh, k, error);
}

/* ------------------------------------------------------------------------------------------------------ rest -- */

const char *mesh_bone_label(const struct pose_mesh *mesh, uint32_t bone, char room[MESH_BONE_LABEL])
{
    if (mesh->bones && mesh->bones[bone])
        return mesh->bones[bone];
    snprintf(room, MESH_BONE_LABEL, "joint_%u", mesh->bone_ids ? mesh->bone_ids[bone] : bone);
    return room;
}

static void add_face(const struct pose_mesh *mesh, const uint32_t face[3], float (*normals)[3])
{
    float a[3], b[3];
    for (unsigned i = 0; i < 3; i++) {
        a[i] = mesh->positions[face[1]][i] - mesh->positions[face[0]][i];
        b[i] = mesh->positions[face[2]][i] - mesh->positions[face[0]][i];
    }
    const float across[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    for (unsigned corner = 0; corner < 3; corner++) {
        for (unsigned i = 0; i < 3; i++)
            normals[face[corner]][i] += across[i];
    }
}

void mesh_make_normals(const struct pose_mesh *mesh, float (*normals)[3])
{
    memset(normals, 0, mesh->real_count * sizeof *normals);
    for (uint32_t i = 0; i < mesh->face_count; i++)
        add_face(mesh, mesh->faces[i], normals);
    for (uint32_t v = 0; v < mesh->real_count; v++) {
        float *n = normals[v], length = sqrtf(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        if (!(length > 0) || !isfinite(length)) {
            n[0] = n[2] = 0;
            n[1] = length = 1;
        }
        for (unsigned i = 0; i < 3; i++)
            n[i] /= length;
    }
}

bool image_has_alpha(const uint8_t (*pixels)[4], size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (pixels[i][3] < 255)
            return true;
    }
    return false;
}
