#include "api/dispatch.h"

#include "api/handlers/handlers.h"
#include "api/match.h"
#include "api/pages/error_page.h"
#include "api/protocol/access.h"
#include "api/protocol/admission.h"
#include "api/protocol/forwarded.h"
#include "api/named.h"
#include "api/protocol/reply.h"
#include "api/signing/signed.h"
#include "lib/core/hex.h"
#include "server/library/rows/rows.h"
#include "server/ops/base_path.h"
#include "server/uploads/fetch.h"
#include "server/uploads/follow.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

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

/* The client's id if it is safe to echo, otherwise a new one. */
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

/* The metrics compare templates as pointers: always return the first route that has the same text. */
static const char *canonical_template(const struct route *route)
{
    for (size_t i = 0; i < route_count; i++) {
        if (!strcmp(routes[i].template, route->template))
            return routes[i].template;
    }
    return "";
}

/* Fills in the fields for the log, the metrics and problems. route is NULL if none matched. */
static void begin_response(struct api_call *call, const struct route *route)
{
    struct api_response *response = call->response;
    response_init(response, 200);
    give_request_id(call->request, response);
    response->route = route ? canonical_template(route) : "";
    if (call->service->config->trusted.count)
        forwarded_client(call->request, &call->service->config->trusted, response->client);
}

/* Decodes the path segment at *at and advances *at; NULL if it is not percent-encoded UTF-8. */
static const char *decode_value(const struct api_segment *part, char **at)
{
    char *text = *at;
    *at += part->length + 1;
    return percent_decode(part->text, part->length, false, text) ? text : NULL;
}

