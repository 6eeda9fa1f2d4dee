#include "server/commands/conversion_job.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool job_has_archive(const struct job *job, uint32_t archive)
{
    const char *root = job->source->archives[archive]->root;
    return job->source != job->common || (root && !strcmp(root, job->in));
}

bool job_has(const struct job *job, const struct catalog_item *item)
{
    for (uint32_t i = 0; i < item->place_count; i++) {
        if (job_has_archive(job, item->places[i].archive))
            return true;
    }
    return false;
}

void job_result_release(struct job_result *result)
{
    convert_warnings_release(&result->warnings);
    pose_buffer_free(&result->bytes);
    convert_pair_release(&result->pair);
}

static void take_detail(struct job_result *result, const struct api_response *response)
{
    json_t *problem = json_loadb(response->data, response->size, 0, NULL);
    const char *detail = json_string_value(json_object_get(problem, "detail"));
    snprintf(result->detail, sizeof result->detail, "%s", detail ? detail : "it cannot be converted");
    json_decref(problem);
}

static bool take_error(struct job_result *result, const struct pose_error *error)
{
    char place[40] = "";
    if (error->line && !strstr(error->detail, "line"))
        snprintf(place, sizeof place, "line %u: ", error->line);
    snprintf(result->detail, sizeof result->detail, "%s%s", place, error->detail);
    return false;
}

static bool gather(struct ingredients *ingredients, const struct job *job,
                   const struct catalog_item *const *clips, uint32_t clip_count,
                   const struct conversion_parts *parts, struct pose_error *error)
{
    for (uint32_t i = 0; i < clip_count; i++) {
        if (!ingredients_add_clip(ingredients, &(struct ingredient){job->source, clips[i]}, error))
            return false;
    }
    for (unsigned i = 0; i < parts->mesh_count; i++) {
        if (!ingredients_add_mesh(ingredients, &parts->meshes[i], NULL, error))
            return false;
    }
    return ingredients_set_skeleton(ingredients, &parts->skeleton, error);
}

/* strict=1: a warning is a failure. */
static bool is_refused(const struct conversion *conversion, struct job_result *result)
{
    const struct pose_warning *serious = convert_warnings_serious(&result->warnings);
    if (!conversion->strict || !serious)
        return false;
    snprintf(result->detail, sizeof result->detail, "%s (%s)", serious->message, serious->code);
    return true;
}

static bool run(const struct job *job, const struct conversion *conversion,
                const struct catalog_item *const *clips, uint32_t clip_count,
                const struct conversion_parts *parts, const char *name, bool zipped,
                struct job_result *result)
{
    const struct pose_options *options = &job->service->index_options.pose;
    struct ingredients *ingredients = ingredients_new(job->service, job->common);
    struct pose_error error;
    bool done = gather(ingredients, job, clips, clip_count, parts, &error);
    if (done) {
        struct convert_content content = {
            .target = conversion->target, .options = &conversion->options, .name = name};
        ingredients_list(ingredients, &content);
        conversion_warn_of_skeleton(conversion, &parts->skeleton, &result->warnings);
        result->is_pair = conversion->target->is_pair && !zipped;
        done = result->is_pair ? convert_run_pair(&content, options, &result->warnings, &result->pair, &error)
                               : convert_run(&content, options, &result->warnings, &result->bytes, &error);
    }
    ingredients_free(ingredients);
    if (!done)
        return take_error(result, &error);
    return !is_refused(conversion, result);
}

bool job_convert(const struct job *job, const struct convert_target *target,
                 const struct catalog_item *const *clips, uint32_t clip_count,
                 const struct conversion_parts *given, const char *name, bool zipped,
                 struct job_result *result)
{
    struct api_response *response = must_alloc(1, sizeof *response);
    struct api_call call = {
        .service = job->service, .catalog = job->common, .response = response, .params = *job->params};
    struct conversion conversion;
    struct conversion_parts parts = *given;
    *result = (struct job_result){0};
    response_init(response, 200);
    bool done = conversion_read(&call, target, &conversion);
    result->misused = !done;
    if (clip_count)
        parts.clip = (struct ingredient){job->source, clips[0]};
    done = done && conversion_parts_read(&call, job->source, &parts);
    if (done && given->skeleton.choice.asset)
        parts.skeleton = given->skeleton;
    if (!done)
        take_detail(result, response);
    done = done && run(job, &conversion, clips, clip_count, &parts, name, zipped, result);
    conversion_release(&conversion);
    response_release(response);
    free(response);
    return done;
}
