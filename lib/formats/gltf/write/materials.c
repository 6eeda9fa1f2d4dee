/* Materials: a default one for each mesh that has none, and those of the other meshes. */
#include "lib/formats/gltf/write/meshes.h"

#include <math.h>

static uint32_t materials_of(const struct gltf_mesh *mesh)
{
    uint32_t count = mesh->source ? mesh->source->material_count : 0;
    return count ? count : 1;
}

bool gltf_materials_collect(struct gltf_mesh_list *list, struct arena *arena)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < list->count; i++)
        count += materials_of(&list->meshes[i]);
    list->materials = ARENA_NEW(arena, struct gltf_material, count);
    for (uint32_t i = 0; list->materials && i < list->count; i++) {
        struct gltf_mesh *mesh = &list->meshes[i];
        mesh->first_material = list->material_count;
        for (uint32_t k = 0; k < materials_of(mesh); k++) {
            struct gltf_material *to = &list->materials[list->material_count++];
            bool is_own = mesh->source && mesh->source->material_count;
            const struct pose_material *from = is_own ? &mesh->source->materials[k] : NULL;
            const char *texture = mesh->source ? mesh->source->texture : NULL;
            *to = (struct gltf_material){.name = from      ? from->name
                                                 : texture ? texture
                                                           : mesh->name,
                                         .image = from ? from->image : texture,
                                         .emissive_image = from ? from->emissive_image : NULL,
                                         .source = from};
            if (to->image && from &&
                !(from->image_uv ? mesh->source->further_uv_count >= from->image_uv : mesh->uvs != NULL))
                to->image = NULL;
            if (to->emissive_image &&
                !(from->emissive_uv ? mesh->source->further_uv_count >= from->emissive_uv
                                    : mesh->uvs != NULL))
                to->emissive_image = NULL;
        }
    }
    return list->materials != NULL;
}

static float held(float value)
{
    return value > 0 ? fminf(value, 1) : 0;
}

/* glTF's factors are linear. */
static float linear(float value)
{
    value = held(value);
    return value <= 0.04045f ? value / 12.92f : powf((value + 0.055f) / 1.055f, 2.4f);
}

static void put_texture(const char *key, const struct gltf_texture *texture, uint32_t uv,
                        struct json_writer *json)
{
    jsonw_object(json, key);
    jsonw_integer(json, "index", texture->number);
    if (uv)
        jsonw_integer(json, "texCoord", uv);
    jsonw_end(json);
}

static void put_base(const struct gltf_material *material, struct json_writer *json)
{
    const struct pose_material *source = material->source;
    float color[4] = {1, 1, 1, 1};
    bool is_white = true;
    for (unsigned i = 0; source && i < 4; i++) {
        color[i] = held(source->base_color[i]);
        if (source->covers && material->texture.number < 0 && i < 3)
            color[i] *= linear(source->ground[i]);
        is_white &= color[i] == 1;
    }
    jsonw_object(json, "pbrMetallicRoughness");
    if (material->texture.number >= 0)
        put_texture("baseColorTexture", &material->texture, source ? source->image_uv : 0, json);
    else if (!source)
        jsonw_raw(json, "baseColorFactor", "[0.72,0.72,0.75,1]");
    if (source && !is_white)
        jsonw_finite_floats(json, "baseColorFactor", color, 4);
    jsonw_integer(json, "metallicFactor", 0);
    jsonw_raw(json, "roughnessFactor", "0.8");
    jsonw_end(json);
}

static void put_alpha(const struct gltf_material *material, struct json_writer *json)
{
    const struct pose_material *source = material->source;
    if (source ? source->alpha == POSE_MASK : material->texture.see_through)
        jsonw_string(json, "alphaMode", "MASK");
    if (source && source->alpha == POSE_BLEND)
        jsonw_string(json, "alphaMode", "BLEND");
    float cutoff = source ? held(source->cutoff) : 0.5f;
    if (source && source->alpha == POSE_MASK && cutoff != 0.5f)
        jsonw_number(json, "alphaCutoff", cutoff);
}

static void put_emissive(const struct gltf_material *material, struct json_writer *json)
{
    const struct pose_material *source = material->source;
    float color[3] = {0};
    for (unsigned i = 0; source && i < 3; i++)
        color[i] = held(source->emissive[i]);
    if (color[0] == 0 && color[1] == 0 && color[2] == 0)
        return;
    if (material->emissive.number >= 0)
        put_texture("emissiveTexture", &material->emissive, source->emissive_uv, json);
    jsonw_finite_floats(json, "emissiveFactor", color, 3);
}

void gltf_materials_put(const struct gltf_mesh_list *list, struct gltf_file *file)
{
    struct json_writer *json = &file->json;
    jsonw_array(json, "materials");
    for (uint32_t i = 0; i < list->material_count; i++) {
        const struct gltf_material *material = &list->materials[i];
        jsonw_object(json, NULL);
        jsonw_string(json, "name", material->name ? material->name : "material");
        put_base(material, json);
        put_alpha(material, json);
        if (material->source && material->source->two_sided)
            jsonw_bool(json, "doubleSided", true);
        put_emissive(material, json);
        jsonw_end(json);
    }
    jsonw_end(json);
}
