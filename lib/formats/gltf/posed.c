/*
 * `extras.posed` of an animation (see gltf.h): restores the clip of the original format, in glTF's axes.
 *
 * If every part still has the number of keys that our writer gave it, the clip gets back its own keys and rules.
 * Otherwise it has been edited: then every key counts, including those added for glTF's interpolation, and the
 * rules are glTF's.
 */
#include "lib/formats/gltf/read.h"
#include "lib/formats/rules.h"

#include "lib/model/axes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct restoring {
    struct gltf *g;
    const struct pose_value *posed;
    uint32_t stamp;
    enum pose_axes axes; /* of keys in the extras */
    bool edited;
    struct json_list joints, timelines;
    float **timeline; /* [timelines.count] those already read */
    uint32_t *timeline_count;
    char place[64]; /* "/animations/3/extras/posed" */
};

const struct pose_value *gltf_posed(const struct pose_value *object)
{
    const struct pose_value *posed = pose_value_find(pose_value_find(object, "extras"), "posed");
    return posed && posed->kind == POSE_OBJECT ? posed : NULL;
}

/* An animation's `posed`, if its version is known. */
static const struct pose_value *known_posed(const struct pose_value *animation)
{
    const struct pose_value *posed = gltf_posed(animation);
    return posed && value_get_int(posed, "version", 0) == 1 ? posed : NULL;
}

/* ------------------------------------------------------------------------------------------------- survey -- */

static bool survey_root(struct gltf *g, const struct pose_value *posed)
{
    const struct pose_value *root = pose_value_find(posed, "root");
    int axes = axes_find(value_get_string(posed, "axes", "gltf"));
    uint32_t node;
    bool found;
    if (!root || axes < 0)
        return true;
    if (!gltf_index(g, root, "node", g->nodes.count, true, &node) ||
        !gltf_numbers(g, root, "rest", 3, g->root_rest, &found))
        return false;
    pose_convert_axes(POSE_TRANSLATION, g->root_rest, 1, (enum pose_axes)axes, POSE_AXES_GLTF);
    g->root = found ? node : GLTF_NONE;
    return true;
}

