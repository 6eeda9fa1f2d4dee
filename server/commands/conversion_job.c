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
    conversion_result_release(&result->made);
}

int job_misused(const struct job *job, const struct job_result *result)
{
    static const char of_map[] = "map: ";
    const size_t length = sizeof of_map - 1;
    return strncmp(result->detail, of_map, length) ? command_misused("%s", result->detail)
                                                   : command_failed(job->map, "%s", result->detail + length);
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

/* strict=1: a warning is a failure. */
static bool is_refused(const struct conversion *conversion, struct job_result *result)
{
    const struct pose_warning *serious = convert_warnings_serious(&result->made.warnings);
    if (!conversion->strict || !serious)
        return false;
    snprintf(result->detail, sizeof result->detail, "%s (%s)", serious->message, serious->code);
    return true;
}

bool job_convert(const struct job *job, const struct convert_target *target,
                 const struct conversion_parts *given, const struct job_file *file, struct job_result *result)
{
    struct api_response *response = must_alloc(1, sizeof *response);
    struct api_call call = {
        .service = job->service, .catalog = job->common, .response = response, .params = *job->params};
    struct conversion conversion;
    struct conversion_parts parts = *given;
    struct conversion_order order = {.service = job->service,
                                     .common = job->common,
                                     .conversion = &conversion,
                                     .parts = &parts,
                                     .name = file->name,
                                     .key_file = file->key_file,
                                     .unzipped = !file->zipped};
    struct pose_error error;
    *result = (struct job_result){0};
    response_init(response, 200);
    parts.skeleton = (struct ingredient_skeleton){0};
    bool done = conversion_read(&call, target, &conversion);
    result->misused = !done;
    done = done && conversion_parts_read(&call, job->source, &parts);
    if (!done) {
        take_detail(result, response);
    } else {
        conversion_parts_offer_skeleton(&parts, &given->skeleton);
        done = conversion_make(&order, &result->made, &error) ? !is_refused(&conversion, result)
                                                              : take_error(result, &error);
    }
    conversion_release(&conversion);
    response_release(response);
    free(response);
    return done;
}
