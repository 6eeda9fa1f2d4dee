/* Morph targets (section 3.7.2.2): dense offsets become sparse ones. */
#include "lib/formats/gltf/meshes.h"

#include <stdio.h>
#include <string.h>

/* Targets times vertices of one mesh: sparse accessors and repeated ones cost time without bytes. */
enum { MAX_MORPH_ROWS = 1 << 26 };

/* Offsets of all vertices, for one target at a time. */
struct offsets {
    float (*positions)[3], (*normals)[3];
};

static bool read_offsets(struct gltf_body *body, const struct gltf_primitive *primitive, uint32_t target,
                         const struct pose_value *object, const char *name, float (*rows)[3])
{
    struct gltf *g = body->g;
    char place[32];
    uint32_t accessor;
    snprintf(place, sizeof place, "/targets/%u", target);
    gltf_body_at(body, primitive, place);
    if (object->kind != POSE_OBJECT)
        return gltf_refuse(g, "bad_member", "", "must be an object");
    return gltf_index(g, object, name, g->accessors.count, false, &accessor) &&
           (accessor == GLTF_NONE ||
            gltf_accessor_fill(g, accessor, 3, primitive->count, rows[primitive->first]));
}

static bool is_zero(const float row[3])
{
    return row[0] == 0 && row[1] == 0 && row[2] == 0;
}

/* Keeps the vertices that the target moves. */
static bool keep(struct gltf_body *body, const struct offsets *offsets, struct pose_morph_target *to)
{
    struct arena *arena = body->g->job->arena;
    uint32_t count = 0, bent = 0;
    for (uint64_t v = 0; v < body->vertex_count; v++) {
        count += !is_zero(offsets->positions[v]) || !is_zero(offsets->normals[v]);
        bent += !is_zero(offsets->normals[v]);
    }
    uint32_t *vertices = ARENA_NEW(arena, uint32_t, count);
    float(*positions)[3] = arena_alloc(arena, count, sizeof *positions),
    (*normals)[3] = bent ? arena_alloc(arena, count, sizeof *normals) : NULL;
    if (arena->failed)
        return false;
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        if (is_zero(offsets->positions[v]) && is_zero(offsets->normals[v]))
            continue;
        memcpy(positions[to->count], offsets->positions[v], sizeof *positions);
        if (normals)
            memcpy(normals[to->count], offsets->normals[v], sizeof *normals);
        vertices[to->count++] = v;
    }
    to->vertices = vertices;
    to->positions = (const float(*)[3])positions;
    to->normals = (const float(*)[3])normals;
    return true;
}

/* The next target of each primitive. */
static bool read_target(struct gltf_body *body, uint32_t target, const struct pose_value **objects,
                        const struct offsets *offsets, struct pose_morph_target *to)
{
    memset(offsets->positions, 0, (size_t)body->vertex_count * sizeof *offsets->positions);
    memset(offsets->normals, 0, (size_t)body->vertex_count * sizeof *offsets->normals);
    for (uint32_t i = 0; i < body->primitive_count; i++) {
        const struct gltf_primitive *primitive = &body->primitives[i];
        if (!primitive->shares &&
            (!read_offsets(body, primitive, target, objects[i], "POSITION", offsets->positions) ||
             !read_offsets(body, primitive, target, objects[i], "NORMAL", offsets->normals)))
            return false;
        objects[i] = objects[i]->next;
    }
    return keep(body, offsets, to);
}

/* The weights of the node, else of the mesh. */
static const struct pose_value *default_weights(const struct gltf_body *body)
{
    const struct gltf *g = body->g;
    const struct pose_value *weights = pose_value_find(g->nodes.items[body->node], "weights");
    weights = weights ? weights : pose_value_find(g->meshes.items[body->mesh], "weights");
    return weights && weights->kind == POSE_ARRAY ? weights->first : NULL;
}

static bool is_affordable(const struct gltf_body *body)
{
    return !body->vertex_count || body->target_count <= MAX_MORPH_ROWS / body->vertex_count;
}

static float number_of(const struct pose_value *value)
{
    return value->kind == POSE_INT     ? (float)value->as.integer
           : value->kind == POSE_FLOAT ? value->as.number
                                       : 0;
}

static bool read_targets(struct gltf_body *body, const struct pose_value **objects,
                         const struct offsets *offsets, struct pose_morph_target *morphs)
{
    struct gltf *g = body->g;
    const struct pose_value *weight = default_weights(body), *item = gltf_target_names(g, body->node);
    for (uint32_t target = 0; target < body->target_count; target++) {
        struct pose_morph_target *to = &morphs[target];
        to->name = gltf_target_name(g, body->node, target, item);
        item = item ? item->next : NULL;
        to->weight = weight ? number_of(weight) : 0;
        weight = weight ? weight->next : NULL;
        if (!to->name || !arena_step(&g->json.arena) || !read_target(body, target, objects, offsets, to))
            return false;
    }
    return true;
}

bool gltf_body_morph(struct gltf_body *body)
{
    struct gltf *g = body->g;
    if (!body->target_count)
        return true;
    if (!is_affordable(body)) {
        warning_add(&g->job->warnings, POSE_WARNING, "morphs_left_out", POSE_NO_OFFSET,
                    "/meshes/%u: %u morph targets of %llu vertices are too many to be read", body->mesh,
                    body->target_count, (unsigned long long)body->vertex_count);
        return true;
    }
    size_t count = (size_t)body->vertex_count;
    struct offsets offsets = {json_alloc(&g->json, count, sizeof *offsets.positions),
                              json_alloc(&g->json, count, sizeof *offsets.normals)};
    const struct pose_value **objects = json_alloc(&g->json, body->primitive_count, sizeof *objects);
    struct pose_morph_target *morphs = ARENA_NEW(g->job->arena, struct pose_morph_target, body->target_count);
    if (!offsets.positions || !offsets.normals || !objects || !morphs)
        return false;
    for (uint32_t i = 0; i < body->primitive_count; i++)
        objects[i] = body->primitives[i].targets->first;
    if (!read_targets(body, objects, &offsets, morphs))
        return false;
    body->to->morph_count = body->target_count;
    body->to->morphs = morphs;
    return true;
}
