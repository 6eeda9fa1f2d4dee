#include "api/choices/body.h"

#include "lib/core/error.h"

#include <stdio.h>
#include <string.h>

/* An asset as the archive of archive= has it, beside what it uses. */
static struct catalog_item *in_scope(const struct choice_place *from, const struct catalog_item *item)
{
    const char *scope = params_get(from->params, "archive");
    struct catalog_item *found = (struct catalog_item *)(uintptr_t)item, *placed = NULL;
    struct asset_id id;
    uint32_t archive = 0;
    if (scope && id_parse(scope, strlen(scope), &id) && catalog_find_archive(from->common, &id, &archive))
        placed = catalog_item_in(found, archive);
    return placed ? placed : found;
}

static bool read_ids(const struct choice_place *from, const char *parameter, struct body_choice *choice,
                     struct param_error *error)
{
    const char *text = params_get(from->params, parameter);
    struct asset_id id;
    for (const char *at = text; at;) {
        size_t length = strcspn(at, ",");
        if (choice->mesh_count == MAX_BODY_MESHES)
            return param_fail(error, parameter, "more than %d meshes", MAX_BODY_MESHES);
        struct ingredient *mesh = &choice->meshes[choice->mesh_count];
        if (!id_parse(at, length, &id) || !ingredient_find(from->common, from->own, ASSET_MESH, &id, mesh))
            return param_fail(error, parameter, "no mesh \"%.*s\"", (int)(length < 60 ? length : 60), at);
        if (mesh->catalog == from->common)
            mesh->item = in_scope(from, mesh->item);
        choice->mesh_count++;
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

bool body_read_worn(const struct params *params, const struct catalog *catalog,
                    const struct catalog_item *character, struct worn_parts *worn, struct param_error *error)
{
    _Static_assert((int)RELATIONS_ADDED_MOST == (int)MAX_BODY_MESHES, "every mesh that is read can be worn");
    struct body_choice choice = {.kind = BODY_MESHES};
    const char *text = params_get(params, "with");
    *worn = (struct worn_parts){0};
    if (text && !strcmp(text, "none"))
        return true;
    if (!read_ids(&(struct choice_place){params, catalog, NULL}, "with", &choice, error))
        return false;
    for (unsigned i = 0; i < choice.mesh_count; i++) {
        struct catalog_item *mesh = (struct catalog_item *)(uintptr_t)choice.meshes[i].item;
        struct catalog_item *placed = catalog_item_in(mesh, character->place.archive);
        worn->meshes[worn->count++] = placed ? placed : mesh;
    }
    return true;
}

static bool read_mesh(const struct choice_place *from, struct body_choice *choice, struct param_error *error)
{
    static const char *const words[] = {
        [BODY_AUTO] = "auto", [BODY_BONES] = "bones", [BODY_MANNEQUIN] = "mannequin", [BODY_NONE] = "none"};
    const char *text = params_get(from->params, "mesh");
    if (!text)
        return true;
    for (unsigned i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i] && !strcmp(text, words[i])) {
            choice->kind = (enum body_kind)i;
            return true;
        }
    }
    choice->kind = BODY_MESHES;
    return read_ids(from, "mesh", choice, error);
}

static bool read_character(const struct choice_place *from, struct body_choice *choice,
                           struct param_error *error)
{
    const char *text = params_get(from->params, "character"), *with = params_get(from->params, "with");
    struct asset_id id;
    choice->is_dressed = with;
    if (!text && with && strcmp(with, "none") != 0)
        return param_fail(error, "with", "meshes go with character=");
    if (!text)
        return true;
    bool is_id = id_parse(text, strlen(text), &id);
    choice->catalog = from->own;
    choice->character = is_id && from->own ? catalog_find(from->own, ASSET_CHARACTER, &id) : NULL;
    if (!choice->character && is_id) {
        choice->catalog = from->common;
        choice->character = catalog_find(from->common, ASSET_CHARACTER, &id);
    }
    if (!choice->character)
        return param_fail(error, "character", "no character \"%.60s\"", text);
    if (choice->kind != BODY_AUTO && choice->kind != BODY_UNSAID)
        return param_fail(error, "character", "a character has its own meshes: leave mesh out");
    if (choice->catalog == from->common)
        choice->character = in_scope(from, choice->character);
    choice->kind = BODY_CHARACTER;
    return !choice->is_dressed ||
           body_read_worn(from->params, choice->catalog, choice->character, &choice->worn, error);
}

