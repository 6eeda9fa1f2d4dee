#include "api/protocol/lists.h"
#include "server/library/rows/own_rows.h"
#include "lib/core/hex.h"
#include "server/library/names.h"
#include "server/library/search/suggest.h"
#include "server/ops/base_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFAULT_LIMIT = 100 };

/* ------------------------------------------------------------------------------------------------- cursors -- */

/*
 * A cursor in hexadecimal: version, sort, whether the key is text, number and id of the last row, and its text or
 * value. Native little-endian, since only the server that made it reads it.
 */
enum { CURSOR_VERSION = 1, CURSOR_HEAD = 3 + 8 + 16, MAX_CURSOR = CURSOR_HEAD + MAX_SORT_TEXT };
enum { CURSOR_TEXT = 2 * MAX_CURSOR + 1 };

static void cursor_write(const struct list_cursor *cursor, char text[CURSOR_TEXT])
{
    uint8_t bytes[MAX_CURSOR] = {CURSOR_VERSION, (uint8_t)(cursor->sort & 0xff), cursor->key.is_text};
    size_t size = CURSOR_HEAD;
    memcpy(bytes + 3, &cursor->key.number, 8);
    memcpy(bytes + 11, cursor->id.bytes, sizeof cursor->id.bytes);
    if (cursor->key.is_text) {
        size_t length = strnlen(cursor->key.text, MAX_SORT_TEXT);
        memcpy(bytes + size, cursor->key.text, length);
        size += length;
    } else {
        memcpy(bytes + size, &cursor->key.value, sizeof cursor->key.value);
        size += sizeof cursor->key.value;
    }
    hex_write(bytes, size, text);
}

static bool cursor_parse(const char *text, struct list_cursor *cursor)
{
    uint8_t bytes[MAX_CURSOR];
    size_t length = strlen(text), size = length / 2;
    if (length % 2 || size < CURSOR_HEAD || size > MAX_CURSOR || !hex_parse(text, length, bytes, size) ||
        bytes[0] != CURSOR_VERSION || bytes[2] > 1)
        return false;
    cursor->is_given = true;
    cursor->sort = (int8_t)bytes[1];
    memcpy(&cursor->key.number, bytes + 3, 8);
    memcpy(cursor->id.bytes, bytes + 11, sizeof cursor->id.bytes);
    if (bytes[2]) {
        memcpy(cursor->key.text, bytes + CURSOR_HEAD, size - CURSOR_HEAD);
        cursor->key.text[size - CURSOR_HEAD] = 0;
        cursor->key.is_text = true;
        return true;
    }
    if (size != CURSOR_HEAD + sizeof cursor->key.value)
        return false;
    memcpy(&cursor->key.value, bytes + CURSOR_HEAD, sizeof cursor->key.value);
    return cursor->key.value == cursor->key.value;
}

static bool cursor_read(const struct api_call *call, struct list_cursor *cursor, struct param_error *error)
{
    const char *text = params_get(&call->params, "cursor");
    if (!text)
        return true;
    if (params_get(&call->params, "offset"))
        return param_fail(error, "cursor", "a page begins at a cursor or at an offset, not at both");
    return cursor_parse(text, cursor) ||
           param_fail(error, "cursor", "it is not one that this server gave; take it from next");
}

/* --------------------------------------------------------------------------------------------------- pages -- */

bool page_read(const struct api_call *call, struct page *page, struct param_error *error)
{
    *page = (struct page){.offset = 0, .limit = DEFAULT_LIMIT};
    return params_integer(&call->params, "limit", 1, 1000, &page->limit, error) &&
           params_integer(&call->params, "offset", 0, INT32_MAX, &page->offset, error) &&
           cursor_read(call, &page->cursor, error);
}

/* The parameters of a list in canonical form: sorted by name, numbers normalised, defaults left out. */
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

