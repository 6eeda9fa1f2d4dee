#include "api/protocol/reply.h"

#include "api/protocol/coding.h"
#include "server/ops/clock.h"
#include "server/library/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ----------------------------------------------------------------------------------- what an answer is made of -- */

struct pose_options call_options(const struct api_call *call)
{
    struct pose_options options = call->service->index_options.pose;
    options.limits.output = call->service->config->max_output;
    options.stop = call->effort ? &call->effort->stop : NULL;
    return options;
}

/* Whether a shared computation was cancelled for another client, which disconnected or ran out of time,
 * and not for ours. */
static bool is_for_another(const struct api_call *call, const struct fetch *fetch)
{
    return fetch->error.status == POSE_STOPPED && call->effort && !effort_is_over(call->effort);
}

struct making {
    cache_make *make;
    void *user;
};

/* What was made, or failed, while an upload was missed may lack something: it is not to be kept, and the handler runs again
 * when the upload is at hand. */
static struct cache_object *make_whole(void *user, struct pose_error *error)
{
    const struct making *making = user;
    struct cache_object *object = making->make(making->user, error);
    if (!catalog_turn_missed())
        return object;
    if (object)
        cache_unref(object);
    pose_error_init(error);
    error_set(error, POSE_STOPPED, "changed", "an upload cannot be read at the moment; try again");
    return NULL;
}

struct cache_object *reply_kept(struct api_call *call, const struct cache_key *key, cache_make *make,
                                void *user)
{
    struct making making = {make, user};
    struct fetch *fetch = &call->fetch;
    struct cache_object *object;
    do {
        object = cache_get(call->service->replies, key, call->request->may_wait, clock_ms(), make_whole,
                           &making, &fetch->outcome, &fetch->error);
    } while (!object && fetch->outcome == CACHE_FAILED && !catalog_turn_missed() &&
             is_for_another(call, fetch));
    fetch->missed = fetch->outcome == CACHE_MADE;
    call->response->cache = fetch->missed ? "miss" : "hit";
    return object;
}

struct decoded *reply_document(struct api_call *call, const struct catalog_item *item,
                               enum api_outcome *outcome)
{
    struct decoded *decoded = document_get(call->service, call->catalog, item->place, &call->fetch);
    call->response->cache = call->fetch.missed ? "miss" : "hit";
    if (!decoded)
        *outcome = reply_fetch(call);
    return decoded;
}

enum api_outcome reply_fetch(struct api_call *call)
{
    if (call->fetch.outcome == CACHE_WOULD_WAIT)
        return API_WAIT;
    return reply_error(call, &call->fetch.error, NULL, NULL);
}

/* ----------------------------------------------------------------------------------------------- caching -- */

struct asset_id digest_begin(const struct api_call *call, const struct asset_id *of)
{
    struct asset_id digest = id_quick(of, call->route->template, strlen(call->route->template));
    unsigned revision = pose_revision();
    digest = id_quick(&digest, &revision, sizeof revision);
    return call->scope ? id_quick(&digest, &call->scope->id, sizeof call->scope->id) : digest;
}

struct asset_id digest_text(struct asset_id digest, const char *text)
{
    return text ? id_quick(&digest, text, strlen(text) + 1) : id_quick(&digest, "", 0);
}

/* Whether the ETag is listed in If-Match or If-None-Match. If-None-Match compares weak ETags like strong
 * ones; for If-Match weak ones never match (RFC 9110, 13.1). */
static bool etag_matches(const char *list, const char *etag, bool weak)
{
    size_t length = strlen(etag);
    while (*list) {
        list += strspn(list, " \t,");
        if (*list == '*')
            return true;
        if (weak && list[0] == 'W' && list[1] == '/')
            list += 2;
        if (!strncmp(list, etag, length) && (!list[length] || strchr(" \t,", list[length])))
            return true;
        list += strcspn(list, ",");
    }
    return false;
}

