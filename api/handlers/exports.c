/* Assets as files of other formats, made on the pool and cached among the encoded replies: GET /v1/clips/{id}.{ext};
 * skeletons, meshes and characters as GLB; and GET /v1/archives/{id}.zip?to=, every clip of an archive. */
#include "api/choices/scope.h"
#include "api/conversion/bundle.h"
#include "api/conversion/converted.h"
#include "api/handlers/assets.h"
#include "api/handlers/clips.h"
#include "api/handlers/handlers.h"
#include "api/views/asset_json.h"
#include "api/views/clip_json.h"

#include <stdlib.h>
#include <string.h>

struct exported {
    struct api_call *call;
    const char *name;
    struct conversion conversion;
    struct ingredient clip;         /* for one clip: among the parts */
    conversion_gather *gather;      /* if it is more, or less, than its parts; else NULL */
    struct catalog_item *character; /* NULL: it is none */
    struct worn_parts worn;         /* by the character, beside its own meshes */
};

static enum api_outcome reply_file(struct exported *exported, const struct cache_key *key)
{
    const struct conversion_place place = conversion_place(exported->call, NULL);
    const struct conversion_order order = {.place = &place,
                                           .conversion = &exported->conversion,
                                           .gather = exported->gather,
                                           .user = exported,
                                           .file.name = exported->name};
    return reply_kept_conversion(exported->call, key, &order);
}

/* ------------------------------------------------------------------------------------------------- clip JSON -- */

/* Takes over text. */
static enum api_outcome reply_renamed(struct exported *exported, struct pose_buffer *text,
                                      const struct warnings *warnings)
{
    struct converted *converted = converted_new(text, warnings);
    pose_buffer_free(text);
    return converted ? reply_converted(exported->call, &exported->conversion, converted, exported->name)
                     : reply_problem(exported->call, 503, "no_memory", "out of memory");
}

static bool is_in_metres(const struct conversion *conversion)
{
    const struct pose_value *axes =
        conversion->setting_count ? pose_value_find(conversion->settings, "axes") : NULL;
    return axes && !strcmp(axes->as.string, "gltf");
}

/* Clip JSON with renamed joints or in metres: the members of /keys for a baked clip. */
static enum api_outcome baked_json(struct exported *exported)
{
    struct api_call *call = exported->call;
    const struct catalog_item *item = exported->clip.item;
    const struct conversion *options = &exported->conversion;
    struct warnings warnings = {0};
    struct pose_error error;
    enum api_outcome outcome;
    struct decoded *decoded = reply_document(call, item, &outcome);
    if (!decoded)
        return outcome;
    const struct pose_document *document = decoded->document;
    const struct pose_conversion_clip clip = {.clip = &document->clips[item->asset->inner],
                                              .from = document->format};
    struct pose_conversion conversion = {.to = options->target->word,
                                         .clip_count = 1,
                                         .clips = &clip,
                                         .skeleton = document->skeleton_count ? document->skeletons : NULL,
                                         .renames = options->renames,
                                         .rename_count = options->rename_count,
                                         .settings = options->setting_count ? options->settings : NULL};
    /* Without a skeleton of its own nothing can be above the bones. */
    const bool may_differ = options->rename_count || document->skeleton_count;
    struct pose_document *baked = may_differ ? pose_bake(&conversion, &call->service->index_options.pose,
                                                         warnings_take, &warnings, &error)
                                             : NULL;
    if (baked || !may_differ) {
        const bool is_same =
            !may_differ ||
            (!options->rename_count && (!baked->skeleton_count || baked->skeletons == document->skeletons));
        struct index_asset asset = *item->asset;
        struct pose_buffer text = {0};
        struct json_writer json;
        asset.inner = is_same ? asset.inner : 0;
        jsonw_init(&json, &text);
        clip_keys(&json, &asset, catalog_entry(call->catalog, item->place), is_same ? document : baked,
                  is_in_metres(options));
        outcome = reply_renamed(exported, &text, &warnings);
    } else {
        outcome = reply_error(call, &error, NULL, NULL);
    }
    pose_document_free(baked);
    warnings_release(&warnings);
    document_put(decoded);
    return outcome;
}

static enum api_outcome reply_clip_json(struct exported *exported, enum freshness freshness)
{
    struct api_call *call = exported->call;
    const struct catalog_item *item = exported->clip.item;
    struct asset_id digest = conversion_digest(digest_begin(call, &item->asset->id), &exported->conversion);
    if (exported->conversion.rename_count || is_in_metres(&exported->conversion)) {
        if (reply_cached(call, digest, freshness, true))
            return API_DONE;
        return call->request->may_wait ? baked_json(exported) : API_WAIT;
    }
    enum api_outcome outcome = clip_keys_reply(call, freshness);
    if (outcome == API_DONE && call->response->status == 200)
        reply_attachment(call, item->asset->name, "json");
    return outcome;
}

