/* What was found, as JSON. */
#include "lib/core/error.h"
#include "lib/wasm/bundle.h"

#include <stdlib.h>
#include <string.h>

static const char *const list_keys[BUNDLE_KINDS] = {"clips", "skeletons", "meshes", "characters", "images"};

/* Where the next asset of that kind is; false if out of memory. */
static bool remember(struct bundle_list *list, const struct bundle_asset *place, uint32_t index)
{
    if (list->count == list->capacity) {
        uint32_t capacity = list->capacity ? 2 * list->capacity : 16;
        struct bundle_asset *assets = realloc(list->assets, capacity * sizeof *assets);
        if (!assets)
            return false;
        list->assets = assets;
        list->capacity = capacity;
    }
    list->assets[list->count] = *place;
    list->assets[list->count++].index = index;
    return true;
}

/* The base name without its extension. */
static void put_stem(struct json_writer *json, const char *name)
{
    char stem[256];
    const char *slash = strrchr(name, '/'), *base = slash ? slash + 1 : name, *dot = strrchr(base, '.');
    size_t length = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    length = length < sizeof stem ? length : sizeof stem - 1;
    memcpy(stem, base, length);
    stem[length] = 0;
    jsonw_string(json, "name", stem);
}

/* Opens the object of an asset. NULL if there is no room for it. */
static struct json_writer *begin(struct bundle *bundle, enum bundle_kind kind,
                                 const struct bundle_asset *place, uint32_t index, const char *name,
                                 const char *format)
{
    struct bundle_list *list = &bundle->lists[kind];
    if (!remember(list, place, index))
        return NULL;
    struct json_writer *json = &list->json;
    jsonw_object(json, NULL);
    if (name && *name)
        jsonw_string(json, "name", name);
    else
        put_stem(json, bundle_name(bundle, place));
    jsonw_string(json, "format", format);
    jsonw_string(json, "entry", bundle_name(bundle, place));
    return json;
}

static void put_clip(struct bundle *bundle, const struct pose_document *document,
                     const struct bundle_asset *place, uint32_t index)
{
    const struct pose_clip *clip = &document->clips[index];
    const struct pose_clip_json what = {
        .clip = clip, .document = document, .gltf = true, .parts = POSE_JSON_TIMING | POSE_JSON_NOTES};
    struct json_writer *json = begin(bundle, BUNDLE_CLIP, place, index, clip->name, document->format);
    struct pose_buffer members = {0};
    if (!json)
        return;
    if (pose_json_clip(&members, &what) && pose_buffer_append(&members, "", 1))
        jsonw_raw_members(json, (const char *)members.data);
    pose_buffer_free(&members);
    jsonw_integer(json, "joint_count", clip->track_count);
    jsonw_integer(json, "event_count", clip->event_count);
    jsonw_end(json);
}

static void put_skeleton(struct bundle *bundle, const struct pose_document *document,
                         const struct bundle_asset *place, uint32_t index)
{
    const struct pose_skeleton *skeleton = &document->skeletons[index];
    struct json_writer *json = begin(bundle, BUNDLE_SKELETON, place, index, skeleton->name, document->format);
    if (!json)
        return;
    jsonw_integer(json, "joint_count", skeleton->joint_count);
    jsonw_end(json);
}

static void put_mesh(struct bundle *bundle, const struct pose_document *document,
                     const struct bundle_asset *place, uint32_t index)
{
    const struct pose_mesh *mesh = &document->meshes[index];
    struct json_writer *json = begin(bundle, BUNDLE_MESH, place, index, mesh->name, document->format);
    if (!json)
        return;
    jsonw_integer(json, "vertex_count", mesh->real_count);
    jsonw_integer(json, "face_count", mesh->face_count);
    jsonw_end(json);
}

static void put_character(struct bundle *bundle, const struct pose_document *document,
                          const struct bundle_asset *place, uint32_t index)
{
    const struct pose_character *character = &document->characters[index];
    struct json_writer *json =
        begin(bundle, BUNDLE_CHARACTER, place, index, character->name, document->format);
    if (!json)
        return;
    jsonw_string(json, "type", character->type);
    jsonw_end(json);
}

