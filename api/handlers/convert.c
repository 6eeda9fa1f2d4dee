/* POST /v1/convert: converts a body to another format. Nothing is stored. */
#include "api/protocol/body_files.h"
#include "api/conversion/bundle.h"
#include "api/conversion/converted.h"
#include "api/handlers/handlers.h"
#include "server/library/called.h"
#include "server/library/names.h"
#include "server/library/snapshot/own_catalog.h"
#include "server/store/draft.h"

#include <stdlib.h>
#include <string.h>

struct request {
    struct api_call *call;
    struct conversion *conversion;
    const struct catalog *own; /* of the body only */
    uint32_t clip_count;
    struct ingredient clips[INGREDIENT_CLIPS];
};

/* ------------------------------------------------------------------------------------------------- which clips -- */

/* Where names are looked for: in the body. */
static struct called_in body_of(const struct request *request)
{
    return (struct called_in){.catalog = request->own};
}

static bool add_clip(struct request *request, const struct catalog_item *item)
{
    if (request->clip_count == INGREDIENT_CLIPS) {
        reply_bad_parameter(request->call, "clip", "more than %d clips", INGREDIENT_CLIPS);
        return false;
    }
    request->clips[request->clip_count++] = (struct ingredient){request->own, item};
    return true;
}

/* Adds the clip that a name in clip= means, if count, of those that are called so, is 1. */
static bool add_called(struct request *request, const char *name, size_t length, uint32_t count,
                       const struct catalog_item *found)
{
    const struct called_in body = body_of(request);
    const int shown = (int)(length < 60 ? length : 60);
    char names[300];
    if (count == 1)
        return add_clip(request, found);
    called_list(&body, ASSET_CLIP, names, sizeof names);
    if (count)
        reply_bad_parameter(request->call, "clip", "several clips are named \"%.*s\"; use an id", shown,
                            name);
    else
        reply_bad_parameter(request->call, "clip", "no clip \"%.*s\"; available: %s", shown, name,
                            *names ? names : "none");
    return false;
}

/* A single name may contain a comma. */
static bool find_clips(struct request *request, const char *text)
{
    const struct called_in body = body_of(request);
    const struct catalog_item *found = NULL;
    size_t length = strlen(text);
    uint32_t count = called_find(&body, text, length, &found);
    if (count || !strchr(text, ','))
        return add_called(request, text, length, count, found);
    for (const char *at = text; at; at = at[length] ? at + length + 1 : NULL) {
        length = strcspn(at, ",");
        count = called_find(&body, at, length, &found);
        if (!add_called(request, at, length, count, found))
            return false;
    }
    return true;
}

/* The only file of the body, if it could not be read: its error is more useful than "no clip". */
static const struct index_entry *broken_entry(const struct catalog *own)
{
    const struct index_archive *archive = own->archives[0];
    for (uint32_t i = 0; i < archive->entry_count; i++) {
        if (archive->entries[i]->error)
            return archive->entries[i];
    }
    return NULL;
}

static bool is_scene(const struct request *request)
{
    return request->conversion->target->is_scene;
}

/* Without clips a scene uses the first skeleton and all meshes. */
static bool take_model(struct request *request)
{
    const struct catalog *own = request->own;
    struct conversion_parts *parts = &request->conversion->parts;
    if (is_scene(request) && (own->lists[ASSET_MESH].present || own->lists[ASSET_SKELETON].present)) {
        const struct catalog_item *mesh;
        uint32_t next = 0;
        while (parts->mesh_count < CONVERSION_MESHES && (mesh = catalog_next(own, ASSET_MESH, &next)))
            parts->meshes[parts->mesh_count++] = (struct ingredient){own, mesh};
        return true;
    }
    const struct index_entry *broken = broken_entry(own);
    if (broken)
        reply_body_error(request->call, broken->error, broken->format, broken->name);
    else
        reply_problem(request->call, 422, "no_clip", "the file contains no clip");
    return false;
}

/* For a target of meshes: the one that mesh= names by its id, which is read later, or the only one. */
static bool choose_mesh(struct request *request)
{
    const uint32_t count = request->own->lists[ASSET_MESH].present;
    char names[300];
    if (params_get(&request->call->params, "mesh"))
        return true;
    if (count == 1) {
        struct conversion_parts *parts = &request->conversion->parts;
        parts->meshes[parts->mesh_count++] =
            (struct ingredient){request->own, catalog_first(request->own, ASSET_MESH)};
        return true;
    }
    const struct index_entry *broken = broken_entry(request->own);
    const struct called_in body = body_of(request);
    called_list(&body, ASSET_MESH, names, sizeof names);
    if (count)
        reply_bad_parameter(request->call, "mesh", "the id of one of %s, as /v1/inspect has it", names);
    else if (broken)
        reply_body_error(request->call, broken->error, broken->format, broken->name);
    else
        reply_problem(request->call, 422, "no_mesh", "the file contains no mesh");
    return false;
}

