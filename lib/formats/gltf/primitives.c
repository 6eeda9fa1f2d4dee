/* Primitives: their vertices in one list, and their triangles (section 3.7.2.1). */
#include "lib/formats/gltf/meshes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRIANGLES = 4, STRIP = 5, FAN = 6 };

bool gltf_body_at(struct gltf_body *body, const struct gltf_primitive *primitive, const char *member)
{
    return gltf_at(body->g, "/meshes/%u/primitives/%u%s", body->mesh, primitive->number, member);
}

/* ------------------------------------------------------------------------------------------------------ plan -- */

/* Whether two objects or arrays hold the same numbers under the same keys. */
static bool same_numbers(const struct pose_value *a, const struct pose_value *b)
{
    if (!a || !b || a->kind != b->kind)
        return a == b;
    if (a->kind == POSE_INT)
        return a->as.integer == b->as.integer;
    if (a->kind != POSE_OBJECT)
        return false;
    const struct pose_value *x = a->first, *y = b->first;
    for (; x && y; x = x->next, y = y->next) {
        if (strcmp(x->key, y->key) != 0 || x->kind != POSE_INT || y->kind != POSE_INT ||
            x->as.integer != y->as.integer)
            return false;
    }
    return !x && !y;
}

static bool same_targets(const struct pose_value *a, const struct pose_value *b)
{
    if (!a || !b)
        return a == b;
    const struct pose_value *x = a->first, *y = b->first;
    while (x && y && same_numbers(x, y)) {
        x = x->next;
        y = y->next;
    }
    return !x && !y;
}

/* The accessor of an attribute, GLTF_NONE if there is none. */
static bool find_attribute(struct gltf_body *body, const struct gltf_primitive *primitive, const char *name,
                           uint32_t *accessor)
{
    gltf_body_at(body, primitive, "/attributes");
    return gltf_index(body->g, primitive->attributes, name, body->g->accessors.count, false, accessor);
}

/* A count that bytes hold, below 2^32. */
static bool count_of(struct gltf_body *body, uint32_t accessor, unsigned components, uint32_t *count)
{
    struct gltf *g = body->g;
    uint64_t elements;
    unsigned found;
    bool has_view;
    if (!gltf_accessor_shape(g, accessor, &elements, &found, &has_view))
        return false;
    if (found != components)
        return gltf_refuse(g, "bad_type", "/type", "must be %s", components == 3 ? "VEC3" : "SCALAR");
    if (!has_view)
        return gltf_refuse_kind(g, "no_view", "/bufferView", "vertices and indices without a buffer view");
    if (elements >= UINT32_MAX)
        return gltf_refuse(g, "count_too_large", "/count", "%llu elements", (unsigned long long)elements);
    *count = (uint32_t)elements;
    return true;
}

static bool plan_attributes(struct gltf_body *body, struct gltf_primitive *primitive)
{
    uint32_t accessor;
    char name[16];
    for (unsigned set = 0; set < GLTF_MAX_UVS; set++) {
        snprintf(name, sizeof name, "TEXCOORD_%u", set);
        if (!find_attribute(body, primitive, name, &accessor))
            return false;
        if (accessor != GLTF_NONE && set >= body->uv_sets)
            body->uv_sets = set + 1;
    }
    if (!find_attribute(body, primitive, "NORMAL", &accessor))
        return false;
    body->has_normals |= accessor != GLTF_NONE;
    if (!find_attribute(body, primitive, "TANGENT", &accessor))
        return false;
    body->has_tangents |= accessor != GLTF_NONE;
    if (!find_attribute(body, primitive, "COLOR_0", &accessor))
        return false;
    body->has_colors |= accessor != GLTF_NONE;
    if (!find_attribute(body, primitive, "JOINTS_0", &accessor))
        return false;
    body->is_skinned |= accessor != GLTF_NONE && body->g->node[body->node].skin != GLTF_NONE;
    return true;
}

static bool plan_targets(struct gltf_body *body, struct gltf_primitive *primitive)
{
    uint32_t count = 0;
    gltf_body_at(body, primitive, "");
    if (primitive->targets && primitive->targets->kind != POSE_ARRAY)
        return gltf_refuse(body->g, "bad_member", "/targets", "must be an array");
    if (primitive->targets)
        count = (uint32_t)value_count(primitive->targets);
    if (body->primitive_count && count != body->target_count)
        return gltf_refuse(body->g, "bad_targets", "/targets",
                           "%u morph targets, the primitive before has %u", count, body->target_count);
    body->target_count = count;
    return true;
}

