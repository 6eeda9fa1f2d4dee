/*
 * glTF 2.0: .glb, and .gltf with buffers that are embedded, beside the file or in a folder below.
 *
 * Reads the node tree, skins and animations: one clip per animation, and one skeleton of all nodes that are
 * joints or animated, with their ancestors. Clips are in glTF's axes; values and times are as stored, except
 * that STEP and CUBICSPLINE become linear keys (curve.c). What our own writer kept in extras is restored
 * (posed.c): the clip is then in glTF's axes and otherwise unchanged. Each node with a mesh becomes a mesh with
 * its materials and images (meshes.h). Cameras and lights are ignored.
 *
 * Verified with files of three.js' GLTFExporter and of assimp; otherwise follows the specification.
 */
#include "lib/core/text.h"
#include "lib/formats/gltf/gltf.h"
#include "lib/formats/gltf/read.h"

#include <string.h>

static void warn_about_clips(struct gltf *g)
{
    if (!g->job->document->clip_count)
        warning_add(&g->job->warnings, POSE_NOTE, "no_animation", POSE_NO_OFFSET,
                    "the file contains no animation");
}

static bool decode(struct decode_job *job)
{
    struct gltf g = {.job = job, .root = GLTF_NONE, .morphed = GLTF_NONE};
    bool done = gltf_open(&g) && gltf_read_nodes(&g) && gltf_read_skins(&g) && gltf_read_humanoid(&g) &&
                gltf_read_clips(&g) && gltf_build_skeleton(&g) && gltf_read_meshes(&g);
    if (done)
        warn_about_clips(&g);
    done = done && !g.json.arena.failed;
    json_close(&g.json);
    return done;
}

static enum probe_result probe(const struct pose_source *source)
{
    static const struct json_member members[] = {{"asset", '{'}, {NULL, 0}};
    struct pose_bytes bytes = source->bytes;
    if (bytes.size >= 12 && !memcmp(bytes.data, "glTF", 4))
        return PROBE_SURE;
    if (json_has_members(bytes, members))
        return PROBE_SURE;
    /* No other format uses these extensions: a broken file is refused as glTF, with the byte. */
    return PROBE_BY_NAME;
}

static const struct target target = {
    .title = "glTF",
    .axes = POSE_AXES_GLTF,
    .holds = {true, true, true, true},
    .files = {{.word = "glb",
               .extensions = ".glb",
               .options = "mesh bones fps",
               .on_skeleton = true,
               .is_scene = true},
              {.word = "gltf",
               .extensions = ".gltf",
               .media_type = "model/gltf+json",
               .options = "mesh bones fps",
               .is_text = true,
               .on_skeleton = true,
               .is_scene = true}},
};

const struct codec codec_gltf = {
    .format = {.id = "gltf",
               .title = "glTF 2.0",
               .extensions = ".glb .gltf",
               .media_type = "model/gltf-binary",
               .kinds = "clip skeleton mesh image",
               .has_companions = true},
    .probe = probe,
    .decode = decode,
    .encode = gltf_encode,
    .target = &target,
};
