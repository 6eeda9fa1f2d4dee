/*
 * UV sets as materials show them: KHR_texture_transform is applied to the UVs, so that no other part needs to know it.
 *
 *     "baseColorTexture": {"index": 0, "extensions": {"KHR_texture_transform":
 *                          {"offset": [0.5, 0], "rotation": 1.57, "scale": [0.5, 1], "texCoord": 1}}}
 *
 * A set that two textures show differently on the same vertices is kept once for each of them.
 */
#include "lib/formats/gltf/meshes.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MAX_FACTOR = 1 << 20 }; /* of offsets, turns and scales */

/* ------------------------------------------------------------------------------------------------- reading -- */

static bool is_sound(float number)
{
    return fabsf(number) <= MAX_FACTOR;
}

/* False if the member is neither missing nor two numbers. */
static bool read_pair(const struct pose_value *object, const char *member, float pair[2])
{
    const struct pose_value *array = pose_value_find(object, member);
    return !array ||
           (array->kind == POSE_ARRAY && value_count(array) == 2 &&
            value_get_floats(object, member, pair, 2) == 2 && is_sound(pair[0]) && is_sound(pair[1]));
}

/* First the scale, then the turn (from v to u: counter-clockwise, as v goes down), then the offset. */
static bool read_move(const struct pose_value *move, uint64_t *set, struct gltf_uv_map *map)
{
    float offset[2] = {0, 0}, scale[2] = {1, 1}, turn = 0;
    const struct pose_value *rotation = pose_value_find(move, "rotation"),
                            *other_set = pose_value_find(move, "texCoord");
    if (move->kind != POSE_OBJECT || !read_pair(move, "offset", offset) || !read_pair(move, "scale", scale) ||
        (rotation && (!value_number(rotation, &turn) || !is_sound(turn))) ||
        (other_set && (other_set->kind != POSE_INT || other_set->as.integer < 0)))
        return false;
    double c = cos((double)turn), s = sin((double)turn), x = (double)scale[0], y = (double)scale[1];
    *map = (struct gltf_uv_map){.is_moved = true,
                                .m = {{c * x, s * y, (double)offset[0]}, {-s * x, c * y, (double)offset[1]}}};
    *set = other_set ? (uint64_t)other_set->as.integer : *set;
    return true;
}

bool gltf_uv_map_read(struct gltf_body *body, const struct pose_value *texture, struct gltf_uv_map *map)
{
    struct gltf *g = body->g;
    const struct pose_value *move =
        pose_value_find(pose_value_find(texture, "extensions"), "KHR_texture_transform");
    uint64_t set;
    *map = (struct gltf_uv_map){.m = {{1, 0, 0}, {0, 1, 0}}};
    if (!gltf_size(g, texture, "texCoord", 0, &set))
        return false;
    if (move && !read_move(move, &set, map))
        warning_add(
            &g->job->warnings, POSE_WARNING, "texture_transform", POSE_NO_OFFSET,
            "%s/extensions/KHR_texture_transform is ignored: offset and scale must be two numbers each, "
            "rotation a number, none beyond %d, texCoord a UV set",
            g->at, MAX_FACTOR);
    map->set = set < body->uv_sets ? (uint32_t)set : 0;
    return true;
}

/* ------------------------------------------------------------------------------------------------ planning -- */

/* A set to be made of a stored one. */
struct made_set {
    uint32_t source;
    uint32_t
        *moved; /* [primitive_count], of those that share vertices the first: the number of its map + 1 */
};

struct plan {
    struct gltf_body *body;
    const struct gltf_uv_map *maps;
    uint32_t *owner;        /* [primitive_count] whose vertices it shares, or itself */
    uint32_t *first, *next; /* primitives of each material, as number + 1 */
    uint32_t set_count;
    struct made_set sets[GLTF_MAX_UVS];
};

static bool add_set(struct plan *plan, uint32_t source)
{
    struct made_set *set = &plan->sets[plan->set_count];
    *set = (struct made_set){
        source, json_alloc(&plan->body->g->json, plan->body->primitive_count, sizeof *set->moved)};
    plan->set_count += set->moved != NULL;
    return set->moved;
}

static bool open_plan(struct plan *plan, uint32_t material_count)
{
    struct gltf_body *body = plan->body;
    struct json *json = &body->g->json;
    plan->owner = json_alloc(json, body->primitive_count, sizeof *plan->owner);
    plan->next = json_alloc(json, body->primitive_count, sizeof *plan->next);
    plan->first = json_alloc(json, material_count, sizeof *plan->first);
    if (!plan->owner || !plan->next || !plan->first)
        return false;
    for (uint32_t i = 0; i < body->primitive_count; i++) {
        const struct gltf_primitive *primitive = &body->primitives[i];
        plan->owner[i] = primitive->shares ? plan->owner[i - 1] : i;
        if (!primitive->face_count)
            continue;
        uint32_t slot = gltf_look_slot(body->g, primitive->material);
        plan->next[i] = plan->first[slot];
        plan->first[slot] = i + 1;
    }
    for (uint32_t set = 0; set < body->uv_sets; set++) {
        if (!add_set(plan, set))
            return false;
    }
    return true;
}

