#include "lib/formats/gltf_write_clips.h"

#include <math.h>
#include <string.h>

/* In model space, all joints taken together. */
static const float POSITION_TOLERANCE = 1e-4f; /* metres */
static const float ANGLE_TOLERANCE = 1e-4f;
/* What single precision cannot do better. */
static const float FINEST_ANGLE = 1e-6f, FINEST_LENGTH = 1e-6f;

/* What is needed while one animation is written; its arena is released with it. */
struct writing {
    struct gltf_animation *animation;
    struct gltf_file *file;
    struct arena arena;
    struct gltf_times times;
    struct pose_sampler *resampler; /* NULL: original keys */
    uint32_t frame_count;
    float *frame_times; /* [frame_count] */
    float *frames;      /* [frame_count][row_count][ROW_FLOATS] */
    float *tolerances;  /* [row_count], radians */
    float *room;        /* for the values of the longest channel */
    float *spare;       /* for as many rotations as that one has, and those that are likely to be added */
    uint32_t spare_count;
    float *made_times; /* [made_count] of a channel whose keys' number says where they are */
    uint32_t made_count;
    float end; /* the clip's, seconds */
};

static const struct pose_clip *clip_of(const struct writing *writing)
{
    return writing->animation->clip->clip;
}

static const struct pose_row *rows_of(const struct writing *writing)
{
    return writing->animation->clip->sampler.rows;
}

static const struct gltf_joint *joint_of(const struct writing *writing, uint32_t row)
{
    return &writing->animation->joints->joints[writing->animation->clip->joints[row]];
}

/* The channel that drives a part of a row in the pose, NULL when none does. */
static const struct pose_channel *driver_of(const struct writing *writing, uint32_t row, enum pose_part part)
{
    const struct gltf_clip *clip = writing->animation->clip;
    return (int64_t)row == clip->motion_row ? NULL : clip->drivers[row].channels[part];
}

/* --------------------------------------------------------------------------------------------- tolerances -- */

static float length_of(const float v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* How far the joint may be from its parent, give or take. */
static float find_offset(const struct writing *writing, uint32_t row)
{
    const struct pose_channel *channel = driver_of(writing, row, POSE_TRANSLATION);
    float longest = length_of(joint_of(writing, row)->rest), value[3];
    for (uint32_t k = 0; channel && k < channel->count; k += 1 + channel->count / 16) {
        memcpy(value, channel->values + 3 * (size_t)k, sizeof value);
        pose_convert_axes(POSE_TRANSLATION, value, 1, clip_of(writing)->axes, POSE_AXES_GLTF);
        longest = fmaxf(longest, length_of(value));
    }
    return longest;
}

/*
 * Errors of joints add up along a chain, and move what hangs on a joint by as much as it is away. Each turning joint gets
 * an equal share of what is allowed at the end of the longest chain through it.
 */
static bool share_tolerance(struct writing *writing)
{
    uint32_t count = writing->animation->clip->sampler.row_count;
    const struct pose_row *rows = rows_of(writing);
    float *reach = ARENA_NEW(&writing->arena, float, count),
          *offsets = ARENA_NEW(&writing->arena, float, count);
    uint32_t *above = ARENA_NEW(&writing->arena, uint32_t, count),
             *below = ARENA_NEW(&writing->arena, uint32_t, count);
    writing->tolerances = ARENA_NEW(&writing->arena, float, count);
    if (!reach || !offsets || !above || !below || !writing->tolerances)
        return false;
    for (uint32_t row = 0; row < count; row++) {
        const struct pose_channel *channel = driver_of(writing, row, POSE_ROTATION);
        above[row] = (channel && channel->count > 1) + (rows[row].parent < 0 ? 0 : above[rows[row].parent]);
        offsets[row] = rows[row].parent < 0 ? 0 : find_offset(writing, row);
        below[row] = above[row];
    }
    for (uint32_t row = count; row-- > 0;) {
        int32_t parent = rows[row].parent;
        if (parent < 0)
            continue;
        reach[parent] = fmaxf(reach[parent], reach[row] + offsets[row]);
        below[parent] = below[row] > below[parent] ? below[row] : below[parent];
    }
    for (uint32_t row = 0; row < count; row++) {
        float share = 1 / (float)(below[row] ? below[row] : 1);
        float angle = fminf(ANGLE_TOLERANCE, POSITION_TOLERANCE / fmaxf(reach[row], 1e-3f)) * share * 0.5f;
        writing->tolerances[row] = angle > FINEST_ANGLE ? angle : FINEST_ANGLE;
    }
    return true;
}

/* ------------------------------------------------------------------------------------------ tracks and parts -- */

/* Which track a channel belongs to. */
static uint32_t track_of(const struct writing *writing, const struct pose_channel *channel)
{
    const char *first = (const char *)clip_of(writing)->tracks;
    return (uint32_t)((size_t)((const char *)channel - first) / sizeof(struct pose_track));
}

static struct gltf_kept *kept_of(const struct writing *writing, const struct pose_channel *channel,
                                 enum pose_part part)
{
    return &writing->animation->kept[track_of(writing, channel)][part];
}

/* All parts are inline until a channel holds them. */
static bool init_kept(struct writing *writing)
{
    struct gltf_animation *animation = writing->animation;
    const struct pose_clip *clip = clip_of(writing);
    animation->kept = arena_alloc(&writing->arena, clip->track_count, sizeof *animation->kept);
    animation->track_nodes = ARENA_NEW(&writing->arena, uint32_t, clip->track_count);
    if (!animation->kept || !animation->track_nodes)
        return false;
    for (uint32_t i = 0; i < clip->track_count; i++) {
        animation->track_nodes[i] = UINT32_MAX;
        for (int part = 0; part < POSE_PART_COUNT; part++)
            animation->kept[i][part].keeping =
                clip->tracks[i].channels[part].count ? GLTF_INLINE : GLTF_NOT_DRIVEN;
    }
    for (uint32_t row = 0; row < animation->clip->sampler.row_count; row++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
            const struct pose_channel *channel = animation->clip->drivers[row].channels[part];
            if (channel)
                animation->track_nodes[track_of(writing, channel)] = joint_of(writing, row)->node;
        }
    }
    return true;
}

