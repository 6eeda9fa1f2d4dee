#include "api/conversion/converted.h"

#include "lib/core/error.h"
#include "server/library/choose.h"
#include "server/ops/clock.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- making -- */

bool conversion_add_skeleton(const struct ingredient_skeleton *skeleton, const struct conversion *conversion,
                             struct ingredients *ingredients, struct convert_warnings *warnings,
                             struct pose_error *error)
{
    struct pose_warning warning;
    bool matters = conversion->target->on_skeleton || conversion->retargeting.on;
    if (skeleton_warning(&skeleton->choice, &warning) && matters)
        convert_warn_text(warnings, warning.code, warning.severity, warning.message);
    return ingredients_set_skeleton(ingredients, skeleton, error);
}

/* The body of a clip: its own, or one that is chosen. A model without clips is only what its parts are. */
static bool add_body(const struct conversion_order *order, struct ingredients *ingredients,
                     struct convert_warnings *warnings, struct pose_error *error)
{
    const struct conversion_parts *parts = order->parts;
    struct body_choice body = parts->body;
    const struct body_stage stage = conversion_stage(order->service, order->common, order->conversion, parts);
    body.kind = conversion_body(order->conversion, parts);
    return parts->mesh_count || body_gather(&body, &stage, ingredients, warnings, error);
}

bool conversion_parts_add(const struct conversion_order *order, struct ingredients *ingredients,
                          struct convert_warnings *warnings, struct pose_error *error)
{
    const struct conversion_parts *parts = order->parts;
    for (uint32_t i = 0; i < parts->clip_count; i++) {
        if (!ingredients_add_clip(ingredients, &parts->clips[i], error))
            return false;
    }
    for (unsigned i = 0; i < parts->mesh_count; i++) {
        if (!ingredients_add_mesh(ingredients, &parts->meshes[i], NULL, error))
            return false;
    }
    return conversion_add_skeleton(&parts->skeleton, order->conversion, ingredients, warnings, error) &&
           add_body(order, ingredients, warnings, error);
}

/* Warns that the figure was turned, which nothing else reports if the file is not stored. */
static void tell_up(const struct conversion *conversion, const struct ingredients *ingredients,
                    struct convert_warnings *warnings)
{
    if (!conversion->up && ingredients_are_z_up(ingredients))
        convert_warn_text(
            warnings, "z_up", POSE_NOTE,
            "the figure's head is along Z from its hips, so that Z was taken as up: up=y says otherwise");
}

/* Replaces the first file of a pair by a ZIP of both. */
static bool zip_pair(const struct conversion_order *order, struct conversion_result *result,
                     struct pose_error *error)
{
    struct pose_buffer first = result->bytes;
    bool done = convert_zip_pair(order->conversion->target, order->name, &first, &result->second,
                                 &order->service->index_options.pose, &result->bytes, error);
    pose_buffer_free(&first);
    return done;
}

/* A clip retargeted to another figure, in the form that the target's engine needs. */
struct carried {
    struct pose_humanoid *people[2];
    struct pose_retarget *retarget;
    struct pose_document *baked;
    struct pose_conversion_clip clip;
};

static void carried_release(struct carried *carried)
{
    pose_document_free(carried->baked);
    pose_retarget_free(carried->retarget);
    pose_humanoid_free(carried->people[0]);
    pose_humanoid_free(carried->people[1]);
}

static bool wants_loop(const struct conversion *conversion)
{
    const struct pose_value *loop =
        conversion->setting_count ? pose_value_find(conversion->settings, "loop") : NULL;
    return loop && loop->as.boolean;
}

/* Bakes the clip, which is on skeleton from, and replaces it by the result; wanted has the target
 * skeleton. */
static bool bake_carried(const struct conversion_order *order, const struct carrying *carrying,
                         const struct pose_skeleton *from, struct pose_conversion *wanted,
                         struct carried *carried, struct convert_warnings *warnings, struct pose_error *error)
{
    const struct conversion *conversion = order->conversion;
    const struct pose_options *options = &order->options;
    if (!carrying_compile(carrying, wanted->clips[0].clip, from, wanted->skeleton, POSE_AXES_GLTF, options,
                          carried->people, &carried->retarget, error))
        return false;
    const struct pose_retarget_baking baking = {.to = conversion->target->format,
                                                .fps = (double)conversion->fps,
                                                .tolerance = conversion->retargeting.tolerance,
                                                .loops = wants_loop(conversion)};
    carried->baked = pose_retarget_bake(carried->retarget, &baking, options, convert_warn, warnings, error);
    if (!carried->baked)
        return false;
    carried->clip = wanted->clips[0];
    carried->clip.clip = carried->baked->clips;
    carried->clip.from = carried->baked->format;
    wanted->clips = &carried->clip;
    wanted->fps = 0; /* already baked into frames */
    return true;
}

