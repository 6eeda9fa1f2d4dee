/* Materials: one for each mesh that has none of its own, and those of the others. */
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

static void put_texture(const char *key, const struct gltf_texture *texture, uint32_t uv,
                        struct gltf_file *file)
{
    gltf_json_key(file, key);
    gltf_json_text(file, "{\"index\":");
    gltf_json_uint(file, (uint32_t)texture->number);
    if (uv) {
        gltf_json_key(file, "texCoord");
        gltf_json_uint(file, uv);
    }
    gltf_json_text(file, "}");
}

static void put_base(const struct gltf_material *material, struct gltf_file *file)
{
    const struct pose_material *source = material->source;
    float color[4] = {1, 1, 1, 1};
    bool is_white = true;
    for (unsigned i = 0; source && i < 4; i++) {
        color[i] = held(source->base_color[i]);
        is_white &= color[i] == 1;
    }
    gltf_json_key(file, "pbrMetallicRoughness");
    gltf_json_text(file, "{");
    if (material->texture.number >= 0)
        put_texture("baseColorTexture", &material->texture, source ? source->image_uv : 0, file);
    else if (!source)
        gltf_json_text(file, "\"baseColorFactor\":[0.72,0.72,0.75,1]");
    if (source && !is_white) {
        gltf_json_key(file, "baseColorFactor");
        gltf_json_floats(file, color, 4);
    }
    gltf_json_key(file, "metallicFactor");
    gltf_json_text(file, "0,\"roughnessFactor\":0.8}");
}

static void put_alpha(const struct gltf_material *material, struct gltf_file *file)
{
    const struct pose_material *source = material->source;
    if (source ? source->alpha == POSE_MASK : material->texture.see_through)
        gltf_json_text(file, ",\"alphaMode\":\"MASK\"");
    if (source && source->alpha == POSE_BLEND)
        gltf_json_text(file, ",\"alphaMode\":\"BLEND\"");
    float cutoff = source ? held(source->cutoff) : 0.5f;
    if (source && source->alpha == POSE_MASK && cutoff != 0.5f) {
        char text[POSE_FLOAT_TEXT];
        gltf_json_key(file, "alphaCutoff");
        writer_bytes(&file->json, text, pose_float_text(cutoff, text));
    }
}

static void put_emissive(const struct gltf_material *material, struct gltf_file *file)
{
    const struct pose_material *source = material->source;
    float color[3] = {0};
    for (unsigned i = 0; source && i < 3; i++)
        color[i] = held(source->emissive[i]);
    if (color[0] == 0 && color[1] == 0 && color[2] == 0)
        return;
    if (material->emissive.number >= 0)
        put_texture("emissiveTexture", &material->emissive, source->emissive_uv, file);
    gltf_json_key(file, "emissiveFactor");
    gltf_json_floats(file, color, 3);
}

void gltf_materials_put(const struct gltf_mesh_list *list, struct gltf_file *file)
{
    gltf_json_key(file, "materials");
    gltf_json_text(file, "[");
    for (uint32_t i = 0; i < list->material_count; i++) {
        const struct gltf_material *material = &list->materials[i];
        gltf_json_comma(file);
        gltf_json_text(file, "{\"name\":");
        writer_json_string(&file->json, material->name ? material->name : "material");
        put_base(material, file);
        put_alpha(material, file);
        if (material->source && material->source->two_sided)
            gltf_json_text(file, ",\"doubleSided\":true");
        put_emissive(material, file);
        gltf_json_text(file, "}");
    }
    gltf_json_text(file, "]");
}
