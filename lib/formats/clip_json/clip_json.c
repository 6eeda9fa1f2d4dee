/* Reading clip JSON (clip_json.h): responses of /keys and .json, or hand-written files of that form. */
#include "lib/formats/clip_json/clip_json.h"
#include "lib/formats/pages.h"
#include "lib/formats/rules.h"

#include "lib/core/json.h"
#include "lib/model/match.h"

#include <stdio.h>
#include <string.h>

struct reading {
    struct decode_job *job;
    struct json json;
    struct pose_clip *clip;
    struct pose_skeleton *skeleton; /* NULL: the clip contains none */
    uint64_t keys;
    char at[80]; /* JSON pointer of the current object */
};

static bool refuse(struct reading *r, const char *code, const char *member, const char *format, ...)
    POSE_PRINTF(4, 5);

static bool refuse(struct reading *r, const char *code, const char *member, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    json_vrefuse(r->job->error, POSE_BAD_DATA, code, r->at, member, format, arguments);
    va_end(arguments);
    return false;
}

static const char *copy_text(struct reading *r, const struct pose_value *object, const char *member)
{
    return arena_copy_text(r->job->arena, value_get_string(object, member, NULL));
}

static const struct pose_value *copy_extras(struct reading *r, const struct pose_value *object)
{
    return value_copy_object(r->job->arena, pose_value_find(object, "extras"), NULL);
}

/* An optional array. */
static bool find_array(struct reading *r, const struct pose_value *object, const char *member,
                       const struct pose_value **array)
{
    char pointer[40];
    *array = pose_value_find(object, member);
    snprintf(pointer, sizeof pointer, "/%s", member);
    return !*array || (*array)->kind == POSE_ARRAY || refuse(r, "bad_member", pointer, "must be an array");
}

/* A number that may be missing or null. */
static bool read_number(struct reading *r, const char *member, float fallback, float *number)
{
    const struct pose_value *value = pose_value_find(r->json.root, member);
    char pointer[40];
    *number = fallback;
    snprintf(pointer, sizeof pointer, "/%s", member);
    return !value || value->kind == POSE_NULL || value_number(value, number) ||
           refuse(r, "bad_number", pointer, "must be a number");
}

/* -------------------------------------------------------------------------------------------------- joints -- */

static bool read_times(struct reading *r, const struct pose_value *array, float *times)
{
    uint32_t count = 0;
    for (const struct pose_value *item = array->first; item; item = item->next, count++) {
        char pointer[40];
        snprintf(pointer, sizeof pointer, "/times/%u", count);
        if (!value_number(item, &times[count]))
            return refuse(r, "bad_number", pointer, "must be a number");
        if (count && times[count] <= times[count - 1])
            return refuse(r, "bad_times", pointer, "%g s after %g s: times must ascend", (double)times[count],
                          (double)times[count - 1]);
    }
    return true;
}

static bool read_values(struct reading *r, const struct pose_value *array, unsigned components, float *values)
{
    uint32_t row = 0;
    for (const struct pose_value *item = array->first; item; item = item->next, row++) {
        const struct pose_value *number = item->kind == POSE_ARRAY ? item->first : NULL;
        unsigned c = 0;
        for (; number && c < components && value_number(number, &values[(size_t)row * components + c]); c++)
            number = number->next;
        if (number || c < components) {
            char pointer[40];
            snprintf(pointer, sizeof pointer, "/values/%u", row);
            return refuse(r, "bad_number", pointer, "must be %u numbers", components);
        }
    }
    return true;
}

/* {"times": [...], "values": [[...], ...]} */
static bool read_channel(struct reading *r, const struct pose_value *object, enum pose_part part,
                         struct pose_channel *channel)
{
    const struct pose_value *times, *values;
    struct channel_builder builder;
    if (object->kind != POSE_OBJECT)
        return refuse(r, "bad_member", "", "must be an object");
    if (!find_array(r, object, "times", &times) || !find_array(r, object, "values", &values))
        return false;
    size_t count = value_count(times), limit = r->job->limits->keys;
    if (count != value_count(values))
        return refuse(r, "count_mismatch", "/values", "%zu values for %zu times", value_count(values), count);
    if (count > limit - r->keys)
        return error_limit(r->job->error, "keys", "%s: more than %zu keys", r->at, limit);
    r->keys += count;
    if (!count)
        return true;
    if (!channel_new(r->job->arena, part, (uint32_t)count, &builder) ||
        !read_times(r, times, builder.times) || !read_values(r, values, builder.components, builder.values))
        return false;
    *channel = channel_done(&builder, (uint32_t)count);
    float duration = r->clip->duration;
    if (builder.times[0] < 0 || builder.times[count - 1] > duration)
        warning_add(&r->job->warnings, POSE_WARNING, "key_outside_clip", POSE_NO_OFFSET,
                    "%s: a key is outside the clip of %g s", r->at, (double)duration);
    return true;
}

