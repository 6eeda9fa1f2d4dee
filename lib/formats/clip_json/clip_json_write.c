/* Writing clip JSON, for the codec and for callers that add members of their own. */
#include "lib/formats/clip_json/clip_json.h"
#include "lib/formats/rules.h"

#include "lib/core/bytes/json_writer.h"
#include "lib/core/setting.h"
#include "lib/model/match.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64 }; /* keys converted to other axes at a time */

static void put_timing(struct json_writer *json, const struct pose_clip *clip)
{
    jsonw_number(json, "duration", clip->duration);
    jsonw_number(json, "fps", clip->fps > 0 ? clip->fps : NAN);
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
    jsonw_string(json, "interpolation", rules_row(clip->rules)->interpolation);
    jsonw_integer(json, "joint_count", clip->track_count);
    jsonw_unsigned(json, "key_count", clip->key_count);
}

static void put_notes(struct json_writer *json, const struct pose_clip *clip,
                      const struct pose_document *document)
{
    jsonw_array(json, "warnings");
    if (document)
        jsonw_warnings(json, document->warnings, document->warning_count);
    jsonw_warnings(json, clip->warnings, clip->warning_count);
    jsonw_end(json);
    jsonw_object_value(json, "extras", clip->extras);
}

/* --------------------------------------------------------------------------------------------------- keys -- */

static void put_channel(struct json_writer *json, enum pose_part part, const struct pose_channel *channel,
                        enum pose_axes from, enum pose_axes to)
{
    unsigned components = part_components(part);
    float block[BLOCK * 4];
    jsonw_object(json, part_name(part));
    jsonw_finite_floats(json, "times", channel->times, channel->count);
    jsonw_array(json, "values");
    for (uint32_t begin = 0; begin < channel->count; begin += BLOCK) {
        uint32_t count = channel->count - begin < BLOCK ? channel->count - begin : BLOCK;
        memcpy(block, channel->values + (size_t)begin * components, count * components * sizeof *block);
        if (from != to && part != POSE_MORPH)
            pose_convert_axes(part, block, count, from, to);
        for (uint32_t k = 0; k < count; k++)
            jsonw_finite_floats(json, NULL, block + (size_t)k * components, components);
    }
    jsonw_end(json);
    jsonw_end(json);
}

static void put_identity(struct json_writer *json, const char *name, bool has_id, uint32_t id)
{
    jsonw_string(json, "name", name);
    if (has_id)
        jsonw_integer(json, "id", id);
    else
        jsonw_null(json, "id");
}

/* is_bound: whether to write the track's joint in the clip's own skeleton. */
static void put_joint(struct json_writer *json, const struct pose_track *track, bool is_bound,
                      enum pose_axes from, enum pose_axes to)
{
    jsonw_object(json, NULL);
    put_identity(json, track->name, track->has_id, track->id);
    if (is_bound && track->node)
        jsonw_integer(json, "joint", track->node - 1);
    for (int part = 0; part < POSE_PART_COUNT; part++) {
        if (track->channels[part].count)
            put_channel(json, (enum pose_part)part, &track->channels[part], from, to);
    }
    if (track->extras)
        jsonw_value(json, "extras", track->extras);
    jsonw_end(json);
}

static void put_event(struct json_writer *json, const struct pose_event *event)
{
    jsonw_object(json, NULL);
    jsonw_number(json, "time", event->time);
    jsonw_string(json, "type", event->type);
    jsonw_members(json, event->fields);
    jsonw_end(json);
}

/* ----------------------------------------------------------------------------------------------- skeleton -- */

static void put_rest(struct json_writer *json, const struct pose_joint *joint, enum pose_axes from,
                     enum pose_axes to)
{
    float rest[3][4];
    memcpy(rest[POSE_TRANSLATION], joint->translation, sizeof joint->translation);
    memcpy(rest[POSE_ROTATION], joint->rotation, sizeof joint->rotation);
    memcpy(rest[POSE_SCALE], joint->scale, sizeof joint->scale);
    for (int part = 0; part <= POSE_SCALE; part++) {
        pose_convert_axes((enum pose_part)part, rest[part], 1, from, to);
        jsonw_finite_floats(json, part_name((enum pose_part)part), rest[part],
                            part_components((enum pose_part)part));
    }
}

