/* preview.svg, preview.png, preview.webp: drawn on the pool and cached among the encoded replies. */

#include "api/handlers/handlers.h"
#include "api/poses/pose_request.h"
#include "server/ops/clock.h"
#include "server/draw/loading.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const media_types[] = {
    [PICTURE_SVG] = "image/svg+xml", [PICTURE_PNG] = "image/png", [PICTURE_WEBP] = "image/webp"};

/* Parameters of a picture. */
struct preview {
    struct pose_request pose;
    struct picture_options options;
    unsigned mesh_count;
    const struct catalog_item *meshes[FIGURE_MESHES];
};

/* -------------------------------------------------------------------------------------------------- parameters -- */

/* By the route's extension. */
static enum picture_type type_of(const struct route *route)
{
    const char *ending = strrchr(route->template, '.');
    return !strcmp(ending, ".svg") ? PICTURE_SVG : !strcmp(ending, ".png") ? PICTURE_PNG : PICTURE_WEBP;
}

static bool read_meshes(struct api_call *call, struct preview *preview)
{
    const char *text = params_get(&call->params, "mesh");
    struct asset_id id;
    for (const char *at = text; at;) {
        size_t length = strcspn(at, ",");
        const struct catalog_item *item =
            id_parse(at, length, &id) ? catalog_find(call->catalog, ASSET_MESH, &id) : NULL;
        if (!item) {
            reply_bad_parameter(call, "mesh", "no mesh \"%.*s\"", (int)(length < 60 ? length : 60), at);
            return false;
        }
        if (preview->mesh_count == FIGURE_MESHES) {
            reply_bad_parameter(call, "mesh", "more than %d meshes", FIGURE_MESHES);
            return false;
        }
        preview->meshes[preview->mesh_count++] = item;
        at = at[length] ? at + length + 1 : NULL;
    }
    return true;
}

