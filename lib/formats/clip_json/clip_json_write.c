/* Writing clip JSON: of the codec, and of whoever adds members of his own to it. */
#include "lib/formats/clip_json/clip_json.h"
#include "lib/formats/rules.h"

#include "lib/core/setting.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 64 }; /* keys that are brought to other axes at a time */

static void put_key(struct writer *w, const char *key)
{
    writer_u8(w, '"');
    writer_text(w, key);
    writer_text(w, "\":");
}

static void put_next(struct writer *w, const char *key)
{
    writer_u8(w, ',');
    put_key(w, key);
}

static void put_number(struct writer *w, float number)
{
    if (isfinite(number))
        writer_float(w, number);
    else
        writer_text(w, "null");
}

static void put_string(struct writer *w, const char *text)
{
    if (text)
        writer_json_string(w, text);
    else
        writer_text(w, "null");
}

/* ------------------------------------------------------------------------------------------------- timing -- */

static void put_timing(struct writer *w, const struct pose_clip *clip)
{
    put_key(w, "duration");
    put_number(w, clip->duration);
    put_next(w, "fps");
    put_number(w, clip->fps > 0 ? clip->fps : NAN);
    put_next(w, "frame_count");
    if (clip->frame_count)
        writer_format(w, "%u", clip->frame_count);
    else
        writer_text(w, "null");
    put_next(w, "loop");
    writer_text(w, clip->loop == POSE_LOOP_UNKNOWN ? "null" : clip->loop == POSE_LOOP_YES ? "true" : "false");
    put_next(w, "loop_in");
    put_number(w, clip->loop_in);
    put_next(w, "loop_out");
    put_number(w, clip->loop_out);
    put_next(w, "interpolation");
    writer_json_string(w, rules_row(clip->rules)->interpolation);
    writer_format(w, ",\"joint_count\":%u,\"key_count\":%llu", clip->track_count,
                  (unsigned long long)clip->key_count);
}

/* -------------------------------------------------------------------------------------------------- notes -- */

static void put_warnings(struct writer *w, const struct pose_warning *warnings, uint32_t count, bool *any)
{
    for (uint32_t i = 0; i < count; i++) {
        writer_text(w, *any ? ",{" : "{");
        *any = true;
        put_key(w, "code");
        writer_json_string(w, warnings[i].code);
        put_next(w, "severity");
        writer_json_string(w, warnings[i].severity == POSE_WARNING ? "warning" : "note");
        put_next(w, "message");
        writer_json_string(w, warnings[i].message);
        if (warnings[i].offset != POSE_NO_OFFSET)
            writer_format(w, ",\"offset\":%llu", (unsigned long long)warnings[i].offset);
        writer_u8(w, '}');
    }
}

static void put_notes(struct writer *w, const struct pose_clip *clip, const struct pose_document *document)
{
    bool any = false;
    put_key(w, "warnings");
    writer_u8(w, '[');
    if (document)
        put_warnings(w, document->warnings, document->warning_count, &any);
    put_warnings(w, clip->warnings, clip->warning_count, &any);
    writer_u8(w, ']');
    put_next(w, "extras");
    if (clip->extras)
        writer_json_value(w, clip->extras);
    else
        writer_text(w, "{}");
}

/* --------------------------------------------------------------------------------------------------- keys -- */

/* One value with its brackets, and the comma before all but the first. */
static void put_value(struct writer *w, const float *value, unsigned components, bool first)
{
    char *text = (char *)writer_reserve(w, (size_t)components * (POSE_FLOAT_TEXT + 1) + 4);
    size_t used = 0;
    if (!text)
        return;
    if (!first)
        text[used++] = ',';
    text[used++] = '[';
    for (unsigned c = 0; c < components; c++) {
        if (c)
            text[used++] = ',';
        used += pose_float_text(isfinite(value[c]) ? value[c] : 0, text + used);
    }
    text[used++] = ']';
    writer_commit(w, used);
}

static void put_channel(struct writer *w, enum pose_part part, const struct pose_channel *channel,
                        enum pose_axes from, enum pose_axes to)
{
    unsigned components = part_components(part);
    float block[BLOCK * 4];
    put_next(w, part_name(part));
    writer_text(w, "{\"times\":[");
    for (uint32_t k = 0; k < channel->count; k++) {
        if (k)
            writer_u8(w, ',');
        writer_float(w, channel->times[k]);
    }
    writer_text(w, "],\"values\":[");
    for (uint32_t begin = 0; begin < channel->count; begin += BLOCK) {
        uint32_t count = channel->count - begin < BLOCK ? channel->count - begin : BLOCK;
        memcpy(block, channel->values + (size_t)begin * components, count * components * sizeof *block);
        if (from != to && part != POSE_MORPH)
            pose_convert_axes(part, block, count, from, to);
        for (uint32_t k = 0; k < count; k++)
            put_value(w, block + (size_t)k * components, components, begin + k == 0);
    }
    writer_text(w, "]}");
}