/* The same request from another position, from malloc; NULL if out of memory. */
static char *next_target(const struct api_call *call, const char *name, const char *value)
{
    struct list_params unified, *params = &unified;
    unify_params(&call->params, params);
    size_t size = strlen(base_path()) + strlen(call->request->path) + strlen(name) + strlen(value) + 3;
    for (unsigned i = 0; i < params->count; i++)
        size += (strlen(params->items[i].name) + strlen(params->items[i].value)) * 3 + 4;
    char *target = try_alloc(size, 1);
    if (!target)
        return NULL;
    size_t used = (size_t)snprintf(target, size, "%s%s?%s=%s", base_path(), call->request->path, name, value);
    for (unsigned i = 0; i < params->count; i++) {
        if (!strcmp(params->items[i].name, "offset") || !strcmp(params->items[i].name, "cursor"))
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

/* Writes "next" and the equivalent Link header. */
static void write_next(struct api_call *call, struct json_writer *json, const char *name, const char *value)
{
    char *target = next_target(call, name, value), link[1200];
    if (!target) {
        json->to.failed = true;
        return;
    }
    jsonw_string(json, "next", target);
    if ((size_t)snprintf(link, sizeof link, "<%s>; rel=\"next\"", target) < sizeof link)
        response_header(call->response, "Link", link);
    free(target);
}

void list_begin(struct json_writer *json, struct pose_buffer *body)
{
    *body = (struct pose_buffer){0};
    jsonw_init(json, body);
    jsonw_object(json, NULL);
    jsonw_array(json, "items");
}

void page_finish(struct api_call *call, struct json_writer *json, const struct page *page, int64_t total)
{
    jsonw_end(json);
    int64_t next = page->offset + page->limit;
    char offset[24];
    snprintf(offset, sizeof offset, "%lld", (long long)next);
    if (next < total)
        write_next(call, json, "offset", offset);
    else
        jsonw_null(json, "next");
    jsonw_integer(json, "total", total);
    jsonw_end(json);
}

/* Increase it when lists say more of the same catalogue. */
static const uint32_t LIST_REVISION = 1;

struct asset_id list_digest(const struct api_call *call)
{
    struct asset_id digest = digest_begin(call, &call->catalog->digest);
    digest = id_quick(&digest, &LIST_REVISION, sizeof LIST_REVISION);
    digest = digest_text(digest, call->request->path);
    struct list_params params;
    unify_params(&call->params, &params);
    for (unsigned i = 0; i < params.count; i++)
        digest = digest_text(digest_text(digest, params.items[i].name), params.items[i].value);
    return digest;
}

/* The archive that archive= selects; false if no archive has that id. */
static bool archive_filter(struct api_call *call, struct list_request *request, struct param_error *error)
{
    const char *text = params_get(&call->params, "archive");
    if (!text)
        return true;
    if (!id_parse(text, strlen(text), &request->within) ||
        !catalog_find_archive(call->catalog, &request->within, NULL))
        return param_fail(error, "archive", "no archive \"%.60s\"", text);
    request->filter.archive = &request->within;
    return true;
}

/* --------------------------------------------------------------------------------- lists of the catalogue -- */

static bool read_sort(const struct api_call *call, const struct list_sort *sorts, struct listing *listing,
                      struct param_error *error)
{
    const char *text = params_get(&call->params, "sort");
    if (!text)
        return true;
    const bool is_turned = *text == '-';
    char words[80] = "";
    for (; sorts->word; sorts++) {
        name_list_add(words, sizeof words, sorts->word);
        if (strcmp(sorts->word, text + is_turned) != 0)
            continue;
        listing->sort = sorts->sort;
        listing->is_descending = is_turned != (sorts->sort == SORT_NEWEST);
        return true;
    }
    return param_fail(error, "sort", "\"%.40s\" is not one of %s", text, words);
}

static const char *const facet_words[FACET_COUNT] = {"format", "archive", "loop", "events"};

/* Comma-separated words, each a facet of the kind. */
static bool read_facets(const struct api_call *call, enum asset_kind kind, unsigned *facets,
                        struct param_error *error)
{
    const char *text = params_get(&call->params, "facets");
    *facets = 0;
    for (size_t length; text && *text; text += length + (text[length] == ',')) {
        int facet = 0, count = kind == ASSET_CLIP ? FACET_COUNT : FACET_LOOP;
        length = strcspn(text, ",");
        while (facet < count &&
               (strlen(facet_words[facet]) != length || strncmp(facet_words[facet], text, length) != 0))
            facet++;
        if (facet == count)
            return param_fail(error, "facets", "\"%.40s\" is not something that this list counts", text);
        *facets |= 1u << facet;
    }
    return true;
}

static bool read_words(const struct api_call *call, struct list_request *request, struct param_error *error)
{
    const char *q = params_get(&call->params, "q");
    if (!q)
        return true;
    if (!search_read(&request->search, q))
        return param_fail(error, "q", "it holds more than %d words or %d bytes", MAX_WORDS, MAX_SEARCH);
    if (!request->search.count)
        return true;
    request->filter.search = &request->search;
    request->listing.sort = SORT_MATCH;
    return true;
}

bool list_read(struct api_call *call, enum asset_kind kind, const struct list_sort *sorts,
               struct list_request *request, struct param_error *error)
{
    static const char *const sources[] = {"path", "upload", NULL};
    int source = -1;
    *request = (struct list_request){.filter = {.kind = kind}};
    struct listing_filter *filter = &request->filter;
    filter->name = params_get(&call->params, "name");
    filter->format = params_get(&call->params, "format");
    if (filter->format && !pose_format_find(filter->format))
        return param_unknown_format(error, "format", filter->format);
    if (!page_read(call, &request->page, error) || !read_words(call, request, error) ||
        !params_choice(&call->params, "source", sources, &source, error) ||
        (sorts && !read_sort(call, sorts, &request->listing, error)) ||
        !read_facets(call, kind, &request->facets, error) || !archive_filter(call, request, error))
        return false;
    filter->source = source < 0 ? NULL : sources[source];
    const struct list_cursor *cursor = &request->page.cursor;
    const int sort = (int)request->listing.sort * (request->listing.is_descending ? -1 : 1);
    return !cursor->is_given || cursor->sort == sort ||
           param_fail(error, "cursor", "it is of a list in another order");
}

/* Rows of a catalogue that only the caller sees: made for the request, since few ask for them. If not all uploads are at
 * hand they are of what waits, and the others are the service's. */
static bool settle_own(struct api_call *call, struct list_request *request)
{
    if (call->catalog->memo) {
        struct rows *rows = service_rows(call->service);
        request->own = rows_open(NULL);
        request->waits = request->own ? own_rows_new(call->catalog, request->own) : NULL;
        return request->waits && rows && rows_view_any(rows, &request->view);
    }
    request->own = rows_open(NULL);
    return request->own && rows_change(request->own, NULL, call->catalog) &&
           rows_view_open(request->own, call->catalog, &request->view) == ROWS_READY;
}

static void close_rows(struct list_request *request)
{
    rows_view_close(request->view);
    own_rows_free(request->waits);
    rows_close(request->own);
    request->waits = NULL;
    request->view = NULL;
    request->own = NULL;
}

/* Rows that show the catalogue of the call, which becomes the current one meanwhile: a change may be between the two. */
static bool settle(struct api_call *call, struct list_request *request)
{
    enum { MAX_TRIES = 2000, PAUSE_US = 500 };
    if (call->is_view)
        return settle_own(call, request);
    struct rows *rows = service_rows(call->service);
    call->has_listed = true;
    request->view = call->rows;
    call->rows = NULL;
    if (request->view)
        return true;
    for (int i = 0; rows && i < MAX_TRIES; i++) {
        const enum rows_status status = rows_view_open(rows, call->catalog, &request->view);
        if (status != ROWS_OTHER)
            return status == ROWS_READY;
        usleep(i ? PAUSE_US : 0);
        service_leave(call->service, call->catalog, false);
        call->catalog = service_enter(call->service, false, 0);
    }
    return false;
}

static bool count_versions(struct list_request *request)
{
    struct listing *listing = &request->listing;
    listing->versions = try_alloc((size_t)listing->count + 1, sizeof *listing->versions);
    if (!listing->versions)
        return false;
    return request->waits ? own_rows_versions(request->waits, request->view, listing->ids, listing->count,
                                              listing->versions)
                          : rows_versions(request->view, listing->ids, listing->count, listing->versions);
}

static bool find_page(struct list_request *request)
{
    const struct page *page = &request->page;
    struct listing *listing = &request->listing;
    listing->limit = (uint32_t)page->limit;
    listing->offset = (uint64_t)page->offset;
    listing->has_cursor = page->cursor.is_given;
    listing->cursor = page->cursor.key;
    listing->cursor_id = page->cursor.id;
    const bool is_found = request->waits
                              ? own_rows_run(request->waits, request->view, &request->filter, listing)
                              : listing_run(request->view, &request->filter, listing);
    const bool of_clips = request->filter.kind == ASSET_CLIP && !request->filter.of_archives;
    return is_found && (!of_clips || count_versions(request));
}

/* Rows in memory are used by one at a time: they are not held while a page is written. */
static bool leave_rows(struct list_request *request)
{
    if (!request->facets)
        close_rows(request);
    return true;
}

bool list_run(struct api_call *call, struct list_request *request, enum api_outcome *outcome)
{
    const bool is_settled = call->request->may_wait && settle(call, request);
    *outcome = API_DONE;
    if (!reply_cached(call, list_digest(call), FRESH_REVALIDATE, true)) {
        if (!call->request->may_wait)
            *outcome = API_WAIT;
        else if (!is_settled || !find_page(request))
            *outcome = call->effort && effort_is_over(call->effort) ? reply_out_of_time(call)
                                                                    : reply_no_memory(call);
        else if (!request->filter.archive ||
                 catalog_find_archive(call->catalog, request->filter.archive, &request->archive))
            return leave_rows(request);
        else /* it is gone since the parameters were read */
            *outcome = reply_bad_parameter(call, "archive", "no such archive");
    }
    listing_release(&request->listing);
    close_rows(request);
    return false;
}

struct catalog_item *list_item(const struct api_call *call, const struct list_request *request, uint32_t row)
{
    const struct listing_filter *filter = &request->filter;
    struct catalog_item *item = catalog_find(call->catalog, filter->kind, &request->listing.ids[row]);
    return item && filter->archive ? catalog_item_in(item, request->archive) : item;
}

static void write_cursor(struct api_call *call, struct json_writer *json, const struct list_request *request)
{
    const struct listing *listing = &request->listing;
    const struct list_cursor cursor = {.key = listing->last,
                                       .id = listing->ids[listing->count - 1],
                                       .sort = (int)listing->sort * (listing->is_descending ? -1 : 1)};
    char text[CURSOR_TEXT];
    cursor_write(&cursor, text);
    write_next(call, json, "cursor", text);
}

static void write_facet_value(struct json_writer *json, enum listing_facet facet,
                              const struct facet_value *value)
{
    jsonw_object(json, NULL);
    if (facet == FACET_ARCHIVE) {
        struct asset_id id;
        char text[ID_TEXT];
        memcpy(id.bytes, value->text, sizeof id.bytes);
        id_write(&id, text);
        jsonw_string(json, "value", text);
    } else if (facet == FACET_LOOP) {
        jsonw_raw(json, "value", value->text);
    } else {
        char text[256];
        snprintf(text, sizeof text, "%.*s", (int)value->length, value->text);
        jsonw_string(json, "value", text);
    }
    jsonw_integer(json, "count", (int64_t)value->count);
    jsonw_end(json);
}

static void write_facets(struct json_writer *json, const struct list_request *request)
{
    struct facet_value values[MAX_FACET_VALUES];
    jsonw_object(json, "facets");
    for (int facet = 0; facet < FACET_COUNT; facet++) {
        uint32_t count;
        if (!(request->facets & 1u << facet))
            continue;
        json->to.failed |=
            !listing_count(request->view, &request->filter, (enum listing_facet)facet, values, &count);
        if (request->waits && !json->to.failed)
            json->to.failed |=
                !own_rows_count(request->waits, &request->filter, (enum listing_facet)facet, values, &count);
        jsonw_array(json, facet_words[facet]);
        for (uint32_t i = 0; i < count; i++) {
            write_facet_value(json, (enum listing_facet)facet, &values[i]);
            free(values[i].text);
        }
        jsonw_end(json);
    }
    jsonw_end(json);
}

static void write_suggestions(struct api_call *call, struct json_writer *json,
                              const struct list_request *request)
{
    char *names[MAX_SUGGESTIONS];
    struct rows *rows = request->own && !call->catalog->memo ? request->own : service_rows(call->service);
    struct rows_view *view = request->view;
    unsigned count = 0;
    if (view || (rows && rows_view_any(rows, &view)))
        count = listing_suggest(view, request->filter.kind, &request->search, names);
    if (view != request->view)
        rows_view_close(view);
    jsonw_array(json, "did_you_mean");
    for (unsigned i = 0; i < count; i++) {
        jsonw_string(json, NULL, names[i]);
        free(names[i]);
    }
    jsonw_end(json);
}

void list_finish(struct api_call *call, struct json_writer *json, struct list_request *request)
{
    const bool of_archives = request->filter.of_archives;
    jsonw_end(json);
    if (request->listing.has_more && request->listing.count)
        write_cursor(call, json, request);
    else
        jsonw_null(json, "next");
    jsonw_integer(json, "total", (int64_t)request->listing.total);
    if (request->listing.is_estimate)
        jsonw_bool(json, "total_is_estimate", true);
    if (request->facets)
        write_facets(json, request);
    if (request->filter.search && !request->listing.total && !of_archives)
        write_suggestions(call, json, request);
    jsonw_end(json);
    listing_release(&request->listing);
    close_rows(request);
}