static void cache_control(struct api_call *call, enum lifetime lifetime)
{
    enum { HOUR = 3600, YEAR = 31536000 };
    const uint64_t wanted = lifetime == LIFETIME_HOUR ? HOUR : YEAR, most = call->service->config->max_age_s;
    char text[64] = "no-cache";
    if (lifetime != LIFETIME_NONE)
        snprintf(text, sizeof text, "public, max-age=%llu%s",
                 (unsigned long long)(wanted < most ? wanted : most),
                 lifetime == LIFETIME_FOR_EVER ? ", immutable" : "");
    response_header(call->response, "Cache-Control", text);
}

enum lifetime reply_lifetime(const struct api_call *call, enum freshness freshness)
{
    const char *version = params_get(&call->params, "v");
    char now[16];
    if (freshness == FRESH_REVALIDATE)
        return LIFETIME_NONE;
    if (!version)
        return LIFETIME_HOUR;
    snprintf(now, sizeof now, "%u", pose_revision());
    return strcmp(version, now) ? LIFETIME_NONE : LIFETIME_FOR_EVER;
}

/* Evaluates the preconditions against the ETag; true if they settle the request. */
static bool is_settled(struct api_call *call, const char *etag)
{
    const char *wanted = call->request->header(call->request, "If-Match");
    if (wanted && !etag_matches(wanted, etag, false)) {
        reply_problem(call, 412, "precondition_failed", "the current ETag does not match If-Match");
        return true;
    }
    const char *known = call->request->header(call->request, "If-None-Match");
    if (!known || !etag_matches(known, etag, true))
        return false;
    call->response->status = 304;
    return true;
}

bool reply_known(struct api_call *call, const char *etag, enum lifetime lifetime)
{
    response_header(call->response, "ETag", etag);
    cache_control(call, lifetime);
    return is_settled(call, etag);
}

bool reply_digest(struct api_call *call, struct asset_id digest, enum lifetime lifetime, bool is_text)
{
    static const char *const endings[] = {"\"", "-gzip\"", "-zstd\""};
    char etag[1 + ID_TEXT + sizeof "-gzip\""] = "\"";
    enum coding coding = is_text ? coding_choose(call->request) : CODING_IDENTITY;
    id_write(&digest, etag + 1);
    strcpy(etag + ID_TEXT, endings[coding]);
    return reply_known(call, etag, lifetime);
}

bool reply_cached(struct api_call *call, struct asset_id digest, enum freshness freshness, bool is_text)
{
    return reply_digest(call, digest, reply_lifetime(call, freshness), is_text);
}

/* Writes "name=value&"; NULL if there may be no room for it and for what follows. */
static char *put_parameter(char *at, const char *end, const char *name, const char *value)
{
    enum { FOLLOWS = 64 };
    if (!at || 3 * (strlen(name) + strlen(value)) + FOLLOWS > (size_t)(end - at))
        return NULL;
    at = percent_encode(name, at);
    *at++ = '=';
    at = percent_encode(value, at);
    *at++ = '&';
    return at;
}

void reply_twin(struct api_call *call, const char *path, const struct asset_id *skeleton,
                const struct asset_id *onto)
{
    char id[ID_TEXT], target[1200];
    const char *const end = target + sizeof target;
    char *at = stpcpy(stpcpy(target, path), "?");
    for (unsigned i = 0; i < call->params.count; i++) {
        const struct param *param = &call->params.items[i];
        if (strcmp(param->name, "skeleton") != 0 && !(onto && !strcmp(param->name, "onto")))
            at = put_parameter(at, end, param->name, param->value);
    }
    if (onto) {
        id_write(onto, id);
        at = put_parameter(at, end, "onto", id);
    }
    if (!at)
        return;
    at = stpcpy(at, "skeleton=");
    if (skeleton)
        id_write(skeleton, at);
    else
        strcpy(at, "none");
    response_header(call->response, "Content-Location", target);
}

/* ------------------------------------------------------------------------------------------------ bodies -- */

