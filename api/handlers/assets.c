/* The common frame of answers about one asset, and the kinds that need little more: images, skeletons. */
#include "api/handlers/assets.h"

#include "api/handlers/handlers.h"
#include "api/choices/scope.h"
#include "api/views/asset_json.h"
#include "server/library/entry/describe.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------- the frame -- */

static const char *const kind_words[ASSET_KIND_COUNT] = {
    [ASSET_CLIP] = "clip",           [ASSET_SKELETON] = "skeleton", [ASSET_MESH] = "mesh",
    [ASSET_CHARACTER] = "character", [ASSET_IMAGE] = "image",
};

struct found_asset asset_find(struct api_call *call, enum asset_kind kind)
{
    struct asset_id id;
    const char *text = call->values[0];
    struct found_asset found = {0};
    struct skeleton_choice shipped = {0};
    bool is_id = id_parse(text, strlen(text), &id);
    if (is_id && kind == ASSET_SKELETON)
        shipped = catalog_find_skeleton(call->catalog, &id);
    found.item = is_id ? catalog_find(call->catalog, kind, &id) : NULL;
    if (!found.item && !shipped.asset) {
        reply_not_found(call, kind_words[kind], text);
        return found;
    }
    if (!scope_item(call, &found.item))
        return (struct found_asset){0};
    found.asset = found.item ? found.item->asset : shipped.asset;
    found.document = shipped.shipped;
    found.inner = found.item ? found.asset->inner : 0;
    return found;
}

bool asset_open(struct api_call *call, struct found_asset *found, enum api_outcome *outcome)
{
    if (!found->item)
        return true;
    found->decoded = reply_document(call, found->item, outcome);
    found->document = found->decoded ? found->decoded->document : NULL;
    return found->decoded;
}

void asset_close(struct found_asset *found)
{
    document_put(found->decoded);
    found->decoded = NULL;
}

static void put_end(struct json_writer *json, const struct pose_warning *warnings, uint32_t count,
                    const struct pose_document *document, const struct pose_value *extras)
{
    jsonw_array(json, "warnings");
    jsonw_warnings(json, document->warnings, document->warning_count);
    jsonw_warnings(json, warnings, count);
    jsonw_end(json);
    if (extras)
        jsonw_value(json, "extras", extras);
    else
        jsonw_raw(json, "extras", "{}");
}

/* Each kind has its own warnings and extras. */
static void put_own_end(struct json_writer *json, const struct found_asset *found, enum asset_kind kind)
{
    const struct pose_document *document = found->document;
    if (kind == ASSET_SKELETON) {
        const struct pose_skeleton *skeleton = &document->skeletons[found->inner];
        put_end(json, skeleton->warnings, skeleton->warning_count, document, skeleton->extras);
    } else if (kind == ASSET_MESH) {
        const struct pose_mesh *mesh = &document->meshes[found->inner];
        put_end(json, mesh->warnings, mesh->warning_count, document, mesh->extras);
    } else if (kind == ASSET_CHARACTER) {
        const struct pose_character *character = &document->characters[found->inner];
        put_end(json, character->warnings, character->warning_count, document, character->extras);
    } else {
        const struct pose_image *image = &document->images[found->inner];
        put_end(json, image->warnings, image->warning_count, document, image->extras);
    }
}

/* Writes the asset as one object; false with error. */
static bool put_asset(struct api_call *call, const struct asset_frame *frame, const struct found_asset *found,
                      const char *axes, struct pose_buffer *body, struct pose_error *error)
{
    struct json_writer json;
    jsonw_init(&json, body);
    jsonw_object(&json, NULL);
    asset_head(&json, call->catalog, found->asset, found->item, found->document->format);
    if (frame->has_axes)
        jsonw_string(&json, "axes", axes);
    if (frame->put && !frame->put(call, &json, found, !strcmp(axes, "native"), error))
        return false;
    put_own_end(&json, found, frame->kind);
    jsonw_end(&json);
    return true;
}

