/* Meshes: lists, one mesh with its faces, and its vertices in a pose. */
#include "api/handlers/assets.h"
#include "api/handlers/handlers.h"
#include "api/choices/scope.h"
#include "api/views/asset_json.h"
#include "api/poses/pose_request.h"
#include "server/library/bodies/body.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const axes_words[] = {"gltf", "native", NULL};

enum api_outcome handle_meshes(struct api_call *call)
{
    return asset_list(call, ASSET_MESH);
}

static void put_faces(struct json_writer *json, const uint32_t (*faces)[3], uint32_t count)
{
    jsonw_array(json, "faces");
    for (uint32_t i = 0; i < count; i++) {
        jsonw_array(json, NULL);
        for (int k = 0; k < 3; k++)
            jsonw_integer(json, NULL, faces[i][k]);
        jsonw_end(json);
    }
    jsonw_end(json);
}

/* Vertices whose weights are in another file, group by group. */
static void put_share(void *user, const struct pose_share *share)
{
    struct json_writer *json = user;
    char bone[24];
    snprintf(bone, sizeof bone, "#%" PRId64, share->bone_id);
    jsonw_object(json, NULL);
    jsonw_string(json, "bone", bone);
    jsonw_integer(json, "first", (int64_t)share->first);
    jsonw_integer(json, "count", (int64_t)share->count);
    jsonw_integer(json, "blend_first", 0);
    jsonw_integer(json, "blend_count", 0);
    jsonw_number(json, "weight", share->weight);
    jsonw_end(json);
}

/* A bone's name, else "#ID". */
static void put_bone(struct json_writer *json, const char *key, const struct pose_mesh *mesh, uint32_t bone)
{
    char id[24];
    snprintf(id, sizeof id, "#%" PRIu32, mesh->bone_ids ? mesh->bone_ids[bone] : bone);
    jsonw_string(json, key, mesh->bones && mesh->bones[bone] ? mesh->bones[bone] : id);
}

enum { MAX_SEARCHES = 64 }; /* by name, through all entries of the archive */

/* One mesh that is written. */
struct shown {
    const struct catalog *catalog;
    const struct found_asset *found;
    const struct pose_mesh *mesh;
    const struct pose_skin *skin;
    unsigned searches; /* how many are left */
};

/* The id of an image that the mesh names; null if it is not in the same archive. */
static void put_image_id(struct json_writer *json, const char *key, struct shown *shown,
                         const char *reference)
{
    const struct index_asset *image = body_image_asset(shown->catalog, shown->found->item->place,
                                                       shown->found->document, reference, &shown->searches);
    jsonw_optional_id(json, key, image ? &image->id : NULL);
}

static void put_material(struct json_writer *json, struct shown *shown, const struct pose_material *material)
{
    static const char *const alphas[] = {"opaque", "mask", "blend"};
    jsonw_object(json, NULL);
    jsonw_string(json, "name", material->name);
    jsonw_floats(json, "base_color", material->base_color, 4);
    jsonw_string(json, "image", material->image);
    put_image_id(json, "image_id", shown, material->image);
    jsonw_string(json, "alpha", alphas[material->alpha]);
    jsonw_number(json, "cutoff", material->cutoff);
    jsonw_bool(json, "two_sided", material->two_sided);
    jsonw_floats(json, "emissive", material->emissive, 3);
    jsonw_string(json, "emissive_image", material->emissive_image);
    put_image_id(json, "emissive_image_id", shown, material->emissive_image);
    if (material->covers) {
        jsonw_object(json, "covers");
        jsonw_floats(json, "ground", material->ground, 3);
        jsonw_number(json, "gain", material->gain);
        jsonw_end(json);
    }
    if (material->extras)
        jsonw_value(json, "extras", material->extras);
    else
        jsonw_raw(json, "extras", "{}");
    jsonw_end(json);
}

