/* What the extras of an animation keep of its clip; see gltf.h for the format. */
#include "lib/formats/gltf/write/animation.h"
#include "lib/formats/gltf/write/times.h"
#include "lib/formats/rules.h"

#include <string.h>

struct extras {
    const struct gltf_animation *animation;
    const struct pose_clip *clip;
    struct gltf_times timelines;
    uint32_t timeline_count;
    const struct pose_channel **by_number; /* [timeline_count] a channel with these times */
};

/* ----------------------------------------------------------------------------------------------------- head -- */

static void put_head(const struct extras *extras, struct json_writer *json)
{
    const struct pose_clip *clip = extras->clip;
    const struct rules_row *rules = rules_row(clip->rules);
    const char *format = clip->rules == POSE_RULES_PLAIN ? NULL : rules->format;
    jsonw_integer(json, "version", 1);
    jsonw_string(json, "format", clip->origin ? clip->origin : format);
    jsonw_string(json, "game", clip->game);
    jsonw_string(json, "companion", clip->companion);
    jsonw_string(json, "name", clip->name);
    jsonw_string(json, "axes", axes_name(clip->axes));
    jsonw_string(json, "rules", rules->name);
    jsonw_string(json, "interpolation", rules->interpolation);
    jsonw_finite_number(json, "duration", clip->duration);
    if (clip->fps > 0)
        jsonw_finite_number(json, "fps", clip->fps);
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
    jsonw_finite_number(json, "loop_in", clip->loop_in);
    jsonw_finite_number(json, "loop_out", clip->loop_out);
    if (extras->animation->fps > 0)
        jsonw_finite_number(json, "resampled", extras->animation->fps);
}

/* Second Life's pelvis: the rest was added to its keys. */
static void put_root(const struct extras *extras, struct json_writer *json)
{
    const struct gltf_clip *clip = extras->animation->clip;
    const struct pose_skeleton *skeleton = extras->animation->joints->skeleton;
    jsonw_string(json, "skeleton", skeleton ? (skeleton->name ? skeleton->name : "") : NULL);
    if (!skeleton || skeleton->root_joint < 0 || clip->clip->rules != POSE_RULES_SL)
        return;
    uint32_t row = (uint32_t)skeleton->root_joint;
    const struct pose_channel *channel = clip->drivers[row].channels[POSE_TRANSLATION];
    if (!channel)
        return;
    size_t track =
        (size_t)((const char *)channel - (const char *)clip->clip->tracks) / sizeof(struct pose_track);
    float rest[ROW_FLOATS];
    pose_joint_rest(skeleton, row, clip->clip->axes, rest);
    jsonw_object(json, "root");
    jsonw_integer(json, "joint", (int64_t)track);
    jsonw_integer(json, "node", extras->animation->joints->joints[clip->joints[row]].node);
    jsonw_finite_floats(json, "rest", rest, 3);
    jsonw_end(json);
}

/* --------------------------------------------------------------------------------------------------- joints -- */

static void put_keys(struct json_writer *json, const struct pose_channel *channel, unsigned components)
{
    jsonw_finite_floats(json, "times", channel->times, channel->count);
    jsonw_array(json, "values");
    for (uint32_t k = 0; k < channel->count; k++)
        jsonw_finite_floats(json, NULL, channel->values + (size_t)k * components, components);
    jsonw_end(json);
}

static void put_timeline(struct extras *extras, struct json_writer *json, const struct pose_channel *channel)
{
    struct gltf_time_list *list = gltf_times_find(&extras->timelines, channel->times, channel->count);
    if (!list->times) {
        list->times = channel->times;
        list->number = extras->timeline_count;
        extras->by_number[extras->timeline_count++] = channel;
    }
    jsonw_integer(json, "timeline", list->number);
}