/* ------------------------------------------------------------------------------------------------- channels -- */

static void add_channel(struct writing *writing, uint32_t node, enum pose_part part,
                        const struct gltf_curve *curve)
{
    struct gltf_animation *animation = writing->animation;
    struct gltf_file *file = writing->file;
    struct gltf_channel *channels = arena_grow(&writing->arena, animation->channels, animation->channel_count,
                                               &animation->channel_capacity, sizeof *channels);
    if (!channels)
        return;
    animation->channels = channels;
    struct gltf_time_list *list = gltf_times_find(&writing->times, curve->times, curve->count);
    if (!list->times) {
        list->times = curve->times;
        list->number = gltf_accessor_bounded(file, GLTF_SCALAR, curve->times, curve->count);
    }
    uint32_t output =
        gltf_accessor_add(file, GLTF_FLOATS, curve->components == 4 ? GLTF_VEC4 : GLTF_VEC3, curve->count);
    gltf_bin_floats(file, curve->values, (size_t)curve->count * curve->components);
    channels[animation->channel_count++] = (struct gltf_channel){node, list->number, output, part};
}

/* Whether the clip's end is reached, but for rounding. */
static bool reaches_end(const struct writing *writing, const struct gltf_curve *curve)
{
    return curve->times[curve->count - 1] >= writing->end * (1 - 1e-6f);
}

static const float *rest_value(const struct gltf_joint *joint, enum pose_part part)
{
    static const unsigned places[] = {0, ROTATION_PLACE, SCALE_PLACE};
    return joint->rest + places[part];
}

static bool is_value(const float *a, const float *b, unsigned components)
{
    for (unsigned i = 0; i < components; i++) {
        if (a[i] != b[i])
            return false;
    }
    return true;
}

static bool is_still(const struct gltf_curve *curve)
{
    for (uint32_t k = 1; k < curve->count; k++) {
        if (!is_value(curve->values, curve->values + (size_t)k * curve->components, curve->components))
            return false;
    }
    return true;
}

/* A curve that never changes as its one key, at 0. */
static void collapse(struct gltf_curve *curve)
{
    static const float start[1] = {0};
    curve->times = (float *)start;
    curve->count = curve->capacity = 1;
    curve->added_count = 0;
}

/* ------------------------------------------------------------------------------------------- original keys -- */

/* Key times of a channel: the file's own, or made once for all channels with as many keys. */
static const float *times_of(struct writing *writing, const struct pose_channel *channel)
{
    const struct pose_clip *clip = clip_of(writing);
    if (clip->rules != POSE_RULES_SIMS && clip->rules != POSE_RULES_PRIME_FRAMES)
        return channel->times;
    if (writing->made_count != channel->count) {
        writing->made_times = ARENA_NEW(&writing->arena, float, channel->count);
        writing->made_count = writing->made_times ? channel->count : 0;
        if (writing->made_times)
            gltf_key_times(clip, channel, writing->made_times);
    }
    return writing->made_times;
}

