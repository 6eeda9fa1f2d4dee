#include "lib/formats/gltf/write/clips.h"

#include "lib/formats/gltf/write/channels.h"

/* ----------------------------------------------------------------------------------------- one animation -- */

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

static bool write_animation(struct gltf_writing *writing, float fps)
{
    struct gltf_animation *animation = writing->animation;
    struct gltf_file *file = writing->file;
    uint32_t rows = animation->clip->sampler.row_count;
    const struct pose_clip *clip = gltf_writing_clip(writing);
    writing->end = clip->duration > 0 ? clip->duration : 0;
    if (!gltf_times_init(&writing->times, &writing->arena, 3 * rows + 2) || !gltf_kept_init(writing) ||
        !gltf_keys_init(writing, fps) || !gltf_channels_put(writing) || writing->arena.failed)
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
    struct gltf_writing writing = {.animation = &animation, .clip = animation.clip, .file = file};
    struct arena *parent = file->job->arena;
    arena_init(&writing.arena, parent->allocator, parent->limit, file->job->error);
    writing.arena.stop = parent->stop;
    bool done = write_animation(&writing, fps);
    pose_sampler_free(writing.resampler);
    arena_release(&writing.arena);
    return done;
}

/* ------------------------------------------------------------------------------------------ what is said -- */

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

/* ------------------------------------------------------------------------------------------- all of them -- */

/* Clips without keys are no animations; what else is known of them is kept for who writes the game's file back. */
static bool put_keyless(const struct gltf_joints *joints, struct gltf_file *file)
{
    bool is_open = false;
    for (uint32_t i = 0; i < joints->clip_count; i++) {
        struct gltf_animation animation = {.joints = joints, .clip = &joints->clips[i]};
        struct gltf_writing writing = {.animation = &animation, .clip = animation.clip, .file = file};
        if (clip_count_keys(animation.clip->clip))
            continue;
        encode_warn(file->job, "no_keys", "clip %s has no keys, and glTF cannot store an empty animation",
                    name_of(animation.clip->clip));
        if (!is_open) {
            gltf_json_key(file, "extras");
            gltf_json_text(file, "{\"posed\":{\"clips\":[");
        }
        is_open = true;
        struct arena *parent = file->job->arena;
        arena_init(&writing.arena, parent->allocator, parent->limit, file->job->error);
        writing.arena.stop = parent->stop;
        bool done = gltf_kept_init(&writing);
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
