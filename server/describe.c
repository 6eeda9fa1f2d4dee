#include "server/describe.h"

static const char *const part_names[POSE_PART_COUNT] = {"translation", "rotation", "scale", "morph"};
static const unsigned part_sizes[POSE_PART_COUNT] = {3, 4, 3, 1};

const char *describe_interpolation(enum pose_rules rules)
{
    return rules == POSE_RULES_SL || rules == POSE_RULES_SIMS ? "nlerp" : "slerp";
}

void describe_clip_timing(struct json_writer *json, const struct pose_clip *clip)
{
    jsonw_number(json, "duration", clip->duration);
    if (clip->fps > 0)
        jsonw_number(json, "fps", clip->fps);
    else
        jsonw_null(json, "fps");
    if (clip->frame_count)
        jsonw_integer(json, "frame_count", clip->frame_count);
    else
        jsonw_null(json, "frame_count");
    if (clip->loop == POSE_LOOP_UNKNOWN)
        jsonw_null(json, "loop");
    else
        jsonw_bool(json, "loop", clip->loop == POSE_LOOP_YES);
    jsonw_number(json, "loop_in", clip->loop_in);
    jsonw_number(json, "loop_out", clip->loop_out);
    jsonw_string(json, "interpolation", describe_interpolation(clip->rules));
    jsonw_integer(json, "joint_count", clip->track_count);
    jsonw_integer(json, "key_count", (int64_t)clip->key_count);
}

static void joint_name(struct json_writer *json, const struct pose_track *track)
{
    jsonw_string(json, "name", track->name);
    if (track->has_id)
        jsonw_integer(json, "id", track->id);
    else
        jsonw_null(json, "id");
}

void describe_clip_joints(struct json_writer *json, const struct pose_clip *clip)
{
    jsonw_array(json, "joints");
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        jsonw_object(json, NULL);
        joint_name(json, track);
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

static void channel_keys(struct json_writer *json, int part, const struct pose_channel *channel)
{
    jsonw_object(json, part_names[part]);
    jsonw_floats(json, "times", channel->times, channel->count);
    jsonw_array(json, "values");
    for (uint32_t k = 0; k < channel->count; k++)
        jsonw_floats(json, NULL, channel->values + (size_t)k * part_sizes[part], part_sizes[part]);
    jsonw_end(json);
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

void describe_clip_keys(struct json_writer *json, const struct pose_clip *clip)
{
    jsonw_array(json, "joints");
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        jsonw_object(json, NULL);
        joint_name(json, track);
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            if (track->channels[part].count)
                channel_keys(json, part, &track->channels[part]);
        }
        if (track->extras)
            jsonw_value(json, "extras", track->extras);
        jsonw_end(json);
    }
    jsonw_end(json);
    jsonw_array(json, "events");
    for (uint32_t i = 0; i < clip->event_count; i++)
        describe_event(json, &clip->events[i]);
    jsonw_end(json);
}

void describe_clip_notes(struct json_writer *json, const struct pose_document *document,
                         const struct pose_clip *clip)
{
    jsonw_array(json, "warnings");
    jsonw_warnings(json, document->warnings, document->warning_count);
    jsonw_warnings(json, clip->warnings, clip->warning_count);
    jsonw_end(json);
    if (clip->extras)
        jsonw_value(json, "extras", clip->extras);
    else
        jsonw_raw(json, "extras", "{}");
}

void describe_skeleton(struct json_writer *json, const struct pose_skeleton *skeleton, enum pose_axes axes)
{
    jsonw_array(json, "joints");
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        float rest[10];
        pose_joint_rest(skeleton, i, axes, rest);
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
        if (joint->extras)
            jsonw_value(json, "extras", joint->extras);
        jsonw_end(json);
    }
    jsonw_end(json);
}
