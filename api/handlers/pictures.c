/* preview.svg, preview.png, preview.webp: drawn on the pool and cached among the encoded replies. */

#include "api/choices/body.h"
#include "api/handlers/handlers.h"
#include "api/choices/scope.h"
#include "lib/core/error.h"
#include "api/poses/pose_request.h"
#include "server/library/bodies/bystanders.h"
#include "server/ops/clock.h"
#include "server/draw/loading.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const media_types[] = {
    [PICTURE_SVG] = "image/svg+xml", [PICTURE_PNG] = "image/png", [PICTURE_WEBP] = "image/webp"};

/* Parameters of a picture. */
struct preview {
    struct pose_request pose;
    struct picture_options options;
    struct body_choice body;
    struct ingredient clip;
    struct body_stage stage;
};

/* -------------------------------------------------------------------------------------------------- parameters -- */

/* By the route's extension. */
static enum picture_type type_of(const struct route *route)
{
    const char *ending = strrchr(route->template, '.');
    return !strcmp(ending, ".svg") ? PICTURE_SVG : !strcmp(ending, ".png") ? PICTURE_PNG : PICTURE_WEBP;
}

/* A clip has a body unless it is said otherwise. */
static bool read_body(struct api_call *call, struct preview *preview)
{
    const struct choice_place from = {&call->params, call->catalog, NULL};
    struct param_error error;
    if (!body_read(&from, &preview->body, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    if (preview->options.is_moving) /* lines only */
        preview->body = (struct body_choice){.kind = BODY_BONES};
    if (preview->body.kind == BODY_UNSAID)
        preview->body.kind = BODY_AUTO;
    const struct retargeting *retargeting = &preview->pose.retargeting;
    preview->clip = (struct ingredient){call->catalog, preview->pose.clip};
    preview->stage =
        (struct body_stage){.service = call->service,
                            .common = call->catalog,
                            .clip = &preview->clip,
                            .skeleton = retargeting->on ? retargeting->carrying.onto : preview->pose.skeleton,
                            .is_carried = retargeting->on};
    return true;
}

/* motion=1, which makes an SVG move, and what goes with it only or not at all. */
static bool read_motion(struct api_call *call, struct picture_options *options)
{
    static const char *const words[] = {"0", "1", NULL};
    static const char *const of_motion[] = {"fps", "seconds"}, *const of_stills[] = {"t", "frames", "layout"};
    struct param_error error;
    int motion = 0;
    if (options->type != PICTURE_SVG)
        return true;
    if (!params_choice(&call->params, "motion", words, &motion, &error)) {
        reply_parameter(call, &error);
        return false;
    }
    options->is_moving = motion == 1;
    for (unsigned i = 0; i < 2 && !motion; i++) {
        if (params_get(&call->params, of_motion[i])) {
            reply_bad_parameter(call, of_motion[i], "requires motion=1");
            return false;
        }
    }
    for (unsigned i = 0; i < 3 && motion; i++) {
        if (params_get(&call->params, of_stills[i])) {
            reply_bad_parameter(call, of_stills[i], "not with motion=1");
            return false;
        }
    }
    if (motion)
        options->title = call->clip->asset->name;
    return true;
}

static bool read_options(struct api_call *call, struct preview *preview)
{
    static const char *const layouts[] = {"grid", "strip", NULL};
    const struct params *params = &call->params;
    struct picture_options *options = &preview->options;
    int64_t width = PICTURE_SIZE, height = PICTURE_SIZE, frames = 1;
    int angle = VIEW_THREE_QUARTER, layout = 0;
    struct param_error error;
    double t = 0, fps = 0, seconds = 0;
    if (!params_number(params, "fps", 1, MAX_PICTURE_FPS, &fps, &error) ||
        !params_number(params, "seconds", 0.1, MAX_PICTURE_SECONDS, &seconds, &error) ||
        !params_integer(params, "width", MIN_PICTURE_SIZE, MAX_PICTURE_SIZE, &width, &error) ||
        !params_integer(params, "height", MIN_PICTURE_SIZE, MAX_PICTURE_SIZE, &height, &error) ||
        !params_integer(params, "frames", 1, MAX_PICTURE_FRAMES, &frames, &error) ||
        !params_number(params, "t", -HUGE_VAL, HUGE_VAL, &t, &error) ||
        !params_choice(params, "layout", layouts, &layout, &error) ||
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
    options->strip = layout == 1;
    options->fps = fps;
    options->seconds = seconds;
    options->angle = (enum view_angle)angle;
    options->t = frames > 1 ? 0 : pose_time(&preview->pose, t);
    return read_motion(call, options);
}

static bool read_preview(struct api_call *call, struct catalog_item *item, struct preview *preview)
{
    *preview = (struct preview){0};
    if (!pose_request_read(call, item, &preview->pose) || !read_options(call, preview) ||
        !read_body(call, preview))
        return false;
    bool needs_skeleton =
        preview->body.mesh_count || preview->body.character || preview->body.kind == BODY_MANNEQUIN;
    if (needs_skeleton && !preview->pose.skeleton.asset) {
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
                                options->strip,
                                options->is_moving,
                                options->fps,
                                options->seconds,
                                PICTURE_REVISION,
                                options->background.r,
                                options->background.g,
                                options->background.b,
                                options->background.a};
    digest = id_quick(&digest, canonical, sizeof canonical);
    if (options->is_moving && options->title)
        digest = id_quick(&digest, options->title, strlen(options->title));
    return body_digest(digest, &preview->body, &preview->stage);
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
    const struct cache_key *key;
    struct fetch fetch;
    struct player *player;
    struct ingredients *ingredients; /* meshes and their images */
    struct pose_document *mannequin;
    struct pose_skin *skins[FIGURE_MESHES];
    struct pose_image images[INGREDIENT_IMAGES];
    struct pose_document *decoded[INGREDIENT_IMAGES];
    struct warnings warnings;
};

/* Decodes the images that are still files; one that cannot be read is left out. */
static void decode_images(struct drawing *drawing, const struct pose_conversion *parts)
{
    const struct pose_options options = call_options(drawing->call);
    for (uint32_t i = 0; i < parts->image_count; i++) {
        struct pose_error ignored;
        struct pose_image *image = &drawing->images[i];
        *image = parts->images[i];
        if (image->pixels)
            continue;
        const struct pose_source source = {.name = image->name, .bytes = image->bytes};
        struct pose_document *document = pose_decode(&source, &options, &ignored);
        drawing->decoded[i] = document;
        if (!document || !document->image_count)
            continue;
        *image = document->images[0];
        image->name = parts->images[i].name;
    }
}

static bool add_mesh(struct drawing *drawing, struct figure_source *source, const struct pose_mesh *mesh,
                     struct pose_error *error)
{
    unsigned at = source->mesh_count;
    drawing->skins[at] = pose_skin_new(mesh, drawing->player->skeleton, POSE_AXES_GLTF,
                                       &drawing->call->service->index_options.pose, error);
    source->skins[at] = drawing->skins[at];
    source->meshes[at] = mesh;
    source->mesh_count += drawing->skins[at] != NULL;
    return drawing->skins[at];
}

/* The clip whose tracks are the skeleton's; NULL: retargeted, onto the first person. */
static const struct pose_clip *moving_clip(const struct player *player)
{
    return player->retarget ? NULL : player->clip;
}

static bool add_mannequin(struct drawing *drawing, struct figure_source *source, struct pose_error *error)
{
    enum body_kind body = drawing->preview->body.kind;
    if (!drawing->player->skeleton || body == BODY_BONES || body == BODY_NONE)
        return true;
    drawing->mannequin = body_mannequin(drawing->player->skeleton, moving_clip(drawing->player), body,
                                        &drawing->call->service->index_options.pose, error);
    if (!drawing->mannequin)
        return error->status == POSE_OK;
    return add_mesh(drawing, source, drawing->mannequin->meshes, error);
}

/* All meshes but those of bystanders. */
static bool add_meshes(struct drawing *drawing, struct figure_source *source,
                       const struct pose_conversion *parts, struct pose_error *error)
{
    const struct player *player = drawing->player;
    const enum body_kind kind = drawing->preview->body.kind;
    bool *stands = NULL, done = kind == BODY_MESHES || kind == BODY_CHARACTER ||
                                bystanders_find(player->skeleton, player->sampler, moving_clip(player),
                                                &drawing->call->service->index_options.pose, &stands, error);
    for (uint32_t i = 0; i < parts->mesh_count && i < FIGURE_MESHES && done; i++) {
        done = add_mesh(drawing, source, &parts->meshes[i], error);
        const unsigned at = source->mesh_count - 1;
        if (!done || !stands || !bystanders_has(stands, source->skins[at], source->meshes[at]))
            continue;
        pose_skin_free(drawing->skins[at]);
        drawing->skins[at] = NULL;
        source->mesh_count--;
    }
    free(stands);
    return done;
}

static bool gather_body(struct drawing *drawing, struct figure_source *source, struct pose_error *error)
{
    const struct preview *preview = drawing->preview;
    struct pose_conversion parts = {.mesh_count = 0};
    if (!body_depends(&preview->body) || !preview->stage.skeleton.asset)
        return add_mannequin(drawing, source, error);
    drawing->ingredients = ingredients_new(drawing->call->service, drawing->call->catalog);
    if (!drawing->ingredients) {
        pose_error_init(error);
        return error_no_memory(error);
    }
    if (!body_gather(&preview->body, &preview->stage, drawing->ingredients, &drawing->warnings, error))
        return false;
    ingredients_list(drawing->ingredients, &parts);
    if (!parts.mesh_count)
        return add_mannequin(drawing, source, error);
    decode_images(drawing, &parts);
    source->image_count = parts.image_count;
    source->images = drawing->images;
    return add_meshes(drawing, source, &parts, error);
}

static bool gather(struct drawing *drawing, struct figure_source *source, struct pose_error *error)
{
    const struct preview *preview = drawing->preview;
    struct retargeting retargeting = preview->pose.retargeting;
    bool opened = retargeting_open(&retargeting, error);
    if (!opened) {
        retargeting_release(&retargeting);
        return false;
    }
    const struct playing playing = {preview->pose.clip, &preview->pose.skeleton, POSE_AXES_GLTF,
                                    preview->pose.up, retargeting_carrying(&retargeting)};
    drawing->player = player_get(drawing->call->service, drawing->call->catalog, &playing, &drawing->fetch);
    retargeting_release(&retargeting);
    if (!drawing->player) {
        *error = drawing->fetch.error;
        return false;
    }
    *source = (struct figure_source){.clip = drawing->player->clip,
                                     .sampler = drawing->player->sampler,
                                     .skeleton = drawing->player->skeleton,
                                     .wrap = preview->pose.wrap};
    return gather_body(drawing, source, error);
}

static void release(struct drawing *drawing)
{
    for (unsigned i = 0; i < FIGURE_MESHES; i++)
        pose_skin_free(drawing->skins[i]);
    for (unsigned i = 0; i < INGREDIENT_IMAGES; i++)
        pose_document_free(drawing->decoded[i]);
    ingredients_free(drawing->ingredients);
    pose_document_free(drawing->mannequin);
    warnings_release(&drawing->warnings);
    player_put(drawing->player);
}

/* What a picture on the disk is found by: the request's key, and who drew it. */
struct picture_name {
    struct cache_key key;
    uint32_t decoders, drawing; /* revisions */
    char version[24];
};

static struct picture_name name_of(const struct cache_key *key)
{
    struct picture_name name = {.key = *key, .decoders = pose_revision(), .drawing = PICTURE_REVISION};
    snprintf(name.version, sizeof name.version, "%s", pose_version());
    return name;
}

/* A text with its NUL, at most capacity bytes of the rest. */
static bool take_text(const uint8_t **at, const uint8_t *end, char *text, size_t capacity)
{
    const size_t left = (size_t)(end - *at);
    const uint8_t *nul = memchr(*at, 0, left < capacity ? left : capacity);
    if (!nul)
        return false;
    memcpy(text, *at, (size_t)(nul - *at) + 1);
    *at = nul + 1;
    return true;
}

/* A kept picture is both texts and then its bytes. */
static bool find_kept(const struct service *service, const struct cache_key *key, struct picture *picture)
{
    const struct picture_name name = name_of(key);
    struct pose_buffer kept = {0};
    if (!service->pictures || !picture_files_find(service->pictures, &name, sizeof name, &kept))
        return false;
    const uint8_t *at = kept.data, *end = at + kept.size;
    const bool found = take_text(&at, end, picture->codes, sizeof picture->codes) &&
                       take_text(&at, end, picture->serious, sizeof picture->serious) && at < end &&
                       pose_buffer_append(&picture->bytes, at, (size_t)(end - at));
    pose_buffer_free(&kept);
    return found;
}

static void keep(const struct service *service, const struct cache_key *key, const struct picture *picture)
{
    const struct picture_name name = name_of(key);
    struct pose_buffer bytes = {0};
    if (service->pictures && !catalog_turn_missed() &&
        pose_buffer_append(&bytes, picture->codes, strlen(picture->codes) + 1) &&
        pose_buffer_append(&bytes, picture->serious, strlen(picture->serious) + 1) &&
        pose_buffer_append(&bytes, picture->bytes.data, picture->bytes.size))
        picture_files_keep(service->pictures, &name, sizeof name, bytes.data, bytes.size);
    pose_buffer_free(&bytes);
}

static struct cache_object *make_picture(void *user, struct pose_error *error)
{
    struct drawing *drawing = user;
    struct figure_source source;
    struct picture *picture = calloc(1, sizeof *picture);
    double begin = clock_seconds();
    drawing->fetch.may_wait = true;
    if (!picture) {
        pose_error_init(error);
        error->status = POSE_NO_MEMORY;
        return NULL;
    }
    atomic_init(&picture->object.references, 1);
    picture->object.free = free_picture;
    if (find_kept(drawing->call->service, drawing->key, picture)) {
        picture->object.weight = sizeof *picture + picture->bytes.capacity;
        return &picture->object;
    }
    const struct draw_module *draw = draw_load(error);
    if (!draw) {
        free_picture(&picture->object);
        return NULL;
    }
    struct picture_options options = drawing->preview->options;
    options.stop = drawing->call->effort ? &drawing->call->effort->stop : NULL;
    if (!gather(drawing, &source, error) || !draw->picture(&source, &options, &picture->bytes, error)) {
        if (options.stop)
            effort_explain(drawing->call->effort, error);
        release(drawing);
        free_picture(&picture->object);
        return NULL;
    }
    pose_request_warnings(&drawing->preview->pose, drawing->player, &drawing->warnings);
    warnings_codes(&drawing->warnings, picture->codes);
    warnings_explain(&drawing->warnings, picture->serious, sizeof picture->serious);
    release(drawing);
    keep(drawing->call->service, drawing->key, picture);
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
    struct cache_key key = key_of(preview);
    struct drawing drawing = {.call = call, .preview = preview, .key = &key};
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
    bool is_dressed = body_depends(&preview.body) && preview.stage.skeleton.asset;
    if (is_dressed && call->scope && !call->request->may_wait)
        return API_WAIT;
    bool is_fixed = !is_dressed || body_is_inside(call, &preview.body, &preview.stage);
    if (reply_cached(call, digest, is_fixed ? pose_request_freshness(&preview.pose) : FRESH_REVALIDATE,
                     preview.options.type == PICTURE_SVG))
        return API_DONE;
    return reply_picture(call, &preview);
}
