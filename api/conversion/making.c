#include "api/conversion/making.h"

#include "lib/core/error.h"
#include "server/library/choose.h"
#include "server/library/names.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------- making -- */

bool conversion_add_skeleton(const struct ingredient_skeleton *skeleton, const struct conversion *conversion,
                             struct ingredients *ingredients, struct warnings *warnings,
                             struct pose_error *error)
{
    struct pose_warning warning;
    bool matters = conversion->target->on_skeleton || conversion->retargeting.on;
    if (skeleton_warning(&skeleton->choice, &warning) && matters)
        warnings_add(warnings, warning.code, warning.severity, warning.message);
    return ingredients_set_skeleton(ingredients, skeleton, error);
}

/* The body of a clip: its own, or one that is chosen. A model without clips is only what its parts are. */
static bool add_body(const struct conversion_order *order, struct ingredients *ingredients,
                     struct warnings *warnings, struct pose_error *error)
{
    const struct conversion_place *place = order->place;
    struct body_choice body = order->conversion->parts.body;
    const struct body_stage stage = conversion_stage(place->service, place->from.common, order->conversion);
    body.kind = conversion_body(order->conversion);
    return order->conversion->parts.mesh_count || body_gather(&body, &stage, ingredients, warnings, error);
}

bool conversion_parts_add(const struct conversion_order *order, struct ingredients *ingredients,
                          struct warnings *warnings, struct pose_error *error)
{
    const struct conversion_parts *parts = &order->conversion->parts;
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
                    struct warnings *warnings)
{
    if (!conversion->up && ingredients_are_z_up(ingredients))
        warnings_add(
            warnings, "z_up", POSE_NOTE,
            "the figure's head is along Z from its hips, so that Z was taken as up: up=y says otherwise");
}

/* ------------------------------------------------------------------------------------- more than one file -- */

/* From malloc, valid on every file system; NULL if out of memory. */
static char *file_name(const char *stem, const char *extension)
{
    char *text;
    if (asprintf(&text, "%s.%s", stem, extension) < 0)
        return NULL;
    char *name = strdup(name_make_safe(text));
    free(text);
    return name;
}

static char *second_file_name(const struct pose_target *target, const char *name)
{
    char stem[POSE_SECOND_NAME];
    const struct pose_format *format = pose_format_find(target->second);
    snprintf(stem, sizeof stem, "%s", name);
    return file_name(name_make_safe(stem), format->extensions + 1);
}

static void release_beside(struct conversion_result *result)
{
    for (uint32_t i = 0; i < result->beside_count; i++) {
        free(result->beside[i].name);
        pose_buffer_free(&result->beside[i].bytes);
    }
    result->beside_count = 0;
}

/* Takes over both; name NULL: out of memory. */
static bool add_beside(struct conversion_result *result, char *name, struct pose_buffer *bytes,
                       struct pose_error *error)
{
    result->beside[result->beside_count++] = (struct file_beside){name, *bytes};
    *bytes = (struct pose_buffer){0};
    if (name)
        return true;
    pose_error_init(error);
    return error_no_memory(error);
}

/* Replaces the file by a ZIP of it, which has that name there, and of those beside it. */
static bool zip_files(struct conversion_result *result, const char *name, const struct pose_options *options,
                      struct pose_error *error)
{
    struct pose_pack_item items[1 + POSE_MESH_FILES] = {{name, {result->bytes.data, result->bytes.size}}};
    struct pose_buffer zip = {0};
    uint32_t count = 1;
    for (uint32_t i = 0; i < result->beside_count; i++) {
        const struct file_beside *file = &result->beside[i];
        items[count++] = (struct pose_pack_item){file->name, {file->bytes.data, file->bytes.size}};
    }
    bool done = pose_pack("zip", items, count, NULL, options, &zip, error);
    release_beside(result);
    pose_buffer_free(&result->bytes);
    result->bytes = zip;
    return done;
}