static bool carry_over(const struct conversion_order *order, struct ingredients *ingredients,
                       struct pose_conversion *wanted, struct carried *carried,
                       struct convert_warnings *warnings, struct pose_error *error)
{
    struct retargeting retargeting = order->conversion->retargeting;
    const struct ingredient_skeleton onto = {order->common, retargeting.carrying.onto};
    const struct pose_skeleton *from = wanted->skeleton;
    if (!retargeting.on)
        return true;
    if (wanted->clip_count != 1 || !from) {
        pose_error_init(error);
        error->status = POSE_BAD_ARGUMENT;
        snprintf(error->field, sizeof error->field, "skeleton");
        snprintf(error->detail, sizeof error->detail, "retargeting needs exactly one clip with a skeleton");
        return false;
    }
    struct pose_warning warning;
    if (retargeting_warning(&retargeting, &warning))
        convert_warn(warnings, &warning);
    bool done = ingredients_set_skeleton(ingredients, &onto, error) && retargeting_open(&retargeting, error);
    if (done) {
        ingredients_list(ingredients, wanted);
        done =
            bake_carried(order, retargeting_carrying(&retargeting), from, wanted, carried, warnings, error);
    }
    retargeting_release(&retargeting);
    return done;
}

/* What resampling takes: the keys, and the answer, which is about as large. */
static uint64_t weigh(const struct pose_conversion *wanted)
{
    double bytes = 0;
    for (uint32_t i = 0; i < wanted->clip_count; i++) {
        const struct pose_clip *clip = wanted->clips[i].clip;
        double values = 0;
        for (uint32_t k = 0; k < clip->track_count; k++) {
            const struct pose_channel *channels = clip->tracks[k].channels;
            values += (channels[POSE_TRANSLATION].count > 0) * 4 + (channels[POSE_ROTATION].count > 0) * 5 +
                      (channels[POSE_SCALE].count > 0) * 4;
        }
        bytes += values * (double)sizeof(float) * (double)clip->duration * (double)wanted->fps;
    }
    return (uint64_t)fmin(2 * bytes, 1e15);
}

/* Large conversions share the budget of answers that wait to be read; a single one may exceed it. */
static bool make_room(struct service *service, uint64_t bytes, struct pose_error *error)
{
    const uint64_t most = service->config->max_pending;
    const uint64_t sum = atomic_fetch_add(&service->making, bytes) + bytes;
    if (!bytes || !most || sum <= most || sum == bytes)
        return true;
    atomic_fetch_sub(&service->making, bytes);
    pose_error_init(error);
    error->status = POSE_NO_MEMORY;
    snprintf(error->code, sizeof error->code, "busy");
    snprintf(error->detail, sizeof error->detail, "other large conversions are being made; try again");
    return false;
}

/* Adds the mannequin as the only mesh, if it was asked for and the skeleton is a person's. */
static bool add_mannequin(const struct conversion_order *order, struct pose_conversion *wanted,
                          struct pose_document **mannequin, struct pose_error *error)
{
    enum body_kind body = conversion_body(order->conversion, order->parts);
    if (!wanted->skeleton || wanted->mesh_count || (body != BODY_MANNEQUIN && body != BODY_AUTO))
        return true;
    *mannequin = body_mannequin(wanted->skeleton, body, &order->options, error);
    if (!*mannequin)
        return error->status == POSE_OK;
    wanted->mesh_count = (*mannequin)->mesh_count;
    wanted->meshes = (*mannequin)->meshes;
    return true;
}

/* A mesh, or a ZIP of it and what puts it on. */
static bool convert_mesh(const struct conversion_order *order, const struct ingredients *ingredients,
                         struct conversion_result *result, struct pose_error *error)
{
    struct pose_conversion parts = {0};
    struct pose_mesh_files files;
    struct pose_pack_item items[POSE_MESH_FILES];
    ingredients_list(ingredients, &parts);
    const struct pose_mesh_conversion wanted = {
        .to = order->conversion->target->word,
        .mesh = parts.meshes,
        .skeleton = parts.skeleton,
        .image_count = parts.image_count,
        .images = parts.images,
        .name = order->name,
        .keeps_name = order->unzipped,
        .settings = order->conversion->setting_count ? order->conversion->settings : NULL};
    if (!pose_mesh_convert(&wanted, &order->options, convert_warn, &result->warnings, &files, error))
        return false;
    for (uint32_t i = 0; i < files.count; i++)
        items[i] = (struct pose_pack_item){convert_file_name(files.files[i].name),
                                           {files.files[i].bytes.data, files.files[i].bytes.size}};
    bool done = true;
    if (files.count == 1 || order->unzipped) {
        result->bytes = files.files[0].bytes;
        result->beside.count = files.count - 1;
        memcpy(result->beside.files, files.files + 1, (files.count - 1) * sizeof *files.files);
        files.count = 0;
    } else {
        done = pose_pack("zip", items, files.count, NULL, &order->options, &result->bytes, error);
    }
    pose_mesh_files_free(&files);
    return done;
}