/* Whether the vertices of the material are free in a set, or moved the same way. */
static bool suits(const struct plan *plan, const struct made_set *set, uint32_t slot,
                  const struct gltf_uv_map *map)
{
    for (uint32_t i = plan->first[slot]; i; i = plan->next[i - 1]) {
        uint32_t moved = set->moved[plan->owner[i - 1]];
        if (moved && memcmp(plan->maps[moved - 1].m, map->m, sizeof map->m) != 0)
            return false;
    }
    return true;
}

/* Finds the set that shows the map of a texture, or adds it. */
static bool place_map(struct plan *plan, uint32_t slot, uint32_t number, uint32_t *uv)
{
    const struct gltf_uv_map *map = &plan->maps[number];
    struct gltf *g = plan->body->g;
    uint32_t k = 0;
    while (k < plan->set_count &&
           (plan->sets[k].source != map->set || !suits(plan, &plan->sets[k], slot, map)))
        k++;
    if (k == GLTF_MAX_UVS) {
        warning_add(
            &g->job->warnings, POSE_WARNING, "texture_transform", POSE_NO_OFFSET,
            "/meshes/%u: KHR_texture_transform would need more than %d UV sets; a texture is shown as "
            "if it had none",
            plan->body->mesh, GLTF_MAX_UVS);
        return true;
    }
    if (k == plan->set_count && !add_set(plan, map->set))
        return false;
    for (uint32_t i = plan->first[slot]; i; i = plan->next[i - 1])
        plan->sets[k].moved[plan->owner[i - 1]] = number + 1;
    *uv = k;
    return true;
}

/* ---------------------------------------------------------------------------------------------------- doing -- */

static float held(double value)
{
    return (float)fmax(fmin(value, (double)FLT_MAX), -(double)FLT_MAX);
}

static void move_rows(const struct gltf_primitive *primitive, const struct gltf_uv_map *map,
                      const float (*from)[2], float (*to)[2])
{
    for (uint32_t v = primitive->first; v < primitive->first + primitive->count; v++) {
        double row[2];
        for (unsigned i = 0; i < 2; i++)
            row[i] = map->m[i][0] * (double)from[v][0] + map->m[i][1] * (double)from[v][1] + map->m[i][2];
        to[v][0] = held(row[0]);
        to[v][1] = held(row[1]);
    }
}

/* Sets that are added come last and are made first, while those they are made of are as stored. */
static bool make_sets(struct plan *plan)
{
    struct gltf_body *body = plan->body;
    for (uint32_t k = plan->set_count; k-- > 0;) {
        const struct made_set *set = &plan->sets[k];
        const float(*from)[2] = (const float(*)[2])body->uvs[set->source];
        if (k >= body->uv_sets) {
            body->uvs[k] = arena_alloc(body->g->job->arena, (size_t)body->vertex_count, sizeof *body->uvs[k]);
            if (!body->uvs[k])
                return false;
            memcpy(body->uvs[k], from, (size_t)body->vertex_count * sizeof *from);
        }
        for (uint32_t i = 0; i < body->primitive_count; i++) {
            uint32_t moved = set->moved[i];
            if (moved && plan->maps[moved - 1].is_moved)
                move_rows(&body->primitives[i], &plan->maps[moved - 1], from, body->uvs[k]);
        }
    }
    body->uv_sets = plan->set_count;
    return true;
}

static bool apply(struct gltf_body *body, const struct gltf_uv_map *maps, struct pose_material *materials,
                  uint32_t material_count)
{
    struct plan plan = {.body = body, .maps = maps};
    if (!open_plan(&plan, material_count))
        return false;
    for (uint32_t slot = 0; slot < material_count; slot++) {
        struct pose_material *to = &materials[slot];
        if ((to->image && !place_map(&plan, slot, 2 * slot, &to->image_uv)) ||
            (to->emissive_image && !place_map(&plan, slot, 2 * slot + 1, &to->emissive_uv)))
            return false;
    }
    return make_sets(&plan);
}

static bool link_sets(struct gltf_body *body)
{
    struct pose_mesh *to = body->to;
    to->uvs = body->uv_sets ? (const float(*)[2])body->uvs[0] : NULL;
    if (body->uv_sets < 2)
        return true;
    const float(**further)[2] = arena_alloc(body->g->job->arena, body->uv_sets - 1, sizeof *further);
    for (unsigned set = 1; further && set < body->uv_sets; set++)
        further[set - 1] = (const float(*)[2])body->uvs[set];
    to->further_uv_count = body->uv_sets - 1;
    to->further_uvs = further;
    return further;
}

bool gltf_body_move_uvs(struct gltf_body *body, const struct gltf_uv_map *maps,
                        struct pose_material *materials, uint32_t material_count)
{
    bool any = false;
    for (uint32_t i = 0; i < 2 * material_count; i++)
        any |= maps[i].is_moved;
    return (!any || !body->uv_sets || apply(body, maps, materials, material_count)) && link_sets(body);
}