static enum api_outcome put_answer(struct api_call *call, const struct asset_frame *frame,
                                   struct found_asset *found)
{
    static const char *const axes[] = {"gltf", "native", NULL};
    struct param_error error;
    int axis = 0;
    if (frame->has_axes && !params_choice(&call->params, "axes", axes, &axis, &error))
        return reply_parameter(call, &error);
    struct asset_id digest = digest_begin(call, &found->asset->id);
    digest = id_quick(&digest, &axis, sizeof axis);
    digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    digest = digest_text(digest, params_get(&call->params, "with"));
    if (reply_cached(call, digest, FRESH_REVALIDATE, true))
        return API_DONE;
    enum api_outcome outcome = API_WAIT;
    if ((!frame->on_loop && !call->request->may_wait) || !asset_open(call, found, &outcome))
        return outcome;
    struct pose_buffer body = {0};
    struct pose_error broken;
    bool done = put_asset(call, frame, found, axes[axis], &body, &broken);
    asset_close(found);
    if (done)
        return reply_json(call, &body);
    pose_buffer_free(&body);
    return reply_error(call, &broken, NULL, NULL);
}

enum api_outcome reply_asset(struct api_call *call, const struct asset_frame *frame)
{
    struct found_asset found = asset_find(call, frame->kind);
    if (!found.asset)
        return API_DONE;
    enum api_outcome outcome = put_answer(call, frame, &found);
    if (frame->file_name && outcome == API_DONE && call->response->status == 200)
        reply_attachment(call, found.asset->name ? found.asset->name : frame->file_name, "json");
    return outcome;
}

/* ---------------------------------------------------------------------------------------------------- images -- */

enum api_outcome handle_images(struct api_call *call)
{
    return asset_list(call, ASSET_IMAGE);
}

enum api_outcome handle_image(struct api_call *call)
{
    return reply_asset(call, &(struct asset_frame){.kind = ASSET_IMAGE});
}

/* One that is still a file is decoded first, which its deadline and its client can end. */
static bool write_png(struct api_call *call, const struct pose_image *image, struct pose_buffer *body,
                      struct pose_error *error)
{
    const struct pose_source source = {.name = image->name, .bytes = image->bytes};
    if (image->pixels || !pose_detect(&source))
        return pose_image_png(image, body, error);
    const struct pose_options options = call_options(call);
    struct pose_document *document = pose_decode(&source, &options, error);
    bool done = document && document->image_count && pose_image_png(document->images, body, error);
    if (call->effort)
        effort_explain(call->effort, error);
    pose_document_free(document);
    return done;
}

enum api_outcome handle_image_png(struct api_call *call)
{
    struct found_asset found = asset_find(call, ASSET_IMAGE);
    if (!found.asset || reply_cached(call, digest_begin(call, &found.asset->id), FRESH_CONTENT, false))
        return API_DONE;
    enum api_outcome outcome = API_WAIT;
    if (!call->request->may_wait || !asset_open(call, &found, &outcome))
        return outcome;
    struct pose_buffer body = {0};
    struct pose_error error;
    bool done = write_png(call, &found.document->images[found.inner], &body, &error);
    asset_close(&found);
    if (done)
        return reply_body(call, "image/png", &body, false);
    pose_buffer_free(&body);
    return reply_error(call, &error, NULL, NULL);
}

/* ------------------------------------------------------------------------------------------------- skeletons -- */

enum api_outcome handle_skeletons(struct api_call *call)
{
    return asset_list(call, ASSET_SKELETON);
}

static bool put_skeleton(struct api_call *call, struct json_writer *json, const struct found_asset *found,
                         bool is_native, struct pose_error *error)
{
    const struct pose_skeleton *skeleton = &found->document->skeletons[found->inner];
    (void)call;
    (void)error;
    describe_skeleton(json, skeleton, is_native ? skeleton->axes : POSE_AXES_GLTF);
    return true;
}

enum api_outcome handle_skeleton(struct api_call *call)
{
    static const struct asset_frame frame = {
        .kind = ASSET_SKELETON, .has_axes = true, .on_loop = true, .put = put_skeleton};
    return reply_asset(call, &frame);
}

enum api_outcome handle_skeleton_file(struct api_call *call)
{
    static const struct asset_frame frame = {.kind = ASSET_SKELETON,
                                             .has_axes = true,
                                             .on_loop = true,
                                             .file_name = "skeleton",
                                             .put = put_skeleton};
    return reply_asset(call, &frame);
}