static void put_looks(struct json_writer *json, struct shown *shown)
{
    const struct pose_mesh *mesh = shown->mesh;
    const uint32_t(*faces)[3] = pose_skin_faces(shown->skin);
    jsonw_array(json, "primitives");
    for (uint32_t i = 0; i < mesh->primitive_count; i++) {
        const struct pose_primitive *primitive = &mesh->primitives[i];
        jsonw_object(json, NULL);
        jsonw_integer(json, "material", primitive->material);
        put_faces(json, faces + primitive->face_first, primitive->face_count);
        jsonw_end(json);
    }
    jsonw_end(json);
    jsonw_array(json, "materials");
    for (uint32_t i = 0; i < mesh->material_count; i++)
        put_material(json, shown, &mesh->materials[i]);
    jsonw_end(json);
    jsonw_array(json, "morphs");
    for (uint32_t i = 0; i < mesh->morph_count; i++) {
        char id[24];
        snprintf(id, sizeof id, "#%" PRIu32, mesh->morphs[i].id);
        jsonw_string(json, NULL, mesh->morphs[i].name ? mesh->morphs[i].name : id);
    }
    jsonw_end(json);
}

static void put_bindings(struct json_writer *json, const char *format, const struct pose_mesh *mesh)
{
    jsonw_array(json, "bindings");
    pose_mesh_shares(format, mesh, put_share, json);
    for (uint32_t i = 0; i < mesh->binding_count; i++) {
        const struct pose_binding *binding = &mesh->bindings[i];
        jsonw_object(json, NULL);
        jsonw_string(json, "bone", mesh->bones[binding->bone]);
        jsonw_integer(json, "first", binding->first);
        jsonw_integer(json, "count", binding->count);
        jsonw_integer(json, "blend_first", binding->blend_first);
        jsonw_integer(json, "blend_count", binding->blend_count);
        jsonw_end(json);
    }
    jsonw_end(json);
}

static void put_mesh(struct json_writer *json, struct shown *shown)
{
    const struct pose_mesh *mesh = shown->mesh;
    jsonw_string(json, "texture", mesh->texture);
    put_image_id(json, "texture_id", shown, mesh->texture);
    put_faces(json, pose_skin_faces(shown->skin), mesh->face_count);
    jsonw_array(json, "uvs");
    for (uint32_t i = 0; mesh->uvs && i < mesh->real_count; i++)
        jsonw_floats(json, NULL, mesh->uvs[i], 2);
    jsonw_end(json);
    put_looks(json, shown);
    put_bindings(json, shown->found->document->format, mesh);
    jsonw_array(json, "blends");
    for (uint32_t i = 0; i < mesh->blend_count; i++) {
        jsonw_object(json, NULL);
        jsonw_integer(json, "vertex", mesh->blends[i].vertex);
        jsonw_integer(json, "weight", mesh->blends[i].weight);
        jsonw_end(json);
    }
    jsonw_end(json);
}

static bool put_whole_mesh(struct api_call *call, struct json_writer *json, const struct found_asset *found,
                           bool is_native, struct pose_error *error)
{
    const struct pose_mesh *mesh = &found->document->meshes[found->inner];
    struct skeleton_choice skeleton = catalog_skeleton(call->catalog, found->item);
    struct pose_skin *skin = pose_skin_new(mesh, NULL, is_native ? mesh->axes : POSE_AXES_GLTF, NULL, error);
    if (!skin)
        return false;
    jsonw_optional_id(json, "skeleton", skeleton.asset ? &skeleton.asset->id : NULL);
    struct shown shown = {
        .catalog = call->catalog, .found = found, .mesh = mesh, .skin = skin, .searches = MAX_SEARCHES};
    put_mesh(json, &shown);
    pose_skin_free(skin);
    return true;
}

enum api_outcome handle_mesh(struct api_call *call)
{
    return reply_asset(call,
                       &(struct asset_frame){.kind = ASSET_MESH, .has_axes = true, .put = put_whole_mesh});
}

/* ---------------------------------------------------------------------------------------------- vertices -- */

/* Parameters of a request for vertices. */
struct vertices {
    struct catalog_item *mesh_item, *clip_item; /* clip NULL: the rest pose */
    struct skeleton_choice skeleton;            /* none: the vertices as stored */
    bool automatic, native, as_floats;
    enum pose_wrap wrap;
    double t;
};

