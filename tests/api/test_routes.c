/* The route table and openapi.json tell the same: every route with its query parameters, both ways. */
#include "api/protocol/call.h"
#include "api/handlers/openapi.h"
#include "server/ops/base_path.h"
#include "tests/support/unit.h"

#include <ctype.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

static json_t *contract;

/* What "$ref": "#/components/parameters/x" stands for. */
static json_t *resolve(json_t *item)
{
    const char *reference = json_string_value(json_object_get(item, "$ref"));
    json_t *found = contract;
    if (!reference)
        return item;
    ck_assert_msg(!strncmp(reference, "#/", 2), "%s", reference);
    for (const char *at = reference + 2; *at;) {
        char part[80];
        size_t length = strcspn(at, "/");
        snprintf(part, sizeof part, "%.*s", (int)length, at);
        found = json_object_get(found, part);
        ck_assert_msg(found, "%s leads nowhere", reference);
        at += length + (at[length] == '/');
    }
    return found;
}

/* A clip is known by its id, or by the names of archive and clip: one route is two paths. */
static const char by_id[] = "/v1/clips/{id}", by_name[] = "/v1/named/{archive}/{clip}";

static json_t *find_operation(const struct route *route, const char *template)
{
    char method[8];
    size_t i = 0;
    for (; route->method[i]; i++)
        method[i] = (char)tolower((unsigned char)route->method[i]);
    method[i] = '\0';
    return json_object_get(json_object_get(json_object_get(contract, "paths"), template), method);
}

static bool takes(const struct route *route, const char *name)
{
    for (const char *const *at = route->parameters; at && *at; at++) {
        if (!strcmp(*at, name))
            return true;
    }
    return false;
}

/* Whether the operation describes that parameter of the query; the path's are among the template's. */
static bool describes(json_t *operation, const char *name)
{
    json_t *parameter;
    size_t index;
    json_array_foreach(json_object_get(operation, "parameters"), index, parameter)
    {
        parameter = resolve(parameter);
        if (!strcmp(json_string_value(json_object_get(parameter, "in")), "query") &&
            !strcmp(json_string_value(json_object_get(parameter, "name")), name))
            return true;
    }
    return false;
}

/* Every parameter is described on each path of its route, but archive= exactly where the path does not name the archive:
 * there it is refused. */
static void check_description(const struct route *route, const char *template, bool names_archive)
{
    json_t *operation = find_operation(route, template);
    ck_assert_msg(operation, "%s %s is not in openapi.json", route->method, template);
    for (const char *const *name = route->parameters; name && *name; name++) {
        bool is_taken = !names_archive || strcmp(*name, "archive") != 0;
        ck_assert_msg(describes(operation, *name) == is_taken, "%s: %s is%s in openapi.json", template, *name,
                      is_taken ? " not" : "");
    }
    ck_assert_msg(!(route->flags & ROUTE_BODY) == !json_object_get(operation, "requestBody"),
                  "%s: a body, or none", template);
}

TEST(every_route_is_described)
{
    unsigned clips = 0;
    for (size_t i = 0; i < route_count; i++) {
        check_description(&routes[i], routes[i].template, false);
        if (!(routes[i].flags & ROUTE_CLIP))
            continue;
        char template[96];
        ck_assert(!strncmp(routes[i].template, by_id, sizeof by_id - 1));
        snprintf(template, sizeof template, "%s%s", by_name, routes[i].template + sizeof by_id - 1);
        check_description(&routes[i], template, true);
        clips++;
    }
    ck_assert_uint_ge(clips, 10);
}

static const struct route *find_route(const char *template, const char *method)
{
    char other[96];
    size_t length = sizeof by_name - 1;
    if (!strncmp(template, by_name, length)) {
        snprintf(other, sizeof other, "%s%s", by_id, template + length);
        template = other;
    }
    for (size_t i = 0; i < route_count; i++) {
        if (!strcmp(routes[i].template, template) && !strcasecmp(routes[i].method, method))
            return &routes[i];
    }
    return NULL;
}

static void check_operation(const char *template, const char *method, json_t *operation)
{
    const struct route *route = find_route(template, method);
    json_t *parameter;
    size_t index;
    ck_assert_msg(route, "%s %s has no route", method, template);
    json_array_foreach(json_object_get(operation, "parameters"), index, parameter)
    {
        parameter = resolve(parameter);
        const char *name = json_string_value(json_object_get(parameter, "name"));
        const char *in = json_string_value(json_object_get(parameter, "in"));
        char hole[80];
        snprintf(hole, sizeof hole, "{%s}", name);
        ck_assert_msg(strcmp(in, "path") || strstr(template, hole), "%s has no %s", template, hole);
        ck_assert_msg(strcmp(in, "query") || takes(route, name), "%s does not take %s", template, name);
    }
}

TEST(every_operation_has_a_route)
{
    const char *template, *method;
    json_t *item, *operation;
    json_object_foreach(json_object_get(contract, "paths"), template, item)
    {
        json_object_foreach(item, method, operation) check_operation(template, method, operation);
    }
}

/* Behind a proxy that takes it off, a base path that begins as one of our own addresses could not be told from it. */
TEST(no_base_path_begins_as_a_route)
{
    for (size_t i = 0; i < route_count; i++) {
        const char *template = routes[i].template, *why;
        char first[80];
        const size_t length = strcspn(template + 1, "/") + 1;
        if (length == 1 || template[1] == '{')
            continue;
        snprintf(first, sizeof first, "%.*s", (int)length, template);
        ck_assert_msg(!base_path_is_valid(first, &why), "--base-path %s would hide %s", first, template);
        ck_assert_msg(!strncmp(why, "the daemon", 10), "%s: %s", first, why);
    }
}

int main(void)
{
    json_error_t problem;
    contract = json_loadb(openapi_text, openapi_size, JSON_REJECT_DUPLICATES, &problem);
    if (!contract) {
        fprintf(stderr, "openapi.json, line %d: %s\n", problem.line, problem.text);
        return 1;
    }
    int status = unit_run();
    json_decref(contract);
    return status;
}