/* {"name": TEXT | null, "id": N | null} of a track or joint. */
static bool read_identity(struct reading *r, const struct pose_value *object, const char **name, bool *has_id,
                          uint32_t *id)
{
    const struct pose_value *value = pose_value_find(object, "id");
    if (object->kind != POSE_OBJECT)
        return refuse(r, "bad_member", "", "must be an object");
    *name = copy_text(r, object, "name");
    *has_id = value && value->kind != POSE_NULL;
    if (!*has_id)
        return true;
    if (value->kind != POSE_INT || value->as.integer < 0 || value->as.integer > UINT32_MAX)
        return refuse(r, "bad_number", "/id", "must be a 32-bit whole number");
    *id = (uint32_t)value->as.integer;
    return true;
}

/* The joint of the clip's own skeleton that a track moves; found by name if there is no "joint". */
static bool read_binding(struct reading *r, const struct pose_value *object, struct pose_track *track)
{
    const struct pose_value *joint = pose_value_find(object, "joint");
    if (!r->skeleton || !joint)
        return true;
    if (joint->kind != POSE_INT || joint->as.integer < 0 || joint->as.integer >= r->skeleton->joint_count)
        return refuse(r, "bad_index", "/joint", "must be the number of one of the skeleton's %u joints",
                      r->skeleton->joint_count);
    track->node = (uint32_t)joint->as.integer + 1;
    return true;
}

static bool read_joint(struct reading *r, const struct pose_value *object, uint32_t index,
                       struct pose_track *track)
{
    snprintf(r->at, sizeof r->at, "/joints/%u", index);
    if (!read_identity(r, object, &track->name, &track->has_id, &track->id) ||
        !read_binding(r, object, track))
        return false;
    track->extras = copy_extras(r, object);
    for (int part = 0; part < POSE_PART_COUNT; part++) {
        const char *name = part_name((enum pose_part)part);
        const struct pose_value *channel = pose_value_find(object, name);
        snprintf(r->at, sizeof r->at, "/joints/%u/%s", index, name);
        if (channel && !read_channel(r, channel, (enum pose_part)part, &track->channels[part]))
            return false;
    }
    return true;
}

static bool read_joints(struct reading *r)
{
    const struct pose_value *array;
    uint32_t limit = r->job->limits->joints, index = 0;
    if (!find_array(r, r->json.root, "joints", &array))
        return false;
    if (!array)
        return refuse(r, "missing_member", "/joints", "the clip's joints are missing");
    size_t count = value_count(array);
    if (count > limit)
        return error_limit(r->job->error, "joints", "/joints: %zu joints, at most %u are read", count, limit);
    struct pose_track *tracks = ARENA_NEW(r->job->arena, struct pose_track, count);
    for (const struct pose_value *item = array->first; item && tracks; item = item->next, index++) {
        if (!read_joint(r, item, index, &tracks[index]))
            return false;
    }
    r->at[0] = 0;
    r->clip->tracks = tracks;
    r->clip->track_count = (uint32_t)count;
    return tracks;
}

/* ------------------------------------------------------------------------------------------------ skeleton -- */

/* Optional numbers. */
static bool read_part(struct reading *r, const struct pose_value *object, enum pose_part part, float *value)
{
    const struct pose_value *array = pose_value_find(object, part_name(part));
    char pointer[40];
    snprintf(pointer, sizeof pointer, "/%s", part_name(part));
    uint32_t components = part_components(part);
    return !array || value_get_floats(object, part_name(part), value, components) == components ||
           refuse(r, "bad_number", pointer, "must be %u numbers", components);
}

