/* Clips by the names of archive and clip: the same answers as under their ids. */
#include "api/clip_json.h"
#include "api/clips.h"
#include "api/handlers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The archive's name, or its id. */
static bool names_archive(const struct index_archive *archive, const char *text)
{
    char id[ID_TEXT];
    if (!strcmp(archive->name, text))
        return true;
    id_write(&archive->id, id);
    return !strcmp(id, text);
}

enum { MOST_MATCHES = 64 };

struct matches {
    struct catalog_item *items[MOST_MATCHES];
    unsigned count;
};

static void add_match(struct matches *matches, struct catalog_item *item)
{
    for (unsigned i = 0; i < matches->count; i++) {
        if (matches->items[i] == item)
            return;
    }
    if (matches->count < MOST_MATCHES)
        matches->items[matches->count++] = item;
}

/* Clips of that name in archives of that name, of the command line or (else) uploaded. */
static void find_in(const struct catalog *catalog, const char *archive_name, const char *clip_name,
                    uint32_t first, uint32_t last, bool *has_archive, struct matches *matches)
{
    for (uint32_t a = first; a < last; a++) {
        const struct index_archive *archive = catalog->archives[a];
        if (!names_archive(archive, archive_name))
            continue;
        *has_archive = true;
        for (uint32_t e = 0; e < archive->entry_count; e++) {
            const struct index_entry *entry = archive->entries[e];
            for (uint32_t i = 0; i < entry->asset_count; i++) {
                const struct index_asset *asset = &entry->assets[i];
                if (asset->kind == ASSET_CLIP && !strcmp(asset->name, clip_name))
                    add_match(matches, catalog_find(catalog, ASSET_CLIP, &asset->id));
            }
        }
    }
}

static void list_matches(struct api_call *call, const struct matches *matches)
{
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "type", "about:blank");
    jsonw_string(&json, "title", "Conflict");
    jsonw_integer(&json, "status", 409);
    jsonw_string(&json, "detail", "several clips have that name; ask for one by its id");
    jsonw_string(&json, "code", "ambiguous_name");
    jsonw_array(&json, "clips");
    for (unsigned i = 0; i < matches->count; i++) {
        char id[ID_TEXT];
        id_write(&matches->items[i]->asset->id, id);
        jsonw_object(&json, NULL);
        jsonw_string(&json, "id", id);
        jsonw_string(&json, "name", matches->items[i]->asset->name);
        jsonw_string(&json, "entry", catalog_entry(call->catalog, matches->items[i]->place)->name);
        jsonw_end(&json);
    }
    jsonw_end(&json);
    jsonw_string(&json, "request_id", call->response->request_id);
    jsonw_end(&json);
    call->response->status = 409;
    response_header(call->response, "Cache-Control", "no-store");
    response_take(call->response, "application/problem+json", body.data, body.size);
}

/* The clip of the path's two names; NULL and the 404 or 409 in the response. */
static struct catalog_item *find_named(struct api_call *call, const char *clip_name)
{
    const struct catalog *catalog = call->catalog;
    struct matches matches = {.count = 0};
    bool has_archive = false;
    find_in(catalog, call->values[0], clip_name, 0, catalog->path_count, &has_archive, &matches);
    if (!matches.count)
        find_in(catalog, call->values[0], clip_name, catalog->path_count, catalog->archive_count,
                &has_archive, &matches);
    if (matches.count == 1)
        return matches.items[0];
    if (matches.count)
        list_matches(call, &matches);
    else
        reply_not_found(call, has_archive ? "clip" : "archive", has_archive ? clip_name : call->values[0]);
    return NULL;
}

/* Content-Location of what is the same under the clip's id, with the query as it came. */
static void located(struct api_call *call, const struct catalog_item *item, const char *rest)
{
    char id[ID_TEXT], target[1024];
    id_write(&item->asset->id, id);
    const char *query = call->request->query;
    int length = snprintf(target, sizeof target, "/v1/clips/%s%s%s%s", id, rest, *query ? "?" : "", query);
    if (length > 0 && (size_t)length < sizeof target)
        response_header(call->response, "Content-Location", target);
}

enum api_outcome handle_named(struct api_call *call)
{
    struct catalog_item *item = find_named(call, call->values[1]);
    if (!item)
        return API_DONE;
    located(call, item, "");
    return clip_reply(call, item);
}

enum api_outcome handle_named_keys(struct api_call *call)
{
    struct catalog_item *item = find_named(call, call->values[1]);
    if (!item)
        return API_DONE;
    located(call, item, "/keys");
    return clip_keys_reply(call, item, FRESH_REVALIDATE);
}

enum api_outcome handle_named_events(struct api_call *call)
{
    struct catalog_item *item = find_named(call, call->values[1]);
    if (!item)
        return API_DONE;
    located(call, item, "/events");
    return clip_events_reply(call, item);
}

enum api_outcome handle_named_pose(struct api_call *call)
{
    struct catalog_item *item = find_named(call, call->values[1]);
    return item ? clip_pose_reply(call, item, true) : API_DONE;
}

enum api_outcome handle_named_poses(struct api_call *call)
{
    struct catalog_item *item = find_named(call, call->values[1]);
    return item ? clip_poses_reply(call, item, true) : API_DONE;
}

/* A name may hold a dot itself: the whole part is tried first. */
enum api_outcome handle_named_convert(struct api_call *call)
{
    char whole[1024], rest[40];
    struct matches matches = {.count = 0};
    bool has_archive = false;
    int length = snprintf(whole, sizeof whole, "%s.%s", call->values[1], call->values[2]);
    if (length > 0 && (size_t)length < sizeof whole) {
        find_in(call->catalog, call->values[0], whole, 0, call->catalog->archive_count, &has_archive,
                &matches);
        if (matches.count) {
            call->values[1] = whole;
            return handle_named(call);
        }
    }
    struct catalog_item *item = find_named(call, call->values[1]);
    if (!item)
        return API_DONE;
    snprintf(rest, sizeof rest, ".%.30s", call->values[2]);
    enum api_outcome outcome = clip_convert_reply(call, item, call->values[2], FRESH_REVALIDATE);
    if (outcome == API_DONE && call->response->status < 400)
        located(call, item, rest);
    return outcome;
}
