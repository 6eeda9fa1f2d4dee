/* Clips: lists, metadata, keys, events, conversions. */
#include "api/handlers/clips.h"

#include "api/views/asset_json.h"
#include "api/views/clip_json.h"
#include "api/handlers/handlers.h"
#include "api/poses/pose_request.h"
#include "server/library/entry/describe.h"
#include "lib/core/value.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ one clip -- */

static uint32_t count_nameless(const struct pose_clip *clip)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < clip->track_count; i++)
        count += !clip->tracks[i].name && clip->tracks[i].has_id;
    return count;
}

/* The skeleton that names what a clip has only as hashes or ids, and the document that holds it. NULL if
 * there is none or it cannot be read, which is not the clip's fault. */
static const struct pose_skeleton *naming_skeleton(struct api_call *call, struct catalog_item *item,
                                                   const struct pose_clip *clip, struct decoded **document,
                                                   bool *wait)
{
    enum { MAX_COMPARED = 1 << 22 }; /* far more than any rig needs; protects against malicious files */
    uint32_t nameless = count_nameless(clip);
    struct skeleton_choice choice = {0};
    if (nameless)
        choice = catalog_skeleton(call->catalog, item);
    *document = NULL;
    *wait = false;
    if (!choice.item || (uint64_t)nameless * choice.asset->joint_count > MAX_COMPARED)
        return NULL;
    struct fetch fetch = {.may_wait = call->request->may_wait};
    *document = document_get(call->service, call->catalog, choice.item->place, &fetch);
    *wait = !*document && fetch.outcome == CACHE_WOULD_WAIT;
    return *document ? &(*document)->document->skeletons[choice.asset->inner] : NULL;
}

/* Content-Location of the equivalent URL with the clip's id and the same query. */
static void locate(struct api_call *call, const char *rest)
{
    char id[ID_TEXT], target[1024];
    const char *query = call->request->query;
    if (!call->by_name)
        return;
    id_write(&call->clip->asset->id, id);
    int length = snprintf(target, sizeof target, "/v1/clips/%s%s%s%s", id, rest, *query ? "?" : "", query);
    if (length > 0 && (size_t)length < sizeof target)
        response_header(call->response, "Content-Location", target);
}

enum api_outcome handle_clip(struct api_call *call)
{
    struct catalog_item *item = call->clip;
    locate(call, "");
    struct asset_id digest = digest_begin(call, &item->asset->id);
    digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    struct skeleton_choice stands_on = catalog_skeleton(call->catalog, item);
    if (skeleton_remark(&stands_on))
        response_header(call->response, "Posed-Warning", skeleton_remark(&stands_on));
    if (reply_cached(call, digest, FRESH_REVALIDATE, true))
        return API_DONE;
    enum api_outcome outcome;
    struct decoded *decoded = reply_document(call, item, &outcome);
    if (!decoded)
        return outcome;
    struct decoded *naming;
    bool wait;
    const struct pose_skeleton *skeleton =
        naming_skeleton(call, item, &decoded->document->clips[item->asset->inner], &naming, &wait);
    if (wait) {
        document_put(decoded);
        return API_WAIT;
    }
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    clip_metadata(&json, call->catalog, item, decoded->document, skeleton, true, call->scope);
    if (naming)
        document_put(naming);
    document_put(decoded);
    return reply_json(call, &body);
}

enum api_outcome clip_keys_reply(struct api_call *call, enum freshness freshness)
{
    const struct catalog_item *item = call->clip;
    enum { LARGE = 256 * 1024 }; /* answers with more bytes of keys than this are made on the pool */
    static const char *const axes[] = {"native", "gltf", NULL};
    struct param_error error;
    int axis = 0;
    if (!params_choice(&call->params, "axes", axes, &axis, &error))
        return reply_parameter(call, &error);
    if (reply_cached(call, digest_text(digest_begin(call, &item->asset->id), axes[axis]), freshness, true))
        return API_DONE;
    const struct index_entry *entry = catalog_entry(call->catalog, item->place);
    if (!call->request->may_wait && entry->size > LARGE)
        return API_WAIT;
    enum api_outcome outcome;
    struct decoded *decoded = reply_document(call, item, &outcome);
    if (!decoded)
        return outcome;
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    clip_keys(&json, item->asset, entry, decoded->document, axis);
    document_put(decoded);
    return reply_json(call, &body);
}

enum api_outcome handle_clip_keys(struct api_call *call)
{
    locate(call, "/keys");
    return clip_keys_reply(call, call->by_name ? FRESH_REVALIDATE : FRESH_CONTENT);
}

/* ------------------------------------------------------------------------------------------------- events -- */

/* The Sims' tools repeat an event on every motion: events of equal time, type and value are one event on
 * several joints. */
