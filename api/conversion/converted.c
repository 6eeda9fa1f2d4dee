#include "api/conversion/converted.h"

#include "lib/core/error.h"
#include "lib/core/text.h"
#include "server/ops/clock.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ keeping -- */

static void free_converted(struct cache_object *object)
{
    struct converted *converted = (struct converted *)object;
    pose_buffer_free(&converted->bytes);
    free(converted);
}

struct converted *converted_new(struct pose_buffer *bytes, const struct warnings *warnings)
{
    struct converted *converted = calloc(1, sizeof *converted);
    if (!converted)
        return NULL;
    atomic_init(&converted->object.references, 1);
    converted->object.weight = sizeof *converted + bytes->capacity;
    converted->object.free = free_converted;
    converted->bytes = *bytes;
    *bytes = (struct pose_buffer){0};
    warnings_codes(warnings, converted->codes);
    warnings_explain(warnings, converted->serious, sizeof converted->serious);
    return converted;
}

/* ------------------------------------------------------------------------------------------------- answers -- */

struct conversion_place conversion_place(const struct api_call *call, const struct catalog *own)
{
    return (struct conversion_place){.service = call->service,
                                     .from = {&call->params, call->catalog, own},
                                     .options = call_options(call),
                                     .max_frames = call->service->config->max_frames};
}

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
    target_extension(target, extension);
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
    return converted ? reply_converted(call, order->conversion, converted, order->file.name)
                     : conversion_failed(call, &error);
}

enum api_outcome reply_kept_conversion(struct api_call *call, const struct cache_key *key,
                                       const struct conversion_order *order)
{
    struct making making = {call, order};
    struct converted *converted = (struct converted *)reply_kept(call, key, make, &making);
    if (converted)
        return reply_converted(call, order->conversion, converted, order->file.name);
    return call->fetch.outcome == CACHE_WOULD_WAIT ? API_WAIT : conversion_failed(call, &call->fetch.error);
}

enum api_outcome reply_no_conversion(struct api_call *call, const struct pose_target *targets)
{
    const char *extension = call->values[1];
    char endings[TARGET_WORDS] = "glb", text[TARGET_WORDS + 80];
    struct nearest nearest;
    nearest_begin(&nearest, extension, strlen(extension));
    nearest_offer(&nearest, endings);
    for (const struct pose_target *target = targets; target->word; target++) {
        char ending[16];
        target_extension(target, ending);
        nearest_offer(&nearest, ending);
        if (!text_lists(endings, ending))
            snprintf(endings + strlen(endings), sizeof endings - strlen(endings), " %s", ending);
    }
    snprintf(text, sizeof text, "cannot convert to \".%.20s\"; there are: %s", extension, endings);
    return reply_near(call, "no_conversion", &nearest, text);
}
