/* GET /v1/clips/{id}.{ext}: a clip as a file of another format, made on the pool and cached among the encoded replies;
 * GET /v1/archives/{id}.zip?to=: every clip of an archive. */
#include "api/protocol/scope.h"
#include "api/views/clip_json.h"
#include "api/handlers/clips.h"
#include "api/conversion/bundle.h"
#include "api/conversion/converted.h"
#include "api/handlers/handlers.h"

#include <stdlib.h>
#include <string.h>

struct work {
    struct api_call *call;
    const struct conversion *conversion;
    struct ingredient clip;
    struct conversion_parts parts; /* includes the clip */
};

/* ------------------------------------------------------------------------------------------------- clip JSON -- */

/* Clip JSON with renamed joints: the members of /keys for a baked clip. */
static enum api_outcome renamed_json(struct work *work)
{
    struct api_call *call = work->call;
    const struct catalog_item *item = work->clip.item;
    struct convert_warnings warnings = {0};
    struct pose_error error;
    enum api_outcome outcome;
    struct decoded *decoded = reply_document(call, item, &outcome);
    if (!decoded)
        return outcome;
    const struct conversion *options = work->conversion;
    const struct pose_conversion_clip clip = {.clip = &decoded->document->clips[item->asset->inner],
                                              .from = decoded->document->format};
    const struct pose_document *document = decoded->document;
    struct pose_conversion conversion = {.to = options->target->word,
                                         .clip_count = 1,
                                         .clips = &clip,
                                         .skeleton = document->skeleton_count ? document->skeletons : NULL,
                                         .renames = options->renames,
                                         .rename_count = options->rename_count};
    struct pose_document *baked =
        pose_bake(&conversion, &call->service->index_options.pose, convert_warn, &warnings, &error);
    if (baked) {
        struct index_asset asset = *item->asset;
        struct pose_buffer *text = calloc(1, sizeof *text);
        struct json_writer json;
        bool gltf = options->setting_count && !strcmp(options->settings[1].as.string, "gltf");
        asset.inner = 0;
        jsonw_init(&json, text);
        clip_keys(&json, &asset, catalog_entry(call->catalog, item->place), baked, gltf);
        struct converted *converted = converted_new(text, &warnings);
        free(text);
        outcome = converted ? reply_converted(call, work->conversion, converted, item->asset->name)
                            : reply_problem(call, 503, "no_memory", "out of memory");
    } else {
        outcome = reply_error(call, &error, NULL, NULL);
    }
    pose_document_free(baked);
    convert_warnings_release(&warnings);
    document_put(decoded);
    return outcome;
}

static enum api_outcome reply_clip_json(struct work *work, enum freshness freshness)
{
    struct api_call *call = work->call;
    const struct catalog_item *item = work->clip.item;
    struct asset_id digest = conversion_digest(digest_begin(call, &item->asset->id), work->conversion);
    if (work->conversion->rename_count) {
        if (reply_cached(call, digest, freshness, true))
            return API_DONE;
        return call->request->may_wait ? renamed_json(work) : API_WAIT;
    }
    enum api_outcome outcome = clip_keys_reply(call, freshness);
    if (outcome == API_DONE && call->response->status == 200)
        reply_attachment(call, item->asset->name, "json");
    return outcome;
}

/* ------------------------------------------------------------------------------------------------ conversions -- */

static enum api_outcome reply_clip(struct work *work)
{
    struct api_call *call = work->call;
    const struct asset_id *clip = &work->clip.item->asset->id;
    struct cache_key key = {{'C'}};
    struct asset_id options = conversion_digest(
        conversion_parts_digest(call->catalog, work->conversion, &work->parts), work->conversion);
    memcpy(key.bytes + 1, clip, sizeof *clip);
    memcpy(key.bytes + 1 + sizeof *clip, &options, sizeof options);
    struct conversion_order order = {.service = call->service,
                                     .options = call_options(call),
                                     .common = call->catalog,
                                     .conversion = work->conversion,
                                     .parts = &work->parts,
                                     .name = work->clip.item->asset->name};
    return reply_kept_conversion(call, &key, &order);
}

/* The URL with the clip's id and the chosen skeleton. */
static void locate(const struct work *work, const char *extension)
{
    char id[ID_TEXT], path[80];
    const struct skeleton_choice *choice = &work->parts.skeleton.choice;
    id_write(&work->clip.item->asset->id, id);
    snprintf(path, sizeof path, "/v1/clips/%s.%.20s", id, extension);
    retargeting_twin(work->call, path, choice, &work->conversion->retargeting);
}