bool gltf_posed_survey(struct gltf *g)
{
    struct json_list scenes;
    g->root = GLTF_NONE;
    gltf_at(g, "%s", "");
    if (!gltf_list(g, g->json.root, "scenes", &scenes))
        return false;
    const struct pose_value *file = gltf_posed(g->json.root);
    gltf_at(g, "%s", "/extras/posed");
    if (file && !gltf_list(g, file, "clips", &g->keyless))
        return false;
    for (uint32_t i = 0; i < scenes.count; i++)
        g->is_ours |= gltf_posed(scenes.items[i]) != NULL;
    for (uint32_t i = 0; i < g->animations.count; i++) {
        const struct pose_value *posed = known_posed(g->animations.items[i]);
        gltf_at(g, "/animations/%u/extras/posed/root", i);
        if (posed && g->root == GLTF_NONE && !survey_root(g, posed))
            return false;
        g->is_ours |= posed != NULL;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------ channels -- */

/* The animation's channel for a part of a node; NULL if there is none. */
static const struct pose_channel *find_channel(const struct restoring *r, uint32_t node, enum pose_part part)
{
    if (node == GLTF_NONE || part == POSE_MORPH || r->g->node[node].stamp != r->stamp)
        return NULL;
    const struct pose_channel *channel = &r->g->node[node].channels[part];
    return channel->count ? channel : NULL;
}

/* True if every key has that value. */
static bool stays_at(const struct pose_channel *channel, const float *value, enum pose_part part)
{
    unsigned components = part_components(part);
    for (uint32_t k = 0; k < channel->count; k++) {
        if (memcmp(channel->values + (size_t)k * components, value, components * sizeof *value) != 0)
            return false;
    }
    return true;
}

/* A node's own value of a part (not morph). */
static const float *rest_of(const struct gltf *g, uint32_t node, enum pose_part part)
{
    return g->node[node].rest + part_place(part);
}

/* Key times in an array of the extras; they must ascend. */
static float *read_key_times(struct restoring *r, const struct pose_value *array, uint32_t *count)
{
    size_t size = array && array->kind == POSE_ARRAY ? value_count(array) : 0;
    *count = 0;
    if (!size) {
        gltf_refuse(r->g, "bad_times", "", "must be an array of times");
        return NULL;
    }
    if (!gltf_count_keys(r->g, size))
        return NULL;
    float *times = ARENA_NEW(r->g->job->arena, float, size);
    for (const struct pose_value *item = array->first; item && times; item = item->next) {
        float *time = &times[(*count)++];
        if (!value_number(item, time) || (*count > 1 && *time <= time[-1])) {
            gltf_refuse(r->g, "bad_times", "", "time %u of %zu does not ascend", *count - 1, size);
            return NULL;
        }
    }
    return times;
}

/* {"times": [...], "values": [[...], ...]} */
static bool read_keys(struct restoring *r, const struct pose_value *object, enum pose_part part,
                      struct pose_channel *channel)
{
    const struct pose_value *rows = pose_value_find(object, "values");
    unsigned components = part_components(part);
    uint32_t count, row = 0;
    float *times = read_key_times(r, pose_value_find(object, "times"), &count);
    if (!times)
        return false;
    float *values = ARENA_NEW(r->g->job->arena, float, (size_t)count *components);
    if (!values)
        return false;
    if (!rows || rows->kind != POSE_ARRAY || value_count(rows) != count)
        return gltf_refuse(r->g, "count_mismatch", "/values", "must be %u values", count);
    for (const struct pose_value *item = rows->first; item; item = item->next, row++) {
        const struct pose_value *number = item->kind == POSE_ARRAY ? item->first : NULL;
        unsigned c = 0;
        for (; number && c < components && value_number(number, &values[(size_t)row * components + c]); c++)
            number = number->next;
        if (number || c < components)
            return gltf_refuse(r->g, "bad_number", "/values", "row %u does not have %u numbers", row,
                               components);
    }
    if (part != POSE_MORPH)
        pose_convert_axes(part, values, count, r->axes, POSE_AXES_GLTF);
    *channel = (struct pose_channel){.count = count, .times = times, .values = values};
    return true;
}

static bool read_timeline(struct restoring *r, uint32_t index)
{
    if (r->timeline[index])
        return gltf_count_keys(r->g, r->timeline_count[index]);
    gltf_at(r->g, "%s/timelines/%u", r->place, index);
    r->timeline[index] = read_key_times(r, r->timelines.items[index], &r->timeline_count[index]);
    return r->timeline[index];
}

/* {"timeline": I}: the same value at every time of the timeline. */
static bool repeat_value(struct restoring *r, uint32_t node, enum pose_part part, uint32_t index,
                         const struct pose_channel *from, struct pose_channel *channel)
{
    unsigned components = part_components(part);
    if (!read_timeline(r, index))
        return false;
    uint32_t count = r->timeline_count[index];
    float *values = ARENA_NEW(r->g->job->arena, float, (size_t)count *components);
    const float *value = from ? from->values : rest_of(r->g, node, part);
    for (uint32_t k = 0; k < count && values; k++)
        memcpy(values + (size_t)k * components, value, components * sizeof *values);
    *channel = (struct pose_channel){.count = count, .times = r->timeline[index], .values = values};
    return values;
}

/* The keys of a channel without the listed ones. */
static bool drop_added(struct restoring *r, const struct pose_value *added, enum pose_part part,
                       struct pose_channel *channel)
{
    unsigned components = part_components(part);
    const struct pose_value *next = added && added->kind == POSE_ARRAY ? added->first : NULL;
    struct channel_builder builder;
    uint32_t kept = 0;
    if (!next)
        return true;
    if (!channel_new(r->g->job->arena, part, channel->count, &builder))
        return false;
    for (uint32_t k = 0; k < channel->count; k++) {
        if (next && next->kind == POSE_INT && next->as.integer == k) {
            next = next->next;
            continue;
        }
        builder.times[kept] = channel->times[k];
        memcpy(builder.values + (size_t)kept++ * components, channel->values + (size_t)k * components,
               components * sizeof *builder.values);
    }
    if (next)
        return gltf_refuse(r->g, "bad_index", "/added", "the indices do not ascend within %u keys",
                           channel->count);
    *channel = channel_done(&builder, kept);
    return true;
}

/* Second Life's pelvis: subtracts the rest that was added for glTF. */
static bool take_off_rest(struct restoring *r, uint32_t node, enum pose_part part,
                          struct pose_channel *channel)
{
    const struct gltf *g = r->g;
    if (node == GLTF_NONE || node != g->root || part != POSE_TRANSLATION)
        return true;
    float *values = ARENA_NEW(g->job->arena, float, 3 * (size_t)channel->count);
    for (size_t i = 0; i < 3 * (size_t)channel->count && values; i++)
        values[i] = channel->values[i] - g->root_rest[i % 3];
    channel->values = values;
    return values;
}

/* -------------------------------------------------------------------------------------------------- joints -- */

/* The node of a record: by index if its name matches, else by name. */
static uint32_t find_node(const struct restoring *r, const struct pose_value *joint, uint32_t place)
{
    const struct gltf *g = r->g;
    int64_t node = value_get_int(joint, "node", -1), id = value_get_int(joint, "id", -1);
    const char *own = value_get_string(joint, "name", NULL);
    const char *name = value_get_string(joint, "called", own);
    char made[32];
    snprintf(made, sizeof made, "joint_%lld", (long long)(id >= 0 ? id : (int64_t)place));
    name = name ? name : made;
    if (node < 0)
        return GLTF_NONE;
    if (node < g->nodes.count && g->node[node].name && !strcmp(g->node[node].name, name))
        return (uint32_t)node;
    int64_t found = name_index_find(&g->names, name);
    /* Unnamed in the extras, so the number in the made-up name may be another row's. */
    if (found < 0 && node < g->nodes.count && id < 0 && name == made)
        found = node;
    return found < 0 ? GLTF_NONE : (uint32_t)found;
}

static bool is_part_edited(const struct restoring *r, const struct pose_value *object, uint32_t node,
                           enum pose_part part)
{
    const struct pose_channel *channel = find_channel(r, node, part);
    if (pose_value_find(object, "times"))
        return false;
    if (pose_value_find(object, "timeline"))
        return channel && !stays_at(channel, channel->values, part);
    return !channel || value_get_int(object, "count", -1) != channel->count;
}

/* Finds which parts of each node the records cover, and whether anything was edited. */
static void look_for_edits(struct restoring *r, const uint32_t *nodes, uint32_t node_count)
{
    for (uint32_t i = 0; i < node_count; i++)
        r->g->node[nodes[i]].claimed = 0;
    for (uint32_t i = 0; i < r->joints.count; i++) {
        uint32_t node = find_node(r, r->joints.items[i], i);
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            const struct pose_value *object =
                pose_value_find(r->joints.items[i], part_name((enum pose_part)part));
            if (!object)
                continue;
            r->edited |= is_part_edited(r, object, node, (enum pose_part)part);
            if (node != GLTF_NONE)
                r->g->node[node].claimed |= 1u << part;
        }
    }
}

static bool restore_part(struct restoring *r, const struct pose_value *object, uint32_t node,
                         enum pose_part part, struct pose_channel *channel)
{
    const struct pose_channel *from = find_channel(r, node, part);
    uint32_t timeline;
    *channel = (struct pose_channel){0};
    if (pose_value_find(object, "times"))
        return read_keys(r, object, part, channel);
    if (!gltf_index(r->g, object, "timeline", r->timelines.count, false, &timeline))
        return false;
    if (timeline != GLTF_NONE && node != GLTF_NONE && part != POSE_MORPH &&
        (!from || stays_at(from, from->values, part)))
        return repeat_value(r, node, part, timeline, from, channel) && take_off_rest(r, node, part, channel);
    if (!from)
        return true;
    *channel = *from;
    return (r->edited || drop_added(r, pose_value_find(object, "added"), part, channel)) &&
           take_off_rest(r, node, part, channel);
}

static bool restore_joint(struct restoring *r, uint32_t index, struct pose_track *track)
{
    struct gltf *g = r->g;
    const struct pose_value *joint = r->joints.items[index];
    uint32_t node = find_node(r, joint, index);
    int64_t id = value_get_int(joint, "id", -1);
    track->node = node == GLTF_NONE ? 0 : node + 1;
    track->name = gltf_text(g, joint, "name");
    track->has_id = id >= 0 && id <= UINT32_MAX;
    track->id = track->has_id ? (uint32_t)id : 0;
    track->extras = value_copy_object(g->job->arena, pose_value_find(joint, "extras"), NULL);
    for (int part = 0; part < POSE_PART_COUNT; part++) {
        const struct pose_value *object = pose_value_find(joint, part_name((enum pose_part)part));
        gltf_at(g, "%s/joints/%u/%s", r->place, index, part_name((enum pose_part)part));
        if (object && !restore_part(r, object, node, (enum pose_part)part, &track->channels[part]))
            return false;
    }
    return !g->job->arena->failed;
}

/* A node that only carries its parent's scale is not a track. */
static bool is_scale_helper(const struct gltf *g, uint32_t node)
{
    const struct gltf_node *child = &g->node[node];
    const char *name = child->name;
    if (!name || child->parent == GLTF_NONE || !g->node[child->parent].name)
        return false;
    const char *parent = g->node[child->parent].name;
    size_t length = strlen(parent);
    return !strncmp(name, parent, length) && !strcmp(name + length, ".scale");
}

/* Channels that no record covers were added by hand: they become new tracks. */
static bool add_unclaimed(struct restoring *r, uint32_t node, struct pose_track *tracks, uint32_t *count)
{
    const struct gltf_node *from = &r->g->node[node];
    struct gltf_name name = gltf_name_of(r->g, node);
    struct pose_track track = {.name = name.name, .has_id = name.has_id, .id = name.id, .node = node + 1};
    bool any = false;
    for (int part = 0; part < POSE_MORPH; part++) {
        const struct pose_channel *channel = &from->channels[part];
        /* A joint held at its rest is there only because an animation needs a channel. */
        if (!channel->count || from->claimed & 1u << part ||
            stays_at(channel, rest_of(r->g, node, (enum pose_part)part), (enum pose_part)part))
            continue;
        track.channels[part] = from->channels[part];
        if (!take_off_rest(r, node, (enum pose_part)part, &track.channels[part]))
            return false;
        any = true;
    }
    if (any && !is_scale_helper(r->g, node))
        tracks[(*count)++] = track;
    return true;
}

/* ------------------------------------------------------------------------------------------------ the clip -- */

static bool restore_events(struct restoring *r, struct pose_clip *clip)
{
    static const char *const own[] = {"time", "type", NULL};
    struct arena *arena = r->g->job->arena;
    struct json_list list;
    gltf_at(r->g, "%s", r->place);
    if (!gltf_list(r->g, r->posed, "events", &list))
        return false;
    struct pose_event *events = ARENA_NEW(arena, struct pose_event, list.count);
    for (uint32_t i = 0; i < list.count && events; i++) {
        if (!value_number(pose_value_find(list.items[i], "time"), &events[i].time)) {
            gltf_at(r->g, "%s/events/%u", r->place, i);
            return gltf_refuse(r->g, "missing_member", "", "\"time\" is missing");
        }
        events[i].type = gltf_text(r->g, list.items[i], "type");
        events[i].type = events[i].type ? events[i].type : "event";
        events[i].fields = value_copy_object(arena, list.items[i], own);
    }
    clip->events = events;
    clip->event_count = list.count;
    return events && events_sort(arena, events, list.count);
}

/* The stored duration, unless the clip's length was edited. */
static float choose_duration(const struct restoring *r, float last_key)
{
    float duration = value_get_float(r->posed, "duration", last_key),
          fps = value_get_float(r->posed, "fps", 0);
    float frame = fps >= 1 ? 1 / fps : 0.05f;
    if (r->edited && (last_key > duration || last_key < duration - 1.5f * frame) && last_key > 0)
        return last_key;
    return duration >= 0 ? duration : last_key;
}

static void restore_timing(struct restoring *r, struct pose_clip *clip)
{
    const struct pose_value *posed = r->posed, *loop = pose_value_find(posed, "loop");
    float stored = value_get_float(posed, "duration", clip->duration);
    clip->duration = choose_duration(r, clip->duration);
    clip->loop_in = value_get_float(posed, "loop_in", 0);
    clip->loop_out = value_get_float(posed, "loop_out", clip->duration);
    if (clip->duration != stored) { /* edited */
        clip->loop_out = clip->loop_out == stored ? clip->duration : fminf(clip->loop_out, clip->duration);
        clip->loop_in = fminf(clip->loop_in, clip->loop_out);
    }
    clip->fps = fmaxf(value_get_float(posed, "fps", 0), 0);
    int64_t frames = value_get_int(posed, "frame_count", 0);
    clip->frame_count = frames > 0 && frames <= UINT32_MAX && !r->edited ? (uint32_t)frames : 0;
    if (loop && loop->kind == POSE_BOOL)
        clip->loop = loop->as.boolean ? POSE_LOOP_YES : POSE_LOOP_NO;
}

static void restore_head(struct restoring *r, struct pose_clip *clip)
{
    struct gltf *g = r->g;
    const struct rules_row *rules = rules_find(value_get_string(r->posed, "rules", "plain"));
    clip->name = gltf_text(g, r->posed, "name");
    clip->game = gltf_text(g, r->posed, "game");
    clip->origin = gltf_text(g, r->posed, "format");
    clip->rules = r->edited || !rules ? POSE_RULES_PLAIN : rules->rules;
    clip->extras = value_copy_object(g->job->arena, pose_value_find(r->posed, "extras"), NULL);
}

/* In our own files keys may lie outside the clip, if they did in the game's file. */
static void check_keys(struct restoring *r, const struct pose_clip *clip)
{
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            const struct pose_channel *channel = &clip->tracks[i].channels[part];
            if (channel->count &&
                (channel->times[0] < 0 || channel->times[channel->count - 1] > clip->duration))
                warning_add(&r->g->job->warnings, POSE_WARNING, "key_outside_clip", POSE_NO_OFFSET,
                            "%s/joints/%u: a key is outside the clip of %g s", r->place, i,
                            (double)clip->duration);
        }
    }
}