static void put_joint(struct writer *w, const struct pose_track *track, enum pose_axes from,
                      enum pose_axes to)
{
    writer_u8(w, '{');
    put_key(w, "name");
    put_string(w, track->name);
    if (track->has_id)
        writer_format(w, ",\"id\":%u", track->id);
    else
        writer_text(w, ",\"id\":null");
    for (int part = 0; part < POSE_PART_COUNT; part++) {
        if (track->channels[part].count)
            put_channel(w, (enum pose_part)part, &track->channels[part], from, to);
    }
    if (track->extras) {
        put_next(w, "extras");
        writer_json_value(w, track->extras);
    }
    writer_u8(w, '}');
}

static void put_event(struct writer *w, const struct pose_event *event)
{
    writer_u8(w, '{');
    put_key(w, "time");
    put_number(w, event->time);
    put_next(w, "type");
    put_string(w, event->type);
    for (const struct pose_value *field = event->fields ? event->fields->first : NULL; field;
         field = field->next) {
        writer_u8(w, ',');
        writer_json_string(w, field->key);
        writer_u8(w, ':');
        writer_json_value(w, field);
    }
    writer_u8(w, '}');
}

static void put_keys(struct writer *w, const struct pose_clip *clip, bool gltf)
{
    /* Axes that are neither of the rules nor glTF's have no name here. */
    bool is_inches = clip->axes == POSE_AXES_INCHES && clip->rules == POSE_RULES_PLAIN && !gltf;
    bool is_native =
        is_inches || (clip->axes == rules_row(clip->rules)->axes && (!gltf || clip->axes == POSE_AXES_GLTF));
    put_key(w, "axes");
    writer_json_string(w, is_native && !gltf ? "native" : "gltf");
    if (is_inches)
        writer_text(w, ",\"unit\":\"inch\"");
    put_next(w, "rules");
    writer_json_string(w, rules_row(clip->rules)->name);
    if (clip->origin) {
        put_next(w, "origin");
        writer_json_string(w, clip->origin);
    }
    if (clip->game) {
        put_next(w, "game");
        writer_json_string(w, clip->game);
    }
    put_next(w, "joints");
    writer_u8(w, '[');
    for (uint32_t i = 0; i < clip->track_count; i++) {
        if (i)
            writer_u8(w, ',');
        put_joint(w, &clip->tracks[i], clip->axes, is_native ? clip->axes : POSE_AXES_GLTF);
    }
    writer_u8(w, ']');
    put_next(w, "events");
    writer_u8(w, '[');
    for (uint32_t i = 0; i < clip->event_count; i++) {
        if (i)
            writer_u8(w, ',');
        put_event(w, &clip->events[i]);
    }
    writer_u8(w, ']');
}

/* ------------------------------------------------------------------------------------------------ in public -- */

static void put_parts(struct writer *w, const struct pose_clip_json *what)
{
    const char *comma = "";
    if (what->parts & POSE_JSON_TIMING) {
        put_timing(w, what->clip);
        comma = ",";
    }
    if (what->parts & POSE_JSON_NOTES) {
        writer_text(w, comma);
        put_notes(w, what->clip, what->document);
        comma = ",";
    }
    if (what->parts & POSE_JSON_KEYS) {
        writer_format(w, "%s\"event_count\":%u,", comma, what->clip->event_count);
        put_keys(w, what->clip, what->gltf);
    }
}

bool pose_json_clip(struct pose_buffer *buffer, const struct pose_clip_json *what)
{
    struct pose_error error;
    pose_error_init(&error);
    struct writer writer = {.out = buffer, .error = &error};
    put_parts(&writer, what);
    return !writer.failed;
}

bool clip_json_encode(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    static const char *const axes[] = {"native", "gltf"};
    unsigned gltf = 0;
    if (content->clip_count != 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_clip",
                         "a clip JSON holds one clip, there are %u", content->clip_count);
    if (!setting_word(job->settings, "axes", axes, 2, &gltf, job->error))
        return false;
    struct pose_clip clip = *content->clips;
    if (!clip.origin && clip.rules != POSE_RULES_PLAIN)
        clip.origin = rules_row(clip.rules)->format; /* as near as can be told */
    writer_text(job->writer, "{\"name\":");
    put_string(job->writer, clip.name);
    writer_text(job->writer, ",\"format\":");
    put_string(job->writer, clip.origin ? clip.origin : rules_row(clip.rules)->format);
    writer_u8(job->writer, ',');
    put_parts(job->writer, &(struct pose_clip_json){.clip = &clip, .gltf = gltf, .parts = POSE_JSON_ALL});
    writer_text(job->writer, "}\n");
    return true;
}