/* The curve of a driven part, as the pose has it; its values are in room, which the next one takes again. False when
 * memory is out. */
static bool make_curve(struct writing *writing, uint32_t row, enum pose_part part, float *room,
                       struct gltf_curve *curve)
{
    const struct pose_clip *clip = clip_of(writing);
    const struct pose_channel *channel = driver_of(writing, row, part);
    const struct key_source source = {.channel = channel, .part = part, .row = row};
    static const float start[1] = {0};
    bool still = key_source_is_constant(&source) || !(clip->duration > 0);
    struct pose_channel first = *channel;
    struct key_source keys = source;
    first.count = still ? 1 : channel->count;
    keys.channel = &first;
    key_source_values(&writing->animation->clip->sampler, &keys, room);
    *curve = (struct gltf_curve){.arena = &writing->arena,
                                 .components = part == POSE_ROTATION ? 4 : 3,
                                 .spare = writing->spare,
                                 .spare_count = writing->spare_count};
    if (still) {
        curve->times = (float *)start;
        curve->values = room;
        curve->count = curve->capacity = 1;
        if (part == POSE_ROTATION)
            gltf_make_unit(room);
        return true;
    }
    const float *times = times_of(writing, channel);
    if (!times)
        return false;
    if (part == POSE_ROTATION)
        return gltf_curve_rotations(curve, clip, times, room, first.count, writing->tolerances[row]);
    return gltf_curve_vectors(curve, clip, times, room, first.count);
}

/* The same out of what was sampled. */
static void make_sampled_curve(struct writing *writing, uint32_t row, enum pose_part part, float *values,
                               struct gltf_curve *curve)
{
    static const unsigned places[] = {0, ROTATION_PLACE, SCALE_PLACE};
    unsigned components = part == POSE_ROTATION ? 4 : 3;
    uint32_t rows = writing->animation->clip->sampler.row_count;
    const float *from = writing->frames + (size_t)row * ROW_FLOATS + places[part];
    for (uint32_t k = 0; k < writing->frame_count; k++, from += (size_t)rows * ROW_FLOATS) {
        float *to = values + (size_t)k * components;
        memcpy(to, from, components * sizeof *to);
        double cosine = 0;
        for (unsigned i = 0; part == POSE_ROTATION && k && i < 4; i++)
            cosine += (double)to[i] * (double)to[(int)i - 4];
        for (unsigned i = 0; cosine < 0 && i < 4; i++)
            to[i] = 0 - to[i];
    }
    *curve = (struct gltf_curve){.arena = &writing->arena,
                                 .components = components,
                                 .count = writing->frame_count,
                                 .capacity = writing->frame_count,
                                 .times = writing->frame_times,
                                 .values = values};
}

static bool find_curve(struct writing *writing, uint32_t row, enum pose_part part, float *room,
                       struct gltf_curve *curve)
{
    if (!writing->resampler)
        return make_curve(writing, row, part, room, curve);
    make_sampled_curve(writing, row, part, room, curve);
    return true;
}

/* A curve that stays at the rest value; for factors that nothing drives. */
static void make_rest_curve(const struct gltf_joint *joint, enum pose_part part, struct gltf_curve *curve)
{
    *curve = (struct gltf_curve){.components = 3, .values = (float *)rest_value(joint, part)};
    collapse(curve);
}

/*
 * Puts a curve on a node, unless it is where the node is anyway, and tells how the file's keys are found again. The last
 * curve to end holds until the clip does, so that viewers know how long that is.
 */
static bool put_curve(struct writing *writing, uint32_t node, enum pose_part part, const float *rest,
                      struct gltf_curve *curve, bool is_last, struct gltf_kept *kept)
{
    bool still = is_still(curve);
    if (still)
        collapse(curve);
    bool holds = is_last && !reaches_end(writing, curve);
    if (holds && !gltf_curve_hold(curve, writing->end))
        return false;
    if (holds || !still || !is_value(curve->values, rest, curve->components))
        add_channel(writing, node, part, curve);
    if (kept && !curve->cut)
        *kept = (struct gltf_kept){
            .keeping = still                ? GLTF_STILL
                       : writing->resampler ? GLTF_SAMPLED
                                            : GLTF_PLAYED,
            .count = curve->count,
            .added_count = curve->added_count,
            .added = curve->added,
        };
    return true;
}