static bool convert(const struct conversion_order *order, struct ingredients *ingredients,
                    struct conversion_result *result, struct pose_error *error)
{
    enum { SMALL = 16 << 20 };
    const struct conversion *conversion = order->conversion;
    if (conversion->target->is_mesh)
        return convert_mesh(order, ingredients, result, error);
    struct pose_conversion wanted = {.to = conversion->target->word,
                                     .fps = conversion->fps,
                                     .renames = conversion->renames,
                                     .rename_count = conversion->rename_count,
                                     .settings = conversion->setting_count ? conversion->settings : NULL,
                                     .second_name = order->key_file};
    ingredients_list(ingredients, &wanted);
    struct carried carried = {.retarget = NULL};
    const uint64_t weight = weigh(&wanted), bytes = weight < SMALL ? 0 : weight;
    if (!make_room(order->service, bytes, error))
        return false;
    struct pose_document *mannequin = NULL;
    bool done = carry_over(order, ingredients, &wanted, &carried, &result->warnings, error) &&
                add_mannequin(order, &wanted, &mannequin, error) &&
                pose_convert(&wanted, &order->options, convert_warn, &result->warnings, &result->bytes,
                             &result->second, error);
    pose_document_free(mannequin);
    carried_release(&carried);
    atomic_fetch_sub(&order->service->making, bytes);
    if (!done || !conversion->target->second || result->is_pair)
        return done;
    return zip_pair(order, result, error);
}

bool conversion_make(const struct conversion_order *order, struct conversion_result *result,
                     struct pose_error *error)
{
    const struct conversion *conversion = order->conversion;
    struct ingredients *ingredients = ingredients_new(order->service, order->common);
    if (!ingredients) {
        *result = (struct conversion_result){0};
        pose_error_init(error);
        return error_no_memory(error);
    }
    *result = (struct conversion_result){.is_pair = conversion->target->second && order->unzipped};
    struct convert_warnings *warnings = &result->warnings;
    bool done = order->gather ? order->gather(order->user, ingredients, warnings, error)
                              : conversion_parts_add(order, ingredients, warnings, error);
    done = done && ingredients_turn(ingredients, conversion->up, error) &&
           convert(order, ingredients, result, error);
    if (done)
        tell_up(conversion, ingredients, warnings);
    result->decode_seconds = ingredients_decode_seconds(ingredients);
    ingredients_free(ingredients);
    return done;
}

void conversion_result_release(struct conversion_result *result)
{
    convert_warnings_release(&result->warnings);
    pose_buffer_free(&result->bytes);
    pose_buffer_free(&result->second.bytes);
    pose_mesh_files_free(&result->beside);
}

/* ------------------------------------------------------------------------------------------------ keeping -- */

void conversion_warning_codes(const struct convert_warnings *warnings, char codes[WARNING_CODES])
{
    size_t used = 0;
    codes[0] = '\0';
    for (uint32_t i = 0; i < warnings->count; i++) {
        const char *code = warnings->items[i].code;
        bool seen = false;
        for (uint32_t k = 0; k < i; k++)
            seen |= !strcmp(warnings->items[k].code, code);
        if (!seen && used + strlen(code) + 16 < WARNING_CODES)
            used += (size_t)sprintf(codes + used, "%s%s", used ? ", " : "", code);
    }
    if (warnings->is_full)
        strcpy(codes + used, ", more");
}

void conversion_warnings_serious(const struct convert_warnings *warnings, char *text, size_t capacity)
{
    size_t used = 0;
    *text = '\0';
    for (uint32_t i = 0; i < warnings->count && used < capacity; i++) {
        const struct pose_warning *warning = &warnings->items[i];
        if (warning->severity == POSE_WARNING)
            used += (size_t)snprintf(text + used, capacity - used, "%s%s: %s", used ? "; " : "",
                                     warning->code, warning->message);
    }
    for (size_t length = strlen(text); !is_utf8(text); length--)
        text[length - 1] = '\0';
}