static bool plan_faces(struct gltf_body *body, struct gltf_primitive *primitive)
{
    primitive->corners = primitive->count;
    if (primitive->indices != GLTF_NONE && !count_of(body, primitive->indices, 1, &primitive->corners))
        return false;
    gltf_body_at(body, primitive, "");
    if (primitive->mode == TRIANGLES && primitive->corners % 3)
        return gltf_refuse(body->g, "bad_triangles", primitive->indices == GLTF_NONE ? "" : "/indices",
                           "%u corners do not make triangles", primitive->corners);
    primitive->face_count = primitive->mode == TRIANGLES ? primitive->corners / 3
                            : primitive->corners < 3     ? 0
                                                         : primitive->corners - 2;
    return true;
}

/* Exporters that split a mesh by material let its primitives refer to the same vertices. */
static bool plan_vertices(struct gltf_body *body, struct gltf_primitive *primitive)
{
    const struct gltf_primitive *before =
        body->primitive_count ? &body->primitives[body->primitive_count - 1] : NULL;
    primitive->shares = before && same_numbers(before->attributes, primitive->attributes) &&
                        same_targets(before->targets, primitive->targets);
    primitive->first = primitive->shares ? before->first : (uint32_t)body->vertex_count;
    if (!count_of(body, primitive->positions, 3, &primitive->count))
        return false;
    return primitive->shares || plan_attributes(body, primitive);
}

static bool plan_primitive(struct gltf_body *body, uint32_t index)
{
    struct gltf *g = body->g;
    char place[48];
    uint64_t mode;
    snprintf(place, sizeof place, "/meshes/%u/primitives", body->mesh);
    const struct pose_value *object = gltf_object(g, place, &body->list, index);
    struct gltf_primitive primitive = {.number = index};
    if (!object || !gltf_size(g, object, "mode", TRIANGLES, &mode) ||
        !gltf_index(g, object, "indices", g->accessors.count, false, &primitive.indices) ||
        !gltf_index(g, object, "material", g->materials.count, false, &primitive.material))
        return false;
    if (mode > FAN)
        return gltf_refuse(g, "bad_mode", "/mode", "unknown mode %llu", (unsigned long long)mode);
    if (pose_value_find(pose_value_find(object, "extensions"), "KHR_draco_mesh_compression"))
        return gltf_refuse_kind(g, "draco", "/extensions", "Draco compression is not supported");
    primitive.attributes = pose_value_find(object, "attributes");
    primitive.targets = pose_value_find(object, "targets");
    primitive.mode = (unsigned)mode;
    if (!primitive.attributes || primitive.attributes->kind != POSE_OBJECT)
        return gltf_refuse(g, "missing_member", "", "\"attributes\" is missing");
    if (!find_attribute(body, &primitive, "POSITION", &primitive.positions))
        return false;
    if (mode < TRIANGLES || primitive.positions == GLTF_NONE) {
        body->skipped++;
        return true;
    }
    if (!plan_vertices(body, &primitive) || !plan_targets(body, &primitive) || !plan_faces(body, &primitive))
        return false;
    primitive.face_first = (uint32_t)body->face_count;
    body->vertex_count += primitive.shares ? 0 : primitive.count;
    body->face_count += primitive.face_count;
    body->primitives[body->primitive_count++] = primitive;
    gltf_body_at(body, &primitive, "");
    return (body->vertex_count < UINT32_MAX && body->face_count < UINT32_MAX) ||
           gltf_refuse_kind(g, "mesh_too_large", "", "more than 2^32 vertices");
}

bool gltf_body_plan(struct gltf_body *body)
{
    struct gltf *g = body->g;
    const struct pose_value *object = gltf_object(g, "/meshes", &g->meshes, body->mesh);
    if (!object || !gltf_list(g, object, "primitives", &body->list))
        return false;
    body->primitives = json_alloc(&g->json, body->list.count, sizeof *body->primitives);
    for (uint32_t i = 0; body->primitives && i < body->list.count; i++) {
        /* Any number of nodes may show one mesh. */
        if (!arena_step(&g->json.arena) || !plan_primitive(body, i))
            return false;
    }
    return body->primitives;
}

/* -------------------------------------------------------------------------------------------------- vertices -- */