static bool choose_clips(struct request *request)
{
    const uint32_t count = request->own->lists[ASSET_CLIP].present;
    const char *wanted = params_get(&request->call->params, "clip");
    char names[140];
    if (wanted && !find_clips(request, wanted))
        return false;
    if (!wanted && !count)
        return take_model(request);
    if (!wanted && count == 1)
        return add_clip(request, catalog_first(request->own, ASSET_CLIP));
    if (request->clip_count == 1 || (request->clip_count && is_scene(request)))
        return true;
    const struct called_in body = body_of(request);
    called_list(&body, ASSET_CLIP, names, sizeof names);
    reply_bad_parameter(
        request->call, "clip",
        "the file holds several clips; choose with clip=%s, or take all with as=zip; there are: %s",
        is_scene(request) ? "NAME,NAME" : "NAME", names);
    return false;
}

/* ------------------------------------------------------------------------------------------------- converting -- */

static struct ingredient_skeleton first_skeleton(const struct catalog *own)
{
    const struct catalog_item *first = catalog_first(own, ASSET_SKELETON);
    return first ? (struct ingredient_skeleton){own, {.asset = first->asset, .item = first}}
                 : (struct ingredient_skeleton){0};
}

/* The name of the result: the clip's if there is one, else the body's. */
static char *output_name(const struct request *request, const struct body_files *files)
{
    if (request->clip_count == 1)
        return strdup(request->clips[0].item->asset->name);
    if (request->conversion->target->is_mesh)
        return strdup(request->conversion->parts.meshes[0].item->asset->name);
    return strndup(files->name, name_stem(files->name));
}

static enum api_outcome convert_catalog(struct request *request, const struct body_files *files)
{
    struct api_call *call = request->call;
    struct conversion_parts *parts = &request->conversion->parts;
    bool is_mesh = request->conversion->target->is_mesh;
    bool chosen = is_mesh ? choose_mesh(request) : choose_clips(request);
    parts->clip_count = request->clip_count;
    parts->clips = request->clips;
    if (!chosen)
        return API_DONE;
    const struct conversion_place place = conversion_place(call, request->own);
    struct param_error error;
    if (!conversion_complete(&place, request->conversion, &error))
        return reply_parameter(call, &error);
    if (is_mesh && parts->mesh_count != 1)
        return reply_bad_parameter(call, "mesh", "must be one mesh");
    const struct ingredient_skeleton skeleton = first_skeleton(request->own);
    conversion_parts_offer_skeleton(parts, &skeleton);
    char *name = output_name(request, files);
    if (!name)
        return reply_no_memory(call);
    const struct conversion_order order = {
        .place = &place, .conversion = request->conversion, .file.name = name};
    response_header(call->response, "Cache-Control", "no-store");
    enum api_outcome outcome = reply_conversion(call, &order);
    free(name);
    return outcome;
}

static enum api_outcome convert_own(struct api_call *call, struct conversion *conversion,
                                    const struct body_files *files, const struct catalog *own)
{
    struct request *request = try_alloc(1, sizeof *request);
    if (!request)
        return reply_no_memory(call);
    request->call = call;
    request->conversion = conversion;
    request->own = own;
    enum api_outcome outcome = convert_catalog(request, files);
    free(request);
    return outcome;
}

static enum api_outcome reply_refusal(struct api_call *call, const struct index_refusal *refusal)
{
    return reply_body_error(call, &refusal->error, refusal->format, refusal->entry);
}

static struct own_setting setting_of(const struct api_call *call, bool keeps)
{
    return (struct own_setting){.service = call->service,
                                .common = call->catalog,
                                .options = service_request_options(call->service),
                                .keeps = keeps};
}

static enum api_outcome convert_body(struct api_call *call, struct conversion *conversion,
                                     const struct body_files *files, const struct upload_source *source)
{
    const struct own_setting setting = setting_of(call, true);
    struct own_catalog own;
    enum api_outcome outcome = own_catalog_open(&own, source, &setting)
                                   ? convert_own(call, conversion, files, own.catalog)
                                   : reply_refusal(call, &own.refusal);
    own_catalog_close(&own);
    return outcome;
}

