#include "server/library/bodies/ingredients.h"

#include "lib/core/error.h"
#include "server/ops/clock.h"
#include "server/library/bodies/body.h"
#include "server/library/names.h"

#include <stdlib.h>
#include <string.h>

/* A document that is either borrowed from the cache or owned. */
struct held {
    const struct catalog *catalog;
    struct catalog_place place;
    struct decoded *decoded;
    struct pose_document *own;
    const struct pose_document *document;
};

struct ingredients {
    struct service *service;
    const struct catalog *common;
    struct fetch fetch;
    struct region region;
    uint32_t held_count;
    struct held held[INGREDIENT_CLIPS + 2 * INGREDIENT_MESHES + INGREDIENT_IMAGES + 1];
    uint32_t clip_count;
    struct pose_conversion_clip clips[INGREDIENT_CLIPS];
    const struct pose_skeleton *skeleton;
    uint32_t mesh_count;
    struct pose_mesh meshes[INGREDIENT_MESHES];
    struct pose_document *joined[INGREDIENT_MESHES]; /* NULL where the mesh is complete without it */
    uint32_t image_count;
    struct pose_image images[INGREDIENT_IMAGES];
    struct pose_buffer image_bytes[INGREDIENT_IMAGES];
};

bool ingredient_find(const struct catalog *common, const struct catalog *own, enum asset_kind kind,
                     const struct asset_id *id, struct ingredient *found)
{
    *found = (struct ingredient){own, own ? catalog_find(own, kind, id) : NULL};
    if (!found->item)
        *found = (struct ingredient){common, catalog_find(common, kind, id)};
    return found->item;
}

struct ingredients *ingredients_new(struct service *service, const struct catalog *common)
{
    struct ingredients *ingredients = try_alloc(1, sizeof *ingredients);
    if (!ingredients)
        return NULL;
    ingredients->service = service;
    ingredients->common = common;
    ingredients->fetch.may_wait = true;
    ingredients->region.may_fail = true; /* running out of memory fails the conversion */
    return ingredients;
}

void ingredients_free(struct ingredients *ingredients)
{
    if (!ingredients)
        return;
    for (uint32_t i = 0; i < ingredients->mesh_count; i++)
        pose_document_free(ingredients->joined[i]);
    for (uint32_t i = 0; i < ingredients->held_count; i++) {
        document_put(ingredients->held[i].decoded);
        const struct held *held = &ingredients->held[i];
        if (held->own)
            index_document_free(held->catalog->archives[held->place.archive], held->place.entry, held->own);
    }
    for (uint32_t i = 0; i < ingredients->image_count; i++)
        pose_buffer_free(&ingredients->image_bytes[i]);
    region_release(&ingredients->region);
    free(ingredients);
}

static bool too_many(struct pose_error *error, const char *what, unsigned most)
{
    pose_error_init(error);
    error->status = POSE_BAD_ARGUMENT;
    strcpy(error->code, "too_many");
    snprintf(error->detail, sizeof error->detail, "more than %u %s in one file", most, what);
    return false;
}

/* ----------------------------------------------------------------------------------------------- documents -- */

static bool decode_aside(struct ingredients *ingredients, struct held *held, struct pose_error *error)
{
    const struct catalog *common = ingredients->common;
    double begin = clock_seconds();
    held->own =
        index_decode(held->catalog->archives[held->place.archive], held->place.entry, common->archives,
                     common->path_count, &ingredients->service->index_options.pose, error);
    ingredients->fetch.decode_seconds += clock_seconds() - begin;
    held->document = held->own;
    return held->own;
}

static bool take_cached(struct ingredients *ingredients, struct held *held, struct pose_error *error)
{
    held->decoded = document_get(ingredients->service, held->catalog, held->place, &ingredients->fetch);
    if (!held->decoded) {
        *error = ingredients->fetch.error;
        return false;
    }
    held->document = held->decoded->document;
    return true;
}

/* The document of a place, loaded once; NULL with error. */
static const struct pose_document *hold(struct ingredients *ingredients, const struct catalog *catalog,
                                        struct catalog_place place, struct pose_error *error)
{
    for (uint32_t i = 0; i < ingredients->held_count; i++) {
        const struct held *held = &ingredients->held[i];
        if (held->catalog == catalog && held->place.archive == place.archive &&
            held->place.entry == place.entry)
            return held->document;
    }
    struct held *held = &ingredients->held[ingredients->held_count];
    *held = (struct held){.catalog = catalog, .place = place};
    bool done = catalog == ingredients->common ? take_cached(ingredients, held, error)
                                               : decode_aside(ingredients, held, error);
    ingredients->held_count += done;
    return held->document;
}