bool body_read(const struct choice_place *from, struct body_choice *choice, struct param_error *error)
{
    *choice = (struct body_choice){.kind = BODY_UNSAID};
    return read_mesh(from, choice, error) && read_character(from, choice, error);
}

/* ------------------------------------------------------------------------------------------------ gathering -- */

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
                        const struct relations *relations, struct warnings *warnings,
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
            warnings_add(warnings, "missing_mesh", POSE_WARNING, message);
        } else if (!ingredients_add_mesh(ingredients, &mesh, part->texture, error)) {
            return false;
        }
    }
    return true;
}

/* The archive whose assets come first. */
static uint32_t archive_of(const struct body_stage *stage)
{
    if (stage->is_carried)
        return stage->skeleton.item ? stage->skeleton.item->place.archive : UINT32_MAX;
    return stage->clip ? stage->clip->item->place.archive : UINT32_MAX;
}

/* The body for auto. Of a request's own bytes these come first, then what is loaded. */
static bool find_cast(const struct body_choice *choice, const struct body_stage *stage, struct cast *cast,
                      struct pose_error *error)
{
    const struct worn_parts *worn = choice->is_dressed ? &choice->worn : NULL;
    const bool is_own = stage->clip && stage->clip->catalog != stage->common;
    struct scene_setting setting = {stage->common, NULL, UINT32_MAX, stage->skeleton.asset};
    *cast = (struct cast){.catalog = stage->common};
    pose_error_init(error);
    if (is_own && !stage->is_carried) {
        setting = (struct scene_setting){stage->clip->catalog, stage->clip->item,
                                         stage->clip->item->place.archive, stage->skeleton.asset};
        if (!cast_find(stage->service, &setting, worn, cast, error) || cast->relations.count)
            return !error_is_set(error);
        cast_release(cast);
    }
    setting.catalog = stage->common;
    setting.clip = stage->clip && !is_own ? stage->clip->item : NULL;
    setting.archive = is_own && !stage->is_carried ? UINT32_MAX : archive_of(stage);
    return cast_find(stage->service, &setting, worn, cast, error);
}

static bool choose_cast(const struct body_choice *choice, const struct body_stage *stage, struct cast *cast,
                        struct pose_error *error)
{
    if (choice->kind == BODY_CHARACTER)
        return cast_character(stage->service, choice->catalog, choice->character,
                              choice->is_dressed ? &choice->worn : NULL, cast, error);
    return find_cast(choice, stage, cast, error);
}

/* What auto found and cannot be read is left out, lest a broken file takes the clip with it. */
static bool add_found(struct ingredients *ingredients, const struct cast *cast, struct warnings *warnings,
                      struct pose_error *error)
{
    struct warnings missing = {0};
    bool done = body_add_character(ingredients, cast->catalog, &cast->relations, &missing, error);
    warnings_release(&missing);
    if (done || error->status == POSE_NO_MEMORY || error->status == POSE_STOPPED)
        return done;
    warnings_add(warnings, "mesh_left_out", POSE_NOTE, error->detail);
    pose_error_init(error);
    return true;
}

