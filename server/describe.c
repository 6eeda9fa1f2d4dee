#include "server/describe.h"

static const char *const part_names[POSE_PART_COUNT] = {"translation", "rotation", "scale", "morph"};
static const unsigned part_sizes[POSE_PART_COUNT] = {3, 4, 3, 1};

const char *describe_interpolation(enum pose_rules rules)
{
    return rules == POSE_RULES_SL || rules == POSE_RULES_SIMS ? "nlerp" : "slerp";
}

void describe_clip_timing(struct json *json, const struct pose_clip *clip)
{
    json_number(json, "duration", clip->duration);
    if (clip->fps > 0)
        json_number(json, "fps", clip->fps);
    else
        json_null(json, "fps");
    if (clip->frame_count)
        json_integer(json, "frame_count", clip->frame_count);
    else
        json_null(json, "frame_count");
    if (clip->loop == POSE_LOOP_UNKNOWN)
        json_null(json, "loop");
    else
        json_bool(json, "loop", clip->loop == POSE_LOOP_YES);
    json_number(json, "loop_in", clip->loop_in);
    json_number(json, "loop_out", clip->loop_out);
    json_string(json, "interpolation", describe_interpolation(clip->rules));
    json_integer(json, "joint_count", clip->track_count);
    json_integer(json, "key_count", (int64_t)clip->key_count);
}

static void joint_name(struct json *json, const struct pose_track *track)
{
    json_string(json, "name", track->name);
    if (track->has_id)
        json_integer(json, "id", track->id);
    else
        json_null(json, "id");
}

void describe_clip_joints(struct json *json, const struct pose_clip *clip)
{
    json_array(json, "joints");
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        json_object(json, NULL);
        joint_name(json, track);
        json_array(json, "channels");
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            if (track->channels[part].count)
                json_string(json, NULL, part_names[part]);
        }
        json_end(json);
        json_end(json);
    }
    json_end(json);
}

static void channel_keys(struct json *json, int part, const struct pose_channel *channel)
{
    json_object(json, part_names[part]);
    json_floats(json, "times", channel->times, channel->count);
    json_array(json, "values");
    for (uint32_t k = 0; k < channel->count; k++)
        json_floats(json, NULL, channel->values + (size_t)k * part_sizes[part], part_sizes[part]);
    json_end(json);
    json_end(json);
}

void describe_event(struct json *json, const struct pose_event *event)
{
    json_object(json, NULL);
    json_number(json, "time", event->time);
    json_string(json, "type", event->type);
    json_members(json, event->fields);
    json_end(json);
}

void describe_clip_keys(struct json *json, const struct pose_clip *clip)
{
    json_array(json, "joints");
    for (uint32_t i = 0; i < clip->track_count; i++) {
        const struct pose_track *track = &clip->tracks[i];
        json_object(json, NULL);
        joint_name(json, track);
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            if (track->channels[part].count)
                channel_keys(json, part, &track->channels[part]);
        }
        if (track->extras)
            json_value(json, "extras", track->extras);
        json_end(json);
    }
    json_end(json);
    json_array(json, "events");
    for (uint32_t i = 0; i < clip->event_count; i++)
        describe_event(json, &clip->events[i]);
    json_end(json);
}

void describe_clip_notes(struct json *json, const struct pose_document *document,
                         const struct pose_clip *clip)
{
    json_array(json, "warnings");
    json_warnings(json, document->warnings, document->warning_count);
    json_warnings(json, clip->warnings, clip->warning_count);
    json_end(json);
    if (clip->extras)
        json_value(json, "extras", clip->extras);
    else
        json_raw(json, "extras", "{}");
}

void describe_skeleton(struct json *json, const struct pose_skeleton *skeleton, enum pose_axes axes)
{
    json_array(json, "joints");
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        float rest[10];
        pose_joint_rest(skeleton, i, axes, rest);
        json_object(json, NULL);
        json_string(json, "name", joint->name);
        if (joint->has_id)
            json_integer(json, "id", joint->id);
        else
            json_null(json, "id");
        json_integer(json, "parent", joint->parent);
        json_floats(json, "translation", rest, 3);
        json_floats(json, "rotation", rest + 3, 4);
        json_floats(json, "scale", rest + 7, 3);
        if (joint->extras)
            json_value(json, "extras", joint->extras);
        json_end(json);
    }
    json_end(json);
}
