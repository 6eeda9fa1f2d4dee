#include "lib/formats/gltf/write/clips.h"

#include "lib/formats/gltf/write/channels.h"

/* ------------------------------------------------------------------------------------------ what is said -- */

static const char *name_of(const struct pose_clip *clip)
{
    return clip->name ? clip->name : "without a name";
}

static void warn_about(const struct gltf_animation *animation, struct gltf_file *file)
{
    const struct gltf_clip *clip = animation->clip;
    if (clip->sampler.unmatched_count) {
        const char *first = clip->clip->tracks[clip->sampler.unmatched[0]].name;
        encode_note(
            file->job, "unmatched_tracks",
            "clip %s: the skeleton lacks %u of its joints (%s): their keys are kept only in the extras",
            name_of(clip->clip), clip->sampler.unmatched_count, first ? first : "unnamed");
    }
    if (clip->sampler.morph_count && !animation->plays_morphs)
        encode_note(file->job, "morphs_not_played",
                    "clip %s: no mesh has targets for its %u morphs: their keys are kept only in the extras",
                    name_of(clip->clip), clip->sampler.morph_count);
}

/* ----------------------------------------------------------------------------------------- one animation -- */

static void put_channel_list(const struct gltf_animation *animation, struct json_writer *json)
{
    static const char *const paths[] = {"translation", "rotation", "scale", "weights"};
    jsonw_array(json, "channels");
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        jsonw_object(json, NULL);
        jsonw_integer(json, "sampler", i);
        jsonw_object(json, "target");
        jsonw_integer(json, "node", animation->channels[i].node);
        jsonw_string(json, "path", paths[animation->channels[i].part]);
        jsonw_end(json);
        jsonw_end(json);
    }
    jsonw_end(json);
    jsonw_array(json, "samplers");
    for (uint32_t i = 0; i < animation->channel_count; i++) {
        jsonw_object(json, NULL);
        jsonw_integer(json, "input", animation->channels[i].input);
        jsonw_integer(json, "output", animation->channels[i].output);
        jsonw_end(json);
    }
    jsonw_end(json);
}

static bool write_animation(struct gltf_writing *writing, float fps)
{
    struct gltf_animation *animation = writing->animation;
    struct gltf_file *file = writing->file;
    uint32_t rows = animation->clip->sampler.row_count;
    const struct pose_clip *clip = gltf_writing_clip(writing);
    writing->end = clip->duration > 0 ? clip->duration : 0;
    if (!gltf_times_init(&writing->times, &writing->arena, 3 * rows + writing->meshes->count + 2) ||
        !gltf_kept_init(writing) || !gltf_keys_init(writing, fps) || !gltf_channels_put(writing) ||
        writing->arena.failed)
        return false;
    jsonw_object(&file->json, NULL);
    if (clip->name)
        jsonw_string(&file->json, "name", clip->name);
    put_channel_list(animation, &file->json);
    jsonw_object(&file->json, "extras");
    gltf_put_record(animation, "posed", file);
    jsonw_end(&file->json);
    jsonw_end(&file->json);
    return true;
}

static bool put_clip(const struct gltf_joints *joints, const struct gltf_mesh_list *meshes,
                     const struct gltf_clip *clip, struct gltf_file *file, float fps)
{
    struct gltf_animation animation = {.joints = joints, .clip = clip, .fps = fps};
    struct gltf_writing writing = {
        .animation = &animation, .clip = animation.clip, .meshes = meshes, .file = file};
    struct arena *parent = file->job->arena;
    arena_init(&writing.arena, parent->allocator, parent->limit, file->job->error);
    writing.arena.stop = parent->stop;
    bool done = write_animation(&writing, fps);
    if (done)
        warn_about(&animation, file);
    pose_sampler_free(writing.resampler);
    arena_release(&writing.arena);
    return done;
}

/* ------------------------------------------------------------------------------------------- all of them -- */

/* A clip without keys cannot be an animation; its other data is kept so that the game's file can be restored. */
static bool put_keyless(const struct gltf_joints *joints, struct gltf_file *file)
{
    bool is_open = false;
    for (uint32_t i = 0; i < joints->clip_count; i++) {
        struct gltf_animation animation = {.joints = joints, .clip = &joints->clips[i]};
        struct gltf_writing writing = {.animation = &animation, .clip = animation.clip, .file = file};
        if (clip_count_keys(animation.clip->clip))
            continue;
        encode_warn(file->job, "no_keys", "clip %s has no keys; glTF cannot store an empty animation",
                    name_of(animation.clip->clip));
        if (!is_open) {
            jsonw_object(&file->json, "extras");
            jsonw_object(&file->json, "posed");
            jsonw_array(&file->json, "clips");
        }
        is_open = true;
        struct arena *parent = file->job->arena;
        arena_init(&writing.arena, parent->allocator, parent->limit, file->job->error);
        writing.arena.stop = parent->stop;
        bool done = gltf_kept_init(&writing);
        if (done)
            gltf_put_record(&animation, NULL, file);
        arena_release(&writing.arena);
        if (!done)
            return false;
    }
    for (unsigned i = 0; is_open && i < 3; i++)
        jsonw_end(&file->json);
    return true;
}

bool gltf_clips_put(const struct gltf_joints *joints, const struct gltf_mesh_list *meshes,
                    struct gltf_file *file, float fps)
{
    bool is_open = false;
    /* Reserves memory at once for a clip whose keys are all rotations, for keys that may be added and their
     * times, and for JSON of typical length. */
    uint64_t keys = joints->clip_count ? clip_count_keys(joints->clips->clip) : 0;
    if (joints->clip_count == 1 && keys < 1 << 22) {
        writer_reserve(&file->bin, (size_t)keys * 7 * sizeof(float) + joints->count * (size_t)640 + 4096);
        writer_reserve(&file->json.to, joints->count * (size_t)1024 + 4096);
    }
    for (uint32_t i = 0; i < joints->clip_count; i++) {
        const struct gltf_clip *clip = &joints->clips[i];
        if (!clip_count_keys(clip->clip))
            continue;
        if (!is_open) {
            gltf_view_begin(file, GLTF_NO_TARGET);
            jsonw_array(&file->json, "animations");
        }
        is_open = true;
        if (!put_clip(joints, meshes, clip, file, fps))
            return false;
    }
    if (is_open) {
        jsonw_end(&file->json);
        gltf_view_end(file);
    }
    return put_keyless(joints, file);
}
