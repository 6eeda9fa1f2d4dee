#include "api/dispatch.h"

#include "api/protocol/access.h"
#include "api/protocol/admission.h"
#include "api/protocol/forwarded.h"
#include "api/protocol/reply.h"
#include "lib/core/hex.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

/* --------------------------------------------------------------------------------------------- matching -- */

struct segment {
    const char *text;
    size_t length;
};

/* The parts between slashes; more than there is room for count as one too many. */
static unsigned split(const char *path, struct segment segments[CALL_SEGMENTS])
{
    unsigned count = 0;
    while (*path == '/' && count < CALL_SEGMENTS) {
        path++;
        segments[count].text = path;
        segments[count].length = strcspn(path, "/");
        path += segments[count++].length;
    }
    return *path ? CALL_SEGMENTS : count;
}

struct match {
    const struct route *route;
    struct segment values[CALL_VALUES];
    unsigned value_count;
};

/* "{id}" takes the whole part, "{id}.{ext}" one that holds a dot, anything else must be equal. */
static bool match_segment(const struct segment *pattern, const struct segment *part, struct match *match)
{
    if (pattern->text[0] != '{')
        return pattern->length == part->length && !memcmp(pattern->text, part->text, part->length);
    if (!part->length || match->value_count + 2 > CALL_VALUES)
        return false;
    const char *dot = memchr(pattern->text, '.', pattern->length);
    if (!dot) {
        match->values[match->value_count++] = *part;
        return true;
    }
    const char *split_at = memrchr(part->text, '.', part->length);
    if (!split_at || split_at == part->text || split_at == part->text + part->length - 1)
        return false;
    /* A literal ending ("{id}.glb") must be there. */
    size_t ending = pattern->length - (size_t)(dot + 1 - pattern->text);
    size_t found = part->length - (size_t)(split_at + 1 - part->text);
    if (dot[1] != '{' && (ending != found || memcmp(dot + 1, split_at + 1, found) != 0))
        return false;
    match->values[match->value_count++] = (struct segment){part->text, (size_t)(split_at - part->text)};
    match->values[match->value_count++] = (struct segment){split_at + 1, found};
    return true;
}

static bool match_route(const struct route *route, const struct segment *parts, unsigned count,
                        struct match *match)
{
    const char *at = route->template;
    match->route = route;
    match->value_count = 0;
    for (unsigned i = 0; i < count; i++) {
        if (*at != '/')
            return false;
        at++;
        struct segment pattern = {at, strcspn(at, "/")};
        if (!match_segment(&pattern, &parts[i], match))
            return false;
        at += pattern.length;
    }
    return !*at;
}

/* The route of a path for a method; NULL, and the methods that it does have (as bits of the table) in allowed. */
static const struct route *find_route(const char *method, const char *path, struct match *found,
                                      char *allowed, size_t allowed_size)
{
    struct segment parts[CALL_SEGMENTS];
    unsigned count = split(path, parts);
    allowed[0] = 0;
    bool head = !strcmp(method, "HEAD");
    for (size_t i = 0; i < route_count; i++) {
        struct match match;
        if (count >= CALL_SEGMENTS || !match_route(&routes[i], parts, count, &match))
            continue;
        if (!strcmp(routes[i].method, method) || (head && !strcmp(routes[i].method, "GET"))) {
            *found = match;
            return match.route;
        }
        if (!strstr(allowed, routes[i].method)) {
            size_t used = strlen(allowed);
            snprintf(allowed + used, allowed_size - used, "%s%s%s", used ? ", " : "", routes[i].method,
                     !strcmp(routes[i].method, "GET") ? ", HEAD" : "");
        }
        if (!found->route)
            *found = match;
    }
    return NULL;
}

const char *const *api_route_templates(void)
{
    static const char *templates[128];
    unsigned count = 0;
    for (size_t i = 0; i < route_count && count + 1 < sizeof templates / sizeof templates[0]; i++) {
        bool seen = false;
        for (unsigned k = 0; k < count; k++)
            seen |= !strcmp(templates[k], routes[i].template);
        if (!seen)
            templates[count++] = routes[i].template;
    }
    templates[count] = NULL;
    return templates;
}

