/*
 * Images (section 3.8): embedded, as data URIs, or files beside this one. The document keeps the bytes of those that
 * materials use; what is missing or unreadable is left out with a warning, as the mesh can be used without it.
 */
#include "lib/formats/gltf/meshes.h"

#include "lib/core/text.h"
#include "lib/images/picture.h"

#include <string.h>

enum { MAX_IMAGES = 256, MAX_IMAGE_BYTES = 128 << 20 }; /* of one document */

/* The image that a texture, or an extension of it, names as its source. */
static uint32_t source_of(const struct gltf *g, const struct pose_value *texture)
{
    const struct pose_value *source = pose_value_find(texture, "source");
    return source && source->kind == POSE_INT && source->as.integer >= 0 &&
                   source->as.integer < g->images.count
               ? (uint32_t)source->as.integer
               : GLTF_NONE;
}

/* Whether a texture repeats: that of the u axis counts. */
static bool clamps(const struct gltf *g, uint32_t texture)
{
    const struct pose_value *sampler = pose_value_find(g->textures.items[texture], "sampler"),
                            *samplers = pose_value_find(g->json.root, "samplers");
    int64_t place = sampler && sampler->kind == POSE_INT ? sampler->as.integer : -1;
    const struct pose_value *item =
        samplers && samplers->kind == POSE_ARRAY && place >= 0 ? samplers->first : NULL;
    while (item && place--)
        item = item->next;
    return item && value_get_int(item, "wrapS", 10497) == 33071;
}

static bool is_taken(const struct gltf *g, const char *name)
{
    const struct pose_document *document = g->job->document;
    for (uint32_t i = 0; i < document->image_count; i++) {
        if (!strcmp(document->images[i].name, name))
            return true;
    }
    return false;
}

/* Its own name, else that of its file, else a number: different for each image of the document, since materials
 * refer to images by name. */
static const char *name_image(struct gltf *g, uint32_t image, const struct pose_value *object)
{
    const char *name = gltf_text(g, object, "name"), *uri = value_get_string(object, "uri", "data:");
    const char *path = !name && strncmp(uri, "data:", 5) != 0 ? gltf_path(g, uri) : NULL;
    name = path ? text_base_name(path) : name;
    if (name && *name && !is_taken(g, name))
        return name;
    return arena_format(g->job->arena, "%s_%u", name && *name ? name : "image", image);
}

/* The bytes of an image; unsupported or broken: false with error. */
static bool find_bytes(struct gltf *g, uint32_t image, const struct pose_value *object,
                       struct pose_bytes *bytes)
{
    const char *uri = value_get_string(object, "uri", NULL);
    uint64_t stride;
    uint32_t view;
    gltf_at(g, "/images/%u", image);
    g->unpacking = GLTF_NONE;
    if (uri)
        return gltf_resource(g, uri, bytes);
    return gltf_index(g, object, "bufferView", g->views.count, true, &view) &&
           gltf_view(g, view, bytes, &stride);
}

static bool add_image(struct gltf *g, uint32_t image, const struct pose_value *object, bool is_clamped)
{
    struct pose_document *document = g->job->document;
    struct pose_error *error = g->job->error;
    struct pose_bytes bytes;
    struct picture_facts facts;
    if (document->image_count == MAX_IMAGES)
        return error_set(error, POSE_OVER_LIMIT, "images", "more than %d images", MAX_IMAGES);
    if (!find_bytes(g, image, object, &bytes) || !picture_survey(bytes, g->job->arena->stop, &facts, error))
        return false;
    if (bytes.size > MAX_IMAGE_BYTES - g->image_bytes)
        return error_set(error, POSE_OVER_LIMIT, "image_bytes", "the images are larger than %d MB together",
                         MAX_IMAGE_BYTES >> 20);
    uint8_t *copy = arena_alloc(g->job->arena, bytes.size, 1);
    const char *name = name_image(g, image, object);
    if (!copy || !name)
        return false;
    memcpy(copy, bytes.data, bytes.size);
    g->image_bytes += bytes.size;
    struct pose_image *to = (struct pose_image *)(uintptr_t)&document->images[document->image_count++];
    *to = (struct pose_image){.name = name,
                              .bytes = {copy, bytes.size},
                              .width = facts.width,
                              .height = facts.height,
                              .has_alpha = facts.has_alpha,
                              .clamps = is_clamped};
    g->picture[image].name = name;
    return true;
}

/* A texture without a plain image beside those of extensions is not read; said once for each image. */
static void warn_unread(struct gltf *g, uint32_t texture)
{
    static const char *const names[] = {"EXT_texture_webp", "KHR_texture_basisu", "EXT_texture_avif",
                                        "MSFT_texture_dds"};
    const struct pose_value *extensions = pose_value_find(g->textures.items[texture], "extensions");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const struct pose_value *extension = pose_value_find(extensions, names[i]);
        uint32_t image = source_of(g, extension);
        if (!extension || (image != GLTF_NONE && g->picture[image].is_read))
            continue;
        if (image != GLTF_NONE)
            g->picture[image].is_read = true;
        warning_add(&g->job->warnings, POSE_WARNING, "image_left_out", POSE_NO_OFFSET,
                    "/textures/%u is not read: it has an image by %s only; add one in PNG or JPEG", texture,
                    names[i]);
    }
}

const char *gltf_picture(struct gltf *g, uint32_t texture)
{
    uint32_t image = source_of(g, g->textures.items[texture]);
    if (image == GLTF_NONE)
        warn_unread(g, texture);
    struct pose_error *error = g->job->error;
    if (image == GLTF_NONE || g->picture[image].is_read)
        return image == GLTF_NONE ? NULL : g->picture[image].name;
    g->picture[image].is_read = true;
    const struct pose_value *object = gltf_object(g, "/images", &g->images, image);
    if (object && add_image(g, image, object, clamps(g, texture)))
        return g->picture[image].name;
    if (error->status == POSE_STOPPED)
        arena_stopped(g->job->arena);
    if (g->job->arena->failed || g->json.arena.failed)
        return NULL;
    warning_add(&g->job->warnings, POSE_WARNING, "image_left_out", POSE_NO_OFFSET,
                "/images/%u is not read: %s", image, error->detail);
    pose_error_init(error);
    return NULL;
}