bool ingredients_add_clip(struct ingredients *ingredients, const struct ingredient *clip,
                          struct pose_error *error)
{
    if (ingredients->clip_count == INGREDIENT_CLIPS)
        return too_many(error, "clips", INGREDIENT_CLIPS);
    const struct pose_document *document = hold(ingredients, clip->catalog, clip->item->place, error);
    if (!document)
        return false;
    ingredients->clips[ingredients->clip_count++] =
        (struct pose_conversion_clip){.clip = &document->clips[clip->item->asset->inner],
                                      .from = document->format,
                                      .name = clip->item->asset->name};
    return true;
}

bool ingredients_put_clip(struct ingredients *ingredients, const struct pose_conversion_clip *clip,
                          struct pose_error *error)
{
    if (ingredients->clip_count == INGREDIENT_CLIPS)
        return too_many(error, "clips", INGREDIENT_CLIPS);
    ingredients->clips[ingredients->clip_count++] = *clip;
    return true;
}

bool ingredients_set_skeleton(struct ingredients *ingredients, const struct ingredient_skeleton *skeleton,
                              struct pose_error *error)
{
    const struct skeleton_choice *choice = &skeleton->choice;
    if (!choice->item) {
        ingredients->skeleton = choice->shipped ? &choice->shipped->skeletons[0] : NULL;
        return true;
    }
    const struct pose_document *document = hold(ingredients, skeleton->catalog, choice->item->place, error);
    if (document)
        ingredients->skeleton = &document->skeletons[choice->asset->inner];
    return document;
}

/* ------------------------------------------------------------------------------------------------- meshes -- */

/* Adds an image; one that cannot be read is skipped, since the mesh is usable without it. */
static void add_image(struct ingredients *ingredients, const struct catalog *catalog,
                      struct catalog_place place)
{
    const struct index_archive *archive = catalog->archives[place.archive];
    const char *name = name_base(archive->entries[place.entry]->name), *copy;
    struct pose_error ignored;
    for (uint32_t i = 0; i < ingredients->image_count; i++) {
        if (!strcmp(ingredients->images[i].name, name))
            return;
    }
    uint32_t at = ingredients->image_count;
    if (at == INGREDIENT_IMAGES || !(copy = region_text(&ingredients->region, name)) ||
        !index_read(archive, place.entry, &ingredients->image_bytes[at], &ignored))
        return;
    ingredients->images[at] = (struct pose_image){
        .name = copy, .bytes = {ingredients->image_bytes[at].data, ingredients->image_bytes[at].size}};
    ingredients->image_count++;
}

/* Adds an image under the name that a material gives it; one that cannot be read is skipped. document: the
 * mesh's. */
static void add_named_image(struct ingredients *ingredients, const struct ingredient *mesh,
                            const struct pose_document *document, const char *reference)
{
    uint32_t archive = mesh->item->place.archive;
    struct catalog_place place;
    struct pose_error ignored;
    if (!reference || ingredients->image_count == INGREDIENT_IMAGES)
        return;
    const struct pose_image *found = body_own_image(document, reference);
    if (!found && !body_find_image(mesh->catalog, archive, reference, &place)) {
        if (body_find_texture(mesh->catalog, archive, reference, &place))
            add_image(ingredients, mesh->catalog, place);
        return;
    }
    for (uint32_t i = 0; i < ingredients->image_count; i++) {
        if (!strcmp(ingredients->images[i].name, reference))
            return;
    }
    if (!found) {
        const struct pose_document *other = hold(ingredients, mesh->catalog, place, &ignored);
        found = other && other->image_count ? other->images : NULL;
    }
    const char *copy = region_text(&ingredients->region, reference);
    if (!found || !copy)
        return;
    struct pose_image *image = &ingredients->images[ingredients->image_count++];
    *image = *found;
    image->name = copy;
}

/* Adds the weights that another entry has for the mesh, if any. */
static bool make_whole(struct ingredients *ingredients, const struct ingredient *mesh, struct pose_mesh *copy,
                       struct pose_error *error)
{
    const struct catalog_place place = {mesh->item->place.archive, (uint32_t)mesh->item->asset->skin_entry};
    if (mesh->item->asset->skin_entry < 0)
        return true;
    const struct pose_document *skin = hold(ingredients, mesh->catalog, place, error);
    if (!skin || !skin->mesh_count)
        return skin;
    const char *format = catalog_entry(mesh->catalog, mesh->item->place)->format;
    struct pose_document *joined = pose_join(format, copy, skin->meshes, NULL, error);
    ingredients->joined[ingredients->mesh_count - 1] = joined;
    if (joined)
        *copy = *joined->meshes;
    return joined;
}