static int compare_events(const struct pose_event *a, const struct pose_event *b)
{
    const char *x = value_get_string(a->fields, "value", NULL),
               *y = value_get_string(b->fields, "value", NULL);
    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    int order = strcmp(a->type, b->type);
    return order ? order : strcmp(x ? x : "", y ? y : "");
}

static int compare_indices(const void *a, const void *b, void *events)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    int order = compare_events((const struct pose_event *)events + x, (const struct pose_event *)events + y);
    return order ? order : x < y ? -1 : x > y;
}

enum { NO_EVENT = -1, NOT_FIRST = -2 };

/* Links each event to the next equal one; first[i] is NOT_FIRST for events that are linked from another.
 * False if out of memory. */
static bool link_equal_events(const struct pose_clip *clip, int64_t *next, int64_t *first)
{
    uint32_t *order = try_alloc(clip->event_count, sizeof *order);
    if (!order)
        return false;
    union {
        const struct pose_event *view;
        void *context;
    } events = {.view = clip->events};
    for (uint32_t i = 0; i < clip->event_count; i++) {
        order[i] = i;
        next[i] = NO_EVENT;
    }
    qsort_r(order, clip->event_count, sizeof *order, compare_indices, events.context);
    for (uint32_t i = 1; i < clip->event_count; i++) {
        if (compare_events(&clip->events[order[i - 1]], &clip->events[order[i]]))
            continue;
        next[order[i - 1]] = order[i];
        first[order[i]] = NOT_FIRST;
    }
    free(order);
    return true;
}

static void merged_event(struct json_writer *json, const struct pose_clip *clip, int64_t first,
                         const int64_t *next)
{
    const struct pose_event *event = &clip->events[first];
    const char *value = value_get_string(event->fields, "value", NULL);
    jsonw_object(json, NULL);
    jsonw_number(json, "time", event->time);
    jsonw_string(json, "type", event->type);
    if (value)
        jsonw_string(json, "value", value);
    jsonw_array(json, "joints");
    for (int64_t i = first; i >= 0; i = next[i]) {
        const char *joint = value_get_string(clip->events[i].fields, "joint", NULL);
        if (joint)
            jsonw_string(json, NULL, joint);
    }
    jsonw_end(json);
    jsonw_end(json);
}

static int64_t write_events(struct json_writer *json, const struct pose_clip *clip, double from, double to)
{
    bool merge = clip->rules == POSE_RULES_SIMS;
    int64_t *next = try_alloc(clip->event_count, sizeof *next);
    int64_t *first = try_alloc(clip->event_count, sizeof *first);
    int64_t count = 0;
    bool is_ready = next && first && (!merge || link_equal_events(clip, next, first));
    json->to.failed |= !is_ready;
    for (uint32_t i = 0; is_ready && i < clip->event_count; i++) {
        const struct pose_event *event = &clip->events[i];
        if (first[i] == NOT_FIRST || (double)event->time < from || (double)event->time > to)
            continue;
        count++;
        if (merge)
            merged_event(json, clip, i, next);
        else
            describe_event(json, event);
    }
    free(next);
    free(first);
    return count;
}

/* Events stored in another file of the archive: all events of an event file, or one set of a character
 * set. */
static int64_t write_companion_events(struct json_writer *json, const struct pose_document *document,
                                      int64_t event_set, double from, double to)
{
    int64_t count = 0;
    for (uint32_t i = 0; event_set < 0 && i < document->event_count; i++) {
        const struct pose_event *event = &document->events[i];
        if ((double)event->time < from || (double)event->time > to)
            continue;
        describe_event(json, event);
        count++;
    }
    const struct pose_value *sets = pose_value_find(document->extras, "event_sets");
    const struct pose_value *set = sets && event_set >= 0 ? sets->first : NULL;
    while (set && event_set-- > 0)
        set = set->next;
    const struct pose_value *events = pose_value_find(set, "events");
    for (const struct pose_value *event = events ? events->first : NULL; event; event = event->next) {
        const struct pose_value *time = pose_value_find(event, "time");
        double at = time && time->kind == POSE_FLOAT ? (double)time->as.number : 0;
        if (at < from || at > to)
            continue;
        jsonw_value(json, NULL, event);
        count++;
    }
    return count;
}

/* The document that holds a clip's events; NULL if it is the clip's own, or cannot be read, which is not
 * the clip's fault. */
static struct decoded *events_document(struct api_call *call, const struct catalog_item *item, bool *wait)
{
    *wait = false;
    if (item->asset->events_entry < 0)
        return NULL;
    struct catalog_place place = {item->place.archive, (uint32_t)item->asset->events_entry};
    struct fetch fetch = {.may_wait = call->request->may_wait};
    struct decoded *decoded = document_get(call->service, call->catalog, place, &fetch);
    *wait = !decoded && fetch.outcome == CACHE_WOULD_WAIT;
    return decoded;
}