/* Fills the primitive's rows of an attribute; found: whether it has the attribute. */
static bool read_rows(struct gltf_body *body, const struct gltf_primitive *primitive, const char *name,
                      unsigned components, float *rows, bool *found)
{
    uint32_t accessor;
    if (!find_attribute(body, primitive, name, &accessor))
        return false;
    *found = accessor != GLTF_NONE;
    return !*found || gltf_accessor_fill(body->g, accessor, components, primitive->count,
                                         rows + (size_t)primitive->first * components);
}

static uint8_t to_byte(float value)
{
    return value <= 0 ? 0 : value >= 1 ? 255 : (uint8_t)lrintf(value * 255);
}

static bool read_colors(struct gltf_body *body, const struct gltf_primitive *primitive, uint8_t (*colors)[4])
{
    uint32_t accessor;
    unsigned components = 4;
    uint64_t count;
    bool has_view;
    memset(colors + primitive->first, 255, primitive->count * sizeof *colors);
    if (!find_attribute(body, primitive, "COLOR_0", &accessor))
        return false;
    if (accessor == GLTF_NONE)
        return true;
    if (!gltf_accessor_shape(body->g, accessor, &count, &components, &has_view))
        return false;
    components = components == 3 ? 3 : 4;
    float *rows = json_alloc(&body->g->json, (size_t)primitive->count * components, sizeof *rows);
    if (!rows || !gltf_accessor_fill(body->g, accessor, components, primitive->count, rows))
        return false;
    for (uint32_t v = 0; v < primitive->count; v++) {
        for (unsigned c = 0; c < components; c++)
            colors[primitive->first + v][c] = to_byte(rows[(size_t)v * components + c]);
    }
    return true;
}

static bool read_uvs(struct gltf_body *body, const struct gltf_primitive *primitive)
{
    char name[24];
    bool found;
    for (unsigned set = 0; set < body->uv_sets; set++) {
        snprintf(name, sizeof name, "TEXCOORD_%u", set);
        if (!read_rows(body, primitive, name, 2, body->uvs[set][0], &found))
            return false;
    }
    return true;
}

/* Without the handedness, which no game here has; zero where there are none. */
static bool read_tangents(struct gltf_body *body, const struct gltf_primitive *primitive)
{
    bool found;
    float *rows = json_alloc(&body->g->json, (size_t)primitive->count * 4, sizeof *rows);
    const struct gltf_primitive whole = {
        .number = primitive->number, .attributes = primitive->attributes, .count = primitive->count};
    if (!rows || !read_rows(body, &whole, "TANGENT", 4, rows, &found))
        return false;
    for (uint32_t v = 0; found && v < primitive->count; v++)
        memcpy(body->tangents[primitive->first + v], rows + 4 * (size_t)v, sizeof *body->tangents);
    return true;
}

/* ----------------------------------------------------------------------------------------------------- faces -- */

static void put_triangle(uint32_t *face, uint32_t a, uint32_t b, uint32_t c)
{
    face[0] = a;
    face[1] = b;
    face[2] = c;
}

/* Strips turn every second triangle round (section 3.7.2.1). */
static void fill_faces(const struct gltf_primitive *primitive, const uint32_t *corners, uint32_t (*faces)[3])
{
    for (uint32_t i = 0; i < primitive->face_count; i++) {
        if (primitive->mode == TRIANGLES)
            put_triangle(faces[i], corners[3 * i], corners[3 * i + 1], corners[3 * i + 2]);
        else if (primitive->mode == STRIP)
            put_triangle(faces[i], corners[i], corners[i + 1 + i % 2], corners[i + 2 - i % 2]);
        else
            put_triangle(faces[i], corners[i + 1], corners[i + 2], corners[0]);
    }
}

static bool read_faces(struct gltf_body *body, const struct gltf_primitive *primitive)
{
    struct gltf *g = body->g;
    uint32_t *corners = json_alloc(&g->json, primitive->corners, sizeof *corners);
    if (!corners)
        return false;
    for (uint32_t i = 0; primitive->indices == GLTF_NONE && i < primitive->corners; i++)
        corners[i] = i;
    if (primitive->indices != GLTF_NONE &&
        !gltf_accessor_integers(g, primitive->indices, 1, primitive->corners, corners))
        return false;
    gltf_body_at(body, primitive, "");
    for (uint32_t i = 0; i < primitive->corners; i++) {
        if (corners[i] >= primitive->count)
            return gltf_refuse(g, "face_index", "/indices", "index %u is vertex %u of %u", i, corners[i],
                               primitive->count);
        corners[i] += primitive->first;
    }
    fill_faces(primitive, corners, body->faces + primitive->face_first);
    return true;
}