static void put_image(struct bundle *bundle, const struct pose_document *document,
                      const struct bundle_asset *place, uint32_t index)
{
    const struct pose_image *image = &document->images[index];
    struct json_writer *json = begin(bundle, BUNDLE_IMAGE, place, index, image->name, document->format);
    if (!json)
        return;
    jsonw_integer(json, "width", image->width);
    jsonw_integer(json, "height", image->height);
    jsonw_end(json);
}

void describe_document(struct bundle *bundle, const struct pose_document *document,
                       const struct bundle_asset *place)
{
    for (uint32_t i = 0; i < document->clip_count; i++)
        put_clip(bundle, document, place, i);
    for (uint32_t i = 0; i < document->skeleton_count; i++)
        put_skeleton(bundle, document, place, i);
    for (uint32_t i = 0; i < document->mesh_count; i++)
        put_mesh(bundle, document, place, i);
    for (uint32_t i = 0; i < document->character_count; i++)
        put_character(bundle, document, place, i);
    for (uint32_t i = 0; i < document->image_count; i++)
        put_image(bundle, document, place, i);
    if (place->entry < 0)
        jsonw_warnings(&bundle->warnings, document->warnings, document->warning_count);
}

void describe_rejected(struct bundle *bundle, const char *name, const struct pose_error *error)
{
    struct json_writer *json = &bundle->rejected;
    jsonw_object(json, NULL);
    jsonw_string(json, "entry", name ? name : "");
    jsonw_object(json, "error");
    jsonw_error_members(json, error);
    jsonw_end(json);
    jsonw_end(json);
}

/* --------------------------------------------------------------------------------------------- the verdicts -- */

static void put_verdict(void *user, const struct pose_verdict *verdict)
{
    struct json_writer *json = user;
    jsonw_object(json, NULL);
    jsonw_string(json, "target", verdict->target);
    jsonw_bool(json, "accepted", verdict->accepted);
    jsonw_array(json, "reasons");
    for (const struct pose_value *reason = verdict->reasons ? verdict->reasons->first : NULL; reason;
         reason = reason->next)
        jsonw_value(json, NULL, reason);
    jsonw_end(json);
    jsonw_end(json);
}

/* Of a single file. */
static void list_verdicts(struct bundle *bundle, struct json_writer *json)
{
    const struct bundle_asset place = {.entry = -1};
    struct pose_error error;
    if (bundle->file_count != 1 || bundle->files[0].archive)
        return;
    pose_error_init(&error);
    struct pose_document *document = bundle_load(bundle, &place, &error);
    jsonw_array(json, "verdict");
    if (document)
        pose_verdicts(document, put_verdict, json);
    jsonw_end(json);
    pose_document_free(document);
}

/* Ends a list and puts it into the whole. */
static void put_list(struct json_writer *to, const char *key, struct json_writer *list,
                     struct pose_buffer *text)
{
    jsonw_end(list);
    bool whole = text->size && pose_buffer_append(text, "", 1);
    jsonw_raw(to, key, whole ? (const char *)text->data : "[]");
    pose_buffer_free(text);
}

void bundle_describe(struct bundle *bundle, struct pose_buffer *out)
{
    struct json_writer json;
    const bool is_archive = bundle->file_count != 1 || bundle->files[0].archive;
    jsonw_init(&json, out);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "name", bundle->file_count ? bundle->files[0].name : NULL);
    jsonw_string(&json, "format", bundle->file_count == 1 ? bundle->format : NULL);
    jsonw_string(&json, "kind", is_archive ? "archive" : "file");
    for (unsigned kind = 0; kind < BUNDLE_KINDS; kind++)
        put_list(&json, list_keys[kind], &bundle->lists[kind].json, &bundle->lists[kind].text);
    put_list(&json, "rejected", &bundle->rejected, &bundle->rejected_text);
    put_list(&json, "warnings", &bundle->warnings, &bundle->warnings_text);
    list_verdicts(bundle, &json);
    jsonw_end(&json);
}