/* The clip's skeleton, unless the mesh has a skeleton in its own file. */
static struct skeleton_choice automatic_skeleton(const struct catalog *catalog,
                                                 const struct vertices *vertices)
{
    struct catalog_item *mesh = vertices->mesh_item, *clip = vertices->clip_item;
    struct skeleton_choice own = catalog_skeleton(catalog, mesh);
    bool is_of_file = own.item && own.item->place.archive == mesh->place.archive &&
                      own.item->place.entry == mesh->place.entry;
    return !clip || (is_of_file && clip->asset->axes == own.asset->axes) ? own
                                                                         : catalog_skeleton(catalog, clip);
}

static bool read_skeleton(struct api_call *call, struct vertices *vertices)
{
    const char *text = params_get(&call->params, "skeleton");
    struct asset_id id;
    vertices->automatic = !text || !strcmp(text, "auto");
    if (vertices->automatic)
        vertices->skeleton = automatic_skeleton(call->catalog, vertices);
    else if (id_parse(text, strlen(text), &id))
        vertices->skeleton = catalog_find_skeleton(call->catalog, &id);
    bool is_none = text && !strcmp(text, "none");
    if (vertices->skeleton.asset || (!vertices->clip_item && (vertices->automatic || is_none)))
        return true;
    reply_bad_parameter(call, "skeleton",
                        vertices->automatic ? "required: neither the mesh nor the clip has a known skeleton"
                        : is_none ? "a clip needs a skeleton; without clip the vertices are as stored"
                                  : "must be auto, none or the id of a skeleton");
    return false;
}

