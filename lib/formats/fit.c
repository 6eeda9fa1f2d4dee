#include "lib/formats/fit.h"

#include "lib/core/error.h"
#include "lib/core/text.h"
#include "lib/core/warn.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAME = 64 }; /* the games' own names have at most about 40 characters */

void fit_warn(struct fit_job *job, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    warn_vtell(job->warn, job->user, POSE_WARNING, code, POSE_NO_OFFSET, format, arguments);
    va_end(arguments);
}

struct fit_file *fit_beside(struct fit_job *job)
{
    if (job->beside_count == POSE_MESH_FILES - 1)
        return NULL;
    struct fit_file *file = &job->beside[job->beside_count++];
    *file = (struct fit_file){.bytes.allocator = job->arena->allocator};
    return file;
}

struct fit_file *fit_put_character(struct fit_job *job, const char *format,
                                   const struct pose_character *character)
{
    struct pose_character *copy = ARENA_NEW(job->arena, struct pose_character, 1);
    struct fit_file *file = copy ? fit_beside(job) : NULL;
    if (!file)
        return NULL;
    *copy = *character;
    file->format = format;
    file->content = (struct pose_content){.character_count = 1, .characters = copy};
    return file;
}

/* ---------------------------------------------------------------------------------------------------- names -- */

const char *fit_name(struct fit_job *job, const char *name)
{
    char *copy = arena_copy_text(job->arena, name);
    size_t length = copy ? strlen(copy) : 0;
    for (size_t i = 0; i < length; i++) {
        bool is_plain = (copy[i] >= '0' && copy[i] <= '9') || (copy[i] >= 'a' && copy[i] <= 'z') ||
                        (copy[i] >= 'A' && copy[i] <= 'Z') || copy[i] == '-' || copy[i] == '.';
        copy[i] = is_plain ? copy[i] : '_';
    }
    if (length > MAX_NAME)
        copy[MAX_NAME] = '\0';
    return copy;
}

const char *fit_stem(struct fit_job *job, const char *name)
{
    const char *plain = fit_name(job, text_base_name(name)), *dot = plain ? strrchr(plain, '.') : NULL;
    return dot && dot > plain ? arena_format(job->arena, "%.*s", (int)(dot - plain), plain) : plain;
}

/* --------------------------------------------------------------------------------------------------- images -- */

const char *fit_main_image(const struct pose_mesh *mesh, bool *several)
{
    const char *image = mesh->material_count ? mesh->materials[0].image : NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const struct pose_primitive *primitive = &mesh->primitives[i];
        if (primitive->face_count > most) {
            most = primitive->face_count;
            image = mesh->materials[primitive->material].image;
        }
    }
    *several = false;
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const char *other = mesh->materials[mesh->primitives[i].material].image;
        *several |= other && (!image || strcmp(other, image) != 0);
    }
    return image ? image : mesh->texture;
}

const struct pose_image *fit_find_image(const struct fit_job *job, const char *name)
{
    const struct pose_mesh_conversion *conversion = job->conversion;
    for (uint32_t i = 0; name && i < conversion->image_count; i++) {
        const char *own = conversion->images[i].name;
        if (own && text_equal_nocase(text_base_name(own), text_base_name(name)))
            return &conversion->images[i];
    }
    return NULL;
}

bool fit_open_image(struct fit_job *job, const struct pose_image *image, struct picture *picture)
{
    struct pose_error broken;
    pose_error_init(&broken);
    *picture = (struct picture){.width = image->width,
                                .height = image->height,
                                .pixels = (uint8_t *)(uintptr_t)image->pixels,
                                .see_through = image->has_alpha};
    if (image->pixels || picture_read(image->bytes, job->arena->stop, job->arena->refusals, picture, &broken))
        return true;
    if (broken.status == POSE_STOPPED)
        return arena_stopped(job->arena) || error_stopped(job->error);
    fit_warn(job, "texture_unreadable", "texture %s: %s", image->name, broken.detail);
    return false;
}

void fit_close_image(const struct pose_image *image, struct picture *picture)
{
    if (!image->pixels)
        picture_free(picture);
}

bool fit_put_image(struct fit_job *job, const struct pose_image *image, const char *format, const char *name)
{
    struct picture picture;
    if (!fit_open_image(job, image, &picture))
        return false;
    size_t count = (size_t)picture.width * picture.height;
    struct pose_image *copy = ARENA_NEW(job->arena, struct pose_image, 1);
    uint8_t(*pixels)[4] = arena_alloc(job->arena, count, sizeof *pixels);
    struct fit_file *file = copy && pixels ? fit_beside(job) : NULL;
    if (file) {
        memcpy(pixels, picture.pixels, count * sizeof *pixels);
        *copy = (struct pose_image){.width = picture.width,
                                    .height = picture.height,
                                    .pixels = (const uint8_t(*)[4])pixels,
                                    .has_alpha = picture.see_through};
        file->format = format;
        file->content = (struct pose_content){.image_count = 1, .images = copy};
        snprintf(file->name, sizeof file->name, "%s", name);
    }
    fit_close_image(image, &picture);
    return file;
}

/* ------------------------------------------------------------------------------------------------- warnings -- */

void fit_warn_attributes(struct fit_job *job)
{
    const struct pose_mesh *mesh = job->conversion->mesh;
    if (!mesh->uvs)
        fit_warn(job, "no_uvs", "the mesh has no texture coordinates: all are 0");
    if (mesh->further_uv_count)
        fit_warn(job, "uv_sets_dropped", "%u further sets of texture coordinates are left out; set 0 is kept",
                 mesh->further_uv_count);
    if (mesh->morph_count)
        fit_warn(job, "morph_dropped", "%u morph targets are left out", mesh->morph_count);
}

void fit_warn_flat(struct fit_job *job, uint32_t count)
{
    if (count)
        fit_warn(job, "degenerate_faces", "%u triangles without an area are left out", count);
}
