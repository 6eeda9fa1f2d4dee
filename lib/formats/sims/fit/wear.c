/* What puts a fitted mesh on: its texture, a suit (The Sims 1), a binding and an appearance (The Sims Online). */
#include "lib/formats/sims/fit/fit.h"
#include "lib/formats/sims/tso/key.h"

#include "lib/core/error.h"
#include "lib/core/hash.h"
#include "lib/core/text.h"
#include "lib/images/picture.h"

#include <stdio.h>
#include <string.h>

enum { TSO_TEXTURE = 20, MOST_NAME = 64 }; /* the games' own names have at most about 40 characters */

struct fit_file *sims_fit_beside(struct fit_job *job)
{
    struct fit_file *file = &job->beside[job->beside_count++];
    *file = (struct fit_file){.bytes.allocator = job->arena->allocator};
    return file;
}

const char *sims_fit_name(struct fit_job *job, const char *name)
{
    char *copy = arena_copy_text(job->arena, name);
    size_t length = copy ? strlen(copy) : 0;
    for (size_t i = 0; i < length; i++) {
        bool is_plain = (copy[i] >= '0' && copy[i] <= '9') || (copy[i] >= 'a' && copy[i] <= 'z') ||
                        (copy[i] >= 'A' && copy[i] <= 'Z') || copy[i] == '-' || copy[i] == '.';
        copy[i] = is_plain ? copy[i] : '_';
    }
    if (length > MOST_NAME)
        copy[MOST_NAME] = '\0';
    return copy;
}

/* ------------------------------------------------------------------------------------------------- the bone -- */

const char *sims_fit_bone(const struct fit_job *job)
{
    static const char *const ends[] = {"HEAD", "L_HAND", "R_HAND", NULL};
    const struct pose_mesh *mesh = &job->fitted;
    for (uint32_t i = 0; i < mesh->binding_count; i++) {
        const char *bone = mesh->bones[mesh->bindings[i].bone];
        if (text_is_among(bone, ends) && mesh->bindings[i].count > mesh->real_count / 2)
            return bone;
    }
    return "PELVIS";
}

/* ---------------------------------------------------------------------------------------------- the texture -- */

/* The image of the material that most triangles have; several: whether others have another one. */
static const char *main_image(const struct pose_mesh *mesh, bool *several)
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

static const struct pose_image *find_image(const struct fit_job *job, const char *name)
{
    const struct pose_mesh_conversion *conversion = job->conversion;
    for (uint32_t i = 0; name && i < conversion->image_count; i++) {
        const char *own = conversion->images[i].name;
        if (own && text_equal_nocase(text_base_name(own), text_base_name(name)))
            return &conversion->images[i];
    }
    return NULL;
}

static bool write_texture(struct fit_job *job, const struct pose_image *image, struct pose_buffer *out)
{
    struct picture picture = {.width = image->width,
                              .height = image->height,
                              .pixels = (uint8_t *)(uintptr_t)image->pixels,
                              .see_through = image->has_alpha};
    struct pose_error broken;
    pose_error_init(&broken);
    if (!image->pixels && !picture_read(image->bytes, &picture, &broken)) {
        sims_fit_warn(job, "texture_unreadable", "texture %s: %s", image->name, broken.detail);
        return false;
    }
    if (picture.see_through)
        sims_fit_warn(job, "alpha_dropped", "texture %s: its transparency is left out", image->name);
    bool done = picture_write_bmp(&picture, out) || error_no_memory(job->error);
    if (!image->pixels)
        picture_free(&picture);
    return done;
}

const char *sims_fit_texture(struct fit_job *job, const char *stem, const char *extension)
{
    bool several;
    const char *name = main_image(job->conversion->mesh, &several);
    const struct pose_image *image = find_image(job, name);
    if (several)
        sims_fit_warn(job, "several_textures", "the mesh has several textures, the file has one: %s",
                      name ? name : "none");
    if (!image)
        return name ? sims_fit_name(job, text_base_name(name)) : NULL;
    if (!stem) {
        stem = sims_fit_name(job, text_base_name(name));
        const char *dot = stem ? strrchr(stem, '.') : NULL;
        stem = dot && dot > stem ? arena_format(job->arena, "%.*s", (int)(dot - stem), stem) : stem;
    }
    struct fit_file *file = sims_fit_beside(job);
    if (!stem || !write_texture(job, image, &file->bytes)) {
        pose_buffer_free(&file->bytes);
        job->beside_count--;
        return NULL;
    }
    snprintf(file->name, sizeof file->name, "%s%s", stem, extension);
    return stem;
}

/* -------------------------------------------------------------------------------------------------- The Sims -- */

