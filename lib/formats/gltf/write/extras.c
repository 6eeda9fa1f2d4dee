/* What is kept of a clip in the extras of its animation; gltf.h has the shape. */
#include "lib/formats/gltf/write/clips.h"
#include "lib/formats/gltf/write/times.h"
#include "lib/formats/rules.h"

#include <math.h>
#include <string.h>

struct extras {
    const struct gltf_animation *animation;
    const struct pose_clip *clip;
    struct gltf_file *file;
    struct gltf_times timelines;
    uint32_t timeline_count;
    const struct pose_channel **by_number; /* [timeline_count] a channel that has the times */
};

/* What no JSON can hold is 0. */
static void put_number(struct gltf_file *file, float number)
{
    writer_float(&file->json, isfinite(number) ? number : 0);
}

static void put_numbers(struct gltf_file *file, const float *numbers, size_t count)
{
    gltf_json_text(file, "[");
    for (size_t i = 0; i < count; i++) {
        gltf_json_comma(file);
        put_number(file, numbers[i]);
    }
    gltf_json_text(file, "]");
}

static void put_string(struct gltf_file *file, const char *key, const char *text)
{
    gltf_json_key(file, key);
    gltf_json_string(file, text);
}

static void put_named_number(struct gltf_file *file, const char *key, float number)
{
    gltf_json_key(file, key);
    put_number(file, number);
}

/* ----------------------------------------------------------------------------------------------------- head -- */

static void put_head(const struct extras *extras)
{
    const struct pose_clip *clip = extras->clip;
    struct gltf_file *file = extras->file;
    gltf_json_text(file, "\"version\":1");
    const struct rules_row *rules = rules_row(clip->rules);
    const char *format = clip->rules == POSE_RULES_PLAIN ? NULL : rules->format;
    put_string(file, "format", clip->origin ? clip->origin : format);
    put_string(file, "game", clip->game);
    put_string(file, "companion", clip->companion);
    put_string(file, "name", clip->name);
    put_string(file, "axes", axes_name(clip->axes));
    put_string(file, "rules", rules->name);
    put_string(file, "interpolation", rules->interpolation);
    put_named_number(file, "duration", clip->duration);
    gltf_json_key(file, "fps");
    if (clip->fps > 0)
        put_number(file, clip->fps);
    else
        gltf_json_text(file, "null");
    gltf_json_key(file, "frame_count");
    if (clip->frame_count)
        gltf_json_uint(file, clip->frame_count);
    else
        gltf_json_text(file, "null");
    gltf_json_key(file, "loop");
    gltf_json_text(file, clip->loop == POSE_LOOP_UNKNOWN ? "null"
                         : clip->loop == POSE_LOOP_YES   ? "true"
                                                         : "false");
    put_named_number(file, "loop_in", clip->loop_in);
    put_named_number(file, "loop_out", clip->loop_out);
    if (extras->animation->fps > 0)
        put_named_number(file, "resampled", extras->animation->fps);
}

/* Second Life's pelvis: rest and key in one. */
static void put_root(const struct extras *extras)
{
    const struct gltf_clip *clip = extras->animation->clip;
    const struct pose_skeleton *skeleton = extras->animation->joints->skeleton;
    struct gltf_file *file = extras->file;
    gltf_json_key(file, "skeleton");
    gltf_json_string(file, skeleton ? (skeleton->name ? skeleton->name : "") : NULL);
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
    gltf_json_key(file, "root");
    gltf_json_text(file, "{\"joint\":");
    gltf_json_uint(file, track);
    gltf_json_key(file, "node");
    gltf_json_uint(file, extras->animation->joints->joints[clip->joints[row]].node);
    gltf_json_key(file, "rest");
    put_numbers(file, rest, 3);
    gltf_json_text(file, "}");
}

/* --------------------------------------------------------------------------------------------------- joints -- */

static void put_keys(struct gltf_file *file, const struct pose_channel *channel, unsigned components)
{
    gltf_json_text(file, "\"times\":");
    put_numbers(file, channel->times, channel->count);
    gltf_json_key(file, "values");
    gltf_json_text(file, "[");
    for (uint32_t k = 0; k < channel->count; k++) {
        gltf_json_comma(file);
        put_numbers(file, channel->values + (size_t)k * components, components);
    }
    gltf_json_text(file, "]");
}

static void put_timeline(struct extras *extras, const struct pose_channel *channel)
{
    struct gltf_time_list *list = gltf_times_find(&extras->timelines, channel->times, channel->count);
    if (!list->times) {
        list->times = channel->times;
        list->number = extras->timeline_count;
        extras->by_number[extras->timeline_count++] = channel;
    }
    gltf_json_text(extras->file, "\"timeline\":");
    gltf_json_uint(extras->file, list->number);
}