/* Keys of the longest channel. */
static uint32_t longest_channel(const struct writing *writing)
{
    uint32_t longest = writing->frame_count;
    for (uint32_t row = 0; row < writing->animation->clip->sampler.row_count; row++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
            const struct pose_channel *channel = driver_of(writing, row, part);
            longest = channel && channel->count > longest ? channel->count : longest;
        }
    }
    return longest;
}

/* The offset of a joint on a parent whose scale its node does not inherit. */
static bool put_scaled_offset(struct writing *writing, uint32_t row, uint32_t parent_row, bool is_last)
{
    const struct gltf_joint *joint = joint_of(writing, row), *parent = joint_of(writing, parent_row);
    bool moves = driver_of(writing, row, POSE_TRANSLATION),
         scales = driver_of(writing, parent_row, POSE_SCALE);
    struct gltf_curve offset, scale, curve = {.arena = &writing->arena};
    float rest[3], *room;
    if (!moves && !scales)
        return true;
    room = ARENA_NEW(&writing->arena, float, (size_t)longest_channel(writing) * 3);
    if (!room)
        return false;
    make_rest_curve(joint, POSE_TRANSLATION, &offset);
    make_rest_curve(parent, POSE_SCALE, &scale);
    if ((moves && !find_curve(writing, row, POSE_TRANSLATION, writing->room, &offset)) ||
        (scales && !find_curve(writing, parent_row, POSE_SCALE, room, &scale)) ||
        !gltf_curve_product(&curve, &offset, &scale, fmaxf(POSITION_TOLERANCE / 16, FINEST_LENGTH)))
        return false;
    for (unsigned i = 0; i < 3; i++)
        rest[i] = joint->rest[i] * parent->rest[SCALE_PLACE + i];
    return put_curve(writing, joint->node, POSE_TRANSLATION, rest, &curve, is_last, NULL);
}

static bool put_part(struct writing *writing, uint32_t row, enum pose_part part, bool is_last)
{
    const struct gltf_joint *joint = joint_of(writing, row);
    const struct pose_channel *channel = driver_of(writing, row, part);
    int32_t parent = rows_of(writing)[row].parent;
    struct gltf_curve curve;
    if (part == POSE_TRANSLATION && parent >= 0 && gltf_joint_is_split(joint_of(writing, (uint32_t)parent)))
        return put_scaled_offset(writing, row, (uint32_t)parent, is_last);
    if (!channel)
        return true;
    if (!find_curve(writing, row, part, writing->room, &curve))
        return false;
    bool is_split = part == POSE_SCALE && gltf_joint_is_split(joint);
    /* Several keys in a clip without duration: only the first is ever seen. */
    bool is_hidden = channel->count > 1 && !(clip_of(writing)->duration > 0);
    return put_curve(writing, is_split ? joint->holder : joint->node, part, rest_value(joint, part), &curve,
                     is_last, is_split || is_hidden ? NULL : kept_of(writing, channel, part));
}

/* The row and part whose keys end last, of those that move if any does: 3 * row + part; -1 when nothing is driven. */
static int64_t find_last(const struct writing *writing)
{
    int64_t found = -1;
    float latest = -1;
    for (uint32_t row = 0; row < writing->animation->clip->sampler.row_count; row++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
            const struct pose_channel *channel = driver_of(writing, row, part);
            const struct key_source source = {.channel = channel, .part = part, .row = row};
            if (!channel)
                continue;
            float last = key_source_is_constant(&source) ? -0.5f : gltf_last_time(clip_of(writing), channel);
            if (last <= latest)
                continue;
            latest = last;
            found = 3 * (int64_t)row + (int64_t)part;
        }
    }
    return found;
}

/* An animation needs a channel: where nothing is driven the first joint, which rests. */
static void put_rest_channel(struct writing *writing)
{
    const struct gltf_joints *joints = writing->animation->joints;
    const struct gltf_joint *joint = joints->count ? joints->joints : NULL;
    float *times = ARENA_NEW(&writing->arena, float, 2), *values = ARENA_NEW(&writing->arena, float, 6);
    if (!times || !values)
        return;
    for (unsigned i = 0; joint && i < 6; i++)
        values[i] = joint->rest[i % 3];
    times[1] = writing->end;
    struct gltf_curve curve = {
        .components = 3, .count = writing->end > 0 ? 2 : 1, .times = times, .values = values};
    add_channel(writing, joint ? joint->node : joints->frame_node, POSE_TRANSLATION, &curve);
}