/* Weights are in a channel for players and in the record for us. Drops the tracks of those that the record has, by name as
 * targets are called. Returns the number kept. */
static uint32_t drop_recorded(struct gltf *g, const struct pose_track *recorded, uint32_t recorded_count,
                              struct pose_track *morphs, uint32_t count)
{
    struct name_index index;
    char made[20];
    uint32_t kept = 0;
    if (!count || !name_index_init(&index, g->job->arena, recorded_count))
        return count;
    for (uint32_t i = 0; i < recorded_count; i++) {
        const struct pose_track *track = &recorded[i];
        snprintf(made, sizeof made, "morph_%u", track->id);
        const char *name = track->name || !track->has_id ? track->name : arena_copy_text(g->job->arena, made);
        if (track->channels[POSE_MORPH].count)
            name_index_add(&index, name, i);
    }
    name_index_sort(&index);
    for (uint32_t i = 0; i < count; i++) {
        if (name_index_find(&index, morphs[i].name) < 0)
            morphs[kept++] = morphs[i];
    }
    return kept;
}

static bool restore_tracks(struct restoring *r, const uint32_t *nodes, uint32_t node_count,
                           struct pose_clip *clip)
{
    struct decode_job *job = r->g->job;
    uint32_t morphs = clip->track_count - node_count, count = r->joints.count;
    uint64_t most = (uint64_t)count + clip->track_count;
    if (count > job->limits->joints)
        return error_limit(job->error, "joints", "%s/joints: more than %u tracks", r->place,
                           job->limits->joints);
    struct pose_track *tracks = ARENA_NEW(job->arena, struct pose_track, most);
    if (!tracks)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        if (!restore_joint(r, i, &tracks[i]))
            return false;
    }
    for (uint32_t i = 0; i < node_count; i++) {
        if (!add_unclaimed(r, nodes[i], tracks, &count))
            return false;
    }
    if (morphs)
        memcpy(tracks + count, clip->tracks + node_count, morphs * sizeof *tracks);
    morphs = drop_recorded(r->g, tracks, count, tracks + count, morphs);
    clip->tracks = tracks;
    clip->track_count = count + morphs;
    return true;
}