/* Parents first. Other data of a joint is in the file's axes, and omitted if the output has others. */
static void put_skeleton(struct json_writer *json, const struct pose_skeleton *skeleton, enum pose_axes to)
{
    jsonw_object(json, "skeleton");
    jsonw_string(json, "name", skeleton->name);
    jsonw_string(json, "scaling", skeleton->scaling == POSE_SCALE_OFFSETS ? "offsets" : "inherited");
    if (skeleton->root_joint >= 0)
        jsonw_integer(json, "root_joint", skeleton->root_joint);
    jsonw_array(json, "joints");
    for (uint32_t i = 0; i < skeleton->joint_count; i++) {
        const struct pose_joint *joint = &skeleton->joints[i];
        jsonw_object(json, NULL);
        put_identity(json, joint->name, joint->has_id, joint->id);
        jsonw_integer(json, "parent", joint->parent);
        if (skeleton->figures)
            jsonw_integer(json, "figure", skeleton->figures[i]);
        if (joint->in_skin)
            jsonw_bool(json, "in_skin", true);
        put_rest(json, joint, skeleton->axes, to);
        if (joint->extras && skeleton->axes == to)
            jsonw_value(json, "extras", joint->extras);
        jsonw_end(json);
    }
    jsonw_end(json);
    jsonw_end(json);
}

/* The skeleton that the clip's tracks are bound to; NULL. */
static const struct pose_skeleton *find_own(const struct pose_clip *clip,
                                            const struct pose_skeleton *skeletons, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (clip_is_of_tree(clip, &skeletons[i]))
            return &skeletons[i];
    }
    return NULL;
}

/* ------------------------------------------------------------------------------------------------- content -- */

/* own: the skeleton of the clip's original file; NULL. */
static void put_keys(struct json_writer *json, const struct pose_clip *clip, const struct pose_skeleton *own,
                     bool gltf)
{
    /* Axes other than those of the rules or glTF's have no name here, except those of BVH files. */
    bool is_plain = clip->rules == POSE_RULES_PLAIN && !gltf;
    bool is_inches = is_plain && clip->axes == POSE_AXES_INCHES;
    bool is_z_up = is_plain && clip->axes == POSE_AXES_Z_UP;
    bool is_native = is_inches || is_z_up ||
                     (clip->axes == rules_row(clip->rules)->axes && (!gltf || clip->axes == POSE_AXES_GLTF));
    enum pose_axes axes = is_native ? clip->axes : POSE_AXES_GLTF;
    jsonw_string(json, "axes", is_native && !gltf ? "native" : "gltf");
    if (is_inches)
        jsonw_string(json, "unit", "inch");
    if (is_z_up)
        jsonw_string(json, "up", "z");
    jsonw_string(json, "rules", rules_row(clip->rules)->name);
    if (clip->origin)
        jsonw_string(json, "origin", clip->origin);
    if (clip->game)
        jsonw_string(json, "game", clip->game);
    jsonw_array(json, "joints");
    for (uint32_t i = 0; i < clip->track_count; i++)
        put_joint(json, &clip->tracks[i], own, clip->axes, axes);
    jsonw_end(json);
    if (own)
        put_skeleton(json, own, axes);
    jsonw_array(json, "events");
    for (uint32_t i = 0; i < clip->event_count; i++)
        put_event(json, &clip->events[i]);
    jsonw_end(json);
}

/* ------------------------------------------------------------------------------------------------ in public -- */

/* own: see put_keys. */
static void put_parts(struct json_writer *json, const struct pose_clip_json *what,
                      const struct pose_skeleton *own)
{
    if (what->parts & POSE_JSON_TIMING)
        put_timing(json, what->clip);
    if (what->parts & POSE_JSON_NOTES)
        put_notes(json, what->clip, what->document);
    if (what->parts & POSE_JSON_KEYS) {
        jsonw_integer(json, "event_count", what->clip->event_count);
        put_keys(json, what->clip, own, what->gltf);
    }
}

bool pose_json_clip(struct pose_buffer *buffer, const struct pose_clip_json *what)
{
    struct json_writer json;
    jsonw_init_members(&json, buffer);
    const struct pose_document *document = what->document;
    put_parts(&json, what,
              document ? find_own(what->clip, document->skeletons, document->skeleton_count) : NULL);
    return !json.to.failed;
}

bool clip_json_encode(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    static const char *const axes[] = {"native", "gltf"};
    unsigned gltf = 0;
    if (content->clip_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_clip", "clip JSON holds one clip, not %u",
                         content->clip_count);
    if (!setting_word(job->settings, "axes", axes, 2, &gltf, job->error))
        return false;
    struct pose_clip clip = *content->clips;
    if (!clip.origin && clip.rules != POSE_RULES_PLAIN)
        clip.origin = rules_row(clip.rules)->format; /* a best guess */
    struct json_writer json = {.to = *job->writer};
    jsonw_object(&json, NULL);
    jsonw_string(&json, "name", clip.name);
    jsonw_string(&json, "format", clip.origin ? clip.origin : rules_row(clip.rules)->format);
    put_parts(&json, &(struct pose_clip_json){.clip = &clip, .gltf = gltf, .parts = POSE_JSON_ALL},
              find_own(&clip, content->skeletons, content->skeleton_count));
    jsonw_end(&json);
    *job->writer = json.to;
    writer_text(job->writer, "\n");
    return true;
}
