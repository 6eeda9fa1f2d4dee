#include "server/library/entry/summary.h"

#include "lib/core/value.h"
#include "server/library/entry/describe.h"
#include "server/library/entry/known.h"

#include <stdlib.h>
#include <string.h>

/* The text between the braces of an object that has just been written. */
static const char *members_text(struct region *region, struct pose_buffer *buffer)
{
    const char *text = buffer->size > 2 ? (const char *)buffer->data + 1 : "";
    size_t length = buffer->size > 2 ? buffer->size - 2 : 0;
    const char *copy = region_text_sized(region, text, length);
    pose_buffer_free(buffer);
    return copy;
}

void index_summarise_clip(struct region *region, const struct pose_document *document,
                          struct index_asset *asset)
{
    const struct pose_clip *clip = &document->clips[asset->inner];
    struct pose_buffer buffer = {0};
    struct json_writer json;
    jsonw_init(&json, &buffer);
    jsonw_object(&json, NULL);
    describe_clip_timing(&json, clip);
    jsonw_end(&json);
    asset->summary = members_text(region, &buffer);
    jsonw_init(&json, &buffer);
    jsonw_object(&json, NULL);
    describe_clip_notes(&json, document, clip);
    jsonw_end(&json);
    asset->notes = members_text(region, &buffer);
    asset->axes = (uint8_t)clip->axes;
    asset->duration = clip->duration;
    asset->fps = clip->fps;
    asset->joint_count = clip->track_count;
    asset->event_count = clip->event_count;
    asset->actor = region_text(region, value_get_string(clip->extras, "actor", NULL));
    known_list_tracks(region, document, clip, asset);
}

uint32_t index_key_count(const struct index_asset *asset)
{
    static const char member[] = "\"key_count\":";
    const char *found = strstr(asset->summary, member);
    return found ? (uint32_t)strtoul(found + sizeof member - 1, NULL, 10) : 0;
}

static bool is_person(const struct pose_skeleton *skeleton)
{
    struct pose_error error;
    struct pose_humanoid *humanoid = pose_humanoid_new(skeleton, NULL, 0, NULL, &error);
    pose_humanoid_free(humanoid);
    return humanoid;
}

void index_summarise_skeleton(struct region *region, const struct pose_skeleton *skeleton,
                              struct index_asset *asset)
{
    struct pose_buffer buffer = {0};
    struct json_writer json;
    jsonw_init(&json, &buffer);
    jsonw_object(&json, NULL);
    jsonw_integer(&json, "joint_count", skeleton->joint_count);
    jsonw_end(&json);
    asset->kind = ASSET_SKELETON;
    asset->notes = "";
    if (!asset->name)
        asset->name = skeleton->name;
    asset->summary = members_text(region, &buffer);
    asset->axes = (uint8_t)skeleton->axes;
    asset->joint_count = skeleton->joint_count;
    asset->rest = known_rest(skeleton);
    asset->is_person = is_person(skeleton);
    known_list_joints(region, skeleton, asset);
}

void index_summarise_mesh(struct region *region, const struct pose_mesh *mesh, struct index_asset *asset)
{
    struct pose_buffer buffer = {0};
    struct json_writer json;
    jsonw_init(&json, &buffer);
    jsonw_object(&json, NULL);
    jsonw_integer(&json, "vertex_count", mesh->real_count ? mesh->real_count : (int64_t)mesh->weighted_count);
    jsonw_integer(&json, "face_count", mesh->face_count);
    jsonw_end(&json);
    asset->summary = members_text(region, &buffer);
    asset->axes = (uint8_t)mesh->axes;
    asset->joint_count = mesh->bone_count;
    known_list_mesh(region, mesh, asset);
}

void index_summarise_image(struct region *region, const struct pose_image *image, struct index_asset *asset)
{
    struct pose_buffer buffer = {0};
    struct json_writer json;
    jsonw_init(&json, &buffer);
    jsonw_object(&json, NULL);
    jsonw_integer(&json, "width", image->width);
    jsonw_integer(&json, "height", image->height);
    jsonw_bool(&json, "alpha", image->has_alpha);
    jsonw_end(&json);
    asset->summary = members_text(region, &buffer);
}

void index_summarise_character(struct region *region, const char *format,
                               const struct pose_character *character, struct index_asset *asset)
{
    struct pose_buffer buffer = {0};
    struct json_writer json;
    jsonw_init(&json, &buffer);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "type", character->type);
    jsonw_end(&json);
    asset->summary = members_text(region, &buffer);
    known_list_bones(region, format, character, asset);
}
