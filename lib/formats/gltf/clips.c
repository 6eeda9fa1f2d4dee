/* Animations (section 3.11): each becomes a clip, with one track per node it moves and one per morph target. */
#include "lib/formats/gltf/read.h"

#include "lib/model/axes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The clip being read. */
struct reading {
    struct gltf *g;
    uint32_t index; /* of the animation */
    struct json_list samplers;
    uint32_t *nodes, node_count; /* the ones it moves, in the order in which channels name them */
    struct pose_track *morphs;
    uint32_t morph_count, morph_capacity;
    float duration;
};

/* A channel's sampler. */
struct curve {
    enum gltf_curve kind;
    uint32_t index, input, output;
    uint32_t count; /* keys */
    const float *times;
};

/* The times of an accessor, read and checked once. */
static const float *read_times(struct gltf *g, uint32_t accessor, uint32_t count)
{
    if (g->inputs[accessor])
        return g->inputs[accessor];
    float *times = gltf_accessor_read(g, accessor, 1, true);
    gltf_at(g, "/accessors/%u", accessor);
    for (uint32_t i = 0; times && i < count; i++) {
        if (i && times[i] < times[i - 1]) {
            gltf_refuse(g, "bad_times", "", "key %u at %g s follows %g s: times must ascend", i,
                        (double)times[i], (double)times[i - 1]);
            return NULL;
        }
    }
    return g->inputs[accessor] = times;
}

static bool read_kind(struct gltf *g, const struct pose_value *object, enum gltf_curve *kind)
{
    static const char *const names[] = {"LINEAR", "STEP", "CUBICSPLINE"};
    const char *name = value_get_string(object, "interpolation", names[GLTF_LINEAR]);
    for (int i = 0; i < 3; i++) {
        if (!strcmp(name, names[i])) {
            *kind = (enum gltf_curve)i;
            return true;
        }
    }
    return gltf_refuse(g, "bad_interpolation", "/interpolation", "unknown interpolation \"%.40s\"", name);
}

/* The number of distinct key times. */
static uint32_t count_times(const struct curve *curve)
{
    uint32_t count = curve->count ? 1 : 0;
    for (uint32_t i = 1; i < curve->count; i++)
        count += curve->times[i] > curve->times[i - 1];
    return count;
}

/* The sampler of a channel and its times; count is 0 if there is nothing to play. */
static bool read_curve(struct reading *r, const struct pose_value *channel, struct curve *curve)
{
    struct gltf *g = r->g;
    char place[60];
    *curve = (struct curve){0};
    if (!gltf_index(g, channel, "sampler", r->samplers.count, true, &curve->index))
        return false;
    snprintf(place, sizeof place, "/animations/%u/samplers", r->index);
    const struct pose_value *object = gltf_object(g, place, &r->samplers, curve->index);
    uint64_t count;
    if (!object || !read_kind(g, object, &curve->kind) ||
        !gltf_index(g, object, "input", g->accessors.count, true, &curve->input) ||
        !gltf_index(g, object, "output", g->accessors.count, true, &curve->output) ||
        !gltf_accessor_count(g, curve->input, 1, &count) || !gltf_count_keys(g, count))
        return false;
    curve->count = (uint32_t)count;
    if (!count)
        return true;
    curve->times = read_times(g, curve->input, curve->count);
    if (!curve->times)
        return false;
    uint32_t repeated = curve->count - count_times(curve);
    if (repeated)
        warning_add(&g->job->warnings, POSE_WARNING, "repeated_times", POSE_NO_OFFSET,
                    "%s/%u: %u keys are at the time of the next one; the last one counts", place,
                    curve->index, repeated);
    float last = curve->times[count - 1];
    r->duration = last > r->duration ? last : r->duration;
    return true;
}

/* The values of a sampler; per_key is how many there are per key (1 or the number of targets; three times that
 * for splines). */
static float *read_values(struct reading *r, const struct curve *curve, unsigned components,
                          uint64_t *per_key)
{
    struct gltf *g = r->g;
    uint64_t count, multiple = curve->kind == GLTF_CUBIC ? 3 : 1;
    if (!gltf_accessor_count(g, curve->output, components, &count))
        return NULL;
    gltf_at(g, "/animations/%u/samplers/%u", r->index, curve->index);
    bool fits = *per_key ? count == multiple * curve->count : count && count % (multiple * curve->count) == 0;
    if (!fits) {
        gltf_refuse(g, "count_mismatch", "/output", "%llu values for %u keys", (unsigned long long)count,
                    curve->count);
        return NULL;
    }
    *per_key = count / (multiple * curve->count);
    if (*per_key > 1 && !gltf_count_keys(g, (*per_key - 1) * curve->count))
        return NULL;
    float *values =
        gltf_accessor_read(g, curve->output, components, components > 1 && curve->kind == GLTF_LINEAR);
    gltf_at(g, "/animations/%u/samplers/%u", r->index, curve->index);
    return values;
}