/* ----------------------------------------------------------------------------------------------------- clips -- */

/* The URL with the clip's id and the chosen skeleton. */
static void locate(const struct exported *exported, const char *extension)
{
    char id[ID_TEXT], path[80];
    id_write(&exported->clip.item->asset->id, id);
    snprintf(path, sizeof path, "/v1/clips/%s.%.20s", id, extension);
    retargeting_twin(exported->call, path, &exported->conversion.parts.skeleton.choice,
                     &exported->conversion.retargeting);
}

static struct body_choice body_of(const struct exported *exported)
{
    struct body_choice body = exported->conversion.parts.body;
    body.kind = conversion_body(&exported->conversion);
    return body;
}

/* Whether the body depends on what archives contain. */
static bool has_archives(const struct exported *exported)
{
    const struct body_choice body = body_of(exported);
    return exported->conversion.parts.skeleton.choice.asset && body_depends(&body);
}

/* Whether the body never changes. May decode if there is a scope. */
static bool is_body_fixed(const struct exported *exported)
{
    const struct api_call *call = exported->call;
    const struct conversion_parts *parts = &exported->conversion.parts;
    const struct body_stage stage = conversion_stage(call->service, call->catalog, &exported->conversion);
    const struct body_choice body = body_of(exported);
    for (unsigned i = 0; i < parts->mesh_count; i++) {
        if (!scope_has(call, parts->meshes[i].item))
            return false;
    }
    return parts->mesh_count || !has_archives(exported) || body_is_inside(call, &body, &stage);
}

/* The key of the file has no strict=, which only refuses it. */
static enum api_outcome reply_clip_file(struct exported *exported, enum freshness freshness)
{
    struct api_call *call = exported->call;
    const struct conversion *conversion = &exported->conversion;
    const struct asset_id *clip = &exported->clip.item->asset->id;
    const struct asset_id parts = conversion_parts_digest(call->catalog, conversion);
    struct asset_id digest = digest_begin(call, clip), options = conversion_digest(parts, conversion);
    struct cache_key key = {{'C'}};
    digest = id_quick(&digest, &parts, sizeof parts);
    digest = id_quick(&digest, &conversion->strict, sizeof conversion->strict);
    digest = conversion_digest(digest, conversion);
    if (reply_cached(call, digest, freshness, conversion->target->is_text))
        return API_DONE;
    memcpy(key.bytes + 1, clip, sizeof *clip);
    memcpy(key.bytes + 1 + sizeof *clip, &options, sizeof options);
    return reply_file(exported, &key);
}

static enum api_outcome reply_clip(struct exported *exported, const char *extension)
{
    struct api_call *call = exported->call;
    const struct conversion *conversion = &exported->conversion;
    bool is_json = !strcmp(conversion->target->word, "json") && !conversion->retargeting.on;
    bool automatic =
        (conversion->parts.automatic && !is_json && !scope_holds(call, &conversion->parts.skeleton.choice)) ||
        conversion->retargeting.automatic;
    if (has_archives(exported) && call->scope && !call->request->may_wait)
        return API_WAIT;
    enum freshness freshness =
        call->by_name || automatic || !is_body_fixed(exported) ? FRESH_REVALIDATE : FRESH_CONTENT;
    if (automatic || call->by_name)
        locate(exported, extension);
    return is_json ? reply_clip_json(exported, freshness) : reply_clip_file(exported, freshness);
}

enum api_outcome handle_clip_convert(struct api_call *call)
{
    struct catalog_item *item = call->clip;
    const char *extension = call->values[1];
    const char *format = catalog_entry(call->catalog, item->place)->format;
    const struct conversion_place place = conversion_place(call, NULL);
    struct param_error error;
    unsigned count;
    if (!target_of_extension(extension, format, &count) && !count)
        return reply_no_conversion(call, pose_targets());
    const struct pose_target *target = target_of_path(&call->params, extension, format, &error);
    if (!target)
        return reply_parameter(call, &error);
    struct exported exported = {.call = call, .name = item->asset->name, .clip = {call->catalog, item}};
    struct conversion *conversion = &exported.conversion;
    enum api_outcome outcome;
    bool read = conversion_read(&call->params, target, false, conversion, &error);
    conversion->parts.clip_count = 1;
    conversion->parts.clips = &exported.clip;
    if (!read || !conversion_complete(&place, conversion, &error))
        outcome = reply_parameter(call, &error);
    else if (conversion->up && !strcmp(target->word, "json"))
        outcome = reply_bad_parameter(call, "up", "json has the keys as they are stored");
    else
        outcome = reply_clip(&exported, extension);
    conversion_release(conversion);
    return outcome;
}

/* ---------------------------------------------------------------------------------------------------- models -- */