enum api_outcome reply_body(struct api_call *call, const char *content_type, struct pose_buffer *body,
                            bool is_text)
{
    struct api_response *response = call->response;
    enum coding coding = CODING_IDENTITY;
    /* A list that had to wait is not made longer on its way as well. */
    bool has_time = body->size <= CODING_LARGE || !call->effort || !effort_is_over(call->effort);
    if (is_text && has_time && body->size > CODING_WORTH && body->size <= MAX_CODING)
        coding = coding_choose(call->request);
    if (coding != CODING_IDENTITY && coding_apply(coding, body))
        response_header(response, "Content-Encoding", coding == CODING_GZIP ? "gzip" : "zstd");
    response_take(response, content_type, body->data, body->size);
    *body = (struct pose_buffer){0};
    return API_DONE;
}

enum api_outcome reply_json(struct api_call *call, struct pose_buffer *body)
{
    if (!body->size)
        return reply_no_memory(call);
    return reply_body(call, "application/json", body, true);
}

enum api_outcome reply_json_by_content(struct api_call *call, struct pose_buffer *body,
                                       enum freshness freshness)
{
    const struct asset_id digest = id_quick(NULL, body->data, body->size);
    if (!reply_cached(call, digest, freshness, true))
        return reply_json(call, body);
    pose_buffer_free(body);
    return API_DONE;
}

void reply_attachment(struct api_call *call, const char *name, const char *extension)
{
    enum { MAX_NAME = 600 };
    /* Only characters that are safe in headers and on every file system; longer names are of no use. */
    char value[MAX_NAME + 200], plain[160], text[MAX_NAME], whole[MAX_NAME + 20];
    snprintf(text, sizeof text, "%s", name);
    snprintf(whole, sizeof whole, "%s.%.16s", name_make_safe(text), extension);
    size_t used = 0;
    for (const char *at = whole; *at && used + 1 < sizeof plain; at++)
        plain[used++] = (*at > ' ' && *at <= '~' && !strchr("%'", *at)) ? *at : '_';
    plain[used] = '\0';
    if (strlen(whole) >= sizeof plain)
        snprintf(plain + sizeof plain - 20, 20, ".%.16s", extension);
    int length = snprintf(value, sizeof value, "attachment; filename=\"%s\"", plain);
    if (strlen(whole) * 3 < MAX_NAME) {
        length += snprintf(value + length, sizeof value - (size_t)length, "; filename*=UTF-8''");
        percent_encode(whole, value + length);
    }
    response_header(call->response, "Content-Disposition", value);
}

/* -------------------------------------------------------------------------------------------- every answer -- */

static char *put_text(char *at, const char *text)
{
    size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

/* Inserts ", " between the parts of a list. */
static char *put_comma(char *at, const char *start)
{
    return at > start ? put_text(at, ", ") : at;
}

/* "name;dur=0.012" with three decimals, in milliseconds. Every answer has some, so printf is avoided. */
static char *put_duration(char *at, const char *name, double seconds)
{
    uint64_t microseconds = seconds < 1e6 ? (uint64_t)(seconds * 1e6 + 0.5) : UINT64_C(1000000000000);
    char digits[24];
    unsigned count = 0;
    at = put_text(at, name);
    at = put_text(at, ";dur=");
    do {
        digits[count++] = (char)('0' + microseconds % 10);
        microseconds /= 10;
    } while (microseconds || count < 4);
    while (count) {
        if (count == 3)
            *at++ = '.';
        *at++ = digits[--count];
    }
    return at;
}

/* Server-Timing: cache result and durations; no header if there are neither. */
static void timing(struct api_call *call)
{
    char text[160], *at = text;
    if (call->response->cache) {
        at = put_text(at, "cache;desc=");
        at = put_text(at, call->response->cache);
    }
    const struct {
        const char *name;
        double seconds;
    } parts[] = {{"decode", call->fetch.decode_seconds},
                 {"sample", call->sample_seconds},
                 {"write", call->write_seconds}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].seconds > 0)
            at = put_duration(put_comma(at, text), parts[i].name, parts[i].seconds);
    *at = 0;
    if (at > text)
        response_header(call->response, "Server-Timing", text);
}