bool gltf_posed_apply(struct gltf *g, const struct gltf_record *record, struct pose_clip *clip)
{
    const struct pose_value *posed = record->posed;
    struct restoring r = {.g = g, .posed = posed, .stamp = record->stamp};
    int axes = axes_find(value_get_string(posed, "axes", "gltf"));
    snprintf(r.place, sizeof r.place, "%s", record->place);
    if (value_get_int(posed, "version", 0) != 1 || axes < 0) {
        warning_add(&g->job->warnings, POSE_WARNING, "unknown_extras", POSE_NO_OFFSET,
                    "%s has an unknown version and was ignored", r.place);
        return true;
    }
    r.axes = (enum pose_axes)axes;
    gltf_at(g, "%s", r.place);
    if (!gltf_list(g, posed, "joints", &r.joints) || !gltf_list(g, posed, "timelines", &r.timelines))
        return false;
    r.timeline = json_alloc(&g->json, r.timelines.count, sizeof *r.timeline);
    r.timeline_count = json_alloc(&g->json, r.timelines.count, sizeof *r.timeline_count);
    if (!r.timeline || !r.timeline_count)
        return false;
    float fps = 0;
    r.edited = value_number(pose_value_find(posed, "resampled"), &fps);
    look_for_edits(&r, record->nodes, record->node_count);
    restore_head(&r, clip);
    restore_timing(&r, clip);
    if (!restore_tracks(&r, record->nodes, record->node_count, clip) || !restore_events(&r, clip))
        return false;
    check_keys(&r, clip);
    return !g->job->arena->failed;
}