/*
 * Exporters that cut clips out of longer ones leave keys at equal times, which section 3.11 forbids: the last
 * one counts. values: rows of `numbers` floats, step rows per key; they are moved along, and kept is the
 * remaining curve.
 */
static bool drop_repeated(struct gltf *g, const struct curve *curve, float *values, size_t numbers,
                          struct curve *kept)
{
    *kept = *curve;
    kept->count = count_times(curve);
    if (kept->count == curve->count)
        return true;
    float *times = ARENA_NEW(g->job->arena, float, kept->count);
    uint32_t at = 0;
    for (uint32_t i = 0; i < curve->count && times; i++) {
        if (i + 1 < curve->count && curve->times[i + 1] == curve->times[i])
            continue;
        times[at] = curve->times[i];
        memmove(values + (size_t)at++ * numbers, values + (size_t)i * numbers, numbers * sizeof *values);
    }
    kept->times = times;
    return times;
}

/* Zero-length rotations become the identity, others are normalised. In splines only the values between the
 * tangents are. */
static bool settle_rotations(struct gltf *g, const struct curve *curve, float *values)
{
    unsigned step = curve->kind == GLTF_CUBIC ? 3 : 1;
    for (uint32_t k = 0; k < curve->count; k++) {
        float *q = values + ((size_t)k * step + step / 2) * 4;
        double square = 0;
        for (int c = 0; c < 4; c++)
            square += (double)q[c] * (double)q[c];
        if (square < 1e-12) {
            gltf_at(g, "/accessors/%u", curve->output);
            return gltf_refuse(g, "zero_quaternion", "", "the rotation of key %u has a length of 0", k);
        }
        quat_normalise(q);
    }
    return true;
}

static bool read_part(struct reading *r, uint32_t index, enum pose_part part, const struct curve *curve)
{
    struct gltf *g = r->g;
    struct gltf_node *node = &g->node[index];
    if (node->stamp != r->index + 1) {
        node->stamp = r->index + 1;
        memset(node->channels, 0, sizeof node->channels);
        r->nodes[r->node_count++] = index;
        gltf_mark_joint(g, index);
    }
    if (node->channels[part].count) {
        warning_add(&g->job->warnings, POSE_WARNING, "repeated_channel", POSE_NO_OFFSET,
                    "/animations/%u: two channels move the %s of node %u; the first is used", r->index,
                    part_name(part), index);
        return true;
    }
    uint64_t per_key = 1;
    float *values = read_values(r, curve, part_components(part), &per_key);
    size_t numbers = part_components(part) * (curve->kind == GLTF_CUBIC ? 3 : 1);
    struct curve kept;
    return values && (part != POSE_ROTATION || settle_rotations(g, curve, values)) &&
           drop_repeated(g, curve, values, numbers, &kept) &&
           gltf_curve(g, kept.kind, part, kept.count, kept.times, values, &node->channels[part]);
}

/* ------------------------------------------------------------------------------------------------- morphs -- */

/* By convention exporters put the names of a mesh's targets in its extras. */
const struct pose_value *gltf_target_names(const struct gltf *g, uint32_t node)
{
    const struct pose_value *names = NULL;
    if (g->node[node].mesh != GLTF_NONE)
        names =
            pose_value_find(pose_value_find(g->meshes.items[g->node[node].mesh], "extras"), "targetNames");
    return names && names->kind == POSE_ARRAY ? names->first : NULL;
}

const char *gltf_target_name(struct gltf *g, uint32_t node, uint64_t target, const struct pose_value *item)
{
    if (item && item->kind == POSE_STRING && *item->as.string)
        return arena_copy_text(g->job->arena, item->as.string);
    const char *name = g->node[node].name;
    return arena_format(g->job->arena, "%s.%llu", name ? name : "morph", (unsigned long long)target);
}

static struct pose_track *add_morph(struct reading *r)
{
    struct gltf *g = r->g;
    if (r->morph_count + r->node_count >= g->job->limits->joints) {
        error_limit(g->job->error, "joints", "%s: more than %u tracks", g->at, g->job->limits->joints);
        return NULL;
    }
    r->morphs = arena_grow(g->job->arena, r->morphs, r->morph_count, &r->morph_capacity, sizeof *r->morphs);
    return r->morphs ? &r->morphs[r->morph_count++] : NULL;
}

