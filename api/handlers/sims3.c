/* Names of The Sims 3, both ways: hashes of a name, and the assets that have a name or an id. */
#include "api/handlers/handlers.h"
#include "api/protocol/reply.h"
#include "api/views/sims3_json.h"
#include "server/library/rows/rows.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_NAMED = 100 };

enum api_outcome handle_hash(struct api_call *call)
{
    const char *name = params_get(&call->params, "name");
    if (!name)
        return reply_bad_parameter(call, "name", "required");
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    sims3_hashes(&json, name);
    return reply_json_by_content(call, &body, FRESH_CONTENT);
}

/* Adds the uploads that have a clip of that name. */
static bool add_named(struct api_call *call, const char *name, struct index_archive **archives,
                      uint32_t *count)
{
    const struct listing_filter filter = {.kind = ASSET_CLIP, .name = name};
    struct listing listing = {.sort = SORT_ARRIVAL, .limit = MAX_NAMED};
    struct rows *rows = service_rows(call->service);
    struct rows_view *view;
    if (!rows || !rows_view_any(rows, &view))
        return false;
    const bool done = listing_run(view, &filter, &listing);
    for (uint32_t i = 0; done && i < listing.count; i++) {
        const struct catalog_item *item = catalog_find(call->catalog, ASSET_CLIP, &listing.ids[i]);
        if (item && item->place.archive >= call->catalog->path_count)
            archives[(*count)++] = call->catalog->archives[item->place.archive];
    }
    listing_release(&listing);
    rows_view_close(view);
    return done;
}

/* Those of the PATHs, and the uploads that have a clip of the name (NULL: none) in lists; of a catalogue in memory all. */
static struct index_archive **list_archives(struct api_call *call, const char *name, uint32_t *count)
{
    const struct catalog *catalog = call->catalog;
    if (!catalog->memo)
        return catalog_list_archives(catalog, count);
    struct index_archive **all =
        try_alloc((size_t)catalog->path_count + MAX_NAMED + 1, sizeof(struct index_archive *));
    for (*count = 0; all && *count < catalog->path_count; ++*count)
        all[*count] = catalog->archives[*count];
    if (!all || !name || add_named(call, name, all, count))
        return all;
    free(all);
    return NULL;
}

enum api_outcome handle_resolve(struct api_call *call)
{
    const char *name = params_get(&call->params, "name"), *text = params_get(&call->params, "id");
    uint64_t id = 0;
    if (!name == !text)
        return reply_bad_parameter(call, name ? "id" : "name", "give either name or id");
    if (text && !sims3_parse_id(text, &id))
        return reply_bad_parameter(call, "id", "\"%.40s\" is not an id: 0x and 1 to 16 hex digits", text);
    if (!call->request->may_wait)
        return API_WAIT;
    uint32_t count;
    struct index_archive **archives = list_archives(call, name, &count);
    if (!archives)
        return reply_no_memory(call);
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    sims3_resolution(&json, name, id, archives, count);
    free(archives);
    return reply_json_by_content(call, &body, FRESH_REVALIDATE);
}
