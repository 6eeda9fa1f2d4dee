#include "api/poses/item.h"

#include "api/choices/scope.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------------------- the body -- */

enum api_outcome item_bad_body(struct api_call *call, const char *pointer, uint64_t offset,
                               const char *detail)
{
    struct pose_error error;
    pose_error_init(&error);
    error.status = POSE_BAD_ARGUMENT;
    error.offset = offset;
    snprintf(error.code, sizeof error.code, "bad_body");
    snprintf(error.field, sizeof error.field, "%s", pointer);
    snprintf(error.detail, sizeof error.detail, "%s", detail);
    return reply_error(call, &error, NULL, NULL);
}

static void refuse_text(struct api_call *call, const json_error_t *problem)
{
    char detail[JSON_ERROR_TEXT_LENGTH + 32];
    snprintf(detail, sizeof detail, "the body is not JSON: %s", problem->text);
    item_bad_body(call, "", problem->position > 0 ? (uint64_t)problem->position : 0, detail);
}

json_t *item_body(struct api_call *call)
{
    const struct api_request *request = call->request;
    json_error_t problem;
    if (request->body_size > ITEM_BODY) {
        char detail[120];
        snprintf(detail, sizeof detail,
                 "the body has %zu bytes; JSON with requests, layers or crossfade may have %d",
                 request->body_size, ITEM_BODY);
        reply_limit(call, 413, "too_large", "body", detail);
        return NULL;
    }
    json_t *body =
        json_loadb((const char *)request->body, request->body_size, JSON_REJECT_DUPLICATES, &problem);
    if (!body && (json_error_code(&problem) == json_error_out_of_memory || !problem.text[0]))
        reply_no_memory(call);
    else if (!body)
        refuse_text(call, &problem);
    return body;
}

void item_begin(struct item *item, const struct api_call *call, struct api_response *response,
                const json_t *json, const char *pointer, struct item_budget *budget)
{
    *item = (struct item){.call = *call, .json = json, .budget = budget};
    item->call.params = (struct params){0};
    item->call.response = response;
    snprintf(item->pointer, sizeof item->pointer, "%s", pointer);
    item->call.pointer = item->pointer;
}

void item_release(struct item *item)
{
    for (unsigned i = 0; i < item->text_count; i++)
        free(item->texts[i]);
    item->text_count = 0;
}

/* ----------------------------------------------------------------------------------------------- refusals -- */

static void refuse(struct item *item, const char *code, const char *where, const char *format,
                   va_list arguments)
{
    struct pose_error error;
    pose_error_init(&error);
    error.status = POSE_BAD_ARGUMENT;
    snprintf(error.code, sizeof error.code, "%s", code);
    snprintf(error.field, sizeof error.field, "%s%s%s", item->pointer, *where || !*item->pointer ? "/" : "",
             where);
    vsnprintf(error.detail, sizeof error.detail, format, arguments);
    reply_error(&item->call, &error, NULL, NULL);
}

bool item_refuse(struct item *item, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refuse(item, "bad_item", where, format, arguments);
    va_end(arguments);
    return false;
}

static void refuse_unknown(struct item *item, const char *where, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* 404 */
static void refuse_unknown(struct item *item, const char *where, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    refuse(item, "not_found", where, format, arguments);
    va_end(arguments);
}

bool item_refuse_memory(struct item *item)
{
    reply_no_memory(&item->call);
    return false;
}

/* "layers/0" and "weight" to "layers/0/weight", with the name as RFC 6901 escapes it. */
static void join(const char *where, const char *name, char place[ITEM_POINTER])
{
    size_t used = (size_t)snprintf(place, ITEM_POINTER, "%.30s%s", where, *where ? "/" : "");
    for (; *name && used + 3 < ITEM_POINTER; name++) {
        if (*name == '~' || *name == '/')
            place[used++] = '~';
        place[used++] = (char)(*name == '~' ? '0' : *name == '/' ? '1' : *name);
    }
    place[used] = '\0';
    for (; !is_utf8(place); used--)
        place[used - 1] = '\0';
}

bool item_check_members(struct item *item, const json_t *object, const char *where, const char *const *known)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value)
    {
        bool is_known = false;
        char place[ITEM_POINTER];
        for (const char *const *at = known; *at; at++)
            is_known |= !strcmp(*at, name);
        join(where, name, place);
        if (!is_known)
            return item_refuse(item, place, "unknown member \"%.60s\"", name);
    }
    return true;
}