static enum api_outcome convert_one(struct api_call *call)
{
    struct body_files files;
    struct upload_source source;
    struct conversion conversion;
    struct param_error error;
    const struct pose_target *target = target_of_to(&call->params, &error);
    if (!target)
        return reply_parameter(call, &error);
    enum api_outcome outcome = API_DONE;
    if (!conversion_read(&call->params, target, true, &conversion, &error)) {
        outcome = reply_parameter(call, &error);
    } else if (body_is_mixture(call)) {
        outcome = convert_mixture(call, &conversion);
    } else if (body_files_read(call, &files)) {
        /* The game of the result, for targets that support several: see openapi.json. */
        if (target_takes(target, "game"))
            files.upload.game = NULL;
        if (body_files_source(call, &files, &source))
            outcome = convert_body(call, &conversion, &files, &source);
        body_files_release(&files);
    }
    conversion_release(&conversion);
    return outcome;
}

/* ------------------------------------------------------------------------------------------- all clips, as a ZIP -- */

/* Keeps the bytes of the source beyond the request: the file that they are in, or a copy of what is small enough to
 * be in memory. False if out of memory. taken_from: where that file was. */
static bool keep_bytes(struct body_files *files, struct upload_source *source, struct bundle_bytes *bytes,
                       struct draft ***taken_from)
{
    struct draft **draft = files->spooled ? &files->spooled : files->upload.draft;
    *taken_from = draft;
    bytes->size = source->bytes.size;
    if (draft && *draft) {
        bytes->draft = *draft;
        *draft = NULL;
        return true;
    }
    bytes->memory = malloc(source->bytes.size);
    if (!bytes->memory)
        return false;
    memcpy(bytes->memory, source->bytes.data, source->bytes.size);
    source->bytes.data = bytes->memory;
    return true;
}

static enum api_outcome reply_bundle_of(struct api_call *call, const struct upload_source *source,
                                        const struct pose_target *target, struct bundle_bytes *bytes)
{
    const struct own_setting setting = setting_of(call, false);
    struct own_catalog own;
    if (own_catalog_open(&own, source, &setting)) {
        const struct bundle_order order = {
            .source = own.catalog, .archive = own.archive, .target = target, .bytes = bytes};
        response_header(call->response, "Cache-Control", "no-store");
        reply_bundle(call, &order);
    } else {
        reply_refusal(call, &own.refusal);
    }
    own_catalog_close(&own);
    return API_DONE;
}

static enum api_outcome convert_all(struct api_call *call)
{
    struct body_files files;
    struct upload_source source;
    struct param_error error;
    const struct pose_target *target = clip_target_of_to(&call->params, &error);
    if (!target)
        return reply_parameter(call, &error);
    if (params_get(&call->params, "clip"))
        return reply_bad_parameter(call, "clip", "as=zip takes every clip");
    if (body_is_mixture(call))
        return reply_bad_parameter(call, "as", "several clips together are one file");
    if (!body_files_read(call, &files))
        return API_DONE;
    struct bundle_bytes bytes = {0};
    struct draft **taken_from = NULL;
    /* The game of the result, for targets that support several. */
    if (target_takes(target, "game"))
        files.upload.game = NULL;
    if (body_files_source(call, &files, &source)) {
        if (keep_bytes(&files, &source, &bytes, &taken_from))
            reply_bundle_of(call, &source, target, &bytes);
        else
            reply_no_memory(call);
    }
    if (bytes.draft) { /* the answer does not have it: it is the request's again */
        *taken_from = bytes.draft;
        bytes.draft = NULL;
    }
    bundle_bytes_release(&bytes);
    body_files_release(&files);
    return API_DONE;
}

/* as=: one file, or a ZIP of one per clip. False if the response is already an error. */
static bool read_form(struct api_call *call, bool *is_bundle)
{
    static const char *const forms[] = {"file", "zip", NULL};
    struct param_error error;
    int form = 0;
    if (!params_choice(&call->params, "as", forms, &form, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    *is_bundle = form == 1;
    return true;
}

enum api_outcome handle_convert(struct api_call *call)
{
    bool is_bundle;
    if (!read_form(call, &is_bundle))
        return API_DONE;
    return is_bundle ? convert_all(call) : convert_one(call);
}
