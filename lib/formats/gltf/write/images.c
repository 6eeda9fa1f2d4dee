/* Textures that meshes name, looked up in the images of the content and embedded as PNG. */
#include "lib/core/text.h"
#include "lib/formats/gltf/write/meshes.h"
#include "lib/images/picture.h"

#include <stdlib.h>
#include <string.h>

/* An image that was tried, as it is or on a material's ground. */
struct tried {
    uint32_t image;                      /* of the content */
    const struct pose_material *covered; /* NULL: as it is */
    struct gltf_texture texture;         /* number -2: it cannot be written; others ascend */
    bool clamps;
};

struct images {
    struct gltf_file *file;
    uint32_t tried_count, tried_capacity;
    struct tried *tried;
    bool any_clamps;
    uint32_t count; /* written */
};

/* The pixels; false, with a warning, if there are none. own: to be freed with picture_free. */
static bool take_pixels(struct encode_job *job, const struct pose_image *image, struct picture *picture,
                        bool *own)
{
    struct pose_error error;
    pose_error_init(&error);
    *own = !image->pixels;
    *picture = (struct picture){.width = image->width,
                                .height = image->height,
                                .pixels = (uint8_t *)image->pixels,
                                .see_through = image->has_alpha};
    if (image->pixels || picture_read(image->bytes, job->arena->stop, job->arena->refusals, picture, &error))
        return true;
    if (error.status == POSE_STOPPED)
        return arena_stopped(job->arena) || error_stopped(job->error);
    encode_warn(job, "texture_unreadable", "texture %s: %s", image->name ? image->name : "", error.detail);
    return false;
}

/* False if out of memory. */
static bool write_picture(const struct picture *picture, const struct pose_material *covered,
                          struct pose_buffer *png)
{
    if (!covered)
        return picture_write_png(picture, PICTURE_SMALL, png);
    size_t count = (size_t)picture->width * picture->height;
    struct picture laid = {
        .width = picture->width, .height = picture->height, .pixels = malloc(4 * count + 1)};
    if (!laid.pixels)
        return false;
    picture_cover(covered, (const uint8_t(*)[4])picture->pixels, count, (uint8_t(*)[4])laid.pixels);
    bool done = picture_write_png(&laid, PICTURE_SMALL, png);
    free(laid.pixels);
    return done;
}

static void put_png(struct images *images, const struct pose_image *image, struct pose_bytes png)
{
    struct gltf_file *file = images->file;
    if (images->count == 0)
        jsonw_array(&file->json, "images");
    jsonw_object(&file->json, NULL);
    jsonw_string(&file->json, "mimeType", "image/png");
    jsonw_integer(&file->json, "bufferView", gltf_view_begin(file, GLTF_NO_TARGET));
    writer_bytes(&file->bin, png.data, png.size);
    gltf_view_end(file);
    jsonw_string(&file->json, "name", image->name ? text_base_name(image->name) : "");
    jsonw_end(&file->json);
    images->any_clamps |= image->clamps;
}

/* One PNG in its own view. False if out of memory or stopped. */
static bool put_picture(struct images *images, const struct pose_image *image, struct tried *tried)
{
    struct encode_job *job = images->file->job;
    struct pose_buffer png = {.allocator = job->arena->allocator};
    struct picture picture;
    bool is_own;
    if (!take_pixels(job, image, &picture, &is_own))
        return !job->arena->failed;
    bool done = write_picture(&picture, tried->covered, &png);
    if (done) {
        put_png(images, image, (struct pose_bytes){png.data, png.size});
        tried->texture =
            (struct gltf_texture){(int32_t)images->count++, picture.see_through && !tried->covered};
    }
    pose_buffer_free(&png);
    if (is_own)
        picture_free(&picture);
    return done || error_no_memory(job->error);
}

static bool is_same_ground(const struct pose_material *a, const struct pose_material *b)
{
    return a == b || (a && b && a->gain == b->gain && !memcmp(a->ground, b->ground, sizeof a->ground));
}

static struct tried *find_tried(struct images *images, uint32_t image, const struct pose_material *covered)
{
    for (uint32_t i = 0; i < images->tried_count; i++) {
        if (images->tried[i].image == image && is_same_ground(images->tried[i].covered, covered))
            return &images->tried[i];
    }
    return NULL;
}

static struct tried *add_tried(struct images *images, uint32_t image, const struct pose_material *covered)
{
    struct encode_job *job = images->file->job;
    struct tried *grown = arena_grow(job->arena, images->tried, images->tried_count, &images->tried_capacity,
                                     sizeof *images->tried);
    if (!grown)
        return NULL;
    images->tried = grown;
    grown += images->tried_count++;
    *grown = (struct tried){.image = image,
                            .covered = covered,
                            .texture = {.number = -2},
                            .clamps = job->content->images[image].clamps};
    return grown;
}

/* covered: the material on whose ground it lies; NULL: none. */
static bool find_texture(struct images *images, const char *name, const struct pose_material *covered,
                         struct gltf_texture *texture)
{
    const struct pose_content *content = images->file->job->content;
    *texture = (struct gltf_texture){.number = -1};
    for (uint32_t i = 0; name && i < content->image_count; i++) {
        const struct pose_image *image = &content->images[i];
        if (!image->name || !text_same_stem(image->name, name))
            continue;
        struct tried *tried = find_tried(images, i, covered);
        if (!tried) {
            tried = add_tried(images, i, covered);
            if (!tried || !put_picture(images, image, tried))
                return false;
        }
        if (tried->texture.number >= 0) {
            *texture = tried->texture;
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
    for (uint32_t i = 0, source = 0; i < images->tried_count; i++) {
        if (images->tried[i].texture.number < 0)
            continue;
        jsonw_object(json, NULL);
        jsonw_integer(json, "source", source++);
        if (images->any_clamps)
            jsonw_integer(json, "sampler", images->tried[i].clamps);
        jsonw_end(json);
    }
    jsonw_end(json);
}

bool gltf_images_put(struct gltf_mesh_list *list, struct gltf_file *file)
{
    struct images images = {.file = file};
    for (uint32_t i = 0; i < list->material_count; i++) {
        struct gltf_material *material = &list->materials[i];
        const struct pose_material *source = material->source;
        if (!find_texture(&images, material->image, source && source->covers ? source : NULL,
                          &material->texture) ||
            !find_texture(&images, material->emissive_image, NULL, &material->emissive))
            return false;
    }
    if (!images.count)
        return true;
    jsonw_end(&file->json);
    put_textures(&images, &file->json);
    return true;
}
