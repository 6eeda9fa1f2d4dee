/* GET /v1/clips/{id}.{ext}: a clip as a file of another format, made on the pool, kept among the encoded replies. */
#include "api/clip_json.h"
#include "api/clips.h"
#include "api/conversion.h"
#include "api/handlers.h"
#include "server/clock.h"

#include <stdlib.h>
#include <string.h>

struct work {
    struct api_call *call;
    const struct conversion *conversion;
    struct conversion_parts parts;
};

/* ------------------------------------------------------------------------------------------------- clip JSON -- */

/* Clip JSON with other names: the members of /keys, of a clip that was baked. */
static enum api_outcome renamed_json(struct work *work)
{
    struct api_call *call = work->call;
    const struct catalog_item *item = work->parts.clip.item;
    struct convert_warnings warnings = {0};
    struct pose_error error;
    enum api_outcome outcome;
    struct decoded *decoded = reply_document(call, item, &outcome);
    if (!decoded)
        return outcome;
    const struct convert_options *options = &work->conversion->options;
    struct pose_conversion conversion = {.clip = &decoded->document->clips[item->asset->inner],
                                         .from = decoded->document->format,
                                         .to = "json",
                                         .renames = options->renames,
                                         .rename_count = options->rename_count};
    struct pose_document *baked =
        pose_bake(&conversion, &call->service->index_options.pose, convert_warn, &warnings, &error);
    if (baked) {
        struct index_asset asset = *item->asset;
        struct pose_buffer *text = calloc(1, sizeof *text);
        struct json_writer json;
        bool gltf = options->setting_count && !strcmp(options->settings[0].as.string, "gltf");
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
    const struct catalog_item *item = work->parts.clip.item;
    struct asset_id digest = conversion_digest(digest_begin(call, &item->asset->id), work->conversion);
    if (work->conversion->options.rename_count) {
        if (reply_cached(call, digest, freshness, true))
            return API_DONE;
        return call->request->may_wait ? renamed_json(work) : API_WAIT;
    }
    enum api_outcome outcome =
        clip_keys_reply(call, (struct catalog_item *)(uintptr_t)work->parts.clip.item, freshness);
    if (outcome == API_DONE && call->response->status == 200)
        reply_attachment(call, item->asset->name, "json");
    return outcome;
}

/* ------------------------------------------------------------------------------------------------ conversions -- */

static bool gather(struct ingredients *ingredients, const struct conversion_parts *parts,
                   struct pose_error *error)
{
    if (!ingredients_add_clip(ingredients, &parts->clip, error) ||
        !ingredients_set_skeleton(ingredients, &parts->skeleton, error))
        return false;
    for (unsigned i = 0; i < parts->mesh_count; i++) {
        if (!ingredients_add_mesh(ingredients, &parts->meshes[i], NULL, error))
            return false;
    }
    return true;
}

static struct cache_object *convert(void *user, struct pose_error *error)
{
    struct work *work = user;
    struct service *service = work->call->service;
    struct ingredients *ingredients = ingredients_new(service, work->call->catalog);
    struct convert_warnings warnings = {0};
    struct converted *converted = NULL;
    struct pose_buffer bytes = {0};
    double begin = clock_seconds();
    if (gather(ingredients, &work->parts, error)) {
        struct convert_content content = {.target = work->conversion->target,
                                          .options = &work->conversion->options,
                                          .name = work->parts.clip.item->asset->name};
        ingredients_list(ingredients, &content);
        conversion_warn_of_skeleton(work->conversion, &work->parts.skeleton, &warnings);
        if (convert_run(&content, &service->index_options.pose, &warnings, &bytes, error) &&
            !(converted = converted_new(&bytes, &warnings))) {
            pose_error_init(error);
            error->status = POSE_NO_MEMORY;
        }
    }
    double decode_seconds = ingredients_decode_seconds(ingredients);
    work->call->fetch.decode_seconds += decode_seconds;
    work->call->write_seconds = clock_seconds() - begin - decode_seconds;
    pose_buffer_free(&bytes);
    convert_warnings_release(&warnings);
    ingredients_free(ingredients);
    return converted ? &converted->object : NULL;
}

/* What the answer depends on beyond the clip: the skeleton, the meshes, and which pictures lie beside those. */
static struct asset_id parts_digest(const struct conversion_parts *parts)
{
    struct asset_id digest = {{0}};
    if (parts->skeleton.choice.asset)
        digest = id_quick(&digest, &parts->skeleton.choice.asset->id, sizeof digest);
    for (unsigned i = 0; i < parts->mesh_count; i++) {
        const struct catalog *catalog = parts->meshes[i].catalog;
        digest = id_quick(&digest, &parts->meshes[i].item->asset->id, sizeof digest);
        digest = id_quick(&digest, &catalog->digest, sizeof digest);
    }
    return digest;
}

static enum api_outcome reply_conversion(struct work *work)
{
    struct api_call *call = work->call;
    const struct asset_id *clip = &work->parts.clip.item->asset->id;
    struct cache_key key = {{'C'}};
    struct asset_id options = conversion_digest(parts_digest(&work->parts), work->conversion);
    memcpy(key.bytes + 1, clip, sizeof *clip);
    memcpy(key.bytes + 1 + sizeof *clip, &options, sizeof options);
    struct converted *converted =
        (struct converted *)cache_get(call->service->replies, &key, call->request->may_wait, clock_ms(),
                                      convert, work, &call->fetch.outcome, &call->fetch.error);
    call->fetch.missed = call->fetch.outcome == CACHE_MADE;
    call->response->cache = call->fetch.missed ? "miss" : "hit";
    if (converted)
        return reply_converted(call, work->conversion, converted, work->parts.clip.item->asset->name);
    return call->fetch.outcome == CACHE_WOULD_WAIT ? API_WAIT : conversion_failed(call, &call->fetch.error);
}

/* With the clip's id and the skeleton that was chosen. */
static void locate(const struct work *work, const char *extension)
{
    char id[ID_TEXT], path[80];
    const struct skeleton_choice *choice = &work->parts.skeleton.choice;
    id_write(&work->parts.clip.item->asset->id, id);
    snprintf(path, sizeof path, "/v1/clips/%s.%.20s", id, extension);
    reply_twin(work->call, path, choice->asset ? &choice->asset->id : NULL);
}

static enum api_outcome answer(struct work *work, const char *extension, bool by_name)
{
    struct api_call *call = work->call;
    const struct conversion *conversion = work->conversion;
    bool is_json = !strcmp(conversion->target->word, "json");
    bool automatic = work->parts.automatic && !is_json;
    enum freshness freshness =
        by_name || automatic || work->parts.mesh_count ? FRESH_REVALIDATE : FRESH_CONTENT;
    if (automatic || by_name)
        locate(work, extension);
    if (is_json)
        return reply_clip_json(work, freshness);
    struct asset_id parts = parts_digest(&work->parts);
    struct asset_id digest = digest_begin(call, &work->parts.clip.item->asset->id);
    digest = id_quick(&digest, &parts, sizeof parts);
    digest = id_quick(&digest, &conversion->strict, sizeof conversion->strict);
    digest = conversion_digest(digest, conversion);
    if (reply_cached(call, digest, freshness, conversion->target->is_text))
        return API_DONE;
    return reply_conversion(work);
}

enum api_outcome clip_convert_reply(struct api_call *call, struct catalog_item *item, const char *extension,
                                    bool by_name)
{
    const char *format = catalog_entry(call->catalog, item->place)->format;
    const struct convert_target *target = conversion_target(call, extension, format);
    struct conversion conversion;
    if (!target)
        return API_DONE;
    struct work work = {.call = call, .conversion = &conversion, .parts.clip = {call->catalog, item}};
    enum api_outcome outcome = API_DONE;
    if (conversion_read(call, target, &conversion) &&
        conversion_frames_fit(call, &conversion, (double)item->asset->duration) &&
        conversion_parts_read(call, NULL, &work.parts))
        outcome = answer(&work, extension, by_name);
    conversion_release(&conversion);
    return outcome;
}

enum api_outcome handle_clip_convert(struct api_call *call)
{
    struct catalog_item *item = clip_of_path(call);
    return item ? clip_convert_reply(call, item, call->values[1], false) : API_DONE;
}