/* digest: of everything the model depends on. */
static enum api_outcome reply_model(struct exported *exported, struct asset_id digest,
                                    enum freshness freshness)
{
    const struct conversion *conversion = &exported->conversion;
    struct cache_key key = {{'M'}};
    digest = conversion_digest(digest, conversion);
    struct asset_id tagged = id_quick(&digest, &conversion->strict, sizeof conversion->strict);
    if (reply_cached(exported->call, tagged, freshness, false))
        return API_DONE;
    memcpy(key.bytes + 1, &digest, sizeof digest);
    return reply_file(exported, &key);
}

/* On its own the skeleton is not a stand-in for another. */
static bool gather_skeleton(void *user, struct ingredients *ingredients, struct warnings *warnings,
                            struct pose_error *error)
{
    const struct exported *exported = user;
    (void)warnings;
    return ingredients_set_skeleton(ingredients, &exported->conversion.parts.skeleton, error);
}

enum api_outcome handle_skeleton_model(struct api_call *call)
{
    struct found_asset found = asset_find(call, ASSET_SKELETON);
    if (!found.asset)
        return API_DONE;
    struct exported exported = {
        .call = call, .name = found.asset->name ? found.asset->name : "skeleton", .gather = gather_skeleton};
    struct conversion *conversion = &exported.conversion;
    struct param_error error;
    bool read = conversion_read(&call->params, pose_target_find("glb"), false, conversion, &error);
    conversion->parts.skeleton = (struct ingredient_skeleton){
        call->catalog, {.asset = found.asset, .item = found.item, .shipped = found.document}};
    enum api_outcome outcome =
        read ? reply_model(&exported, digest_begin(call, &found.asset->id), FRESH_CONTENT)
             : reply_parameter(call, &error);
    conversion_release(conversion);
    return outcome;
}

/* glTF, or the format of a game with that extension. */
static const struct pose_target *mesh_target(const char *extension)
{
    return !strcmp(extension, "glb") ? pose_target_find("glb") : mesh_target_of_extension(extension);
}

/* The texture is the one beside the mesh. */
static enum api_outcome reply_mesh(struct exported *exported, const struct asset_id *mesh)
{
    const struct api_call *call = exported->call;
    const struct skeleton_choice *skeleton = &exported->conversion.parts.skeleton.choice;
    struct asset_id digest = digest_begin(call, mesh);
    bool is_fixed = scope_holds(call, skeleton);
    if (!is_fixed)
        digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    if (skeleton->asset)
        digest = id_quick(&digest, &skeleton->asset->id, sizeof digest);
    return reply_model(exported, digest, is_fixed ? FRESH_CONTENT : FRESH_REVALIDATE);
}

enum api_outcome handle_mesh_model(struct api_call *call)
{
    struct catalog_item *item = asset_find(call, ASSET_MESH).item;
    if (!item)
        return API_DONE;
    const struct pose_target *target = mesh_target(call->values[1]);
    if (!target)
        return reply_no_conversion(call, pose_mesh_targets());
    struct exported exported = {.call = call, .name = item->asset->name};
    struct conversion *conversion = &exported.conversion;
    const struct conversion_place place = conversion_place(call, NULL);
    struct param_error error;
    bool read = conversion_read(&call->params, target, false, conversion, &error);
    conversion->parts.mesh_count = 1;
    conversion->parts.meshes[0] = (struct ingredient){call->catalog, item};
    enum api_outcome outcome = read && conversion_parts_read(&place, &conversion->parts, &error)
                                   ? reply_mesh(&exported, &item->asset->id)
                                   : reply_parameter(call, &error);
    conversion_release(conversion);
    return outcome;
}

/* --------------------------------------------------------------------------------------------- characters -- */

static struct ingredient_skeleton choose_skeleton(const struct exported *exported,
                                                  const struct relations *relations)
{
    const struct catalog *catalog = exported->call->catalog;
    if (!exported->conversion.parts.automatic)
        return exported->conversion.parts.skeleton;
    struct skeleton_choice choice = relations_skeleton(catalog, exported->character, relations);
    if (!choice.asset && exported->conversion.parts.clip_count && !relations->has_clips)
        choice = catalog_skeleton(catalog,
                                  (struct catalog_item *)(uintptr_t)exported->conversion.parts.clips[0].item);
    return (struct ingredient_skeleton){catalog, choice};
}

static bool gather_parts(struct exported *exported, struct relations *relations,
                         struct ingredients *ingredients, struct warnings *warnings, struct pose_error *error)
{
    struct api_call *call = exported->call;
    struct ingredient_skeleton skeleton = choose_skeleton(exported, relations);
    if (!parts_wear(call->catalog, exported->character, relations, &exported->worn, error))
        return false;
    if (!conversion_add_skeleton(&skeleton, &exported->conversion, ingredients, warnings, error))
        return false;
    return !skeleton.choice.asset ||
           body_add_character(ingredients, call->catalog, relations, warnings, error);
}