static bool read_options(struct api_call *call, struct preview *preview)
{
    const struct params *params = &call->params;
    struct picture_options *options = &preview->options;
    int64_t width = PICTURE_SIZE, height = PICTURE_SIZE, frames = 1;
    int angle = VIEW_THREE_QUARTER;
    struct param_error error;
    double t = 0;
    if (!params_integer(params, "width", MIN_PICTURE_SIZE, MAX_PICTURE_SIZE, &width, &error) ||
        !params_integer(params, "height", MIN_PICTURE_SIZE, MAX_PICTURE_SIZE, &height, &error) ||
        !params_integer(params, "frames", 1, MAX_PICTURE_FRAMES, &frames, &error) ||
        !params_number(params, "t", -HUGE_VAL, HUGE_VAL, &t, &error) ||
        !params_choice(params, "angle", view_angle_words, &angle, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    const char *background = params_get(params, "background");
    if (background && !color_parse(background, &options->background)) {
        reply_bad_parameter(call, "background",
                            "\"%.40s\" is neither transparent, white, black nor #rrggbb[aa]", background);
        return false;
    }
    options->type = type_of(call->route);
    options->width = (unsigned)width;
    options->height = (unsigned)height;
    options->frames = (unsigned)frames;
    options->angle = (enum view_angle)angle;
    options->t = frames > 1 ? 0 : pose_time(&preview->pose, t);
    return true;
}

static bool read_preview(struct api_call *call, struct catalog_item *item, struct preview *preview)
{
    *preview = (struct preview){0};
    if (!pose_request_read(call, item, &preview->pose) || !read_options(call, preview) ||
        !read_meshes(call, preview))
        return false;
    if (preview->mesh_count && !preview->pose.skeleton.asset) {
        reply_bad_parameter(call, "skeleton", "a mesh needs a skeleton, but the clip has none");
        return false;
    }
    return true;
}

static struct asset_id digest_of(struct asset_id digest, const struct preview *preview)
{
    const struct picture_options *options = &preview->options;
    const double canonical[] = {options->type,
                                options->width,
                                options->height,
                                options->angle,
                                options->t,
                                options->frames,
                                options->background.r,
                                options->background.g,
                                options->background.b,
                                options->background.a};
    digest = id_quick(&digest, canonical, sizeof canonical);
    for (unsigned i = 0; i < preview->mesh_count; i++)
        digest = id_quick(&digest, &preview->meshes[i]->asset->id, sizeof(struct asset_id));
    return digest;
}

/* ------------------------------------------------------------------------------------------------------ drawing -- */

struct picture {
    struct cache_object object;
    struct pose_buffer bytes;
    char codes[WARNING_CODES], serious[480]; /* warnings, and what strict=1 rejects */
};

static void free_picture(struct cache_object *object)
{
    struct picture *picture = (struct picture *)object;
    pose_buffer_free(&picture->bytes);
    free(picture);
}

struct drawing {
    struct api_call *call;
    const struct preview *preview;
    struct fetch fetch;
    struct player *player;
    struct decoded *meshes[FIGURE_MESHES];
    struct pose_skin *skins[FIGURE_MESHES];
};

static bool gather(struct drawing *drawing, struct figure_source *source, struct pose_error *error)
{
    const struct preview *preview = drawing->preview;
    struct service *service = drawing->call->service;
    struct retargeting retargeting = preview->pose.retargeting;
    bool opened = retargeting_open(&retargeting, error);
    if (!opened) {
        retargeting_release(&retargeting);
        return false;
    }
    const struct playing playing = {preview->pose.clip, &preview->pose.skeleton, POSE_AXES_GLTF,
                                    preview->pose.up, retargeting_carrying(&retargeting)};
    drawing->player = player_get(service, drawing->call->catalog, &playing, &drawing->fetch);
    retargeting_release(&retargeting);
    if (!drawing->player) {
        *error = drawing->fetch.error;
        return false;
    }
    *source = (struct figure_source){.clip = drawing->player->clip,
                                     .sampler = drawing->player->sampler,
                                     .skeleton = drawing->player->skeleton,
                                     .wrap = preview->pose.wrap,
                                     .mesh_count = preview->mesh_count};
    for (unsigned i = 0; i < preview->mesh_count; i++) {
        const struct catalog_item *item = preview->meshes[i];
        drawing->meshes[i] = document_get(service, drawing->call->catalog, item->place, &drawing->fetch);
        if (!drawing->meshes[i]) {
            *error = drawing->fetch.error;
            return false;
        }
        source->meshes[i] = &drawing->meshes[i]->document->meshes[item->asset->inner];
        drawing->skins[i] = pose_skin_new(source->meshes[i], drawing->player->skeleton, POSE_AXES_GLTF,
                                          &service->index_options.pose, error);
        source->skins[i] = drawing->skins[i];
        if (!drawing->skins[i])
            return false;
    }
    return true;
}

static void release(struct drawing *drawing)
{
    for (unsigned i = 0; i < FIGURE_MESHES; i++) {
        pose_skin_free(drawing->skins[i]);
        document_put(drawing->meshes[i]);
    }
    player_put(drawing->player);
}

static struct cache_object *make_picture(void *user, struct pose_error *error)
{
    struct drawing *drawing = user;
    struct figure_source source;
    struct picture *picture = calloc(1, sizeof *picture);
    double begin = clock_seconds();
    const struct draw_module *draw = draw_load(error);
    drawing->fetch.may_wait = true;
    if (!draw) {
        free(picture);
        return NULL;
    }
    if (!picture) {
        pose_error_init(error);
        error->status = POSE_NO_MEMORY;
        return NULL;
    }
    atomic_init(&picture->object.references, 1);
    picture->object.free = free_picture;
    struct picture_options options = drawing->preview->options;
    options.stop = drawing->call->effort ? &drawing->call->effort->stop : NULL;
    if (!gather(drawing, &source, error) || !draw->picture(&source, &options, &picture->bytes, error)) {
        if (options.stop)
            effort_explain(drawing->call->effort, error);
        release(drawing);
        free_picture(&picture->object);
        return NULL;
    }
    struct convert_warnings warnings = {.count = 0};
    pose_request_warnings(&drawing->preview->pose, drawing->player, &warnings);
    conversion_warning_codes(&warnings, picture->codes);
    conversion_warnings_serious(&warnings, picture->serious, sizeof picture->serious);
    release(drawing);
    picture->object.weight = sizeof *picture + picture->bytes.capacity;
    drawing->call->write_seconds = clock_seconds() - begin - drawing->fetch.decode_seconds;
    return &picture->object;
}

/* The key is the same whichever path the picture was requested by. */
static struct cache_key key_of(const struct preview *preview)
{
    const struct pose_request *pose = &preview->pose;
    struct cache_key key = {
        {'P', (uint8_t)(pose->up << 1 | (pose->skeleton.asset != NULL)), pose->wrap == POSE_WRAP}};
    struct asset_id options = digest_of((struct asset_id){{0}}, preview);
    unsigned char *at = key.bytes + 3;
    memcpy(at, &pose->clip->asset->id, sizeof options);
    if (pose->skeleton.asset)
        options = id_quick(&options, &pose->skeleton.asset->id, sizeof options);
    if (pose->retargeting.on)
        options = id_quick(&options, &pose->retargeting.carrying.digest, sizeof options);
    memcpy(at + sizeof options, &options, sizeof options);
    return key;
}

static enum api_outcome reply_picture(struct api_call *call, const struct preview *preview)
{
    struct drawing drawing = {.call = call, .preview = preview};
    struct cache_key key = key_of(preview);
    struct picture *picture = (struct picture *)reply_kept(call, &key, make_picture, &drawing);
    call->fetch.decode_seconds += drawing.fetch.decode_seconds;
    if (!picture && preview->pose.retargeting.on && call->fetch.outcome != CACHE_WOULD_WAIT)
        return retargeting_failed(call, &call->fetch.error);
    if (!picture)
        return reply_fetch(call);
    if (preview->pose.strict && picture->serious[0]) {
        enum api_outcome refused = reply_problem(call, 422, "strict", "%s", picture->serious);
        cache_unref(&picture->object);
        return refused;
    }
    if (picture->codes[0])
        response_header(call->response, "Posed-Warning", picture->codes);
    else if (!preview->pose.skeleton.asset)
        response_header(call->response, "Posed-Warning", "no_skeleton");
    struct pose_buffer body = {0};
    bool copied = pose_buffer_append(&body, picture->bytes.data, picture->bytes.size);
    cache_unref(&picture->object);
    if (!copied)
        return reply_problem(call, 503, "no_memory", "out of memory");
    return reply_body(call, media_types[preview->options.type], &body, preview->options.type == PICTURE_SVG);
}

enum api_outcome handle_preview(struct api_call *call)
{
    struct catalog_item *item = call->clip;
    struct preview preview;
    if (!read_preview(call, item, &preview))
        return API_DONE;
    struct asset_id digest = digest_of(pose_request_digest(call, &preview.pose), &preview);
    const char *ending = strrchr(call->route->template, '/');
    if (preview.pose.automatic || preview.pose.retargeting.automatic || call->by_name)
        pose_request_twin(call, &preview.pose, ending);
    if (reply_cached(call, digest, pose_request_freshness(&preview.pose),
                     preview.options.type == PICTURE_SVG))
        return API_DONE;
    return reply_picture(call, &preview);
}
