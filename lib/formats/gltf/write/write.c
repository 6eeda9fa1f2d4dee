/* Writes the content of an encode job as a glTF file; see gltf.h for the settings. */
#include "lib/core/numbers/floats.h"
#include "lib/core/setting.h"
#include "lib/core/value.h"
#include "lib/formats/gltf/write/clips.h"
#include "lib/formats/gltf/write/meshes.h"

#include <math.h>
#include <stdio.h>

struct choices {
    unsigned is_text, without_bones; /* 0 or 1 */
    float fps;
};

/* ------------------------------------------------------------------------------------------------- settings -- */

static bool choose(struct encode_job *job, struct choices *choices)
{
    static const char *const containers[] = {"glb", "gltf"}, *const bones[] = {"mesh", "none"};
    const struct pose_value *fps = pose_value_find(job->settings, "fps");
    *choices = (struct choices){0};
    if (fps && (!value_number(fps, &choices->fps) || !(choices->fps > 0) || choices->fps > 1000))
        return setting_refuse(job->error, "fps", "not a number above 0, at most 1000");
    return setting_word(job->settings, "container", containers, 2, &choices->is_text, job->error) &&
           setting_word(job->settings, "bones", bones, 2, &choices->without_bones, job->error);
}

/* ------------------------------------------------------------------------------------------------- contents -- */

/* Decoders guarantee this of times, and JSON requires it. */
static bool check_clip(const struct pose_clip *clip, uint32_t index, struct pose_error *error)
{
    if (!isfinite(clip->duration))
        return error_set(error, POSE_BAD_DATA, "bad_duration", "clips[%u]: a clip of %g seconds", index,
                         (double)clip->duration);
    for (uint32_t i = 0; i < clip->track_count; i++) {
        for (int part = 0; part < POSE_PART_COUNT; part++) {
            const struct pose_channel *channel = &clip->tracks[i].channels[part];
            bool ascends = !channel->count || channel->times[0] >= 0;
            for (uint32_t k = 1; k < channel->count; k++)
                ascends &= channel->times[k] > channel->times[k - 1];
            if (!ascends || (channel->count && !isfinite(channel->times[channel->count - 1])))
                return error_set(error, POSE_BAD_DATA, "bad_times",
                                 "clips[%u].joints[%u].%s: key times do not ascend from 0 on", index, i,
                                 part_name((enum pose_part)part));
        }
    }
    return true;
}

static bool check_content(struct encode_job *job)
{
    const struct pose_content *content = job->content;
    if (!content->clip_count && !content->skeleton_count && !content->mesh_count)
        return error_set(job->error, POSE_BAD_ARGUMENT, "nothing_to_write",
                         "no clip, skeleton or mesh to write");
    if (content->skeleton_count > 1)
        return error_set(job->error, POSE_BAD_ARGUMENT, "one_skeleton",
                         "a glTF file holds one skeleton, not %u: name one", content->skeleton_count);
    for (uint32_t i = 0; i < content->clip_count; i++) {
        if (!check_clip(&content->clips[i], i, job->error))
            return false;
    }
    return true;
}

/* Adds bones if no other mesh is visible: Prime's weights are a mesh without faces. */
static bool find_meshes(struct gltf_mesh_list *meshes, const struct gltf_joints *joints,
                        const struct choices *choices, struct encode_job *job)
{
    if (job->content->mesh_count && !gltf_add_meshes(meshes, joints, job))
        return false;
    return meshes->count || choices->without_bones || !joints->count || gltf_add_bones(meshes, joints, job);
}

/* --------------------------------------------------------------------------------------------------- writing -- */

static void put_asset(struct json_writer *json)
{
    char generator[40];
    snprintf(generator, sizeof generator, "posed %s", pose_version());
    jsonw_object(json, "asset");
    jsonw_string(json, "version", "2.0");
    jsonw_string(json, "generator", generator);
    jsonw_end(json);
}

static void put_scene(const struct gltf_joints *joints, struct gltf_mesh_list *meshes, struct gltf_file *file)
{
    struct json_writer *json = &file->json;
    jsonw_integer(json, "scene", 0);
    jsonw_array(json, "scenes");
    jsonw_object(json, NULL);
    jsonw_array(json, "nodes");
    gltf_joints_put_roots(joints, file);
    for (uint32_t i = 0; i < meshes->count; i++)
        jsonw_integer(json, NULL, joints->node_count + i);
    jsonw_end(json);
    if (joints->skeleton) {
        jsonw_object(json, "extras");
        jsonw_object(json, "posed");
        jsonw_string(json, "skeleton", joints->skeleton->name);
        jsonw_string(json, "scaling", joints->scales_offsets ? "offsets" : "inherited");
        jsonw_end(json);
        jsonw_end(json);
    }
    jsonw_end(json);
    jsonw_end(json);
    jsonw_array(json, "nodes");
    gltf_joints_put_nodes(joints, file);
    gltf_meshes_put_nodes(meshes, file);
    jsonw_end(json);
}

static bool put_all(struct encode_job *job, const struct choices *choices, const struct gltf_joints *joints)
{
    struct gltf_mesh_list meshes = {0};
    struct gltf_file file;
    if (!find_meshes(&meshes, joints, choices, job)) {
        gltf_meshes_release(&meshes);
        return false;
    }
    gltf_file_init(&file, job);
    jsonw_object(&file.json, NULL);
    put_asset(&file.json);
    bool done = gltf_names_init(&file.names, job->arena, joints->node_count + meshes.count);
    if (done)
        put_scene(joints, &meshes, &file);
    done = done && gltf_clips_put(joints, &meshes, &file, choices->fps);
    if (done) {
        if (joints->count) {
            gltf_joints_put_skin(joints, &file, meshes.uses_frame);
            gltf_bodies_put_skins(&meshes, joints, &file);
            jsonw_end(&file.json);
        }
        done = gltf_meshes_put(&meshes, &file) && gltf_file_finish(&file, !choices->is_text);
    }
    gltf_file_release(&file);
    gltf_meshes_release(&meshes);
    return done;
}

bool gltf_encode(struct encode_job *job)
{
    struct choices choices;
    struct gltf_joints joints = {0};
    bool needs_frame;
    if (!choose(job, &choices) || !check_content(job) || !gltf_meshes_need_frame(job, &needs_frame))
        return false;
    bool done = gltf_joints_init(&joints, job, needs_frame) && put_all(job, &choices, &joints);
    gltf_joints_release(&joints);
    return done;
}