static bool finish_pair(const struct conversion_order *order, struct pose_second_file *second,
                        struct conversion_result *result, struct pose_error *error)
{
    const struct pose_target *target = order->conversion->target;
    char extension[16];
    if (!add_beside(result, second_file_name(target, second->name), &second->bytes, error))
        return false;
    if (order->file.unzipped)
        return true;
    target_extension(target, extension);
    char *name = file_name(order->file.name, extension);
    pose_error_init(error);
    bool done = name ? zip_files(result, name, &order->place->service->index_options.pose, error)
                     : error_no_memory(error);
    free(name);
    return done;
}

/* ------------------------------------------------------------------------------------------- retargeting -- */

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
                         struct carried *carried, struct warnings *warnings, struct pose_error *error)
{
    const struct conversion *conversion = order->conversion;
    const struct pose_options *options = &order->place->options;
    if (!carrying_compile(carrying, wanted->clips[0].clip, from, wanted->skeleton, POSE_AXES_GLTF, options,
                          carried->people, &carried->retarget, error))
        return false;
    const struct pose_retarget_baking baking = {.to = conversion->target->format,
                                                .fps = (double)conversion->fps,
                                                .tolerance = conversion->retargeting.tolerance,
                                                .loops = wants_loop(conversion),
                                                .name = wanted->clips[0].name};
    carried->baked = pose_retarget_bake(carried->retarget, &baking, options, warnings_take, warnings, error);
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
                       struct pose_conversion *wanted, struct carried *carried, struct warnings *warnings,
                       struct pose_error *error)
{
    struct retargeting retargeting = order->conversion->retargeting;
    const struct ingredient_skeleton onto = {order->place->from.common, retargeting.carrying.onto};
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
        warnings_take(warnings, &warning);
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
    enum body_kind body = conversion_body(order->conversion);
    if (!wanted->skeleton || wanted->mesh_count || (body != BODY_MANNEQUIN && body != BODY_AUTO))
        return true;
    const struct pose_clip *clip = wanted->clip_count ? wanted->clips[0].clip : NULL;
    *mannequin = body_mannequin(wanted->skeleton, clip, body, &order->place->options, error);
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
    ingredients_list(ingredients, &parts);
    const struct pose_mesh_conversion wanted = {
        .to = order->conversion->target->word,
        .mesh = parts.meshes,
        .skeleton = parts.skeleton,
        .image_count = parts.image_count,
        .images = parts.images,
        .name = order->file.name,
        .keeps_name = order->file.unzipped,
        .settings = order->conversion->setting_count ? order->conversion->settings : NULL};
    if (!pose_mesh_convert(&wanted, &order->place->options, warnings_take, &result->warnings, &files, error))
        return false;
    bool done = true;
    result->bytes = files.files[0].bytes;
    files.files[0].bytes = (struct pose_buffer){0};
    for (uint32_t i = 1; i < files.count && done; i++) {
        struct pose_mesh_file *file = &files.files[i];
        done = add_beside(result, strdup(name_make_safe(file->name)), &file->bytes, error);
    }
    if (done && result->beside_count && !order->file.unzipped)
        done = zip_files(result, name_make_safe(files.files[0].name), &order->place->options, error);
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
                                     .second_name = order->file.key_file};
    ingredients_list(ingredients, &wanted);
    struct carried carried = {.retarget = NULL};
    const uint64_t weight = weigh(&wanted), bytes = weight < SMALL ? 0 : weight;
    if (!make_room(order->place->service, bytes, error))
        return false;
    struct pose_document *mannequin = NULL;
    struct pose_second_file second = {.name = ""};
    bool done = carry_over(order, ingredients, &wanted, &carried, &result->warnings, error) &&
                add_mannequin(order, &wanted, &mannequin, error) &&
                pose_convert(&wanted, &order->place->options, warnings_take, &result->warnings,
                             &result->bytes, &second, error);
    pose_document_free(mannequin);
    carried_release(&carried);
    atomic_fetch_sub(&order->place->service->making, bytes);
    if (done && conversion->target->second)
        done = finish_pair(order, &second, result, error);
    pose_buffer_free(&second.bytes);
    return done;
}