enum api_outcome handle_clip_events(struct api_call *call)
{
    const struct catalog_item *item = call->clip;
    locate(call, "/events");
    double from = -HUGE_VAL, to = HUGE_VAL;
    struct param_error error;
    if (!params_bound(&call->params, "from", -1e9, 1e9, &from, &error) ||
        !params_bound(&call->params, "to", -1e9, 1e9, &to, &error))
        return reply_parameter(call, &error);
    if (from > to)
        return reply_bad_parameter(call, "from", "must not be after to");
    struct asset_id digest = digest_begin(call, &item->asset->id);
    digest = id_quick(&digest, (double[]){from, to}, 2 * sizeof(double));
    if (item->asset->events_entry >= 0)
        digest = id_quick(&digest, &call->catalog->digest, sizeof call->catalog->digest);
    if (reply_cached(call, digest, FRESH_REVALIDATE, true))
        return API_DONE;
    enum api_outcome outcome;
    bool wait;
    struct decoded *companion = events_document(call, item, &wait);
    if (wait)
        return API_WAIT;
    struct decoded *decoded = reply_document(call, item, &outcome);
    if (!decoded) {
        if (companion)
            document_put(companion);
        return outcome;
    }
    struct pose_buffer body = {0};
    struct json_writer json;
    char id[ID_TEXT];
    id_write(&item->asset->id, id);
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    jsonw_string(&json, "clip", id);
    jsonw_array(&json, "items");
    int64_t total = write_events(&json, &decoded->document->clips[item->asset->inner], from, to);
    if (companion) {
        total += write_companion_events(&json, companion->document, item->asset->event_set, from, to);
        document_put(companion);
    }
    jsonw_end(&json);
    jsonw_null(&json, "next");
    jsonw_integer(&json, "total", total);
    jsonw_end(&json);
    document_put(decoded);
    return reply_json(call, &body);
}

/* -------------------------------------------------------------------------------------------------- list -- */

/* A joint of that name may appear in a track by name, or by id if the track has only that ("#ID"); The Sims 3 derives ids
 * from names. */
static void want_joint(const char *text, struct listing_filter *filter)
{
    uint32_t id;
    struct pose_sims3_name hashes;
    filter->has_joint = true;
    if (joint_id_read(text, strlen(text), &id)) {
        filter->joint_ids[0] = filter->joint_ids[1] = known_id(id);
        return;
    }
    pose_sims3_hash(text, &hashes);
    filter->joint = text;
    filter->joint_ids[0] = known_id(hashes.fnv32);
    filter->joint_ids[1] = known_id((uint32_t)hashes.fnv64);
}

/* As in the clips' own JSON. */
static bool read_loop(const struct params *params, struct listing_filter *filter, struct param_error *error)
{
    static const char *const words[] = {"null", "false", "true", NULL};
    int word = -1;
    if (!params_choice(params, "loop", words, &word, error))
        return false;
    filter->has_loop = word >= 0;
    filter->loop = word - 1;
    return true;
}

static bool read_filter(struct api_call *call, struct listing_filter *filter, struct param_error *error)
{
    const struct params *params = &call->params;
    const char *joint = params_get(params, "joint");
    filter->min_duration = -HUGE_VAL;
    filter->max_duration = HUGE_VAL;
    if (joint)
        want_joint(joint, filter);
    filter->event = params_get(params, "event");
    if (!params_bound(params, "min_duration", 0, 1e9, &filter->min_duration, error) ||
        !params_bound(params, "max_duration", 0, 1e9, &filter->max_duration, error) ||
        !read_loop(params, filter, error))
        return false;
    filter->has_duration = params_get(params, "min_duration") || params_get(params, "max_duration");
    return true;
}

enum api_outcome handle_clips(struct api_call *call)
{
    static const struct list_sort sorts[] = {{"name", SORT_NAME},
                                             {"duration", SORT_DURATION},
                                             {"format", SORT_FORMAT},
                                             {"newest", SORT_NEWEST},
                                             {NULL, SORT_ARRIVAL}};
    struct list_request request;
    struct param_error error;
    if (!list_read(call, ASSET_CLIP, sorts, &request, &error) || !read_filter(call, &request.filter, &error))
        return reply_parameter(call, &error);
    enum api_outcome outcome;
    if (!list_run(call, &request, &outcome))
        return outcome;
    struct pose_buffer body;
    struct json_writer json;
    list_begin(&json, &body);
    const struct index_archive *scope =
        request.filter.archive ? call->catalog->archives[request.archive] : NULL;
    for (uint32_t row = 0; row < request.listing.count; row++) {
        struct catalog_item *item = list_item(call, &request, row);
        if (item)
            clip_row(&json, call->catalog, item, request.listing.versions[row], scope);
    }
    list_finish(call, &json, &request);
    return reply_json(call, &body);
}