static bool gather_character(void *user, struct ingredients *ingredients, struct warnings *warnings,
                             struct pose_error *error)
{
    struct exported *exported = user;
    struct relations relations;
    bool done = relations_load(exported->call->service, exported->call->catalog, exported->character,
                               &relations, error) &&
                gather_parts(exported, &relations, ingredients, warnings, error);
    for (uint32_t i = 0; i < exported->conversion.parts.clip_count && done; i++)
        done = ingredients_add_clip(ingredients, &exported->conversion.parts.clips[i], error);
    relations_release(&relations);
    return done;
}

/* Whether everything that the model consists of is inside the scope. To be called on the pool. */
static bool is_whole_in_scope(const struct exported *exported)
{
    const struct api_call *call = exported->call;
    struct relations relations;
    struct pose_error error;
    bool is_whole = relations_load(call->service, call->catalog, exported->character, &relations, &error);
    const struct ingredient_skeleton skeleton = choose_skeleton(exported, &relations);
    is_whole = is_whole && !relations.needs_others &&
               (!exported->conversion.parts.automatic || scope_holds(call, &skeleton.choice));
    for (unsigned i = 0; i < exported->worn.count; i++)
        is_whole = is_whole && scope_has(call, exported->worn.meshes[i]);
    relations_release(&relations);
    return is_whole;
}

/* clips=, from malloc; false with error. */
static bool read_clips(const struct api_call *call, struct ingredient **clips, uint32_t *count,
                       struct param_error *error)
{
    const char *text = params_get(&call->params, "clips");
    struct asset_id id;
    if (!text)
        return true;
    *clips = try_alloc(strlen(text) / ID_TEXT + 1, sizeof **clips);
    if (!*clips)
        return param_no_memory(error, "clips");
    for (const char *at = text; at;) {
        size_t length = strcspn(at, ",");
        struct catalog_item *item =
            id_parse(at, length, &id) ? catalog_find(call->catalog, ASSET_CLIP, &id) : NULL;
        if (!item)
            return param_fail(error, "clips", "no clip \"%.*s\"%s", (int)(length < 60 ? length : 60), at,
                              id_hint(at, length));
        (*clips)[(*count)++] = (struct ingredient){call->catalog, scope_other(call, item)};
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

static struct asset_id character_digest(const struct exported *exported, bool is_fixed)
{
    const struct api_call *call = exported->call;
    struct asset_id digest = digest_begin(call, &exported->character->asset->id);
    if (!is_fixed)
        digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    digest = digest_text(digest, params_get(&call->params, "skeleton"));
    for (uint32_t i = 0; i < exported->conversion.parts.clip_count; i++)
        digest = id_quick(&digest, &exported->conversion.parts.clips[i].item->asset->id, sizeof digest);
    digest = id_quick(&digest, &exported->worn.count, sizeof exported->worn.count);
    for (unsigned i = 0; i < exported->worn.count; i++)
        digest = id_quick(&digest, &exported->worn.meshes[i]->asset->id, sizeof digest);
    return digest;
}

static enum api_outcome reply_character(struct exported *exported)
{
    const struct api_call *call = exported->call;
    if (call->scope && !call->request->may_wait)
        return API_WAIT;
    bool is_fixed = call->scope && is_whole_in_scope(exported);
    return reply_model(exported, character_digest(exported, is_fixed),
                       is_fixed ? FRESH_CONTENT : FRESH_REVALIDATE);
}

enum api_outcome handle_character_model(struct api_call *call)
{
    struct catalog_item *item = asset_find(call, ASSET_CHARACTER).item;
    if (!item)
        return API_DONE;
    struct exported exported = {
        .call = call, .name = item->asset->name, .character = item, .gather = gather_character};
    struct conversion *conversion = &exported.conversion;
    struct ingredient *clips = NULL;
    uint32_t clip_count = 0;
    const struct conversion_place place = conversion_place(call, NULL);
    struct param_error error;
    bool read = conversion_read(&call->params, pose_target_find("glb"), false, conversion, &error) &&
                read_clips(call, &clips, &clip_count, &error) &&
                body_read_worn(&call->params, call->catalog, item, &exported.worn, &error) &&
                conversion_skeleton_read(&place, &conversion->parts, &error);
    /* Set only now: skeleton=auto means the character's, whichever clips are requested. */
    conversion->parts.clips = clips;
    conversion->parts.clip_count = clip_count;
    enum api_outcome outcome = read && conversion_frames_fit(&place, conversion, &error)
                                   ? reply_character(&exported)
                                   : reply_parameter(call, &error);
    free(clips);
    conversion_release(conversion);
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
    const struct pose_target *target = clip_target_of_to(&call->params, &error);
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