bool conversion_make(const struct conversion_order *order, struct conversion_result *result,
                     struct pose_error *error)
{
    const struct conversion *conversion = order->conversion;
    struct ingredients *ingredients = ingredients_new(order->place->service, order->place->from.common);
    *result = (struct conversion_result){0};
    if (!ingredients) {
        pose_error_init(error);
        return error_no_memory(error);
    }
    struct warnings *warnings = &result->warnings;
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
    warnings_release(&result->warnings);
    pose_buffer_free(&result->bytes);
    release_beside(result);
}

/* ------------------------------------------------------------------------------------------- one of many -- */

static bool put_error(const struct pose_error *error, char detail[CONVERSION_DETAIL])
{
    char place[40] = "";
    if (error->line && !strstr(error->detail, "line"))
        snprintf(place, sizeof place, "line %u: ", error->line);
    snprintf(detail, CONVERSION_DETAIL, "%s%s", place, error->detail);
    return false;
}

/* strict=1 turns warnings into failures. */
static bool is_allowed(const struct conversion *conversion, const struct warnings *warnings,
                       char detail[CONVERSION_DETAIL])
{
    const struct pose_warning *serious = warnings_serious(warnings);
    if (!conversion->strict || !serious)
        return true;
    snprintf(detail, CONVERSION_DETAIL, "%s (%s)", serious->message, serious->code);
    return false;
}

bool conversion_make_one(const struct conversion_place *place, const struct pose_target *target,
                         const struct conversion_parts *given, const struct conversion_file *file,
                         struct conversion_result *result, char detail[CONVERSION_DETAIL])
{
    struct conversion conversion;
    const struct conversion_order order = {.place = place, .conversion = &conversion, .file = *file};
    struct param_error misuse;
    struct pose_error error;
    bool done = false;
    *result = (struct conversion_result){0};
    bool read = conversion_read(place->from.params, target, false, &conversion, &misuse);
    conversion.parts = *given;
    conversion.parts.skeleton = (struct ingredient_skeleton){0};
    if (!read || !conversion_complete(place, &conversion, &misuse)) {
        snprintf(detail, CONVERSION_DETAIL, "%s: %s", misuse.name, misuse.detail);
    } else {
        conversion_parts_offer_skeleton(&conversion.parts, &given->skeleton);
        done = conversion_make(&order, result, &error) ? is_allowed(&conversion, &result->warnings, detail)
                                                       : put_error(&error, detail);
    }
    conversion_release(&conversion);
    return done;
}

/* -------------------------------------------------------------------------------------------------------- names -- */

static uint32_t count_clips(const struct index_entry *entry)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < entry->asset_count; i++)
        count += entry->assets[i].kind == ASSET_CLIP;
    return count;
}

char *conversion_file_name(const struct index_entry *entry, const char *clip)
{
    const char *base = name_base(entry->name);
    char *stem = strndup(base, name_stem(base)), *text = strdup(clip ? clip : ""), *name = NULL;
    if (stem && text) {
        const char *own = name_make_safe(text);
        const struct pose_format *format = entry->format ? pose_format_find(entry->format) : NULL;
        bool has_number = format && format->is_linked && !strcasestr(stem, own); /* the name is elsewhere */
        bool is_one = count_clips(entry) == 1;
        if (asprintf(&name, "%.*s%s%s%s", (int)(base - entry->name), entry->name, is_one ? stem : own,
                     is_one && has_number ? "_" : "", is_one && has_number ? own : "") < 0)
            name = NULL;
    }
    free(text);
    free(stem);
    return name;
}