/* ------------------------------------------------------------------------------------ members as parameters -- */

static void put_parameter(struct params *params, const char *name, const char *value)
{
    params->items[params->count++] = (struct param){name, value};
}

/* Keeps a text from malloc as the value of a parameter. */
static void keep_parameter(struct item *item, const char *name, char *text)
{
    item->texts[item->text_count++] = text;
    put_parameter(&item->call.params, name, text);
}

bool item_take_text(struct item *item, const json_t *object, const char *where, const char *name)
{
    const json_t *value = json_object_get(object, name);
    char place[ITEM_POINTER];
    if (!value)
        return true;
    join(where, name, place);
    if (!json_is_string(value) || strlen(json_string_value(value)) != json_string_length(value))
        return item_refuse(item, place, "%s must be a string", name);
    put_parameter(&item->call.params, name, json_string_value(value));
    return true;
}

bool item_take_number(struct item *item, const char *name)
{
    const json_t *value = json_object_get(item->json, name);
    if (!value)
        return true;
    char *text = json_is_number(value) ? json_dumps(value, JSON_ENCODE_ANY) : NULL;
    if (!text)
        return item_refuse(item, name, "%s must be a number", name);
    keep_parameter(item, name, text);
    return true;
}

bool item_take_retargeting(struct item *item)
{
    static const char *const names[] = {ITEM_RETARGETING};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const json_t *value = json_object_get(item->json, names[i]);
        if (!value || json_is_string(value)) {
            if (!item_take_text(item, item->json, "", names[i]))
                return false;
            continue;
        }
        bool is_map = !strncmp(names[i], "map", 3) && json_is_object(value);
        bool is_flag = !strcmp(names[i], "retarget") || !strcmp(names[i], "strict");
        bool is_number = (is_flag || !strcmp(names[i], "tolerance")) && json_is_number(value);
        char *text = is_map || is_number ? json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY) : NULL;
        if (is_flag && json_is_boolean(value))
            text = strdup(json_is_true(value) ? "1" : "0");
        if (!text)
            return item_refuse(item, names[i], "%s has the wrong type", names[i]);
        keep_parameter(item, names[i], text);
    }
    return true;
}

bool item_take_joints(struct item *item, const json_t *object, const char *where)
{
    const json_t *list = json_object_get(object, "joints"), *name;
    size_t size = 1, index, used = 0;
    char place[ITEM_POINTER];
    if (!list)
        return true;
    join(where, "joints", place);
    if (!json_is_array(list) || !json_array_size(list))
        return item_refuse(item, place, "joints must be a list of names");
    json_array_foreach(list, index, name)
    {
        const char *value = json_string_value(name);
        if (!value || strlen(value) != json_string_length(name) || strchr(value, ','))
            return item_refuse(item, place, "joints must contain names: strings without NUL and comma");
        size += strlen(value) + 1;
    }
    char *text = try_alloc(size, 1);
    if (!text)
        return item_refuse_memory(item);
    json_array_foreach(list, index, name) used +=
        (size_t)sprintf(text + used, "%s%s", index ? "," : "", json_string_value(name));
    keep_parameter(item, "joints", text);
    return true;
}

/* ------------------------------------------------------------------------------------------- typed members -- */

static bool number_of(struct item *item, const json_t *value, const char *place, const char *name,
                      double least, double most, double *number)
{
    double given = json_number_value(value);
    if (!json_is_number(value) || !isfinite(given))
        return item_refuse(item, place, "%s must be a finite number", name);
    if (given < least || given > most)
        return item_refuse(item, place, "%s must be between %g and %g", name, least, most);
    *number = given;
    return true;
}

bool item_read_number(struct item *item, const json_t *object, const char *where, const char *name,
                      double least, double most, double *value)
{
    const json_t *member = json_object_get(object, name);
    char place[ITEM_POINTER];
    join(where, name, place);
    return !member || number_of(item, member, place, name, least, most, value);
}