/* ------------------------------------------------------------------------------------------- one request -- */

static bool is_visible(const char *text)
{
    size_t length = strlen(text);
    for (size_t i = 0; i < length; i++) {
        if (text[i] <= ' ' || text[i] > '~')
            return false;
    }
    return length > 0 && length <= 128;
}

/* The client's id when it may be echoed, else one of our own. */
static void give_request_id(const struct api_request *request, struct api_response *response)
{
    static _Atomic uint64_t counter;
    static _Atomic uint64_t salt;
    const char *given = request->header(request, "X-Request-Id");
    if (given && is_visible(given)) {
        snprintf(response->request_id, sizeof response->request_id, "%s", given);
        return;
    }
    uint64_t mixed = atomic_load_explicit(&salt, memory_order_relaxed);
    if (!mixed) {
        if (getrandom(&mixed, sizeof mixed, 0) != sizeof mixed)
            mixed = (uint64_t)(uintptr_t)request;
        mixed |= 1;
        atomic_store_explicit(&salt, mixed, memory_order_relaxed);
    }
    uint64_t number = atomic_fetch_add_explicit(&counter, 1, memory_order_relaxed);
    uint64_t id = mixed + number * 0x9e3779b97f4a7c15u;
    hex_write((const uint8_t *)&id, sizeof id, response->request_id);
}

/* Templates are compared as pointers by the metrics: always the first route that has the same text. */
static const char *canonical_template(const struct route *route)
{
    for (size_t i = 0; i < route_count; i++) {
        if (!strcmp(routes[i].template, route->template))
            return routes[i].template;
    }
    return "";
}

/* What the log, the metrics and a problem want to know of the request. route NULL: none. */
static void begin_response(struct api_call *call, const struct route *route)
{
    struct api_response *response = call->response;
    response_init(response, 200);
    give_request_id(call->request, response);
    response->route = route ? canonical_template(route) : "";
    if (call->service->config->trusted.count)
        forwarded_client(call->request, &call->service->config->trusted, response->client);
}

static bool decode_values(struct api_call *call, const struct match *match)
{
    size_t size = 1;
    for (unsigned i = 0; i < match->value_count; i++)
        size += match->values[i].length + 1;
    call->value_storage = malloc(size);
    char *at = call->value_storage;
    for (unsigned i = 0; at && i < match->value_count; i++) {
        if (!percent_decode(match->values[i].text, match->values[i].length, false, at))
            return false;
        call->values[i] = at;
        at += match->values[i].length + 1;
    }
    return at != NULL;
}

static void preflight(struct api_response *response, const char *allowed)
{
    char methods[96];
    snprintf(methods, sizeof methods, "%s%sOPTIONS", allowed, *allowed ? ", " : "");
    response->status = 204;
    response_header(response, "Allow", methods);
    response_header(response, "Access-Control-Allow-Methods", methods);
    response_header(response, "Access-Control-Allow-Headers",
                    "Authorization, Content-Type, Content-Disposition, If-None-Match, Range");
    response_header(response, "Access-Control-Max-Age", "86400");
}

/* Without either header there is no body (RFC 9112, 6.3): the client has forgotten it. */
static bool lacks_length(const struct api_call *call)
{
    const struct api_request *request = call->request;
    return call->route->flags & ROUTE_BODY && !request->body_size &&
           !request->header(request, "Content-Length") && !request->header(request, "Transfer-Encoding");
}

static enum api_outcome run(struct api_call *call, const struct match *match)
{
    static const char *const json[] = {"application/json", NULL};
    struct param_error error;
    int form = call->route->flags & ROUTE_JSON ? -1 : 0;
    if (call->route->flags & ROUTE_WRITES && !access_may_write(call))
        return API_DONE;
    if (lacks_length(call))
        return reply_problem(call, 411, "no_length",
                             "the request takes a body and does not say how long it is");
    if (!decode_values(call, match))
        return reply_problem(call, 400, "bad_path", "the path is not percent-encoded UTF-8 without NUL");
    if (!params_parse(&call->params, call->request->query, &error) ||
        !params_check(&call->params, call->route->parameters, &error))
        return reply_parameter(call, &error);
    return accept_choose(call, json, &form) ? call->route->run(call) : API_DONE;
}

