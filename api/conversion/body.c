#include "api/conversion/body.h"

#include <stdio.h>
#include <string.h>

static bool find_mesh(const struct catalog *common, const struct catalog *own, const struct asset_id *id,
                      struct ingredient *found)
{
    *found = (struct ingredient){own, own ? catalog_find(own, ASSET_MESH, id) : NULL};
    if (!found->item)
        *found = (struct ingredient){common, catalog_find(common, ASSET_MESH, id)};
    return found->item;
}

/* The mesh as that archive has it, beside its own textures. */
static void put_in_scope(const struct params *params, const struct catalog *common, struct ingredient *mesh)
{
    const char *scope = params_get(params, "archive");
    struct asset_id id;
    uint32_t archive = 0;
    if (!scope || mesh->catalog != common || !id_parse(scope, strlen(scope), &id) ||
        !catalog_find_archive(common, &id, &archive))
        return;
    struct catalog_item *placed = catalog_item_in((struct catalog_item *)(uintptr_t)mesh->item, archive);
    if (placed)
        mesh->item = placed;
}

static bool read_ids(const struct params *params, const struct catalog *common, const struct catalog *own,
                     const char *parameter, struct body_choice *choice, struct param_error *error)
{
    const char *text = params_get(params, parameter);
    struct asset_id id;
    for (const char *at = text; at;) {
        size_t length = strcspn(at, ",");
        if (choice->mesh_count == BODY_MESHES_MOST)
            return param_fail(error, parameter, "more than %d meshes", BODY_MESHES_MOST);
        struct ingredient *mesh = &choice->meshes[choice->mesh_count];
        if (!id_parse(at, length, &id) || !find_mesh(common, own, &id, mesh))
            return param_fail(error, parameter, "no mesh \"%.*s\"", (int)(length < 60 ? length : 60), at);
        put_in_scope(params, common, mesh);
        choice->mesh_count++;
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

bool body_read(const struct params *params, const struct catalog *common, const struct catalog *own,
               struct body_choice *choice, struct param_error *error)
{
    static const char *const words[] = {
        [BODY_AUTO] = "auto", [BODY_BONES] = "bones", [BODY_MANNEQUIN] = "mannequin", [BODY_NONE] = "none"};
    const char *text = params_get(params, "mesh");
    *choice = (struct body_choice){.kind = BODY_UNSAID};
    if (!text)
        return true;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i] && !strcmp(text, words[i])) {
            choice->kind = (enum body_kind)i;
            return true;
        }
    }
    choice->kind = BODY_MESHES;
    return read_ids(params, common, own, "mesh", choice, error);
}

bool body_read_worn(const struct params *params, const struct catalog *catalog,
                    const struct catalog_item *character, struct worn_parts *worn, struct param_error *error)
{
    _Static_assert((int)RELATIONS_ADDED_MOST == (int)BODY_MESHES_MOST, "every mesh that is read can be worn");
    struct body_choice choice = {.kind = BODY_MESHES};
    *worn = (struct worn_parts){0};
    if (!read_ids(params, catalog, NULL, "with", &choice, error))
        return false;
    for (unsigned i = 0; i < choice.mesh_count; i++) {
        struct catalog_item *mesh = (struct catalog_item *)(uintptr_t)choice.meshes[i].item;
        struct catalog_item *placed = catalog_item_in(mesh, character->place.archive);
        worn->meshes[worn->count++] = placed ? placed : mesh;
    }
    return true;
}

/* Whether another mesh of the character already includes it, such as the weights of a model. */
static bool is_used(const struct relations *relations, const struct catalog_item *item)
{
    for (uint32_t i = 0; i < relations->count; i++) {
        const struct catalog_item *other = relations->meshes[i].item;
        if (other && other->place.archive == item->place.archive &&
            other->asset->skin_entry == (int64_t)item->place.entry)
            return true;
    }
    return false;
}

bool body_add_character(struct ingredients *ingredients, const struct catalog *catalog,
                        const struct relations *relations, struct convert_warnings *warnings,
                        struct pose_error *error)
{
    for (uint32_t i = 0; i < relations->count; i++) {
        const struct related_mesh *part = &relations->meshes[i];
        if (part->item && is_used(relations, part->item))
            continue;
        struct ingredient mesh = {catalog, part->item};
        if (!part->item) {
            char message[200];
            snprintf(message, sizeof message, "mesh %.120s is missing", part->wanted ? part->wanted : "");
            convert_warn_text(warnings, "missing_mesh", POSE_WARNING, message);
        } else if (!ingredients_add_mesh(ingredients, &mesh, part->texture, error)) {
            return false;
        }
    }
    return true;
}

struct pose_document *body_mannequin(const struct pose_skeleton *skeleton, enum body_kind kind,
                                     const struct pose_options *options, struct pose_error *error)
{
    struct pose_humanoid *person = pose_humanoid_new(skeleton, NULL, 0, options, error);
    struct pose_document *mannequin = person ? pose_mannequin(person, options, error) : NULL;
    pose_humanoid_free(person);
    if (!mannequin && kind != BODY_MANNEQUIN && error->status == POSE_BAD_DATA)
        pose_error_init(error);
    return mannequin;
}
