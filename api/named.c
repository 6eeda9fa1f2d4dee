/* Finds the clip of a path, by its id or by the names of archive and clip. */
#include "api/named.h"

#include "api/choices/scope.h"

#include "api/protocol/reply.h"
#include "server/library/rows/rows.h"

#include <stdlib.h>
#include <string.h>

/* An archive name from the path, which may also be an id. */
struct archive_name {
    const char *text;
    struct asset_id id;
    bool is_id;
};

static struct archive_name read_archive_name(const char *text)
{
    struct archive_name name = {.text = text};
    name.is_id = id_parse(text, strlen(text), &name.id);
    return name;
}

static bool names_archive(const struct catalog *catalog, uint32_t index, const struct archive_name *name)
{
    return !strcmp(catalog->archives[index]->name, name->text) ||
           (name->is_id && id_equal(&catalog->archive_ids[index], &name->id));
}

enum { MAX_MATCHES = 64, MAX_NEAREST = 1000 /* names considered for the suggestions of a 404 */ };

struct matches {
    struct catalog_item *items[MAX_MATCHES];
    struct catalog_place places[MAX_MATCHES]; /* the first place where each was found */
    unsigned count;
};

static void add_match(struct matches *matches, struct catalog_item *item, struct catalog_place place)
{
    for (unsigned i = 0; item && i < matches->count; i++) {
        if (id_equal(&matches->items[i]->id, &item->id))
            return;
    }
    if (!item || matches->count == MAX_MATCHES)
        return;
    matches->places[matches->count] = place;
    matches->items[matches->count++] = item;
}

/*
 * A clip that several uploads contain, as the named archive has it, with the files beside it there. Otherwise a
 * rig that somebody uploaded first together with the same clip would be used for everybody.
 */
static struct catalog_item *place_match(struct api_call *call, const struct matches *matches)
{
    struct catalog_item *item = matches->items[0];
    struct catalog_place place = matches->places[0];
    if (item->place.archive == place.archive || item->place.archive < call->catalog->path_count)
        return item;
    return catalog_archive(call->catalog, place.archive) ? catalog_item_at(item, place) : NULL;
}

enum { OF_PATHS = 1, OF_UPLOADS = 2 };

/* Clips of that name in archives of that name; archives of the command line take precedence over uploads. */
static void find_in(const struct catalog *catalog, const char *archive_text, const char *clip_name,
                    unsigned sources, struct matches *matches)
{
    struct archive_name archive_name = read_archive_name(archive_text);
    if (sources & OF_UPLOADS && catalog->memo &&
        !miss(catalog->memo, miss_of_named(archive_text, clip_name), catalog->generation))
        return;
    for (const struct catalog_named *found = catalog_next_named(catalog, clip_name, NULL); found;
         found = catalog_next_named(catalog, clip_name, found)) {
        const unsigned source = found->archive < catalog->path_count ? OF_PATHS : OF_UPLOADS;
        if (sources & source && names_archive(catalog, found->archive, &archive_name))
            add_match(matches, catalog_find(catalog, ASSET_CLIP, found->id),
                      (struct catalog_place){found->archive, found->entry});
    }
}

/* The first archive of that name; NULL with the similar names if there is none. */
static const struct index_archive *find_archive(const struct catalog *catalog, const char *text,
                                                struct nearest *nearest)
{
    struct archive_name name = read_archive_name(text);
    nearest_begin(nearest, text, strlen(text));
    for (uint32_t i = 0; i < catalog->archive_count; i++) {
        if (!tables_has_archive(catalog, i))
            continue;
        if (names_archive(catalog, i, &name))
            return catalog_archive(catalog, i);
        if (!catalog->memo && i < MAX_NEAREST)
            nearest_offer(nearest, catalog->archives[i]->name);
    }
    return NULL;
}

/* The first names of all archives, at hand or not. */
static void offer_names(struct api_call *call, struct nearest *nearest)
{
    char *names[MAX_NEAREST];
    uint32_t count = 0;
    struct rows_view *view;
    struct rows *rows = service_rows(call->service);
    if (!rows || !rows_view_any(rows, &view))
        return;
    rows_names(view, ASSET_KIND_COUNT, NULL, MAX_NEAREST, names, &count);
    rows_view_close(view);
    for (uint32_t i = 0; i < count; i++) {
        nearest_offer(nearest, names[i]);
        free(names[i]);
    }
}

/* 404 with suggestions. */
static void reply_nothing_named(struct api_call *call, const char *clip_name)
{
    struct nearest nearest;
    const struct index_archive *archive = find_archive(call->catalog, call->archive_name, &nearest);
    unsigned offered = 0;
    if (!archive) {
        if (call->catalog->memo)
            offer_names(call, &nearest);
        reply_not_found_near(call, "archive", &nearest, call->archive_name);
        return;
    }
    nearest_begin(&nearest, clip_name, strlen(clip_name));
    for (uint32_t i = 0; i < archive->entry_count && offered < MAX_NEAREST; i++, offered++) {
        const struct index_entry *entry = archive->entries[i];
        for (uint32_t k = 0; k < entry->asset_count && offered < MAX_NEAREST; k++, offered++) {
            if (entry->assets[k].kind == ASSET_CLIP)
                nearest_offer(&nearest, entry->assets[k].name);
        }
    }
    reply_not_found_near(call, "clip", &nearest, clip_name);
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
    jsonw_string(&json, "detail", "several clips have that name; use an id");
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

/* The clip of the path's two names; NULL with the 404 or 409 in the response. */
static struct catalog_item *find_named(struct api_call *call, const char *clip_name)
{
    const struct catalog *catalog = call->catalog;
    struct matches matches = {.count = 0};
    find_in(catalog, call->archive_name, clip_name, OF_PATHS, &matches);
    if (!matches.count)
        find_in(catalog, call->archive_name, clip_name, OF_UPLOADS, &matches);
    struct catalog_item *item = matches.count == 1 ? place_match(call, &matches) : NULL;
    if (item)
        return item;
    if (matches.count > 1)
        list_matches(call, &matches);
    else
        reply_nothing_named(call, clip_name);
    return NULL;
}

bool clip_of_path(struct api_call *call)
{
    struct asset_id id;
    const char *text = call->values[0];
    if (call->by_name)
        call->clip = find_named(call, text);
    else if (id_parse(text, strlen(text), &id))
        call->clip = catalog_find(call->catalog, ASSET_CLIP, &id);
    if (!call->clip && !call->by_name)
        reply_problem(call, 404, "not_found", "no clip \"%.80s\"%s", text, id_hint(text, strlen(text)));
    if (call->clip && call->by_name && params_get(&call->params, "archive")) {
        reply_bad_parameter(call, "archive", "not allowed here: the path names the archive");
        return false;
    }
    return call->clip && (call->by_name || scope_item(call, &call->clip));
}

bool clip_has_dotted_name(struct api_call *call)
{
    struct matches matches = {.count = 0};
    if (!call->by_name || !call->whole)
        return false;
    find_in(call->catalog, call->archive_name, call->whole, OF_PATHS | OF_UPLOADS, &matches);
    if (matches.count)
        call->values[0] = call->whole;
    return matches.count;
}
