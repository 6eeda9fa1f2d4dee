/* What puts a fitted mesh on: its texture, a suit (The Sims 1), a binding and an appearance (The Sims Online). */
#include "lib/formats/sims/fit/fit.h"
#include "lib/formats/sims/tso/key.h"

#include "lib/core/error.h"
#include "lib/core/hash.h"
#include "lib/core/text.h"
#include "lib/images/picture.h"

#include <stdio.h>
#include <string.h>

enum { TSO_TEXTURE = 20 };

/* ------------------------------------------------------------------------------------------------- the bone -- */

/* The bone that the game hangs the mesh on: the head or a hand if it alone moves most of it, else the pelvis. */
static const char *sims_fit_bone(const struct fit_job *job)
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

static bool write_texture(struct fit_job *job, const struct pose_image *image, struct pose_buffer *out)
{
    struct picture picture;
    if (!fit_open_image(job, image, &picture))
        return false;
    if (picture.see_through)
        fit_warn(job, "alpha_dropped", "texture %s: its transparency is left out", image->name);
    bool done = picture_write_bmp(&picture, out) || error_no_memory(job->error);
    fit_close_image(image, &picture);
    return done;
}

/* Adds the texture as name.bmp; the name of its file without extension, NULL if there is none or it cannot be
 * read. stem: that name, if the mesh has a texture. */
static const char *sims_fit_texture(struct fit_job *job, const char *stem, const char *extension)
{
    bool several;
    const char *name = fit_main_image(job->conversion->mesh, &several);
    const struct pose_image *image = fit_find_image(job, name);
    if (several)
        fit_warn(job, "several_textures", "the mesh has several textures, the file has one: %s",
                 name ? name : "none");
    if (!image)
        return name ? fit_name(job, text_base_name(name)) : NULL;
    if (!stem)
        stem = fit_stem(job, name);
    struct fit_file *file = fit_beside(job);
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
    const struct pose_character character = {.name = suit, .type = "suit", .extras = value_done(&extras)};
    struct fit_file *file = fit_put_character(job, format, &character);
    if (file)
        snprintf(file->name, sizeof file->name, "%s%s", suit, extension);
    return file && !job->arena->failed;
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
    const char *suit = fit_name(job, job->name);
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
    const struct pose_character character = {.type = type, .extras = value_done(extras)};
    struct fit_file *file = fit_put_character(job, format, &character);
    if (file)
        name_file(file->name, stem, key, extension);
    return file && !job->arena->failed;
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
    const char *stem = fit_name(job, job->name);
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
