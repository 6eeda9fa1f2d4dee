#include "server/commands/conversion_job.h"

#include <stdio.h>
#include <string.h>

bool job_has_archive(const struct job *job, uint32_t archive)
{
    const char *root = job->source->archives[archive]->root;
    return job->source != job->common || (root && !strcmp(root, job->in));
}

bool job_has(const struct job *job, const struct catalog_item *item)
{
    const struct place_list places = catalog_places(job->source, item);
    for (uint32_t i = 0; i < places.count; i++) {
        if (job_has_archive(job, places.items[i].archive))
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
    return result->is_map ? command_failed(job->map, "%s", result->detail)
                          : command_misused("%s", result->detail);
}

/* Reports wrong options; an error in the map is reported for the map's file. */
static void take_misuse(struct job_result *result, const struct param_error *error)
{
    result->misused = true;
    result->is_map = !strcmp(error->name, "map");
    if (result->is_map)
        snprintf(result->detail, sizeof result->detail, "%s", error->detail);
    else
        snprintf(result->detail, sizeof result->detail, "%s: %s", error->name, error->detail);
}

static bool take_error(struct job_result *result, const struct pose_error *error)
{
    char place[40] = "";
    if (error->line && !strstr(error->detail, "line"))
        snprintf(place, sizeof place, "line %u: ", error->line);
    snprintf(result->detail, sizeof result->detail, "%s%s", place, error->detail);
    return false;
}

/* strict=1 turns warnings into failures. */
static bool is_refused(const struct conversion *conversion, struct job_result *result)
{
    const struct pose_warning *serious = convert_warnings_serious(&result->made.warnings);
    if (!conversion->strict || !serious)
        return false;
    snprintf(result->detail, sizeof result->detail, "%s (%s)", serious->message, serious->code);
    return true;
}

/* The target skeleton of a retargeting. A clip from a separate catalogue is external to the service. */
static bool read_retargeting(const struct job *job, const struct pose_target *target,
                             const struct conversion_parts *parts, struct conversion *conversion,
                             struct job_result *result)
{
    const struct retargeting_place at = {job->params, job->common};
    const struct catalog_item stranger = {.place = {UINT32_MAX, 0}};
    const struct catalog_item *item =
        parts->clip_count && job->source == job->common ? parts->clips[0].item : &stranger;
    struct param_error error;
    if (retargeting_read(&at, item, target->format, &parts->skeleton.choice, &conversion->retargeting,
                         &error))
        return true;
    snprintf(result->detail, sizeof result->detail, "%s: %s", error.name, error.detail);
    return false;
}

/* Reads the options about the parts. A problem with the clip itself (its skeleton) is not misuse. */
static bool read_parts(const struct job *job, struct conversion_parts *parts, struct job_result *result)
{
    struct param_error error;
    if (conversion_parts_read(job->params, job->common, job->source, parts, &error))
        return true;
    snprintf(result->detail, sizeof result->detail, "%s: %s", error.name, error.detail);
    return false;
}

bool job_convert(const struct job *job, const struct pose_target *target,
                 const struct conversion_parts *given, const struct job_file *file, struct job_result *result)
{
    struct conversion conversion;
    struct conversion_parts parts = *given;
    struct conversion_order order = {.service = job->service,
                                     .options = job->service->index_options.pose,
                                     .common = job->common,
                                     .conversion = &conversion,
                                     .parts = &parts,
                                     .name = file->name,
                                     .key_file = file->key_file,
                                     .unzipped = !file->zipped};
    struct param_error misuse;
    struct pose_error error;
    bool done = false;
    *result = (struct job_result){0};
    parts.skeleton = (struct ingredient_skeleton){0};
    if (!conversion_read(job->params, target, false, &conversion, &misuse)) {
        take_misuse(result, &misuse);
    } else if (read_parts(job, &parts, result) &&
               read_retargeting(job, target, &parts, &conversion, result)) {
        conversion_parts_offer_skeleton(&parts, &given->skeleton);
        done = conversion_make(&order, &result->made, &error) ? !is_refused(&conversion, result)
                                                              : take_error(result, &error);
    }
    conversion_release(&conversion);
    return done;
}
