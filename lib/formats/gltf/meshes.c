/* Which nodes show meshes, and what is left out (section 3.7.2). */
#include "lib/formats/gltf/meshes.h"

#include <string.h>

/* Meshes that are not read, for one warning. */
struct left_out {
    uint32_t too_many, unused;
};

/* ---------------------------------------------------------------------------------------------------- names -- */

static const char *name_of(struct gltf *g, uint32_t node)
{
    const char *name = g->node[node].name;
    return name ? name : gltf_text(g, g->meshes.items[g->node[node].mesh], "name");
}

/* Our own bone mesh is only for display. */
static bool is_bone_mesh(const struct gltf *g, uint32_t node)
{
    const struct pose_value *object = g->meshes.items[g->node[node].mesh];
    const struct pose_value *primitives = pose_value_find(object, "primitives");
    const char *name = g->node[node].name ? g->node[node].name : value_get_string(object, "name", "");
    return g->is_ours && !strcmp(name, "bones") && primitives && primitives->kind == POSE_ARRAY &&
           primitives->first &&
           !pose_value_find(pose_value_find(primitives->first, "attributes"), "TEXCOORD_0");
}

/* -------------------------------------------------------------------------------------------------- one mesh -- */

static bool read_body(struct gltf_body *body)
{
    struct gltf *g = body->g;
    if (!body->face_count)
        return true;
    *body->to = (struct pose_mesh){.name = name_of(g, body->node),
                                   .axes = POSE_AXES_GLTF,
                                   .space = POSE_SPACE_BIND,
                                   .cofactor_normals = true,
                                   .real_count = (uint32_t)body->vertex_count};
    return gltf_body_read(body) && gltf_body_morph(body) && gltf_body_bind(body) && gltf_body_dress(body);
}

/* Whether the totals stay within the limits. */
static bool fits(const struct gltf_body *body, uint64_t vertices, uint64_t faces)
{
    return body->vertex_count <= GLTF_MAX_VERTICES - vertices && body->face_count <= GLTF_MAX_FACES - faces;
}

/* A mesh that needs what is not supported is left out; clips and skeletons do not depend on it. */
static bool leave_out(struct gltf_body *body)
{
    struct pose_error *error = body->g->job->error;
    if (error->status != POSE_UNSUPPORTED || body->g->json.arena.failed)
        return false;
    warning_add(&body->g->job->warnings, POSE_WARNING, "mesh_left_out", POSE_NO_OFFSET,
                "/meshes/%u is not read: %s", body->mesh, error->detail);
    pose_error_init(error);
    return true;
}

static void warn_skipped(const struct gltf_body *body)
{
    if (body->skipped)
        warning_add(&body->g->job->warnings, POSE_NOTE, "primitives_left_out", POSE_NO_OFFSET,
                    "/meshes/%u: %u of %u primitives have no triangles", body->mesh, body->skipped,
                    body->list.count);
}

/* ------------------------------------------------------------------------------------------------------ all -- */

static void warn_left_out(struct gltf *g, const struct left_out *left_out)
{
    if (left_out->too_many)
        warning_add(&g->job->warnings, POSE_WARNING, "meshes_left_out", POSE_NO_OFFSET,
                    "%u meshes are not read: at most %u with %u vertices and %u triangles in all are",
                    left_out->too_many, GLTF_MAX_MESHES, GLTF_MAX_VERTICES, GLTF_MAX_FACES);
    if (left_out->unused)
        warning_add(&g->job->warnings, POSE_NOTE, "unused_meshes", POSE_NO_OFFSET,
                    "%u mesh%s no node shows %s not read", left_out->unused,
                    left_out->unused == 1 ? " that" : "es that", left_out->unused == 1 ? "is" : "are");
}

static bool read_node(struct gltf *g, uint32_t node, struct left_out *left_out)
{
    struct pose_document *document = g->job->document;
    struct pose_mesh *to = (struct pose_mesh *)(uintptr_t)&document->meshes[document->mesh_count];
    struct gltf_body body = {.g = g, .node = node, .mesh = g->node[node].mesh, .to = to};
    if (document->mesh_count == GLTF_MAX_MESHES) {
        left_out->too_many++;
        return true;
    }
    if (!gltf_body_plan(&body))
        return leave_out(&body);
    if (!fits(&body, g->mesh_vertices, g->mesh_faces)) {
        left_out->too_many++;
        return true;
    }
    if (!read_body(&body))
        return leave_out(&body);
    warn_skipped(&body);
    g->mesh_vertices += body.vertex_count;
    g->mesh_faces += body.face_count;
    document->mesh_count += body.face_count != 0;
    return true;
}

bool gltf_read_meshes(struct gltf *g)
{
    uint32_t count = 0;
    struct left_out left_out = {0};
    bool *used = json_alloc(&g->json, g->meshes.count, sizeof *used);
    for (uint32_t i = 0; used && i < g->nodes.count; i++) {
        if (g->node[i].mesh == GLTF_NONE)
            continue;
        used[g->node[i].mesh] = true;
        count += count < GLTF_MAX_MESHES;
    }
    struct pose_mesh *meshes = ARENA_NEW(g->job->arena, struct pose_mesh, count);
    if (!used || !meshes || !gltf_looks_open(g))
        return false;
    g->job->document->meshes = meshes;
    for (uint32_t i = 0; i < g->meshes.count; i++)
        left_out.unused += !used[i];
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        uint32_t mesh = g->node[i].mesh;
        if (mesh != GLTF_NONE && !is_bone_mesh(g, i) && !read_node(g, i, &left_out))
            return false;
    }
    warn_left_out(g, &left_out);
    return !g->job->arena->failed;
}