static void free_converted(struct cache_object *object)
{
    struct converted *converted = (struct converted *)object;
    pose_buffer_free(&converted->bytes);
    free(converted);
}

struct converted *converted_new(struct pose_buffer *bytes, const struct convert_warnings *warnings)
{
    struct converted *converted = calloc(1, sizeof *converted);
    if (!converted)
        return NULL;
    atomic_init(&converted->object.references, 1);
    converted->object.weight = sizeof *converted + bytes->capacity;
    converted->object.free = free_converted;
    converted->bytes = *bytes;
    *bytes = (struct pose_buffer){0};
    conversion_warning_codes(warnings, converted->codes);
    conversion_warnings_serious(warnings, converted->serious, sizeof converted->serious);
    return converted;
}

/* ------------------------------------------------------------------------------------------------- answers -- */

static void release_borrowed(void *converted)
{
    cache_unref(&((struct converted *)converted)->object);
}

static enum api_outcome reply_text(struct api_call *call, const char *media_type, struct converted *converted)
{
    struct pose_buffer body = {0};
    bool copied = pose_buffer_append(&body, converted->bytes.data, converted->bytes.size);
    cache_unref(&converted->object);
    if (!copied)
        return reply_problem(call, 503, "no_memory", "out of memory");
    return reply_body(call, media_type, &body, true);
}

enum api_outcome reply_converted(struct api_call *call, const struct conversion *conversion,
                                 struct converted *converted, const char *name)
{
    const struct pose_target *target = conversion->target;
    if (conversion->strict && converted->serious[0]) {
        enum api_outcome outcome = reply_problem(call, 422, "strict", "%s", converted->serious);
        cache_unref(&converted->object);
        return outcome;
    }
    if (converted->codes[0])
        response_header(call->response, "Posed-Warning", converted->codes);
    char extension[16];
    convert_target_extension(target, extension);
    /* Several files of a mesh are a ZIP. */
    bool is_zip = target->is_mesh && converted->bytes.size > 4 && !memcmp(converted->bytes.data, "PK\3\4", 4);
    reply_attachment(call, name, target->second || is_zip ? "zip" : extension);
    if (target->is_text)
        return reply_text(call, target->media_type, converted);
    response_borrow(call->response, is_zip ? "application/zip" : target->media_type, converted->bytes.data,
                    converted->bytes.size, release_borrowed, converted);
    return API_DONE;
}

/* User data of a cache maker: the order of a request, and what it cost. */
struct making {
    struct api_call *call;
    const struct conversion_order *order;
};

static struct cache_object *make(void *user, struct pose_error *error)
{
    const struct making *making = user;
    struct api_call *call = making->call;
    struct conversion_result result;
    struct converted *converted = NULL;
    double begin = clock_seconds();
    if (conversion_make(making->order, &result, error) &&
        !(converted = converted_new(&result.bytes, &result.warnings))) {
        pose_error_init(error);
        error->status = POSE_NO_MEMORY;
    }
    if (!converted && call->effort)
        effort_explain(call->effort, error);
    call->fetch.decode_seconds += result.decode_seconds;
    call->write_seconds = clock_seconds() - begin - result.decode_seconds;
    conversion_result_release(&result);
    return converted ? &converted->object : NULL;
}

/* The problem of a conversion that failed. */
static enum api_outcome conversion_failed(struct api_call *call, const struct pose_error *error)
{
    bool is_ours = error->status == POSE_BAD_ARGUMENT;
    if (is_ours && (!strcmp(error->field, "skeleton") || !strcmp(error->field, "up")))
        return reply_error_of(call, error, error->field);
    return retargeting_failed(call, error);
}

enum api_outcome reply_conversion(struct api_call *call, const struct conversion_order *order)
{
    struct making making = {call, order};
    struct pose_error error;
    struct converted *converted = (struct converted *)make(&making, &error);
    return converted ? reply_converted(call, order->conversion, converted, order->name)
                     : conversion_failed(call, &error);
}

enum api_outcome reply_kept_conversion(struct api_call *call, const struct cache_key *key,
                                       const struct conversion_order *order)
{
    struct making making = {call, order};
    struct converted *converted = (struct converted *)reply_kept(call, key, make, &making);
    if (converted)
        return reply_converted(call, order->conversion, converted, order->name);
    return call->fetch.outcome == CACHE_WOULD_WAIT ? API_WAIT : conversion_failed(call, &call->fetch.error);
}
