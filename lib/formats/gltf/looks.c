/* Materials (section 3.9), as far as the model has them. */
#include "lib/formats/gltf/meshes.h"

#include <stdio.h>
#include <string.h>

/* In which mesh a material was last used, and its number there. */
struct gltf_look {
    uint32_t stamp, slot;
};

bool gltf_looks_open(struct gltf *g)
{
    g->look = json_alloc(&g->json, (size_t)g->materials.count + 1, sizeof *g->look);
    g->picture = json_alloc(&g->json, g->images.count, sizeof *g->picture);
    struct pose_image *images = ARENA_NEW(g->job->arena, struct pose_image, g->images.count);
    g->job->document->images = images;
    return g->look && g->picture && images;
}

static bool read_image(struct gltf_body *body, const char *place, const struct pose_value *owner,
                       const char *member, const char **image, struct gltf_uv_map *map)
{
    struct gltf *g = body->g;
    const struct pose_value *object = pose_value_find(owner, member);
    uint32_t texture;
    gltf_at(g, "%s/%s", place, member);
    if (!object)
        return true;
    if (object->kind != POSE_OBJECT)
        return gltf_refuse(g, "bad_member", "", "must be an object");
    if (!gltf_index(g, object, "index", g->textures.count, true, &texture) ||
        !gltf_uv_map_read(body, object, map))
        return false;
    *image = gltf_picture(g, texture);
    return !g->job->arena->failed && g->job->error->status == POSE_OK;
}

static bool read_alpha(struct gltf *g, const struct pose_value *object, struct pose_material *to)
{
    static const char *const words[] = {"OPAQUE", "MASK", "BLEND"};
    const char *word = value_get_string(object, "alphaMode", words[0]);
    for (int i = 0; i < 3; i++) {
        if (!strcmp(word, words[i])) {
            to->alpha = (enum pose_alpha)i;
            to->cutoff = i == POSE_MASK ? value_get_float(object, "alphaCutoff", 0.5f) : 0;
            return true;
        }
    }
    return gltf_refuse(g, "bad_alpha", "/alphaMode", "must be OPAQUE, MASK or BLEND");
}

struct surface {
    const char *place, *factor, *texture;
};

/* Where a material has its colour. Older programs have it in the extension alone. */
static const struct pose_value *find_surface(const struct pose_value *object, const struct surface **as)
{
#define GLOSS "KHR_materials_pbrSpecularGlossiness"
    static const struct surface rough = {"pbrMetallicRoughness", "baseColorFactor", "baseColorTexture"},
                                gloss = {"extensions/" GLOSS, "diffuseFactor", "diffuseTexture"};
    const struct pose_value *surface = pose_value_find(object, rough.place),
                            *other = pose_value_find(pose_value_find(object, "extensions"), GLOSS);
    const bool is_other =
        other && !pose_value_find(surface, rough.factor) && !pose_value_find(surface, rough.texture);
    *as = is_other ? &gloss : &rough;
    return is_other ? other : surface;
}

static bool read_material(struct gltf_body *body, uint32_t index, struct pose_material *to,
                          struct gltf_uv_map maps[2])
{
    struct gltf *g = body->g;
    bool found;
    *to = (struct pose_material){.base_color = {1, 1, 1, 1}};
    if (index == GLTF_NONE)
        return true;
    const struct pose_value *object = gltf_object(g, "/materials", &g->materials, index);
    if (!object || !read_alpha(g, object, to) ||
        !gltf_numbers(g, object, "emissiveFactor", 3, to->emissive, &found))
        return false;
    const struct surface *as;
    const struct pose_value *surface = find_surface(object, &as);
    char place[32], inner[96];
    snprintf(place, sizeof place, "/materials/%u", index);
    snprintf(inner, sizeof inner, "%s/%s", place, as->place);
    gltf_at(g, "%s", inner);
    if (!gltf_numbers(g, surface, as->factor, 4, to->base_color, &found))
        return false;
    to->name = gltf_text(g, object, "name");
    to->two_sided = value_get_bool(object, "doubleSided", false);
    if (!read_image(body, inner, surface, as->texture, &to->image, &maps[0]) ||
        !read_image(body, place, object, "emissiveTexture", &to->emissive_image, &maps[1]))
        return false;
    to->image_uv = maps[0].set;
    to->emissive_uv = maps[1].set;
    return true;
}

/* The materials that the primitives with faces use, each once: what shows nothing needs none, and is not written. */
static uint32_t list_materials(struct gltf_body *body, uint32_t *used)
{
    struct gltf *g = body->g;
    uint32_t count = 0;
    for (uint32_t i = 0; i < body->primitive_count; i++) {
        uint32_t material = body->primitives[i].material;
        if (!body->primitives[i].face_count)
            continue;
        struct gltf_look *look = &g->look[material == GLTF_NONE ? g->materials.count : material];
        if (look->stamp != body->node + 1) {
            *look = (struct gltf_look){body->node + 1, count};
            used[count++] = material;
        }
    }
    return count;
}

uint32_t gltf_look_slot(const struct gltf *g, uint32_t material)
{
    return g->look[material == GLTF_NONE ? g->materials.count : material].slot;
}

bool gltf_body_dress(struct gltf_body *body)
{
    struct gltf *g = body->g;
    struct arena *arena = g->job->arena;
    uint32_t *used = json_alloc(&g->json, body->primitive_count, sizeof *used);
    if (!used)
        return false;
    uint32_t count = list_materials(body, used), shown = 0;
    struct pose_material *materials = ARENA_NEW(arena, struct pose_material, count);
    struct pose_primitive *primitives = ARENA_NEW(arena, struct pose_primitive, body->primitive_count);
    struct gltf_uv_map *maps = json_alloc(&g->json, count, 2 * sizeof *maps);
    if (!materials || !primitives || !maps)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!read_material(body, used[i], &materials[i], maps + 2 * (size_t)i))
            return false;
    }
    for (uint32_t i = 0; i < body->primitive_count; i++) {
        const struct gltf_primitive *from = &body->primitives[i];
        if (!from->face_count)
            continue;
        primitives[shown++] =
            (struct pose_primitive){gltf_look_slot(g, from->material), from->face_first, from->face_count};
    }
    body->to->material_count = count;
    body->to->materials = materials;
    body->to->primitive_count = shown;
    body->to->primitives = primitives;
    return gltf_body_move_uvs(body, maps, materials, count);
}