static enum api_outcome no_route(struct api_call *call, const char *allowed)
{
    if (!*allowed)
        return reply_problem(call, 404, "not_found", "there is nothing at %.200s", call->request->path);
    char methods[96];
    snprintf(methods, sizeof methods, "%s, OPTIONS", allowed);
    response_header(call->response, "Allow", methods);
    return reply_problem(call, 405, "bad_method", "%.20s is not a method of this path",
                         call->request->method);
}

enum api_outcome api_handle(void *user, struct api_request *request, struct api_response *response)
{
    struct service *service = user;
    struct match match = {0};
    char allowed[64];
    const struct route *route = find_route(request->method, request->path, &match, allowed, sizeof allowed);
    struct api_call call = {.service = service,
                            .request = request,
                            .response = response,
                            .route = route,
                            .fetch.may_wait = request->may_wait};
    begin_response(&call, match.route);
    enum api_outcome outcome = API_DONE;
    if (route) {
        bool on_loop = !request->may_wait && request->loop < SERVICE_LOOPS;
        call.catalog = service_enter(service, on_loop, request->loop);
        outcome = run(&call, &match);
        service_leave(service, call.catalog, on_loop);
    } else if (!strcmp(request->method, "OPTIONS") && *allowed) {
        preflight(response, allowed);
    } else {
        outcome = no_route(&call, allowed);
    }
    params_release(&call.params);
    free(call.value_storage);
    if (outcome == API_WAIT) {
        request->is_dear = route->flags & ROUTE_DEAR;
        memcpy(request->payer, response->client, sizeof request->payer);
        response_release(response);
    } else {
        reply_finish(&call);
    }
    return outcome;
}

bool api_admit(void *user, const struct api_request *request, uint64_t *max_body,
               struct api_response *response)
{
    /* What a client may send along with a request that takes no body, to be ignored. */
    enum { IGNORED_BODY = 64 * 1024 };
    struct service *service = user;
    struct match match = {0};
    char allowed[64];
    const struct route *route = find_route(request->method, request->path, &match, allowed, sizeof allowed);
    struct api_call call = {.service = service,
                            .request = (struct api_request *)(uintptr_t)request,
                            .response = response,
                            .route = route};
    *max_body = route && route->flags & ROUTE_BODY ? service->config->max_upload : IGNORED_BODY;
    bool writes = route && route->flags & ROUTE_WRITES;
    if (!writes && !admission_has_rules(service))
        return true;
    begin_response(&call, match.route);
    if (admission_check(&call) && (!writes || access_may_write(&call))) {
        response_release(response);
        return true;
    }
    reply_finish(&call);
    return false;
}

/* The body is larger than max-upload; requests that take none have a bound of their own, without a name. */
static void refuse_body(struct api_call *call, const char *detail)
{
    struct match match = {0};
    char allowed[64];
    struct pose_error error;
    const struct route *route =
        find_route(call->request->method, call->request->path, &match, allowed, sizeof allowed);
    pose_error_init(&error);
    error.status = POSE_OVER_LIMIT;
    snprintf(error.code, sizeof error.code, "too_large");
    snprintf(error.limit, sizeof error.limit, "%s", route && route->flags & ROUTE_BODY ? "max-upload" : "");
    snprintf(error.detail, sizeof error.detail, "%s", detail);
    reply_error(call, &error, NULL, NULL);
}

void api_refuse(void *user, const struct api_request *request, unsigned status, const char *detail,
                struct api_response *response)
{
    response_init(response, status);
    give_request_id(request, response);
    struct api_call call = {.service = user,
                            .request = request ? (struct api_request *)(uintptr_t)request : NULL,
                            .response = response};
    response->route = "";
    if (status == 413 && request)
        refuse_body(&call, detail);
    else
        reply_problem(&call, status, NULL, "%s", detail);
    reply_finish(&call);
}
