/* Archives and the raw bytes of their entries. */
#include "api/views/archive_json.h"
#include "api/handlers/handlers.h"
#include "api/protocol/lists.h"
#include "api/protocol/range.h"
#include "server/library/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum api_outcome handle_archives(struct api_call *call)
{
    static const struct list_sort sorts[] = {
        {"name", SORT_NAME}, {"newest", SORT_NEWEST}, {"bytes", SORT_BYTES}, {NULL, SORT_ARRIVAL}};
    struct list_request request;
    struct param_error error;
    static const char *const states[] = {"waiting", "published", NULL};
    int state = -1;
    if (!list_read(call, ASSET_CLIP, sorts, &request, &error) ||
        !params_choice(&call->params, "state", states, &state, &error))
        return reply_parameter(call, &error);
    enum api_outcome outcome;
    request.filter.of_archives = true;
    request.filter.state = (enum listing_state)(state + 1);
    if (!list_run(call, &request, &outcome))
        return outcome;
    struct pose_buffer body;
    struct json_writer json;
    list_begin(&json, &body);
    for (uint32_t row = 0; row < request.listing.count; row++) {
        const struct index_archive *archive =
            catalog_find_archive(call->catalog, &request.listing.ids[row], NULL);
        if (!archive)
            continue;
        jsonw_object(&json, NULL);
        archive_head(&json, archive);
        archive_links(&json, archive);
        jsonw_end(&json);
    }
    list_finish(call, &json, &request);
    return reply_json(call, &body);
}

static const struct index_archive *archive_of_path(struct api_call *call)
{
    struct asset_id id;
    const char *text = call->values[0];
    const struct index_archive *archive =
        id_parse(text, strlen(text), &id) ? catalog_find_archive(call->catalog, &id, NULL) : NULL;
    if (!archive)
        reply_not_found(call, "archive", text);
    return archive;
}

enum api_outcome handle_archive(struct api_call *call)
{
    const struct index_archive *archive = archive_of_path(call);
    if (!archive)
        return API_DONE;
    struct asset_id digest = digest_begin(call, &archive->id);
    digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    if (reply_cached(call, digest, FRESH_REVALIDATE, true))
        return API_DONE;
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    archive_whole(&json, archive);
    return reply_json(call, &body);
}

/* The indices of the entries of that name, or of all, from malloc; NULL if out of memory. Names in the
 * archives of some games are case-insensitive. */
static uint32_t *select_entries(const struct index_archive *archive, const char *name, uint32_t *count)
{
    const struct pose_format *format = pose_format_find(archive->format);
    int (*compare)(const char *, const char *) = format && format->ignores_case ? strcasecmp : strcmp;
    const uint32_t all = index_present(archive);
    uint32_t *indices = try_alloc(all, sizeof *indices);
    *count = 0;
    for (uint32_t i = 0; indices && i < all; i++) {
        if (!name || !compare(archive->entries[index_slot(archive, i)]->name, name))
            indices[(*count)++] = i;
    }
    return indices;
}

enum api_outcome handle_entries(struct api_call *call)
{
    const struct index_archive *archive = archive_of_path(call);
    struct page page;
    struct param_error error;
    if (!archive)
        return API_DONE;
    if (!page_read(call, &page, &error))
        return reply_parameter(call, &error);
    if (reply_cached(call, list_digest(call), FRESH_REVALIDATE, true))
        return API_DONE;
    uint32_t count;
    uint32_t *indices = select_entries(archive, params_get(&call->params, "name"), &count);
    if (!indices)
        return reply_no_memory(call);
    struct pose_buffer body;
    struct json_writer json;
    list_begin(&json, &body);
    for (int64_t i = page.offset; i < page.offset + page.limit && i < count; i++)
        entry_item(&json, archive, indices[i]);
    page_finish(call, &json, &page, count);
    free(indices);
    return reply_json(call, &body);
}

/* Sets the file name for raw bytes: the last component of the entry's name, made safe for a header. */
static void disposition(struct api_call *call, const char *name)
{
    char plain[160], value[200];
    size_t used = 0;
    for (const char *at = name_base(name); *at && used + 1 < sizeof plain; at++)
        plain[used++] = (*at > ' ' && *at <= '~' && !strchr("\"\\/:;%*?<>|", *at)) ? *at : '_';
    plain[used] = 0;
    snprintf(value, sizeof value, "attachment; filename=\"%s\"", plain);
    response_header(call->response, "Content-Disposition", value);
}

enum api_outcome handle_entry_bytes(struct api_call *call)
{
    const struct index_archive *archive = archive_of_path(call);
    if (!archive)
        return API_DONE;
    const char *text = call->values[1];
    size_t digits = strspn(text, "0123456789");
    uint64_t index = digits && digits < 12 && !text[digits] ? strtoull(text, NULL, 10) : UINT64_MAX;
    if (index >= index_present(archive))
        return reply_not_found(call, "entry", text);
    const uint32_t slot = index_slot(archive, (uint32_t)index);
    const struct index_entry *entry = archive->entries[slot];
    if (!call->request->may_wait)
        return API_WAIT;
    struct pose_buffer body;
    struct pose_error error;
    if (!index_read(archive, slot, &body, &error))
        return reply_error(call, &error, entry->format, entry->name);
    struct asset_id digest = digest_begin(call, &archive->id);
    digest = id_quick(&digest, body.data, body.size);
    response_header(call->response, "Accept-Ranges", "bytes");
    if (reply_cached(call, digest, FRESH_CONTENT, false)) {
        pose_buffer_free(&body);
        return API_DONE;
    }
    disposition(call, entry->name);
    return reply_range(call, &body);
}
