/* Textures that meshes name, looked up in the images of the content and embedded as PNG. */
#include "lib/core/text.h"
#include "lib/formats/gltf/write/meshes.h"
#include "lib/images/picture.h"

#include <string.h>

struct images {
    struct gltf_file *file;
    struct gltf_texture *known; /* [image_count] number -1: not written; -2: cannot be written */
    bool *clamps;               /* [image_count] by texture number */
    bool any_clamps;
    uint32_t count;
};

/* Compares without folder, extension and case. */
static bool is_same_name(const char *a, const char *b)
{
    a = text_base_name(a);
    b = text_base_name(b);
    size_t length = text_stem_length(a);
    if (length != text_stem_length(b))
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text_lower(a[i]) != text_lower(b[i]))
            return false;
    }
    return true;
}

/* One PNG in its own view. */
static bool put_picture(struct images *images, const struct pose_image *image, struct gltf_texture *texture)
{
    struct gltf_file *file = images->file;
    struct encode_job *job = file->job;
    struct picture picture;
    struct pose_error error;
    struct pose_buffer png = {.allocator = job->arena->allocator};
    pose_error_init(&error);
    if (image->pixels) {
        picture = (struct picture){.width = image->width,
                                   .height = image->height,
                                   .pixels = (uint8_t *)image->pixels,
                                   .see_through = image->has_alpha};
    } else if (!picture_read(image->bytes, &picture, &error)) {
        encode_warn(job, "texture_unreadable", "texture %s: %s", image->name ? image->name : "",
                    error.detail);
        return true;
    }
    bool done = picture_write_png(&picture, &png);
    if (done) {
        if (images->count == 0)
            jsonw_array(&file->json, "images");
        jsonw_object(&file->json, NULL);
        jsonw_string(&file->json, "mimeType", "image/png");
        jsonw_integer(&file->json, "bufferView", gltf_view_begin(file, GLTF_NO_TARGET));
        writer_bytes(&file->bin, png.data, png.size);
        gltf_view_end(file);
        jsonw_string(&file->json, "name", image->name ? text_base_name(image->name) : "");
        jsonw_end(&file->json);
        images->clamps[images->count] = image->clamps;
        images->any_clamps |= image->clamps;
        *texture = (struct gltf_texture){(int32_t)images->count++, picture.see_through};
    }
    pose_buffer_free(&png);
    if (!image->pixels)
        picture_free(&picture);
    return done || error_no_memory(job->error);
}

static bool find_texture(struct images *images, const char *name, struct gltf_texture *texture)
{
    const struct pose_content *content = images->file->job->content;
    *texture = (struct gltf_texture){.number = -1};
    for (uint32_t i = 0; name && i < content->image_count; i++) {
        const struct pose_image *image = &content->images[i];
        if (!image->name || !is_same_name(image->name, name))
            continue;
        if (images->known[i].number == -1) {
            images->known[i].number = -2;
            if (!put_picture(images, image, &images->known[i]))
                return false;
        }
        if (images->known[i].number >= 0) {
            *texture = images->known[i];
            return true;
        }
    }
    return true;
}

/* Two wrap modes: repeating, the default, needs no sampler unless other textures clamp. */
static void put_textures(const struct images *images, struct json_writer *json)
{
    if (images->any_clamps)
        jsonw_raw(json, "samplers", "[{\"wrapS\":10497,\"wrapT\":10497},{\"wrapS\":33071,\"wrapT\":33071}]");
    jsonw_array(json, "textures");
    for (uint32_t i = 0; i < images->count; i++) {
        jsonw_object(json, NULL);
        jsonw_integer(json, "source", i);
        if (images->any_clamps)
            jsonw_integer(json, "sampler", images->clamps[i]);
        jsonw_end(json);
    }
    jsonw_end(json);
}

bool gltf_images_put(struct gltf_mesh_list *list, struct gltf_file *file)
{
    uint32_t image_count = file->job->content->image_count;
    struct images images = {.file = file,
                            .known = ARENA_NEW(file->job->arena, struct gltf_texture, image_count),
                            .clamps = ARENA_NEW(file->job->arena, bool, image_count)};
    if (!images.known || !images.clamps)
        return false;
    for (uint32_t i = 0; i < image_count; i++)
        images.known[i].number = -1;
    for (uint32_t i = 0; i < list->material_count; i++) {
        struct gltf_material *material = &list->materials[i];
        if (!find_texture(&images, material->image, &material->texture) ||
            !find_texture(&images, material->emissive_image, &material->emissive))
            return false;
    }
    if (!images.count)
        return true;
    jsonw_end(&file->json);
    put_textures(&images, &file->json);
    return true;
}