static void put_part(struct extras *extras, struct json_writer *json, const struct pose_channel *channel,
                     enum pose_part part, const struct gltf_kept *kept)
{
    static const unsigned components[] = {3, 4, 3, 1};
    jsonw_object(json, part_name(part));
    if (kept->keeping == GLTF_INLINE)
        put_keys(json, channel, components[part]);
    if (kept->keeping == GLTF_STILL)
        put_timeline(extras, json, channel);
    if (kept->keeping == GLTF_PLAYED)
        jsonw_integer(json, "count", kept->count);
    if (kept->keeping == GLTF_PLAYED && kept->added_count) {
        jsonw_array(json, "added");
        for (uint32_t i = 0; i < kept->added_count; i++)
            jsonw_integer(json, NULL, kept->added[i]);
        jsonw_end(json);
    }
    jsonw_end(json);
}

/* Nodes are numbered in the order of the joints. */
static const char *name_of_node(const struct gltf_joints *joints, uint32_t node)
{
    uint32_t low = 0, high = joints->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (joints->joints[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < joints->count && joints->joints[low].node == node ? joints->joints[low].name : NULL;
}

/* A skeleton's name for a track may differ from the track's own id or alias. */
static void put_called(const struct extras *extras, struct json_writer *json, const struct pose_track *track,
                       uint32_t node)
{
    const char *name = name_of_node(extras->animation->joints, node);
    if (name && (!track->name || strcmp(name, track->name) != 0))
        jsonw_string(json, "called", name);
}

static void put_joint(struct extras *extras, struct json_writer *json, uint32_t index)
{
    const struct pose_track *track = &extras->clip->tracks[index];
    uint32_t node = extras->animation->track_nodes[index];
    jsonw_object(json, NULL);
    jsonw_string(json, "name", track->name);
    if (track->has_id)
        jsonw_integer(json, "id", track->id);
    else
        jsonw_null(json, "id");
    if (node != UINT32_MAX) {
        jsonw_integer(json, "node", node);
        put_called(extras, json, track, node);
    }
    for (int part = 0; part < POSE_PART_COUNT; part++) {
        const struct gltf_kept *kept = &extras->animation->kept[index][part];
        if (kept->keeping != GLTF_NOT_DRIVEN)
            put_part(extras, json, &track->channels[part], (enum pose_part)part, kept);
    }
    if (track->extras)
        jsonw_value(json, "extras", track->extras);
    jsonw_end(json);
}

static void put_joints(struct extras *extras, struct json_writer *json)
{
    jsonw_array(json, "joints");
    for (uint32_t i = 0; i < extras->clip->track_count; i++)
        put_joint(extras, json, i);
    jsonw_end(json);
    jsonw_array(json, "timelines");
    for (uint32_t i = 0; i < extras->timeline_count; i++)
        jsonw_finite_floats(json, NULL, extras->by_number[i]->times, extras->by_number[i]->count);
    jsonw_end(json);
}

/* --------------------------------------------------------------------------------------------------- events -- */

static void put_events(const struct extras *extras, struct json_writer *json)
{
    jsonw_array(json, "events");
    for (uint32_t i = 0; i < extras->clip->event_count; i++) {
        const struct pose_event *event = &extras->clip->events[i];
        jsonw_object(json, NULL);
        jsonw_finite_number(json, "time", event->time);
        jsonw_string(json, "type", event->type);
        jsonw_members(json, event->fields);
        jsonw_end(json);
    }
    jsonw_end(json);
}

void gltf_put_record(const struct gltf_animation *animation, const char *key, struct gltf_file *file)
{
    const struct pose_clip *clip = animation->clip->clip;
    struct arena arena;
    struct extras extras = {.animation = animation, .clip = clip};
    struct json_writer *json = &file->json;
    size_t channels = (size_t)clip->track_count * POSE_PART_COUNT;
    arena_init(&arena, file->job->arena->allocator, file->job->arena->limit, file->job->error);
    extras.by_number = ARENA_NEW(&arena, const struct pose_channel *, channels);
    if (extras.by_number && gltf_times_init(&extras.timelines, &arena, (uint32_t)channels)) {
        jsonw_object(json, key);
        put_head(&extras, json);
        put_root(&extras, json);
        put_joints(&extras, json);
        put_events(&extras, json);
        jsonw_object_value(json, "extras", clip->extras);
        jsonw_end(json);
    } else {
        json->to.failed = true;
    }
    arena_release(&arena);
}