bool ingredients_add_mesh(struct ingredients *ingredients, const struct ingredient *mesh, const char *texture,
                          struct pose_error *error)
{
    struct catalog_place place;
    if (ingredients->mesh_count == INGREDIENT_MESHES)
        return too_many(error, "meshes", INGREDIENT_MESHES);
    const struct pose_document *document = hold(ingredients, mesh->catalog, mesh->item->place, error);
    if (!document)
        return false;
    struct pose_mesh *copy = &ingredients->meshes[ingredients->mesh_count++];
    *copy = document->meshes[mesh->item->asset->inner];
    if (!make_whole(ingredients, mesh, copy, error)) {
        ingredients->mesh_count--;
        return false;
    }
    for (uint32_t i = 0; i < copy->material_count; i++) {
        add_named_image(ingredients, mesh, document, copy->materials[i].image);
        add_named_image(ingredients, mesh, document, copy->materials[i].emissive_image);
    }
    if (texture)
        copy->texture = region_text(&ingredients->region, name_base(texture));
    if (body_find_texture(mesh->catalog, mesh->item->place.archive, copy->texture, &place))
        add_image(ingredients, mesh->catalog, place);
    if (!ingredients->region.failed)
        return true;
    pose_error_init(error);
    return error_no_memory(error);
}

/* ----------------------------------------------------------------------------------------------- which way up -- */

static bool turn_clip(struct ingredients *ingredients, struct pose_conversion_clip *clip, enum up up)
{
    struct pose_clip *turned = region_alloc(&ingredients->region, 1, sizeof *turned);
    if (!turned)
        return false;
    *turned = *clip->clip;
    turned->axes = axes_turned(turned->axes, up);
    clip->clip = turned;
    return true;
}

static bool turn_skeleton(struct ingredients *ingredients, enum up up)
{
    struct pose_skeleton *turned = region_alloc(&ingredients->region, 1, sizeof *turned);
    if (!turned)
        return false;
    *turned = *ingredients->skeleton;
    turned->axes = axes_turned(turned->axes, up);
    ingredients->skeleton = turned;
    return true;
}

static bool is_without_up(const struct ingredients *ingredients, const struct pose_skeleton *skeleton)
{
    for (uint32_t i = 0; skeleton && i < ingredients->held_count; i++) {
        const struct pose_document *document = ingredients->held[i].document;
        if (document->skeletons == skeleton)
            return format_lacks_up(document->format);
    }
    return false;
}

bool ingredients_turn(struct ingredients *ingredients, enum up up, struct pose_error *error)
{
    uint32_t count = 0;
    bool done = true;
    if (up == UP_AUTO)
        return true;
    for (uint32_t i = 0; i < ingredients->clip_count && done; i++) {
        struct pose_conversion_clip *clip = &ingredients->clips[i];
        if (!format_lacks_up(clip->from))
            continue;
        count++;
        done = turn_clip(ingredients, clip, up);
    }
    if (done && is_without_up(ingredients, ingredients->skeleton))
        done = turn_skeleton(ingredients, up);
    pose_error_init(error);
    if (!done)
        return error_no_memory(error);
    if (count)
        return true;
    error->status = POSE_BAD_ARGUMENT;
    snprintf(error->field, sizeof error->field, "up");
    snprintf(error->detail, sizeof error->detail, "the file itself says which way is up");
    return false;
}

bool ingredients_are_z_up(const struct ingredients *ingredients)
{
    for (uint32_t i = 0; i < ingredients->clip_count; i++) {
        if (ingredients->clips[i].clip->axes == POSE_AXES_Z_UP)
            return true;
    }
    return false;
}

void ingredients_list(const struct ingredients *ingredients, struct pose_conversion *conversion)
{
    conversion->clip_count = ingredients->clip_count;
    conversion->clips = ingredients->clips;
    conversion->skeleton = ingredients->skeleton;
    conversion->mesh_count = ingredients->mesh_count;
    conversion->meshes = ingredients->meshes;
    conversion->image_count = ingredients->image_count;
    conversion->images = ingredients->images;
}

double ingredients_decode_seconds(const struct ingredients *ingredients)
{
    return ingredients->fetch.decode_seconds;
}
