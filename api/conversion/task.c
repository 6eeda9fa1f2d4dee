#include "api/conversion/task.h"

#include "server/library/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --------------------------------------------------------------------------------------------------- converting -- */

void task_result_release(struct task_result *result)
{
    conversion_result_release(&result->made);
}

/* Reports wrong options; an error in the map is reported for the map's file. */
static void take_misuse(struct task_result *result, const struct param_error *error)
{
    result->misused = true;
    result->is_map = !strcmp(error->name, "map");
    if (result->is_map)
        snprintf(result->detail, sizeof result->detail, "%s", error->detail);
    else
        snprintf(result->detail, sizeof result->detail, "%s: %s", error->name, error->detail);
}

static bool take_error(struct task_result *result, const struct pose_error *error)
{
    char place[40] = "";
    if (error->line && !strstr(error->detail, "line"))
        snprintf(place, sizeof place, "line %u: ", error->line);
    snprintf(result->detail, sizeof result->detail, "%s%s", place, error->detail);
    return false;
}

/* strict=1 turns warnings into failures. */
static bool is_refused(const struct conversion *conversion, struct task_result *result)
{
    const struct pose_warning *serious = convert_warnings_serious(&result->made.warnings);
    if (!conversion->strict || !serious)
        return false;
    snprintf(result->detail, sizeof result->detail, "%s (%s)", serious->message, serious->code);
    return true;
}

/* The target skeleton of a retargeting. A clip from a separate catalogue is external to the service. */
static bool read_retargeting(const struct conversion_task *task, const struct pose_target *target,
                             const struct conversion_parts *parts, struct conversion *conversion,
                             struct task_result *result)
{
    const struct retargeting_place at = {task->params, task->common};
    const struct catalog_item stranger = {.place = {UINT32_MAX, 0}};
    const struct catalog_item *item =
        parts->clip_count && task->source == task->common ? parts->clips[0].item : &stranger;
    struct param_error error;
    if (retargeting_read(&at, item, target->format, &parts->skeleton.choice, &conversion->retargeting,
                         &error))
        return true;
    snprintf(result->detail, sizeof result->detail, "%s: %s", error.name, error.detail);
    return false;
}

/* Reads the options about the parts. A problem with the clip itself (its skeleton) is not misuse. */
static bool read_parts(const struct conversion_task *task, struct conversion_parts *parts,
                       struct task_result *result)
{
    struct param_error error;
    if (conversion_parts_read(task->params, task->common, task->source, parts, &error))
        return true;
    snprintf(result->detail, sizeof result->detail, "%s: %s", error.name, error.detail);
    return false;
}

bool task_convert(const struct conversion_task *task, const struct pose_target *target,
                  const struct conversion_parts *given, const struct task_file *file,
                  struct task_result *result)
{
    struct conversion conversion;
    struct conversion_parts parts = *given;
    struct conversion_order order = {.service = task->service,
                                     .options = task->options,
                                     .common = task->common,
                                     .conversion = &conversion,
                                     .parts = &parts,
                                     .name = file->name,
                                     .key_file = file->key_file,
                                     .unzipped = !file->zipped};
    struct param_error misuse;
    struct pose_error error;
    bool done = false;
    *result = (struct task_result){0};
    parts.skeleton = (struct ingredient_skeleton){0};
    if (!conversion_read(task->params, target, false, &conversion, &misuse)) {
        take_misuse(result, &misuse);
    } else if (read_parts(task, &parts, result) &&
               read_retargeting(task, target, &parts, &conversion, result)) {
        conversion_parts_offer_skeleton(&parts, &given->skeleton);
        done = conversion_make(&order, &result->made, &error) ? !is_refused(&conversion, result)
                                                              : take_error(result, &error);
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

char *task_file_name(const struct index_entry *entry, const char *clip)
{
    const char *base = name_base(entry->name);
    char *stem = strndup(base, name_stem(base)), *text = strdup(clip ? clip : ""), *name = NULL;
    if (stem && text) {
        const char *own = convert_file_name(text);
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

/* ------------------------------------------------------------------------------------------------------ reports -- */

void task_describe(struct pose_buffer *text, const char *name, size_t size,
                   const struct convert_warnings *warnings)
{
    struct json_writer json;
    jsonw_init(&json, text);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "file", name);
    jsonw_unsigned(&json, "bytes", size);
    jsonw_array(&json, "warnings");
    if (warnings)
        jsonw_warnings(&json, warnings->items, warnings->count);
    jsonw_end(&json);
    jsonw_end(&json);
}