/* --------------------------------------------------------------------------------------------------- normals -- */

static void add_face(struct gltf_body *body, const uint32_t face[3])
{
    float a[3], b[3];
    for (unsigned k = 0; k < 3; k++) {
        a[k] = body->positions[face[1]][k] - body->positions[face[0]][k];
        b[k] = body->positions[face[2]][k] - body->positions[face[0]][k];
    }
    for (unsigned corner = 0; corner < 3; corner++) {
        for (unsigned k = 0; k < 3; k++)
            body->normals[face[corner]][k] +=
                a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

/* Vertices without normals get them from the faces of all primitives that share them. last: the first face after
 * those. */
static void make_normals(struct gltf_body *body, const struct gltf_primitive *primitive, uint32_t last)
{
    memset(body->normals + primitive->first, 0, primitive->count * sizeof *body->normals);
    for (uint32_t i = primitive->face_first; i < last; i++)
        add_face(body, body->faces[i]);
}

static void settle_normals(struct gltf_body *body)
{
    for (uint64_t v = 0; v < body->vertex_count; v++) {
        float *n = body->normals[v];
        double length =
            sqrt((double)n[0] * (double)n[0] + (double)n[1] * (double)n[1] + (double)n[2] * (double)n[2]);
        bool is_sound = length > 1e-20 && isfinite(length);
        for (unsigned k = 0; k < 3; k++)
            n[k] = is_sound ? (float)((double)n[k] / length) : (float)(k == 1);
    }
}

static bool read_normals(struct gltf_body *body)
{
    for (uint32_t i = 0; i < body->primitive_count;) {
        const struct gltf_primitive *primitive = &body->primitives[i];
        uint32_t last = primitive->face_first;
        bool found;
        do
            last += body->primitives[i++].face_count;
        while (i < body->primitive_count && body->primitives[i].shares);
        if (!read_rows(body, primitive, "NORMAL", 3, body->normals[0], &found))
            return false;
        if (!found)
            make_normals(body, primitive, last);
    }
    settle_normals(body);
    return true;
}

/* ------------------------------------------------------------------------------------------------------- all -- */

static bool make_room(struct gltf_body *body, uint8_t (**colors)[4])
{
    struct arena *arena = body->g->job->arena;
    size_t count = (size_t)body->vertex_count;
    body->positions = arena_alloc(arena, count, sizeof *body->positions);
    body->normals = arena_alloc(arena, count, sizeof *body->normals);
    body->faces = arena_alloc(arena, (size_t)body->face_count, sizeof *body->faces);
    body->tangents = body->has_tangents ? arena_alloc(arena, count, sizeof *body->tangents) : NULL;
    for (unsigned set = 0; set < body->uv_sets; set++)
        body->uvs[set] = arena_alloc(arena, count, sizeof **body->uvs);
    *colors = body->has_colors ? arena_alloc(arena, count, sizeof **colors) : NULL;
    return !arena->failed;
}

static void link(struct gltf_body *body, uint8_t (*colors)[4])
{
    struct pose_mesh *to = body->to;
    to->positions = (const float(*)[3])body->positions;
    to->normals = (const float(*)[3])body->normals;
    to->tangents = (const float(*)[3])body->tangents;
    to->faces = (const uint32_t(*)[3])body->faces;
    to->face_count = (uint32_t)body->face_count;
    to->colors = (const uint8_t(*)[4])colors;
}

bool gltf_body_read(struct gltf_body *body)
{
    uint8_t(*colors)[4];
    if (!make_room(body, &colors))
        return false;
    for (uint32_t i = 0; i < body->primitive_count; i++) {
        const struct gltf_primitive *primitive = &body->primitives[i];
        bool found;
        if (!read_faces(body, primitive))
            return false;
        if (primitive->shares)
            continue;
        if (!read_rows(body, primitive, "POSITION", 3, body->positions[0], &found) ||
            !read_uvs(body, primitive) || (body->tangents && !read_tangents(body, primitive)) ||
            (colors && !read_colors(body, primitive, colors)))
            return false;
    }
    link(body, colors);
    return read_normals(body);
}