/* Present in every answer. Copied as a block, since checking each byte costs as much as sampling a pose. */
enum { CONSTANT_HEADERS = 4 };
static const char constant_headers[] =
    "Access-Control-Expose-Headers\0"
    "ETag, Link, Location, Content-Location, Content-Disposition, Retry-After, Server-Timing, X-Request-Id, "
    "Posed-Frames, Posed-Joints, Posed-Fps, Posed-Range, Posed-Warning, Posed-Error, "
    "Content-Range, Accept-Ranges, WWW-Authenticate, Allow\0"
    "Timing-Allow-Origin\0*\0"
    "Cross-Origin-Resource-Policy\0cross-origin\0"
    "X-Content-Type-Options\0nosniff\0";

void reply_finish(struct api_call *call)
{
    struct api_response *response = call->response;
    const char *cors = call->service->config->cors;
    response_header(response, "Access-Control-Allow-Origin", cors ? cors : "*");
    response_header_block(response, constant_headers, sizeof constant_headers - 1, CONSTANT_HEADERS);
    response_header(response, "Vary",
                    cors && strcmp(cors, "*") ? "Accept, Accept-Encoding, Origin"
                                              : "Accept, Accept-Encoding");
    if (response->request_id[0])
        response_header(response, "X-Request-Id", response->request_id);
    timing(call);
}

/* ----------------------------------------------------------------------------------------- negotiation -- */

/* How well a media type fits one range of an Accept header: 0 not at all, 3 exactly. */
static int range_fit(const char *range, size_t length, const char *type)
{
    if (length == 3 && !strncmp(range, "*/*", 3))
        return 1;
    size_t slash = strcspn(type, "/");
    if (length == slash + 2 && !strncmp(range, type, slash + 1) && range[slash + 1] == '*')
        return 2;
    return strlen(type) == length && !strncasecmp(range, type, length) ? 3 : 0;
}

/* The q of a type in thousandths, by the most specific range that matches; -1 if none does. */
static int accept_quality(const char *accept, const char *type)
{
    int quality = -1, best = 0;
    while (*accept) {
        accept += strspn(accept, " \t,");
        size_t length = strcspn(accept, ",;");
        size_t trimmed = length;
        while (trimmed && (accept[trimmed - 1] == ' ' || accept[trimmed - 1] == '\t'))
            trimmed--;
        int fit = range_fit(accept, trimmed, type);
        size_t whole = strcspn(accept, ",");
        if (fit > best) {
            best = fit;
            quality = quality_of(accept + length, whole - length);
        }
        accept += whole;
    }
    return quality;
}

static bool reply_not_acceptable(struct api_call *call, const char *const *types)
{
    char list[160] = "";
    for (size_t i = 0, used = 0; types[i] && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 !i             ? ""
                                 : types[i + 1] ? ", "
                                                : " or ",
                                 types[i]);
    reply_problem(call, 406, "not_acceptable", "no acceptable type; available: %s", list);
    return false;
}

bool accept_choose(struct api_call *call, const char *const *types, int *chosen)
{
    if (*chosen >= 0)
        return true;
    const char *accept = call->request->header(call->request, "Accept");
    if (!accept || !*accept || !strcmp(accept, "*/*")) {
        *chosen = 0;
        return true;
    }
    int best_quality = 0;
    for (int i = 0; types[i]; i++) {
        int quality = accept_quality(accept, types[i]);
        if (quality > best_quality) {
            best_quality = quality;
            *chosen = i;
        }
    }
    return *chosen >= 0 || reply_not_acceptable(call, types);
}

bool accept_prefers_page(const struct api_call *call)
{
    const char *accept = call->request->header(call->request, "Accept");
    if (!accept)
        return false;
    int page = accept_quality(accept, "text/html"), json = accept_quality(accept, "application/json");
    int problem = accept_quality(accept, "application/problem+json");
    return page > 0 && page > json && page > problem;
}