bool item_read_word(struct item *item, const char *name, const char *const *words, int *value)
{
    const json_t *member = json_object_get(item->json, name);
    const char *text = json_string_value(member);
    char known[80] = "";
    for (int i = 0; words[i]; i++) {
        size_t used = strlen(known);
        if (text && !strcmp(text, words[i])) {
            *value = i;
            return true;
        }
        snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", words[i]);
    }
    return !member || item_refuse(item, name, "%s must be one of: %s", name, known);
}

bool item_read_flag(struct item *item, const json_t *object, const char *where, const char *name, bool *value)
{
    const json_t *member = json_object_get(object, name);
    char place[ITEM_POINTER];
    join(where, name, place);
    if (member && !json_is_boolean(member))
        return item_refuse(item, place, "%s must be true or false", name);
    if (member)
        *value = json_is_true(member);
    return true;
}

bool item_read_times(struct item *item, double least, double most, struct times *times)
{
    const json_t *value = json_object_get(item->json, "t"), *one;
    size_t index, count = json_is_array(value) ? json_array_size(value) : 1;
    *times = (struct times){.wrap = POSE_WRAP};
    if (!count)
        return item_refuse(item, "t", "t is an empty list");
    times->items = try_alloc(count, sizeof *times->items);
    if (!times->items)
        return item_refuse_memory(item);
    times->count = count;
    if (!json_is_array(value))
        return item_read_number(item, item->json, "", "t", least, most, &times->items[0]);
    json_array_foreach(value, index, one)
    {
        char place[ITEM_POINTER];
        snprintf(place, sizeof place, "t/%zu", index);
        if (!number_of(item, one, place, "t", least, most, &times->items[index]))
            return false;
    }
    return true;
}

struct catalog_item *item_find_clip(struct item *item, const json_t *object, const char *where)
{
    const json_t *value = json_object_get(object, "clip");
    const char *text = json_string_value(value);
    struct asset_id id;
    struct catalog_item *clip =
        text && id_parse(text, strlen(text), &id) ? catalog_find(item->call.catalog, ASSET_CLIP, &id) : NULL;
    char place[ITEM_POINTER];
    join(where, "clip", place);
    if (!clip && !text)
        item_refuse(item, place, "clip is %s: the id of a clip", value ? "not a string" : "missing");
    else if (!clip)
        refuse_unknown(item, place, "no clip \"%.80s\"%s", text, id_hint(text, strlen(text)));
    unsigned before = item->call.params.count;
    if (!clip || !item_take_text(item, object, where, "archive"))
        return NULL;
    bool done = scope_item(&item->call, &clip);
    item->call.params.count = before;
    return done ? clip : NULL;
}

/* -------------------------------------------------------------------------------------------------- limits -- */

static bool refuse_size(struct item *item, uint64_t frames, uint64_t rows, bool over_frames)
{
    uint64_t most = item->call.service->config->max_frames;
    struct pose_error error;
    pose_error_init(&error);
    error.status = POSE_OVER_LIMIT;
    snprintf(error.code, sizeof error.code, "too_large");
    snprintf(error.field, sizeof error.field, "%s%s", item->pointer, *item->pointer ? "" : "/");
    snprintf(error.limit, sizeof error.limit, over_frames ? "max-frames" : "rows");
    snprintf(
        error.detail, sizeof error.detail,
        "this item raises the request to %llu poses and %llu joints, those of each layer counted; at most "
        "%llu and %d",
        (unsigned long long)frames, (unsigned long long)rows, (unsigned long long)most, ITEM_ROWS);
    reply_error(&item->call, &error, NULL, NULL);
    return false;
}

bool item_spend(struct item *item, uint64_t frames, uint64_t joints)
{
    struct item_budget *budget = item->budget;
    uint64_t all_rows = budget->rows + frames * joints;
    if (budget->frames + frames <= item->call.service->config->max_frames && all_rows > ITEM_ROWS)
        return refuse_size(item, budget->frames + frames, all_rows, false);
    if (!item_spend_frames(item, frames))
        return false;
    budget->rows = all_rows;
    return true;
}

bool item_spend_frames(struct item *item, uint64_t frames)
{
    struct item_budget *budget = item->budget;
    if (budget->frames + frames > item->call.service->config->max_frames)
        return refuse_size(item, budget->frames + frames, budget->rows, true);
    budget->frames += frames;
    return true;
}