static bool read_vertices(struct api_call *call, struct vertices *vertices)
{
    static const char *const wraps[] = {"clamp", "loop", NULL}, *const forms[] = {"json", "f32", NULL};
    static const char *const types[] = {"application/json", "application/octet-stream", NULL};
    const char *clip = params_get(&call->params, "clip");
    struct param_error error;
    struct asset_id id;
    int axis = 0, wrap = 0, form = -1;
    if (!params_choice(&call->params, "axes", axes_words, &axis, &error) ||
        !params_choice(&call->params, "wrap", wraps, &wrap, &error) ||
        !params_choice(&call->params, "as", forms, &form, &error) ||
        !params_number(&call->params, "t", -HUGE_VAL, HUGE_VAL, &vertices->t, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    if (!accept_choose(call, types, &form))
        return false;
    if (clip && (!id_parse(clip, strlen(clip), &id) ||
                 !(vertices->clip_item = catalog_find(call->catalog, ASSET_CLIP, &id)))) {
        reply_bad_parameter(call, "clip", "no clip \"%.60s\"%s", clip, id_hint(clip, strlen(clip)));
        return false;
    }
    vertices->clip_item = scope_other(call, vertices->clip_item);
    vertices->native = axis == 1;
    vertices->wrap = wrap ? POSE_WRAP : POSE_CLAMP;
    vertices->as_floats = form == 1;
    struct pose_request timed = {.clip = vertices->clip_item, .wrap = vertices->wrap};
    vertices->t = vertices->clip_item ? pose_time(&timed, vertices->t) : 0;
    return read_skeleton(call, vertices);
}

/* Everything decoded and built for one answer. */
struct stage {
    struct body body;
    struct decoded *skeleton_document;
    struct player *player;
    struct pose_clip still;    /* without a clip: the empty clip that the rest pose is sampled from */
    struct pose_sampler *rest; /* points to still */
    struct pose_skin *skin;
};

static void stage_close(struct stage *stage)
{
    pose_skin_free(stage->skin);
    pose_sampler_free(stage->rest);
    player_put(stage->player);
    document_put(stage->skeleton_document);
    body_put(&stage->body);
}

static bool open_skeleton(struct api_call *call, const struct vertices *vertices, enum pose_axes axes,
                          struct stage *stage, const struct pose_skeleton **skeleton,
                          const struct pose_sampler **sampler, enum api_outcome *outcome)
{
    const struct skeleton_choice *choice = &vertices->skeleton;
    *skeleton = NULL;
    *sampler = NULL;
    if (!choice->asset)
        return true;
    if (vertices->clip_item) {
        const struct playing playing = {.clip = vertices->clip_item, .skeleton = choice, .axes = axes};
        stage->player = player_get(call->service, call->catalog, &playing, &call->fetch);
        if (!stage->player) {
            *outcome = reply_fetch(call);
            return false;
        }
        *skeleton = stage->player->skeleton;
        *sampler = stage->player->sampler;
        return true;
    }
    if (choice->item && !(stage->skeleton_document = reply_document(call, choice->item, outcome)))
        return false;
    *skeleton = choice->item ? &stage->skeleton_document->document->skeletons[choice->asset->inner]
                             : &choice->shipped->skeletons[0];
    /* An empty clip yields the rest pose. */
    struct pose_error error;
    stage->still = (struct pose_clip){.axes = (*skeleton)->axes, .rules = POSE_RULES_PLAIN};
    stage->rest = pose_sampler_new(&stage->still, *skeleton, axes, NULL, &error);
    *sampler = stage->rest;
    if (!stage->rest)
        *outcome = reply_error(call, &error, NULL, NULL);
    return stage->rest != NULL;
}

/* positions and normals, [real_count][3] each, in one block from malloc; NULL if out of memory. */
static float (*deform(const struct stage *stage, const struct pose_sampler *sampler,
                      const struct vertices *vertices, uint32_t count))[3]
{
    const struct pose_mesh *mesh = stage->body.mesh;
    size_t rows = pose_sampler_row_count(sampler), morphs = pose_sampler_morph_count(sampler);
    float *weights = try_alloc(morphs + mesh->morph_count + 1, sizeof *weights);
    float *local = try_alloc(rows, 26 * sizeof *local), *matrices = local ? local + rows * 10 : NULL;
    float(*out)[3] = try_alloc(count, 2 * sizeof *out);
    void *scratch = try_alloc(pose_deform_scratch(stage->skin), 1);
    bool done = local && out && scratch && weights;
    if (done) {
        pose_sample(sampler, vertices->t, vertices->wrap, POSE_IN_PLACE, local, weights);
        pose_model(sampler, local, matrices);
        done = pose_mesh_weights(mesh, sampler, weights, weights + morphs);
    }
    if (done) {
        pose_deform_morphed(stage->skin, matrices, weights + morphs, out, out + count, scratch);
    } else {
        free(out);
        out = NULL;
    }
    free(scratch);
    free(local);
    free(weights);
    return out;
}

/* The same for vertices as they are stored, with the mesh's own morphs. */
static float (*stored_vertices(const struct stage *stage, uint32_t count))[3]
{
    float(*out)[3] = try_alloc(count, 2 * sizeof *out);
    void *scratch = try_alloc(pose_deform_scratch(stage->skin), 1);
    if (out && scratch) {
        pose_deform_morphed(stage->skin, NULL, NULL, out, out + count, scratch);
    } else {
        free(out);
        out = NULL;
    }
    free(scratch);
    return out;
}

static void put_vectors(struct json_writer *json, const char *key, float (*vectors)[3], uint32_t count)
{
    jsonw_array(json, key);
    for (uint32_t i = 0; i < count; i++)
        jsonw_floats(json, NULL, vectors[i], 3);
    jsonw_end(json);
}

static enum api_outcome reply_vertices(struct api_call *call, const struct vertices *vertices,
                                       const struct pose_mesh *mesh, const struct stage *stage,
                                       float (*out)[3])
{
    uint32_t count = mesh->real_count;
    struct pose_buffer body = {0};
    uint32_t missing = vertices->skeleton.asset ? pose_skin_missing_count(stage->skin) : 0;
    if (missing)
        response_header(call->response, "Posed-Warning", "missing_bone");
    else if (vertices->skeleton.asset && skeleton_remark(&vertices->skeleton))
        response_header(call->response, "Posed-Warning", skeleton_remark(&vertices->skeleton));
    if (vertices->as_floats) {
        bool done = true;
        for (uint32_t i = 0; i < count && done; i++)
            done = pose_buffer_append(&body, out[i], sizeof *out) &&
                   pose_buffer_append(&body, out[count + i], sizeof *out);
        if (done)
            return reply_body(call, "application/octet-stream", &body, false);
        pose_buffer_free(&body);
        return reply_no_memory(call);
    }
    struct json_writer json;
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    jsonw_id(&json, "mesh", &vertices->mesh_item->asset->id);
    if (vertices->clip_item)
        jsonw_id(&json, "clip", &vertices->clip_item->asset->id);
    else
        jsonw_null(&json, "clip");
    jsonw_number(&json, "t", (float)vertices->t);
    jsonw_string(&json, "axes", axes_words[vertices->native]);
    jsonw_optional_id(&json, "skeleton", vertices->skeleton.asset ? &vertices->skeleton.asset->id : NULL);
    put_vectors(&json, "positions", out, count);
    put_vectors(&json, "normals", out + count, count);
    if (missing) {
        jsonw_array(&json, "missing");
        for (uint32_t i = 0; i < missing; i++)
            put_bone(&json, NULL, mesh, pose_skin_missing(stage->skin)[i]);
        jsonw_end(&json);
    }
    jsonw_end(&json);
    return reply_json(call, &body);
}

static void locate_twin(struct api_call *call, const struct vertices *vertices)
{
    char mesh[ID_TEXT], path[80];
    id_write(&vertices->mesh_item->asset->id, mesh);
    snprintf(path, sizeof path, "/v1/meshes/%s/vertices", mesh);
    reply_twin(call, path, &vertices->skeleton.asset->id, NULL);
}

enum api_outcome handle_mesh_vertices(struct api_call *call)
{
    struct vertices vertices = {.mesh_item = asset_find(call, ASSET_MESH).item};
    if (!vertices.mesh_item || !read_vertices(call, &vertices))
        return API_DONE;
    struct asset_id digest = digest_begin(call, &vertices.mesh_item->asset->id);
    if (vertices.skeleton.asset)
        digest = id_quick(&digest, &vertices.skeleton.asset->id, sizeof(struct asset_id));
    if (vertices.clip_item)
        digest = id_quick(&digest, &vertices.clip_item->asset->id, sizeof(struct asset_id));
    double canonical[4] = {vertices.t, vertices.native, vertices.as_floats, vertices.wrap == POSE_WRAP};
    digest = id_quick(&digest, canonical, sizeof canonical);
    if (vertices.automatic && vertices.skeleton.asset)
        locate_twin(call, &vertices);
    if (reply_cached(call, digest, vertices.automatic ? FRESH_REVALIDATE : FRESH_CONTENT,
                     !vertices.as_floats))
        return API_DONE;
    if (!call->request->may_wait)
        return API_WAIT;
    struct stage stage = {0};
    enum api_outcome outcome = API_DONE;
    const struct pose_skeleton *skeleton;
    const struct pose_sampler *sampler;
    struct pose_error error;
    bool is_there = body_get(call->service, call->catalog, vertices.mesh_item, &call->fetch, &stage.body);
    call->response->cache = call->fetch.missed ? "miss" : "hit";
    if (!is_there)
        outcome = reply_fetch(call);
    if (is_there) {
        const struct pose_mesh *mesh = stage.body.mesh;
        enum pose_axes axes = vertices.native ? mesh->axes : POSE_AXES_GLTF;
        if (open_skeleton(call, &vertices, axes, &stage, &skeleton, &sampler, &outcome)) {
            stage.skin = pose_skin_new(mesh, skeleton, axes, NULL, &error);
            if (stage.skin) {
                float(*out)[3] = sampler ? deform(&stage, sampler, &vertices, mesh->real_count)
                                         : stored_vertices(&stage, mesh->real_count);
                outcome = out ? reply_vertices(call, &vertices, mesh, &stage, out) : reply_no_memory(call);
                free(out);
            } else {
                outcome = reply_error(call, &error, NULL, NULL);
            }
        }
    }
    stage_close(&stage);
    return outcome;
}