static void put_part(struct extras *extras, const struct pose_channel *channel, enum pose_part part,
                     const struct gltf_kept *kept)
{
    static const unsigned components[] = {3, 4, 3, 1};
    struct gltf_file *file = extras->file;
    gltf_json_key(file, part_name(part));
    gltf_json_text(file, "{");
    if (kept->keeping == GLTF_INLINE)
        put_keys(file, channel, components[part]);
    if (kept->keeping == GLTF_STILL)
        put_timeline(extras, channel);
    if (kept->keeping == GLTF_PLAYED) {
        gltf_json_text(file, "\"count\":");
        gltf_json_uint(file, kept->count);
    }
    if (kept->keeping == GLTF_PLAYED && kept->added_count) {
        gltf_json_key(file, "added");
        gltf_json_text(file, "[");
        for (uint32_t i = 0; i < kept->added_count; i++) {
            gltf_json_comma(file);
            gltf_json_uint(file, kept->added[i]);
        }
        gltf_json_text(file, "]");
    }
    gltf_json_text(file, "}");
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

/* A skeleton may have a name of its own for what the track has an id or an alias of. */
static void put_called(struct extras *extras, const struct pose_track *track, uint32_t node)
{
    const char *name = name_of_node(extras->animation->joints, node);
    if (name && (!track->name || strcmp(name, track->name) != 0)) {
        gltf_json_key(extras->file, "called");
        gltf_json_string(extras->file, name);
    }
}

static void put_joint(struct extras *extras, uint32_t index)
{
    const struct pose_track *track = &extras->clip->tracks[index];
    struct gltf_file *file = extras->file;
    uint32_t node = extras->animation->track_nodes[index];
    gltf_json_comma(file);
    gltf_json_text(file, "{");
    put_string(file, "name", track->name);
    gltf_json_key(file, "id");
    if (track->has_id)
        gltf_json_uint(file, track->id);
    else
        gltf_json_text(file, "null");
    if (node != UINT32_MAX) {
        gltf_json_key(file, "node");
        gltf_json_uint(file, node);
        put_called(extras, track, node);
    }
    for (int part = 0; part < POSE_PART_COUNT; part++) {
        const struct gltf_kept *kept = &extras->animation->kept[index][part];
        if (kept->keeping != GLTF_NOT_DRIVEN)
            put_part(extras, &track->channels[part], (enum pose_part)part, kept);
    }
    if (track->extras) {
        gltf_json_key(file, "extras");
        writer_json_value(&file->json, track->extras);
    }
    gltf_json_text(file, "}");
}

static void put_joints(struct extras *extras)
{
    struct gltf_file *file = extras->file;
    gltf_json_key(file, "joints");
    gltf_json_text(file, "[");
    for (uint32_t i = 0; i < extras->clip->track_count; i++)
        put_joint(extras, i);
    gltf_json_text(file, "]");
    gltf_json_key(file, "timelines");
    gltf_json_text(file, "[");
    for (uint32_t i = 0; i < extras->timeline_count; i++) {
        gltf_json_comma(file);
        put_numbers(file, extras->by_number[i]->times, extras->by_number[i]->count);
    }
    gltf_json_text(file, "]");
}

/* --------------------------------------------------------------------------------------------------- events -- */

static void put_events(const struct extras *extras)
{
    struct gltf_file *file = extras->file;
    gltf_json_key(file, "events");
    gltf_json_text(file, "[");
    for (uint32_t i = 0; i < extras->clip->event_count; i++) {
        const struct pose_event *event = &extras->clip->events[i];
        gltf_json_comma(file);
        gltf_json_text(file, "{");
        put_named_number(file, "time", event->time);
        put_string(file, "type", event->type);
        for (const struct pose_value *field = event->fields ? event->fields->first : NULL; field;
             field = field->next) {
            struct pose_value value = *field;
            gltf_json_comma(file);
            writer_json_string(&file->json, field->key ? field->key : "");
            gltf_json_text(file, ":");
            value.next = NULL;
            value.key = NULL;
            writer_json_value(&file->json, &value);
        }
        gltf_json_text(file, "}");
    }
    gltf_json_text(file, "]");
}

void gltf_put_record(const struct gltf_animation *animation, struct gltf_file *file)
{
    const struct pose_clip *clip = animation->clip->clip;
    struct arena arena;
    struct extras extras = {.animation = animation, .clip = clip, .file = file};
    size_t channels = (size_t)clip->track_count * POSE_PART_COUNT;
    arena_init(&arena, file->job->arena->allocator, file->job->arena->limit, file->job->error);
    extras.by_number = ARENA_NEW(&arena, const struct pose_channel *, channels);
    if (extras.by_number && gltf_times_init(&extras.timelines, &arena, (uint32_t)channels)) {
        gltf_json_text(file, "{");
        put_head(&extras);
        put_root(&extras);
        put_joints(&extras);
        put_events(&extras);
        gltf_json_key(file, "extras");
        if (clip->extras)
            writer_json_value(&file->json, clip->extras);
        else
            gltf_json_text(file, "{}");
        gltf_json_text(file, "}");
    } else {
        file->json.failed = true;
    }
    arena_release(&arena);
}
