#include "server/library/entry/describe.h"

#include "server/ops/region.h"

#include <stdlib.h>
#include <string.h>

static const char *const part_names[POSE_PART_COUNT] = {"translation", "rotation", "scale", "morph"};

void describe_clip(struct json_writer *json, const struct pose_clip_json *what)
{
    jsonw_key(json, NULL);
    json->to.failed |= !pose_json_clip(json->to.out, what);
}

void describe_clip_timing(struct json_writer *json, const struct pose_clip *clip)
{
    describe_clip(json, &(struct pose_clip_json){.clip = clip, .parts = POSE_JSON_TIMING});
}

static void joint_name(struct json_writer *json, const struct pose_track *track, const char *name)
{
    jsonw_string(json, "name", name);
    if (track->has_id)
        jsonw_integer(json, "id", track->id);
    else
        jsonw_null(json, "id");
}

void describe_clip_joints(struct json_writer *json, const struct pose_clip *clip,
                          const char *(*name)(const void *user, const struct pose_track *track),
                          const void *user)
{
    jsonw_array(json, "joints");
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        bool ask = !track->name && track->has_id;
        jsonw_object(json, NULL);
        joint_name(json, track, ask ? name(user, track) : track->name);
        jsonw_array(json, "channels");
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            if (track->channels[part].count)
                jsonw_string(json, NULL, part_names[part]);
        }
        jsonw_end(json);
        jsonw_end(json);
    }
    jsonw_end(json);
}

void describe_event(struct json_writer *json, const struct pose_event *event)
{
    jsonw_object(json, NULL);
    jsonw_number(json, "time", event->time);
    jsonw_string(json, "type", event->type);
    jsonw_members(json, event->fields);
    jsonw_end(json);
}

void describe_clip_notes(struct json_writer *json, const struct pose_document *document,
                         const struct pose_clip *clip)
{
    describe_clip(json,
                  &(struct pose_clip_json){.clip = clip, .document = document, .parts = POSE_JSON_NOTES});
}

void describe_skeleton(struct json_writer *json, const struct pose_skeleton *skeleton, enum pose_axes axes)
{
    bool *skinned = try_alloc(skeleton->joint_count, sizeof *skinned);
    bool has_skin = skinned && pose_skinned_joints(skeleton, skinned);
    json->to.failed |= !skinned;
    jsonw_array(json, "joints");
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        float rest[10];
        pose_joint_rest(skeleton, i, axes, rest);
        if (axes == skeleton->axes && axes != POSE_AXES_GLTF) /* as stored, even if not of unit length */
            memcpy(rest + 3, joint->rotation, sizeof joint->rotation);
        jsonw_object(json, NULL);
        jsonw_string(json, "name", joint->name);
        if (joint->has_id)
            jsonw_integer(json, "id", joint->id);
        else
            jsonw_null(json, "id");
        jsonw_integer(json, "parent", joint->parent);
        jsonw_floats(json, "translation", rest, 3);
        jsonw_floats(json, "rotation", rest + 3, 4);
        jsonw_floats(json, "scale", rest + 7, 3);
        if (has_skin)
            jsonw_bool(json, "skinned", skinned[i]);
        if (skeleton->figures)
            jsonw_integer(json, "figure", skeleton->figures[i]);
        if (joint->extras)
            jsonw_value(json, "extras", joint->extras);
        jsonw_end(json);
    }
    jsonw_end(json);
    free(skinned);
}