/* Whether the node's mesh has targets, which are one list for each primitive. */
static bool has_targets(const struct gltf *g, uint32_t node)
{
    uint32_t mesh = g->node[node].mesh;
    const struct pose_value *primitives =
        mesh == GLTF_NONE ? NULL : pose_value_find(g->meshes.items[mesh], "primitives");
    return primitives && primitives->kind == POSE_ARRAY && primitives->first &&
           pose_value_find(primitives->first, "targets");
}

/* What is drawn needs a skeleton: where nothing else is a joint, the node of a body that morphs is one. */
static void stand_morphed(struct gltf *g)
{
    for (uint32_t i = 0; i < g->nodes.count; i++) {
        if (g->node[i].is_joint)
            return;
    }
    if (g->morphed != GLTF_NONE)
        gltf_mark_joint(g, g->morphed);
}

/* Each key holds the weights of all targets, one after the other. */
static bool read_weights(struct reading *r, uint32_t node, const struct curve *curve)
{
    struct gltf *g = r->g;
    if (g->morphed == GLTF_NONE && has_targets(g, node))
        g->morphed = node;
    uint64_t targets = 0;
    const float *values = read_values(r, curve, 1, &targets);
    size_t rows = (size_t)curve->count * (curve->kind == GLTF_CUBIC ? 3 : 1);
    const struct pose_value *item = gltf_target_names(g, node);
    for (uint64_t target = 0; values && target < targets; target++) {
        struct pose_track *track = add_morph(r);
        float *own = track ? ARENA_NEW(g->job->arena, float, rows) : NULL;
        if (!own)
            return false;
        for (size_t i = 0; i < rows; i++)
            own[i] = values[i * targets + target];
        *track = (struct pose_track){.name = gltf_target_name(g, node, target, item)};
        item = item ? item->next : NULL;
        struct curve kept;
        if (!drop_repeated(g, curve, own, curve->kind == GLTF_CUBIC ? 3 : 1, &kept) ||
            !gltf_curve(g, kept.kind, POSE_MORPH, kept.count, kept.times, own, &track->channels[POSE_MORPH]))
            return false;
    }
    return values;
}

/* ----------------------------------------------------------------------------------------------- channels -- */

/* KHR_animation_pointer: "/nodes/3/rotation" is the node and the path; NULL for pointers at anything else. */
static const char *follow_pointer(const struct gltf *g, const char *pointer, uint32_t *node)
{
    static const char nodes[] = "/nodes/";
    if (strncmp(pointer, nodes, strlen(nodes)) != 0)
        return NULL;
    const char *digits = pointer + strlen(nodes);
    size_t length = strspn(digits, "0123456789");
    if (!length || length > 9 || (length > 1 && *digits == '0') || digits[length] != '/')
        return NULL;
    uint32_t index = (uint32_t)strtoul(digits, NULL, 10);
    if (index >= g->nodes.count)
        return NULL;
    *node = index;
    return digits + length + 1;
}

static const char *pointer_of(const struct pose_value *target)
{
    const struct pose_value *extensions = pose_value_find(target, "extensions");
    return value_get_string(pose_value_find(extensions, "KHR_animation_pointer"), "pointer", "");
}

static int part_of(const char *path)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    int part = 0;
    while (part < POSE_PART_COUNT && strcmp(path, paths[part]) != 0)
        part++;
    return part;
}

static bool read_channel(struct reading *r, const struct pose_value *channel)
{
    struct gltf *g = r->g;
    const struct pose_value *target = pose_value_find(channel, "target");
    const char *path = value_get_string(target, "path", NULL);
    struct curve curve;
    uint32_t node;
    if (!path)
        return gltf_refuse(g, "missing_member", "/target", "\"target\" with its \"path\" is missing");
    if (!gltf_index(g, target, "node", g->nodes.count, false, &node))
        return false;
    const char *pointer = strcmp(path, "pointer") ? NULL : pointer_of(target);
    const char *pointed = pointer ? follow_pointer(g, pointer, &node) : NULL;
    int part = part_of(pointed ? pointed : path);
    if (part == POSE_PART_COUNT || node == GLTF_NONE) {
        warning_add(&g->job->warnings, POSE_WARNING, "channel_ignored", POSE_NO_OFFSET,
                    "%s moves no node: its %s is \"%.80s\"", g->at, pointer ? "pointer" : "path",
                    pointer ? pointer : path);
        return true;
    }
    if (!read_curve(r, channel, &curve))
        return false;
    if (!curve.count)
        return true;
    return part == POSE_MORPH ? read_weights(r, node, &curve)
                              : read_part(r, node, (enum pose_part)part, &curve);
}

