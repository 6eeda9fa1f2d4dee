#include "api/protocol/lists.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 100 };

bool page_read(const struct api_call *call, struct page *page, struct param_error *error)
{
    *page = (struct page){.offset = 0, .limit = DEFAULT_LIMIT};
    return params_integer(&call->params, "limit", 1, 1000, &page->limit, error) &&
           params_integer(&call->params, "offset", 0, INT32_MAX, &page->offset, error);
}

/* The parameters of a list so that two spellings are one: in the order of their names, numbers written in one way,
 * without what holds anyway. */
struct list_params {
    unsigned count;
    struct param items[MAX_PARAMS];
    char numbers[MAX_PARAMS][32];
};

static bool is_number(const char *name)
{
    static const char *const names[] = {"limit", "offset", "min_duration", "max_duration"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!strcmp(name, names[i]))
            return true;
    }
    return false;
}

static bool holds_anyway(const char *name, double value)
{
    return (!strcmp(name, "limit") && value == DEFAULT_LIMIT) || (!strcmp(name, "offset") && value == 0);
}

static void insert_param(struct list_params *list, const char *name, const char *value)
{
    unsigned at = list->count++;
    for (; at && strcmp(list->items[at - 1].name, name) > 0; at--)
        list->items[at] = list->items[at - 1];
    list->items[at] = (struct param){name, value};
}

static void unify_params(const struct params *params, struct list_params *list)
{
    list->count = 0;
    for (unsigned i = 0; i < params->count; i++) {
        const struct param *param = &params->items[i];
        double number;
        if (!is_number(param->name) || !number_parse(param->value, &number)) {
            insert_param(list, param->name, param->value);
        } else if (!holds_anyway(param->name, number)) {
            snprintf(list->numbers[i], sizeof list->numbers[i], "%.17g", number);
            insert_param(list, param->name, list->numbers[i]);
        }
    }
}

/* The same request from another offset on, from malloc; NULL: no memory. */
static char *next_target(const struct api_call *call, int64_t offset)
{
    struct list_params unified, *params = &unified;
    unify_params(&call->params, params);
    size_t size = strlen(call->request->path) + 64;
    for (unsigned i = 0; i < params->count; i++)
        size += (strlen(params->items[i].name) + strlen(params->items[i].value)) * 3 + 4;
    char *target = try_alloc(size, 1);
    if (!target)
        return NULL;
    size_t used = (size_t)snprintf(target, size, "%s?offset=%lld", call->request->path, (long long)offset);
    for (unsigned i = 0; i < params->count; i++) {
        if (!strcmp(params->items[i].name, "offset"))
            continue;
        target[used++] = '&';
        percent_encode(params->items[i].name, target + used);
        used += strlen(target + used);
        target[used++] = '=';
        percent_encode(params->items[i].value, target + used);
        used += strlen(target + used);
    }
    return target;
}

void page_finish(struct api_call *call, struct json_writer *json, const struct page *page, int64_t total)
{
    int64_t next = page->offset + page->limit;
    if (next < total) {
        char *target = next_target(call, next), link[1200];
        if (!target) {
            json->failed = true;
            return;
        }
        jsonw_string(json, "next", target);
        if ((size_t)snprintf(link, sizeof link, "<%s>; rel=\"next\"", target) < sizeof link)
            response_header(call->response, "Link", link);
        free(target);
    } else {
        jsonw_null(json, "next");
    }
    jsonw_integer(json, "total", total);
}

struct asset_id list_digest(const struct api_call *call)
{
    struct asset_id digest = digest_begin(call, &call->catalog->digest);
    digest = digest_text(digest, call->request->path);
    struct list_params params;
    unify_params(&call->params, &params);
    for (unsigned i = 0; i < params.count; i++)
        digest = digest_text(digest_text(digest, params.items[i].name), params.items[i].value);
    return digest;
}

static bool begins_with(const char *text, const char *wanted, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (tolower((unsigned char)text[i]) != tolower((unsigned char)wanted[i]))
            return false;
    }
    return true;
}

/* strcasestr looks at every letter by itself, which is what a search in a large catalogue spends its time with; it never
 * looks twice, so it keeps the long ones. */
bool name_holds(const char *name, const char *wanted)
{
    enum { LONG = 32 };
    const size_t length = strlen(wanted);
    if (!length || length > LONG)
        return strcasestr(name, wanted);
    const int small = tolower((unsigned char)*wanted), large = toupper((unsigned char)*wanted);
    const char *next_small = strchr(name, small), *next_large = small == large ? NULL : strchr(name, large);
    while (next_small || next_large) {
        const bool takes_small = next_small && (!next_large || next_small < next_large);
        const char *at = takes_small ? next_small : next_large;
        if (begins_with(at, wanted, length))
            return true;
        if (takes_small)
            next_small = strchr(at + 1, small);
        else
            next_large = strchr(at + 1, large);
    }
    return false;
}

bool archive_filter(struct api_call *call, int64_t *archive, struct param_error *error)
{
    const char *text = params_get(&call->params, "archive");
    struct asset_id id;
    uint32_t index;
    *archive = -1;
    if (!text)
        return true;
    if (!id_parse(text, strlen(text), &id) || !catalog_find_archive(call->catalog, &id, &index))
        return param_fail(error, "archive", "there is no archive \"%.60s\"", text);
    *archive = index;
    return true;
}