bool body_gather(const struct body_choice *choice, const struct body_stage *stage,
                 struct ingredients *ingredients, struct warnings *warnings, struct pose_error *error)
{
    struct cast cast;
    for (unsigned i = 0; i < choice->mesh_count; i++) {
        if (!ingredients_add_mesh(ingredients, &choice->meshes[i], NULL, error))
            return false;
    }
    if ((choice->kind != BODY_AUTO && choice->kind != BODY_CHARACTER) || !stage->skeleton.asset)
        return true;
    bool done = choose_cast(choice, stage, &cast, error);
    if (done && choice->kind == BODY_CHARACTER)
        done = body_add_character(ingredients, cast.catalog, &cast.relations, warnings, error);
    else if (done)
        done = add_found(ingredients, &cast, warnings, error);
    cast_release(&cast);
    return done;
}

/* ----------------------------------------------------------------------------------- what a body depends on -- */

bool body_depends(const struct body_choice *choice)
{
    return choice->kind == BODY_AUTO || choice->kind == BODY_CHARACTER || choice->kind == BODY_MESHES;
}

bool body_is_inside(const struct api_call *call, const struct body_choice *choice,
                    const struct body_stage *stage)
{
    struct cast cast;
    struct pose_error ignored;
    bool is_inside = call->scope;
    for (unsigned i = 0; i < choice->mesh_count; i++)
        is_inside = is_inside && scope_has(call, choice->meshes[i].item);
    if (!is_inside || !body_depends(choice) || choice->kind == BODY_MESHES || !stage->skeleton.asset)
        return is_inside || !body_depends(choice);
    is_inside = choose_cast(choice, stage, &cast, &ignored) && cast.relations.count && cast.is_inside;
    for (uint32_t i = 0; i < cast.relations.count && is_inside; i++)
        is_inside = scope_has(call, cast.relations.meshes[i].item);
    cast_release(&cast);
    return is_inside;
}

struct asset_id body_digest(struct asset_id digest, const struct body_choice *choice,
                            const struct body_stage *stage)
{
    struct asset_id reach;
    digest = id_quick(&digest, &choice->kind, sizeof choice->kind);
    for (unsigned i = 0; i < choice->mesh_count; i++) {
        const struct ingredient *mesh = &choice->meshes[i];
        reach = catalog_reach(mesh->catalog, mesh->item->place.archive);
        digest = id_quick(&digest, &mesh->item->asset->id, sizeof digest);
        digest = id_quick(&digest, &mesh->item->place.entry, sizeof mesh->item->place.entry);
        digest = id_quick(&digest, &reach, sizeof reach);
    }
    if (choice->kind == BODY_CHARACTER) {
        reach = catalog_reach(choice->catalog, choice->character->place.archive);
        digest = id_quick(&digest, &choice->character->asset->id, sizeof digest);
        digest = id_quick(&digest, &reach, sizeof reach);
    }
    digest = id_quick(&digest, &choice->is_dressed, sizeof choice->is_dressed);
    for (unsigned i = 0; i < choice->worn.count; i++) {
        const struct catalog_item *mesh = choice->worn.meshes[i];
        reach = catalog_reach(choice->catalog, mesh->place.archive);
        digest = id_quick(&digest, &mesh->asset->id, sizeof digest);
        digest = id_quick(&digest, &reach, sizeof reach);
    }
    if (choice->kind == BODY_AUTO && stage->skeleton.asset) {
        reach = catalog_reach(stage->common, archive_of(stage));
        digest = id_quick(&digest, &reach, sizeof reach);
    }
    return digest;
}

/* ------------------------------------------------------------------------------------------------ mannequin -- */

struct pose_document *body_mannequin(const struct pose_skeleton *skeleton, const struct pose_clip *clip,
                                     enum body_kind kind, const struct pose_options *options,
                                     struct pose_error *error)
{
    struct pose_humanoid *person = pose_humanoid_of_clip(skeleton, clip, NULL, 0, options, error);
    struct pose_document *mannequin = person ? pose_mannequin(person, options, error) : NULL;
    pose_humanoid_free(person);
    if (!mannequin && kind != BODY_MANNEQUIN && error->status == POSE_BAD_DATA)
        pose_error_init(error);
    return mannequin;
}