static bool read_channels(struct reading *r, const struct pose_value *object)
{
    struct gltf *g = r->g;
    struct json_list channels;
    if (!gltf_list(g, object, "channels", &channels) || !gltf_list(g, object, "samplers", &r->samplers))
        return false;
    r->nodes = json_alloc(&g->json, channels.count, sizeof *r->nodes);
    for (uint32_t i = 0; r->nodes && i < channels.count; i++) {
        char place[60];
        snprintf(place, sizeof place, "/animations/%u/channels", r->index);
        const struct pose_value *channel = gltf_object(g, place, &channels, i);
        if (!channel || !read_channel(r, channel))
            return false;
    }
    return r->nodes;
}

/* -------------------------------------------------------------------------------------------------- clips -- */

static bool build_tracks(struct reading *r, struct pose_clip *clip)
{
    struct gltf *g = r->g;
    uint32_t count = r->node_count + r->morph_count;
    if (count > g->job->limits->joints)
        return error_limit(g->job->error, "joints", "/animations/%u: more than %u tracks", r->index,
                           g->job->limits->joints);
    struct pose_track *tracks = ARENA_NEW(g->job->arena, struct pose_track, count);
    if (!tracks)
        return false;
    for (uint32_t i = 0; i < r->node_count; i++) {
        struct gltf_name name = gltf_name_of(g, r->nodes[i]);
        tracks[i] = (struct pose_track){
            .name = name.name, .has_id = name.has_id, .id = name.id, .node = r->nodes[i] + 1};
        memcpy(tracks[i].channels, g->node[r->nodes[i]].channels, sizeof tracks[i].channels);
    }
    if (r->morph_count)
        memcpy(tracks + r->node_count, r->morphs, r->morph_count * sizeof *tracks);
    clip->tracks = tracks;
    clip->track_count = count;
    return true;
}

static bool read_clip(struct gltf *g, uint32_t index, struct pose_clip *clip)
{
    const struct pose_value *object = gltf_object(g, "/animations", &g->animations, index);
    struct reading r = {.g = g, .index = index};
    if (!object || !read_channels(&r, object))
        return false;
    *clip = (struct pose_clip){.name = gltf_text(g, object, "name"),
                               .axes = POSE_AXES_GLTF,
                               .rules = POSE_RULES_PLAIN,
                               .duration = r.duration,
                               .loop_out = r.duration};
    char place[64];
    snprintf(place, sizeof place, "/animations/%u/extras/posed", index);
    const struct gltf_record record = {gltf_posed(object), place, index + 1, r.node_count, r.nodes};
    gltf_at(g, "/animations/%u", index);
    if (!build_tracks(&r, clip) || (record.posed && !gltf_posed_apply(g, &record, clip)))
        return false;
    clip->companion = g->companion;
    clip->key_count = clip_count_keys(clip);
    return true;
}

/* A clip without keys, which could not be written as an animation. */
static bool read_keyless(struct gltf *g, uint32_t index, struct pose_clip *clip)
{
    char place[64];
    const struct pose_value *posed = gltf_object(g, "/extras/posed/clips", &g->keyless, index);
    const struct gltf_record record = {.posed = posed, .place = place, .stamp = GLTF_NONE};
    snprintf(place, sizeof place, "/extras/posed/clips/%u", index);
    *clip = (struct pose_clip){.axes = POSE_AXES_GLTF, .rules = POSE_RULES_PLAIN};
    if (!posed || !gltf_posed_apply(g, &record, clip))
        return false;
    gltf_at(g, "%s", place);
    return !clip_count_keys(clip) ||
           gltf_refuse(g, "bad_member", "/joints", "a clip with keys must be an animation");
}

bool gltf_read_clips(struct gltf *g)
{
    struct decode_job *job = g->job;
    if (!gltf_posed_survey(g))
        return false;
    uint64_t count = (uint64_t)g->animations.count + g->keyless.count;
    if (count > job->limits->entries)
        return error_limit(job->error, "entries", "/animations: %llu animations, at most %u are read",
                           (unsigned long long)count, job->limits->entries);
    struct pose_clip *clips = ARENA_NEW(job->arena, struct pose_clip, count);
    if (!clips)
        return false;
    for (uint32_t i = 0; i < g->animations.count; i++) {
        if (!read_clip(g, i, &clips[i]))
            return false;
    }
    for (uint32_t i = 0; i < g->keyless.count; i++) {
        if (!read_keyless(g, i, &clips[g->animations.count + i]))
            return false;
    }
    stand_morphed(g);
    job->document->clips = clips;
    job->document->clip_count = (uint32_t)count;
    return true;
}