static bool read_rest(struct reading *r, const struct pose_value *object, uint32_t index,
                      struct pose_joint *joint)
{
    snprintf(r->at, sizeof r->at, "/skeleton/joints/%u", index);
    *joint = (struct pose_joint){.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    if (!read_identity(r, object, &joint->name, &joint->has_id, &joint->id) ||
        !read_part(r, object, POSE_TRANSLATION, joint->translation) ||
        !read_part(r, object, POSE_ROTATION, joint->rotation) ||
        !read_part(r, object, POSE_SCALE, joint->scale))
        return false;
    int64_t parent = value_get_int(object, "parent", -1);
    if (parent < -1 || parent >= index)
        return refuse(r, "bad_parent", "/parent", "must be -1 or the number of an earlier joint");
    joint->in_skin = value_get_bool(object, "in_skin", false);
    joint->parent = (int32_t)parent;
    joint->extras = copy_extras(r, object);
    return true;
}

static bool read_rests(struct reading *r, const struct pose_value *array)
{
    uint32_t limit = r->job->limits->joints, index = 0;
    size_t count = value_count(array);
    if (count > limit)
        return error_limit(r->job->error, "joints", "/skeleton/joints: %zu joints, at most %u are read",
                           count, limit);
    struct pose_joint *joints = ARENA_NEW(r->job->arena, struct pose_joint, count);
    for (const struct pose_value *item = array->first; item && joints; item = item->next, index++) {
        if (!read_rest(r, item, index, &joints[index]))
            return false;
    }
    r->skeleton->joints = joints;
    r->skeleton->joint_count = (uint32_t)count;
    return joints;
}

/* "figure" of each joint, where there are several. */
static bool read_figures(struct reading *r, const struct pose_value *array)
{
    uint32_t index = 0, count = r->skeleton->joint_count;
    uint32_t *figures = ARENA_NEW(r->job->arena, uint32_t, count);
    bool any = false;
    for (const struct pose_value *item = array->first; item && figures; item = item->next, index++) {
        int64_t figure = value_get_int(item, "figure", 0);
        snprintf(r->at, sizeof r->at, "/skeleton/joints/%u", index);
        if (figure < 0 || figure > count)
            return refuse(r, "bad_index", "/figure", "must be from 0 to the number of joints, %u", count);
        figures[index] = (uint32_t)figure;
        any |= figure > 0;
    }
    r->skeleton->figures = any ? figures : NULL;
    return figures;
}

/* {"joints": [...]}: the skeleton of the clip's original file. */
static bool read_skeleton(struct reading *r)
{
    const struct pose_value *object = pose_value_find(r->json.root, "skeleton"), *array;
    if (!object || object->kind != POSE_OBJECT)
        return true; /* an id, or nothing */
    snprintf(r->at, sizeof r->at, "/skeleton");
    if (!find_array(r, object, "joints", &array))
        return false;
    if (!value_count(array))
        return true;
    r->skeleton = ARENA_NEW(r->job->arena, struct pose_skeleton, 1);
    if (!r->skeleton || !read_rests(r, array) || !read_figures(r, array))
        return false;
    const char *scaling = value_get_string(object, "scaling", "inherited");
    int64_t root = value_get_int(object, "root_joint", -1);
    snprintf(r->at, sizeof r->at, "/skeleton");
    if (root < -1 || root >= r->skeleton->joint_count)
        return refuse(r, "bad_index", "/root_joint", "must be the number of a joint");
    r->skeleton->name = copy_text(r, object, "name");
    r->skeleton->axes = r->clip->axes;
    r->skeleton->scaling = !strcmp(scaling, "offsets") ? POSE_SCALE_OFFSETS : POSE_SCALE_INHERITED;
    r->skeleton->root_joint = (int32_t)root;
    r->skeleton->tree = r->clip->tree = skeleton_tree(r->skeleton);
    r->job->document->skeletons = r->skeleton;
    r->job->document->skeleton_count = 1;
    r->at[0] = 0;
    return true;
}

/* -------------------------------------------------------------------------------------------------- events -- */

static bool read_event(struct reading *r, const struct pose_value *object, uint32_t index,
                       struct pose_event *event)
{
    static const char *const own[] = {"time", "type", NULL};
    snprintf(r->at, sizeof r->at, "/events/%u", index);
    if (!value_number(pose_value_find(object, "time"), &event->time))
        return refuse(r, "bad_number", "/time", "must be a number");
    event->type = copy_text(r, object, "type");
    if (!event->type)
        return refuse(r, "missing_member", "/type", "must be a string");
    event->fields = value_copy_object(r->job->arena, object, own);
    return true;
}

static bool read_events(struct reading *r)
{
    const struct pose_value *array;
    uint32_t count = 0;
    if (!find_array(r, r->json.root, "events", &array))
        return false;
    struct pose_event *events = ARENA_NEW(r->job->arena, struct pose_event, value_count(array));
    for (const struct pose_value *item = array ? array->first : NULL; item && events;
         item = item->next, count++) {
        if (!read_event(r, item, count, &events[count]))
            return false;
    }
    r->at[0] = 0;
    r->clip->events = events;
    r->clip->event_count = count;
    return events && events_sort(r->job->arena, events, count);
}

/* ---------------------------------------------------------------------------------------------------- clip -- */

/* The clip's original format: "origin", else "format"; exchange formats have no extras of their own. */
static const char *find_origin(struct reading *r)
{
    const char *origin = copy_text(r, r->json.root, "origin");
    origin = origin ? origin : copy_text(r, r->json.root, "format");
    bool is_game =
        origin && *origin && strcmp(origin, "json") && strcmp(origin, "gltf") && strcmp(origin, "bvh");
    return is_game ? origin : NULL;
}

static bool read_rules(struct reading *r)
{
    const char *name = value_get_string(r->json.root, "rules", NULL);
    const char *axes = value_get_string(r->json.root, "axes", "native");
    const struct rules_row *rules = name ? rules_find(name) : rules_row(format_rules(r->clip->origin));
    if (!rules)
        return refuse(r, "bad_rules", "/rules", "unknown rules \"%.40s\"", name);
    if (strcmp(axes, "native") != 0 && strcmp(axes, "gltf") != 0)
        return refuse(r, "bad_axes", "/axes", "axes are \"native\" or \"gltf\", not \"%.40s\"", axes);
    r->clip->rules = rules->rules;
    r->clip->axes = *axes == 'n' ? rules->axes : POSE_AXES_GLTF;
    if (*axes == 'n' && rules->rules == POSE_RULES_PLAIN &&
        !strcmp(value_get_string(r->json.root, "unit", ""), "inch"))
        r->clip->axes = POSE_AXES_INCHES;
    if (*axes == 'n' && rules->rules == POSE_RULES_PLAIN &&
        !strcmp(value_get_string(r->json.root, "up", ""), "z"))
        r->clip->axes = POSE_AXES_Z_UP;
    return true;
}

static bool read_timing(struct reading *r)
{
    struct pose_clip *clip = r->clip;
    const struct pose_value *loop = pose_value_find(r->json.root, "loop");
    int64_t frames = value_get_int(r->json.root, "frame_count", 0);
    if (!read_number(r, "duration", -1, &clip->duration) || !read_number(r, "fps", 0, &clip->fps) ||
        !read_number(r, "loop_in", 0, &clip->loop_in) ||
        !read_number(r, "loop_out", clip->duration, &clip->loop_out))
        return false;
    if (clip->duration < 0)
        return refuse(r, "bad_number", "/duration", "must be a number of seconds, at least 0");
    if (clip->fps < 0)
        return refuse(r, "bad_number", "/fps", "must be a number of frames per second");
    if (frames < 0 || frames > UINT32_MAX)
        return refuse(r, "bad_number", "/frame_count", "must be a number of frames");
    clip->frame_count = (uint32_t)frames;
    if (loop && loop->kind == POSE_BOOL)
        clip->loop = loop->as.boolean ? POSE_LOOP_YES : POSE_LOOP_NO;
    else if (loop && loop->kind != POSE_NULL)
        return refuse(r, "bad_member", "/loop", "must be true, false or null");
    return true;
}

static bool read_clip(struct reading *r)
{
    struct decode_job *job = r->job;
    if (!json_open(&r->json, job->source->bytes, 0, job->arena, job->error))
        return false;
    if (r->json.root->kind != POSE_OBJECT)
        return refuse(r, "bad_member", "", "must be an object");
    struct pose_clip *clip = r->clip = ARENA_NEW(job->arena, struct pose_clip, 1);
    if (!clip)
        return false;
    clip->name = copy_text(r, r->json.root, "name");
    clip->origin = find_origin(r);
    clip->game = copy_text(r, r->json.root, "game");
    clip->extras = copy_extras(r, r->json.root);
    if (!read_rules(r) || !read_timing(r) || !read_skeleton(r) || !read_joints(r) || !read_events(r))
        return false;
    clip->key_count = clip_count_keys(clip);
    job->document->clips = clip;
    job->document->clip_count = 1;
    return true;
}

static bool decode(struct decode_job *job)
{
    struct reading r = {.job = job};
    bool done = read_clip(&r) && !r.json.arena.failed;
    json_close(&r.json);
    return done;
}

static enum probe_result probe(const struct pose_source *source)
{
    static const struct json_member members[] = {{"joints", '['}, {"duration", '0'}, {NULL, 0}};
    return json_has_members(source->bytes, members) ? PROBE_SURE : PROBE_NO;
}

static const struct target target = {
    .title = "JSON",
    .axes = POSE_AXES_GLTF,
    .holds = {true, true, true, true},
    .resamples = true,
    .metres = "gltf",
    .files = {{.options = "axes", .is_text = true}},
};

const struct codec codec_clip_json = {
    .format = {.id = "json",
               .title = "Clip JSON",
               .extensions = ".json",
               .media_type = "application/json",
               .kinds = "clip skeleton"},
    .probe = probe,
    .decode = decode,
    .encode = NOT_IN_PAGES(clip_json_encode),
    .target = &target,
};