static bool put_channels(struct writing *writing)
{
    int64_t last = find_last(writing);
    for (uint32_t row = 0; row < writing->animation->clip->sampler.row_count; row++) {
        for (enum pose_part part = POSE_TRANSLATION; part <= POSE_SCALE; part++) {
            if (!put_part(writing, row, part, 3 * (int64_t)row + (int64_t)part == last))
                return false;
        }
    }
    if (!writing->animation->channel_count)
        put_rest_channel(writing);
    return true;
}

/* ------------------------------------------------------------------------------------------------ resampling -- */

/* Times k / fps as long as they lie in the clip, then its end. */
static bool sample_frames(struct writing *writing, float fps)
{
    const struct pose_clip *clip = clip_of(writing);
    double duration = clip->duration > 0 ? (double)clip->duration : 0, last = floor(duration * (double)fps);
    uint32_t rows = writing->animation->clip->sampler.row_count;
    if (last > 1e6)
        return error_set(writing->file->job->error, POSE_OVER_LIMIT, "too_many_frames",
                         "%g seconds at %g frames a second are more than a million frames", duration,
                         (double)fps);
    uint32_t count = (uint32_t)last + 1;
    writing->frame_times = ARENA_NEW(&writing->arena, float, count + 1);
    const struct pose_options options = {.allocator = writing->arena.allocator,
                                         .limits.memory = writing->arena.limit};
    writing->resampler = pose_sampler_new(clip, writing->animation->clip->sampler.skeleton, POSE_AXES_GLTF,
                                          &options, writing->file->job->error);
    if (!writing->frame_times || !writing->resampler)
        return false;
    for (uint32_t k = 0; k < count; k++)
        writing->frame_times[k] = (float)(k / (double)fps);
    if (writing->frame_times[count - 1] < clip->duration * (1 - 1e-6f))
        writing->frame_times[count++] = clip->duration;
    writing->frame_count = count;
    writing->frames = arena_alloc(&writing->arena, (size_t)count * rows, ROW_FLOATS * sizeof(float));
    for (uint32_t k = 0; writing->frames && k < count; k++)
        pose_sample(writing->resampler, (double)writing->frame_times[k], POSE_CLAMP, POSE_IN_PLACE,
                    writing->frames + (size_t)k * rows * ROW_FLOATS, NULL);
    return writing->frames != NULL;
}

/* ------------------------------------------------------------------------------------------------- animations -- */

static void put_channel_list(const struct gltf_animation *animation, struct gltf_file *file)
{
    static const char *const paths[] = {"translation", "rotation", "scale"};
    gltf_json_key(file, "channels");
    gltf_json_text(file, "[");
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        gltf_json_comma(file);
        gltf_json_text(file, "{\"sampler\":");
        gltf_json_uint(file, i);
        gltf_json_text(file, ",\"target\":{\"node\":");
        gltf_json_uint(file, animation->channels[i].node);
        gltf_json_text(file, ",\"path\":\"");
        gltf_json_text(file, paths[animation->channels[i].part]);
        gltf_json_text(file, "\"}}");
    }
    gltf_json_text(file, "]");
    gltf_json_key(file, "samplers");
    gltf_json_text(file, "[");
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        gltf_json_comma(file);
        gltf_json_text(file, "{\"input\":");
        gltf_json_uint(file, animation->channels[i].input);
        gltf_json_text(file, ",\"output\":");
        gltf_json_uint(file, animation->channels[i].output);
        gltf_json_text(file, "}");
    }
    gltf_json_text(file, "]");
}

static bool write_animation(struct writing *writing, float fps)
{
    struct gltf_animation *animation = writing->animation;
    struct gltf_file *file = writing->file;
    uint32_t rows = animation->clip->sampler.row_count;
    const struct pose_clip *clip = clip_of(writing);
    writing->end = clip->duration > 0 ? clip->duration : 0;
    if (!gltf_times_init(&writing->times, &writing->arena, 3 * rows + 2) || !init_kept(writing) ||
        !share_tolerance(writing) || (fps > 0 && !sample_frames(writing, fps)))
        return false;
    uint32_t longest = longest_channel(writing);
    writing->spare_count = longest + longest / 2 + 16;
    writing->room = ARENA_NEW(&writing->arena, float, (size_t)longest * 4);
    writing->spare = ARENA_NEW(&writing->arena, float, (size_t)writing->spare_count * 4);
    if (!writing->room || !writing->spare || !put_channels(writing) || writing->arena.failed)
        return false;
    gltf_json_comma(file);
    gltf_json_text(file, "{");
    if (clip->name) {
        gltf_json_key(file, "name");
        gltf_json_string(file, clip->name);
    }
    put_channel_list(animation, file);
    gltf_json_key(file, "extras");
    gltf_json_text(file, "{\"posed\":");
    gltf_put_record(animation, file);
    gltf_json_text(file, "}}");
    return true;
}