static bool add_suit(struct fit_job *job, const char *suit, const char *bone, const char *format,
                     const char *extension)
{
    struct value_list extras = value_object(job->arena), skins = value_array(job->arena),
                      skin = value_object(job->arena);
    value_put_string(&skin, "bone", bone);
    value_put_string(&skin, "mesh", job->fitted.name);
    value_put_int(&skin, "flags", 0);
    value_put_list(&skins, NULL, &skin);
    value_put_int(&extras, "type", 0);
    value_put_list(&extras, "skins", &skins);
    struct fit_file *file = sims_fit_beside(job);
    file->format = format;
    file->character = (struct pose_character){.name = suit, .type = "suit", .extras = value_done(&extras)};
    snprintf(file->name, sizeof file->name, "%s%s", suit, extension);
    return !job->arena->failed;
}

/* "xskin-SUIT-BONE-BODY", as the game names its own meshes. */
static const char *name_mesh(struct fit_job *job, const char *suit, const char *bone)
{
    bool is_named = job->conversion->keeps_name || !strncmp(suit, "xskin-", 6);
    return is_named ? suit : arena_format(job->arena, "xskin-%s-%s-BODY", suit, bone);
}

static bool fit_sims1(struct fit_job *job, const char *extension, const char *format,
                      const char *suit_extension)
{
    const char *suit = sims_fit_name(job, job->name);
    if (!suit)
        return false;
    if (sims_fits_as_it_is(job)) {
        job->fitted = *job->conversion->mesh;
        snprintf(job->file, sizeof job->file, "%s%s", suit, extension);
        return true;
    }
    if (!sims_fit_mesh(job))
        return false;
    const char *bone = sims_fit_bone(job);
    job->fitted.name = name_mesh(job, suit, bone);
    job->fitted.texture = sims_fit_texture(job, NULL, ".bmp");
    snprintf(job->file, sizeof job->file, "%s%s", job->fitted.name ? job->fitted.name : "", extension);
    return job->error->status == POSE_OK && add_suit(job, suit, bone, format, suit_extension);
}

bool sims1_fit_text(struct fit_job *job)
{
    return fit_sims1(job, ".skn", "sims1-cmx", ".cmx");
}

bool sims1_fit_binary(struct fit_job *job)
{
    return fit_sims1(job, ".bmf", "sims1-bcf", ".cmx.bcf");
}

/* ------------------------------------------------------------------------------------------- The Sims Online -- */

/* The games' own numbers are random; ours are hashes, so that the same mesh gets the same ones. */
static struct tso_key key_of(struct fit_job *job, const char *stem, uint32_t type)
{
    const char *text = arena_format(job->arena, "%s.%u", stem, type);
    return (struct tso_key){.group = 0, .file = text ? hash_fnv32(text, strlen(text)) : 0, .type = type};
}

static void name_file(char name[POSE_MESH_FILE_NAME], const char *stem, const struct tso_key *key,
                      const char *extension)
{
    snprintf(name, POSE_MESH_FILE_NAME, "%s.%08x%08x%s", stem, key->file, key->type, extension);
}

static bool add_character(struct fit_job *job, const char *stem, const struct tso_key *key,
                          const char *extension, const char *format, const char *type,
                          const struct value_list *extras)
{
    struct fit_file *file = sims_fit_beside(job);
    file->format = format;
    file->character = (struct pose_character){.type = type, .extras = value_done(extras)};
    name_file(file->name, stem, key, extension);
    return !job->arena->failed;
}

static bool add_binding(struct fit_job *job, const char *stem, const struct tso_key *mesh,
                        const struct tso_key *texture)
{
    const struct tso_key binding = key_of(job, stem, TSO_BINDING),
                         appearance = key_of(job, stem, TSO_APPEARANCE);
    struct value_list extras = value_object(job->arena), bindings = value_array(job->arena),
                      whole = value_object(job->arena);
    value_put_string(&extras, "bone", sims_fit_bone(job));
    tso_put_key(&extras, "mesh", mesh, true);
    if (texture)
        tso_put_key(&extras, "texture", texture, true);
    tso_put_key(&whole, "thumbnail", &(struct tso_key){0}, false);
    tso_put_key(&bindings, NULL, &binding, false);
    value_put_list(&whole, "bindings", &bindings);
    return add_character(job, stem, &binding, ".bnd", "tso-bnd", "binding", &extras) &&
           add_character(job, stem, &appearance, ".apr", "tso-apr", "appearance", &whole);
}

bool tso_fit(struct fit_job *job)
{
    const char *stem = sims_fit_name(job, job->name);
    if (!stem)
        return false;
    if (sims_fits_as_it_is(job)) {
        job->fitted = *job->conversion->mesh;
        snprintf(job->file, sizeof job->file, "%s.mesh", stem);
        return true;
    }
    if (!sims_fit_mesh(job))
        return false;
    const struct tso_key mesh = key_of(job, stem, TSO_MESH), texture = key_of(job, stem, TSO_TEXTURE);
    char extension[32];
    snprintf(extension, sizeof extension, ".%08x%08x.bmp", texture.file, texture.type);
    uint32_t before = job->beside_count;
    sims_fit_texture(job, stem, extension);
    name_file(job->file, stem, &mesh, ".mesh");
    return job->error->status == POSE_OK &&
           add_binding(job, stem, &mesh, job->beside_count > before ? &texture : NULL);
}