/* Whether the body depends on what archives contain. */
static bool has_archives(const struct work *work)
{
    struct body_choice body = work->parts.body;
    body.kind = conversion_body(work->conversion, &work->parts);
    return work->parts.skeleton.choice.asset && body_depends(&body);
}

/* Whether the body never changes. May decode if there is a scope. */
static bool is_body_fixed(const struct work *work)
{
    const struct body_stage stage =
        conversion_stage(work->call->service, work->call->catalog, work->conversion, &work->parts);
    struct body_choice body = work->parts.body;
    body.kind = conversion_body(work->conversion, &work->parts);
    for (unsigned i = 0; i < work->parts.mesh_count; i++) {
        if (!scope_has(work->call, work->parts.meshes[i].item))
            return false;
    }
    return work->parts.mesh_count || !has_archives(work) || body_is_inside(work->call, &body, &stage);
}

static enum api_outcome answer(struct work *work, const char *extension)
{
    struct api_call *call = work->call;
    const struct conversion *conversion = work->conversion;
    bool is_carried = conversion->retargeting.on;
    bool is_json = !strcmp(conversion->target->word, "json") && !is_carried;
    bool automatic =
        (work->parts.automatic && !is_json && !scope_holds(call, &work->parts.skeleton.choice)) ||
        conversion->retargeting.automatic;
    if (has_archives(work) && call->scope && !call->request->may_wait)
        return API_WAIT;
    enum freshness freshness =
        call->by_name || automatic || !is_body_fixed(work) ? FRESH_REVALIDATE : FRESH_CONTENT;
    if (automatic || call->by_name)
        locate(work, extension);
    if (is_json)
        return reply_clip_json(work, freshness);
    struct asset_id parts = conversion_parts_digest(call->catalog, conversion, &work->parts);
    struct asset_id digest = digest_begin(call, &work->clip.item->asset->id);
    digest = id_quick(&digest, &parts, sizeof parts);
    digest = id_quick(&digest, &conversion->strict, sizeof conversion->strict);
    digest = conversion_digest(digest, conversion);
    if (reply_cached(call, digest, freshness, conversion->target->is_text))
        return API_DONE;
    return reply_clip(work);
}

enum api_outcome handle_clip_convert(struct api_call *call)
{
    struct catalog_item *item = call->clip;
    const char *extension = call->values[1];
    const char *format = catalog_entry(call->catalog, item->place)->format;
    struct conversion conversion;
    const struct conversion_place place = conversion_place(call, NULL);
    struct param_error error;
    unsigned count;
    if (!convert_target_of(extension, format, &count) && !count)
        return reply_no_conversion(call, pose_targets());
    const struct pose_target *target = conversion_target(&call->params, extension, format, &error);
    if (!target)
        return reply_parameter(call, &error);
    struct work work = {.call = call, .conversion = &conversion, .clip = {call->catalog, item}};
    work.parts.clip_count = 1;
    work.parts.clips = &work.clip;
    enum api_outcome outcome;
    if (!conversion_read(&call->params, target, false, &conversion, &error) ||
        !conversion_complete(&place, &conversion, &work.parts, &error))
        outcome = reply_parameter(call, &error);
    else if (conversion.up && !strcmp(target->word, "json"))
        outcome = reply_bad_parameter(call, "up", "json has the keys as they are stored");
    else
        outcome = answer(&work, extension);
    conversion_release(&conversion);
    return outcome;
}

/* ---------------------------------------------------------------------------------------------- whole archives -- */

enum api_outcome handle_archive_zip(struct api_call *call)
{
    struct asset_id id;
    struct param_error error;
    uint32_t index;
    const char *text = call->values[0];
    const struct index_archive *archive =
        id_parse(text, strlen(text), &id) ? catalog_find_archive(call->catalog, &id, &index) : NULL;
    if (!archive)
        return reply_not_found(call, "archive", text);
    const struct pose_target *target = bundle_target(&call->params, &error);
    if (!target)
        return reply_parameter(call, &error);
    struct asset_id digest = digest_begin(call, &archive->id);
    digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    digest = digest_text(digest, call->request->query);
    if (reply_cached(call, digest, FRESH_REVALIDATE, false))
        return API_DONE;
    const struct bundle_order order = {
        .source = call->catalog, .archive = archive, .index = index, .target = target};
    return reply_bundle(call, &order);
}