static bool decode_values(struct api_call *call, const struct api_match *match)
{
    size_t size = match->archive.length + match->whole.length + 2;
    for (unsigned i = 0; i < match->value_count; i++)
        size += match->values[i].length + 1;
    char *at = call->value_storage = malloc(size);
    if (!at)
        return false;
    for (unsigned i = 0; i < match->value_count; i++) {
        call->values[i] = decode_value(&match->values[i], &at);
        if (!call->values[i])
            return false;
    }
    call->by_name = match->archive.length;
    if (call->by_name)
        call->archive_name = decode_value(&match->archive, &at);
    if (match->whole.length)
        call->whole = decode_value(&match->whole, &at);
    return !call->by_name || call->archive_name;
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

/* Without either header there is no body (RFC 9112, 6.3): the client forgot it, but that of a DELETE is optional. */
static bool lacks_length(const struct api_call *call)
{
    const struct api_request *request = call->request;
    return call->route->flags & ROUTE_BODY && !(call->route->flags & ROUTE_DELETES) && !request->body_size &&
           !request->form && !request->header(request, "Content-Length") &&
           !request->header(request, "Transfer-Encoding");
}

/* Runs the checks that the route's flags ask for, then the handler. */
static enum api_outcome run_handler(struct api_call *call)
{
    const struct route *route = call->route;
    if (route->flags & ROUTE_POOL && !call->request->may_wait)
        return API_WAIT;
    if (!(route->flags & ROUTE_CLIP))
        return route->run(call);
    bool is_clip = route->run == handle_clip_convert && clip_has_dotted_name(call);
    if (!clip_of_path(call))
        return API_DONE;
    return is_clip ? handle_clip(call) : route->run(call);
}

static enum api_outcome run(struct api_call *call, const struct api_match *match)
{
    static const char *const json[] = {"application/json", NULL};
    struct param_error error;
    int form = call->route->flags & ROUTE_JSON ? -1 : 0;
    enum api_outcome outcome;
    if (call->route->flags & ROUTE_WRITES && !access_may_write(call))
        return API_DONE;
    if (lacks_length(call))
        return reply_problem(call, 411, "no_length", "Content-Length is missing");
    if (call->route->run == handle_pose && recall_pose(call, &outcome))
        return outcome;
    if (!decode_values(call, match))
        return !call->value_storage ? reply_no_memory(call)
                                    : reply_problem(call, 400, "bad_path",
                                                    "the path is not percent-encoded UTF-8 without NUL");
    if (!params_parse(&call->params, call->request->query, &error))
        return reply_parameter(call, &error);
    if (call->route->flags & ROUTE_SIGNED && !signed_admit(call))
        return API_DONE;
    if (!params_check(&call->params, call->route->parameters, &error))
        return reply_parameter(call, &error);
    return accept_choose(call, json, &form) ? run_handler(call) : API_DONE;
}

/* Whether the first segments of a path are those of a template, where "{id}" stands for any. */
static bool begins_like(const char *path, size_t length, const char *template, size_t template_length)
{
    const char *end = path + length, *template_end = template + template_length;
    while (path < end && template <template_end) {
        size_t size = strcspn(path + 1, "/"), wanted = strcspn(template + 1, "/");
        if (template[1] != '{' && (size != wanted || memcmp(path + 1, template + 1, size) != 0))
            return false;
        path += size + 1;
        template += wanted + 1;
    }
    return path == end && template == template_end;
}

/* The rest of the path after /v1/named/ARCHIVE/CLIP; NULL for other paths. */
static const char *after_names(const char *path)
{
    static const char named[] = "/v1/named/";
    if (strncmp(path, named, sizeof named - 1) != 0)
        return NULL;
    const char *clip = strchr(path + sizeof named - 1, '/');
    return clip ? strchr(clip + 1, '/') : NULL;
}

/* Finds other last segments of the same path, such as "pose" of a clip, by its id or its names; last: the slash before
 * it. */
static void near_last_segment(const char *path, const char *last, struct nearest *nearest)
{
    static const char clip[] = "/v1/clips/{id}";
    const char *names = after_names(path), *begin = names ? names : path;
    nearest_begin(nearest, last + 1, strlen(last + 1));
    for (size_t i = 0; i < route_count; i++) {
        const char *template = routes[i].template, *end = strrchr(template, '/');
        if (names && !(routes[i].flags & ROUTE_CLIP && !strncmp(template, clip, sizeof clip - 1)))
            continue;
        if (names)
            template += sizeof clip - 1;
        if (strchr(routes[i].template, '{') && end >= template && end[1] != '{' &&
            begins_like(begin, (size_t)(last - begin), template, (size_t)(end - template)))
            nearest_offer(nearest, end + 1);
    }
}

/* Suggests a near last segment, or paths without ids. */
static enum api_outcome no_path(struct api_call *call)
{
    const char *path = call->request->path, *last = strrchr(path, '/');
    char text[256], folder[1024];
    struct nearest nearest = {.count = 0};
    if (!strcmp(path, "/v1") || !strcmp(path, "/v1/"))
        return reply_problem(call, 404, "not_found", "no endpoint: %s; the API is described at /docs", path);
    snprintf(text, sizeof text, "no such page or endpoint: %.150s%s", path,
             strstr(path, "/preview.") ? "; a preview ends in .svg, .png or .webp" : "");
    if (last && last[1] && last != path && (size_t)(last + 1 - path) < sizeof folder) {
        snprintf(folder, sizeof folder, "%.*s", (int)(last + 1 - path), path);
        near_last_segment(path, last, &nearest);
    }
    if (nearest.count)
        return reply_near_path(call, &nearest, folder, text);
    nearest_begin(&nearest, path, strlen(path));
    for (size_t i = 0; i < route_count; i++) {
        if (!strchr(routes[i].template, '{') && strcmp(routes[i].template, path) != 0)
            nearest_offer(&nearest, routes[i].template);
    }
    return reply_near(call, "not_found", &nearest, text);
}

static enum api_outcome no_route(struct api_call *call, const char *allowed)
{
    if (!*allowed)
        return no_path(call);
    char methods[96];
    snprintf(methods, sizeof methods, "%s, OPTIONS", allowed);
    response_header(call->response, "Allow", methods);
    return reply_problem(call, 405, "bad_method", "%.20s is not a method of this path; use %s",
                         call->request->method, allowed);
}

/* Handlers name paths of this server without the prefix. */
static void add_base_path(struct api_response *response, const char *name)
{
    const char *path = response_find_header(response, name);
    char whole[1216 + BASE_PATH_CAPACITY];
    if (!path || path[0] != '/')
        return;
    const bool fits = snprintf(whole, sizeof whole, "%s%s", base_path(), path) < (int)sizeof whole;
    response_drop_header(response, name);
    response_header(response, name, fits ? whole : "");
}

/* The last step of every response. */
static void finish(struct api_call *call)
{
    if (*base_path()) {
        add_base_path(call->response, "Location");
        add_base_path(call->response, "Content-Location");
    }
    error_page_replace(call);
    reply_finish(call);
}

static bool client_has_left(const void *client)
{
    const struct api_request *request = client;
    return request->has_left && request->has_left(request);
}

/* Who may see uploads that wait gets a catalogue with them. False: it has to be built on the pool. */
static bool take_view(struct api_call *call)
{
    struct waiting *waiting = call->service->waiting;
    struct catalog *view = NULL;
    if (!waiting_count(waiting) || call->request->path[1] == '\0')
        return true;
    access_identify(call);
    const bool is_admin = call->grant.scopes & SCOPE_ADMIN;
    if (!is_admin && !call->grant.name[0])
        return true;
    const enum waiting_answer answer = waiting_view(
        waiting, call->catalog, is_admin ? NULL : call->grant.name, call->request->may_wait, &view);
    call->is_view = answer == WAITING_VIEW;
    if (call->is_view)
        call->catalog = view;
    return answer != WAITING_MUST_WAIT;
}

/* Shared caches must not keep what others do not see. */
static void keep_private(struct api_call *call)
{
    if (!call->is_view)
        return;
    response_drop_header(call->response, "Cache-Control");
    response_header(call->response, "Cache-Control", "private, no-store");
}

/* What was missed was not there for the handler: on a loop it has to run again where it may wait; on the pool what it did
 * not find is fetched. */
static bool has_to_repeat(const struct api_call *call, bool has_missed)
{
    /* A write that was done stays done. */
    return has_missed && !(call->route->flags & ROUTE_WRITES && call->response->status < 400);
}

/* Runs the handler over a catalogue, which is replaced by that which a list has gone on to. */
static enum api_outcome run_once(struct api_call *call, const struct api_match *match,
                                 struct catalog_turn *turn, struct catalog **catalog, bool *has_missed)
{
    call->catalog = *catalog;
    catalog_turn_begin(turn);
    const enum api_outcome outcome = take_view(call) ? run(call, match) : API_WAIT;
    *has_missed = has_to_repeat(call, catalog_turn_end());
    rows_view_close(call->rows);
    call->rows = NULL;
    if (call->is_view)
        catalog_unref(call->catalog);
    else
        *catalog = call->catalog;
    return outcome;
}

/* Takes back what a run has made. */
static void begin_again(struct api_call *call, const struct route *nearest)
{
    struct api_call fresh = {.service = call->service,
                             .request = call->request,
                             .response = call->response,
                             .route = call->route,
                             .fetch.may_wait = true,
                             .effort = call->effort};
    params_release(&call->params);
    free(call->value_storage);
    response_release(call->response);
    *call = fresh;
    begin_response(call, nearest);
}

/* On the pool: the handler runs until it misses nothing. */
static enum api_outcome run_whole(struct api_call *call, const struct api_match *match,
                                  struct catalog **catalog)
{
    enum { MAX_RUNS = 24 };
    struct catalog_turn turn = {.count = 0};
    bool has_missed;
    enum api_outcome outcome = run_once(call, match, &turn, catalog, &has_missed);
    for (int i = 0; has_missed && i < MAX_RUNS; i++) {
        struct rows_view *rows = NULL;
        struct catalog *fetched =
            uploads_fetch(call->service, &turn, call->has_listed && !call->is_view ? &rows : NULL);
        if (!fetched)
            break;
        service_leave(call->service, *catalog, false);
        *catalog = fetched;
        catalog_turn_settle(&turn, fetched->generation);
        begin_again(call, match->nearest);
        call->rows = rows;
        outcome = run_once(call, match, &turn, catalog, &has_missed);
    }
    catalog_turn_release(&turn);
    if (!has_missed)
        return outcome;
    response_release(call->response);
    return reply_problem(call, 503, "store_down", "the store is down; try again");
}

/* Whether what is not there may be there for others who share the catalogue. */
static bool may_be_elsewhere(const struct service *service, const struct api_request *request,
                             const struct api_response *response, enum api_outcome outcome)
{
    return service->follower && outcome == API_DONE && response->status == 404 && !request->is_current;
}

/* Asks, on the pool. False with the answer that it cannot be known at the moment. */
static bool catch_up(struct api_call *call)
{
    struct store_error error;
    call->request->is_current = true;
    if (follow_catch_up(call->service, &error))
        return true;
    response_release(call->response);
    reply_problem(call, 503, "store_down", "the store is down; try again");
    return false;
}

/* Runs the handler over the current catalogue. */
static enum api_outcome run_current(struct api_call *call, const struct api_match *match)
{
    struct service *service = call->service;
    struct api_request *request = call->request;
    const bool on_loop = !request->may_wait && request->loop < SERVICE_LOOPS;
    struct catalog *catalog = service_enter(service, on_loop, request->loop);
    struct catalog_turn turn = {.count = 0};
    bool has_missed = false;
    enum api_outcome outcome = request->may_wait ? run_whole(call, match, &catalog)
                                                 : run_once(call, match, &turn, &catalog, &has_missed);
    catalog_turn_release(&turn);
    if (has_missed)
        outcome = API_WAIT;
    if (on_loop)
        service_leave_loop(service, request->loop);
    service_leave(service, catalog, on_loop);
    if (request->may_wait)
        service_trim(service);
    return outcome;
}

/* Of a catalogue that others share nothing is said not to be there before they were asked for, once. */
static enum api_outcome run_route(struct api_call *call, const struct api_match *match)
{
    const enum api_outcome outcome = run_current(call, match);
    if (!may_be_elsewhere(call->service, call->request, call->response, outcome))
        return outcome;
    if (!call->request->may_wait)
        return API_WAIT;
    if (!catch_up(call))
        return API_DONE;
    begin_again(call, match->nearest);
    return run_current(call, match);
}

enum api_outcome api_handle(void *user, struct api_request *request, struct api_response *response)
{
    struct service *service = user;
    const struct api_match *match = route_match(service, request);
    const struct route *route = match->route;
    const char *allowed = match->allowed;
    struct api_call call = {.service = service,
                            .request = request,
                            .response = response,
                            .route = route,
                            .fetch.may_wait = request->may_wait};
    struct effort effort;
    if (request->may_wait) {
        effort_begin(&effort, (double)service->config->max_time_ms * 1e-3, client_has_left, request);
        effort.budget = &service->unpacking;
        effort.budget_size = service->config->max_pending;
        call.effort = &effort;
    }
    begin_response(&call, match->nearest);
    enum api_outcome outcome = API_DONE;
    if (route) {
        outcome = run_route(&call, match);
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
        keep_private(&call);
        finish(&call);
    }
    if (call.effort)
        effort_end(call.effort);
    return outcome;
}

/* A body that is to be refused need not be read: what is signed is known before it. */
static bool admit_signed(struct api_call *call)
{
    struct param_error error;
    const bool done = params_parse(&call->params, call->request->query, &error)
                          ? signed_admit(call)
                          : (reply_parameter(call, &error), false);
    params_release(&call->params);
    return done;
}

bool api_admit(void *user, const struct api_request *request, uint64_t *max_body,
               struct api_response *response)
{
    /* Largest body that is ignored with a request that takes none. */
    enum { IGNORED_BODY = 64 * 1024 };
    struct service *service = user;
    const struct api_match *match = route_match(service, request);
    const struct route *route = match->route;
    *max_body = route && route->flags & ROUTE_BODY ? service->config->max_upload : IGNORED_BODY;
    bool writes = route && route->flags & ROUTE_WRITES;
    const unsigned dear = ROUTE_BODY | ROUTE_SIGNED;
    bool is_signed = service->url_keys && route && (route->flags & dear) == dear;
    if (!writes && !is_signed && !admission_has_rules(service))
        return true;
    struct api_call call = {.service = service,
                            .request = (struct api_request *)(uintptr_t)request,
                            .response = response,
                            .route = route};
    begin_response(&call, match->nearest);
    if (admission_check(&call) && (!writes || access_may_write(&call)) &&
        (!is_signed || admit_signed(&call))) {
        response_release(response);
        return true;
    }
    finish(&call);
    return false;
}

/* The body is larger than max-upload. Requests that take no body have a separate limit, which has no name. */
static void refuse_body(struct api_call *call, const char *detail)
{
    struct pose_error error;
    const struct route *route = route_match(call->service, call->request)->route;
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
    else if (status == 507)
        reply_no_room(&call, NULL, detail);
    else
        reply_problem(&call, status, NULL, "%s", detail);
    finish(&call);
}