static bool put_clip(const struct gltf_joints *joints, const struct gltf_clip *clip, struct gltf_file *file,
                     float fps)
{
    struct gltf_animation animation = {.joints = joints, .clip = clip, .fps = fps};
    struct writing writing = {.animation = &animation, .file = file};
    struct arena *parent = file->job->arena;
    arena_init(&writing.arena, parent->allocator, parent->limit, file->job->error);
    bool done = write_animation(&writing, fps);
    pose_sampler_free(writing.resampler);
    arena_release(&writing.arena);
    return done;
}

static const char *name_of(const struct pose_clip *clip)
{
    return clip->name ? clip->name : "without a name";
}

static void warn_about(const struct gltf_clip *clip, struct gltf_file *file)
{
    if (clip->sampler.unmatched_count) {
        const char *first = clip->clip->tracks[clip->sampler.unmatched[0]].name;
        encode_note(file->job, "unmatched_tracks",
                    "clip %s: the skeleton lacks %u of its joints (%s): their keys are in the extras alone",
                    name_of(clip->clip), clip->sampler.unmatched_count, first ? first : "unnamed");
    }
    if (clip->sampler.morph_count)
        encode_note(file->job, "morphs_not_played",
                    "clip %s: glTF has no target for %u morphs: their keys are in the extras alone",
                    name_of(clip->clip), clip->sampler.morph_count);
}

/* Clips without keys are no animations; what else is known of them is kept for who writes the game's file back. */
static bool put_keyless(const struct gltf_joints *joints, struct gltf_file *file)
{
    bool is_open = false;
    for (uint32_t i = 0; i < joints->clip_count; i++) {
        struct gltf_animation animation = {.joints = joints, .clip = &joints->clips[i]};
        struct writing writing = {.animation = &animation, .file = file};
        if (clip_count_keys(animation.clip->clip))
            continue;
        encode_warn(file->job, "no_keys", "clip %s has no keys, and glTF no animation without any",
                    name_of(animation.clip->clip));
        if (!is_open) {
            gltf_json_key(file, "extras");
            gltf_json_text(file, "{\"posed\":{\"clips\":[");
        }
        is_open = true;
        struct arena *parent = file->job->arena;
        arena_init(&writing.arena, parent->allocator, parent->limit, file->job->error);
        bool done = init_kept(&writing);
        gltf_json_comma(file);
        if (done)
            gltf_put_record(&animation, file);
        arena_release(&writing.arena);
        if (!done)
            return false;
    }
    if (is_open)
        gltf_json_text(file, "]}}");
    return true;
}

bool gltf_clips_put(const struct gltf_joints *joints, struct gltf_file *file, float fps)
{
    bool is_open = false;
    /* Room at once for a clip whose keys are all rotations, for those that may be added and their times, and for a text of
     * usual length. */
    uint64_t keys = joints->clip_count ? clip_count_keys(joints->clips->clip) : 0;
    if (joints->clip_count == 1 && keys < 1 << 22) {
        writer_reserve(&file->bin, (size_t)keys * 7 * sizeof(float) + joints->count * (size_t)640 + 4096);
        writer_reserve(&file->json, joints->count * (size_t)1024 + 4096);
    }
    for (uint32_t i = 0; i < joints->clip_count; i++) {
        const struct gltf_clip *clip = &joints->clips[i];
        if (!clip_count_keys(clip->clip))
            continue;
        warn_about(clip, file);
        if (!is_open) {
            gltf_view_begin(file, GLTF_NO_TARGET);
            gltf_json_key(file, "animations");
            gltf_json_text(file, "[");
        }
        is_open = true;
        if (!put_clip(joints, clip, file, fps))
            return false;
    }
    if (is_open) {
        gltf_json_text(file, "]");
        gltf_view_end(file);
    }
    return put_keyless(joints, file);
}
