#include "api/lists.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool page_read(const struct api_call *call, struct page *page, struct param_error *error)
{
    *page = (struct page){.offset = 0, .limit = 100};
    return params_integer(&call->params, "limit", 1, 1000, &page->limit, error) &&
           params_integer(&call->params, "offset", 0, INT32_MAX, &page->offset, error);
}

/* The same request from another offset on, from malloc. */
static char *next_target(const struct api_call *call, int64_t offset)
{
    const struct params *params = &call->params;
    size_t size = strlen(call->request->path) + 64;
    for (unsigned i = 0; i < params->count; i++)
        size += (strlen(params->items[i].name) + strlen(params->items[i].value)) * 3 + 4;
    char *target = must_alloc(size, 1);
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
    /* Parameters in the order of their names, so that two spellings have one ETag. */
    bool used[PARAMS_MOST] = {false};
    for (unsigned i = 0; i < call->params.count; i++) {
        int first = -1;
        for (unsigned k = 0; k < call->params.count; k++) {
            if (!used[k] &&
                (first < 0 || strcmp(call->params.items[k].name, call->params.items[first].name) < 0))
                first = (int)k;
        }
        used[first] = true;
        digest = digest_text(digest, call->params.items[first].name);
        digest = digest_text(digest, call->params.items[first].value);
    }
    return digest;
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
