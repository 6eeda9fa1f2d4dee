#include "api/match.h"

#include "server/ops/base_path.h"

#include <stdio.h>
#include <string.h>

/* The parts between slashes. A path with too many parts counts as one more than fit. */
static unsigned split(const char *path, struct api_segment segments[CALL_SEGMENTS])
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

static bool is_word(const struct api_segment *part, const char *word)
{
    return part->length == strlen(word) && !memcmp(part->text, word, part->length);
}

/* "/v1/named/ARCHIVE/CLIP/rest" becomes "/v1/clips/CLIP/rest" with archive set; archive->length is 0 for
 * other paths. */
static unsigned take_archive(struct api_segment *parts, unsigned count, struct api_segment *archive)
{
    *archive = (struct api_segment){0};
    if (count < 4 || count >= CALL_SEGMENTS || !is_word(&parts[0], "v1") || !is_word(&parts[1], "named"))
        return count;
    *archive = parts[2];
    parts[1] = (struct api_segment){"clips", strlen("clips")};
    memmove(&parts[2], &parts[3], (count - 3) * sizeof *parts);
    return count - 1;
}

/* "{id}" matches any part, "{id}.{ext}" a part that contains a dot; everything else must be equal. */
static bool match_segment(const struct api_segment *pattern, const struct api_segment *part,
                          struct api_match *match)
{
    if (pattern->text[0] != '{')
        return pattern->length == part->length && !memcmp(pattern->text, part->text, part->length);
    if (!part->length || match->value_count + 2 > API_VALUES)
        return false;
    const char *dot = memchr(pattern->text, '.', pattern->length);
    if (!dot) {
        match->values[match->value_count++] = *part;
        return true;
    }
    const char *split_at = memrchr(part->text, '.', part->length);
    if (!split_at || split_at == part->text || split_at == part->text + part->length - 1)
        return false;
    /* A literal extension ("{id}.glb") must match. */
    size_t ending = pattern->length - (size_t)(dot + 1 - pattern->text);
    size_t found = part->length - (size_t)(split_at + 1 - part->text);
    if (dot[1] != '{' && (ending != found || memcmp(dot + 1, split_at + 1, found) != 0))
        return false;
    match->values[match->value_count++] = (struct api_segment){part->text, (size_t)(split_at - part->text)};
    match->values[match->value_count++] = (struct api_segment){split_at + 1, found};
    match->whole = *part;
    return true;
}

static bool match_route(const struct route *route, const struct api_segment *parts, unsigned count,
                        struct api_match *match)
{
    const char *at = route->template;
    match->value_count = 0;
    match->whole.length = 0;
    for (unsigned i = 0; i < count; i++) {
        if (*at != '/')
            return false;
        at++;
        struct api_segment pattern = {at, strcspn(at, "/")};
        if (!match_segment(&pattern, &parts[i], match))
            return false;
        at += pattern.length;
    }
    return !*at;
}

static void allow(struct api_match *match, const char *method)
{
    size_t used = strlen(match->allowed);
    if (!strstr(match->allowed, method))
        snprintf(match->allowed + used, sizeof match->allowed - used, "%s%s%s", used ? ", " : "", method,
                 !strcmp(method, "GET") ? ", HEAD" : "");
}

static void find_route(const char *method, const char *path, struct api_match *match)
{
    struct api_segment parts[CALL_SEGMENTS];
    unsigned count = take_archive(parts, split(path, parts), &match->archive);
    bool head = !strcmp(method, "HEAD");
    for (size_t i = 0; i < route_count && count < CALL_SEGMENTS; i++) {
        struct api_match found = {.archive = match->archive};
        /* The first template that matches is the path's: "{id}.zip" is no "{id}" for another method. */
        if (match->nearest && strcmp(match->nearest->template, routes[i].template) != 0)
            continue;
        if ((match->archive.length && !(routes[i].flags & ROUTE_CLIP)) ||
            !match_route(&routes[i], parts, count, &found))
            continue;
        if (!strcmp(routes[i].method, method) || (head && !strcmp(routes[i].method, "GET"))) {
            *match = found;
            match->route = match->nearest = &routes[i];
            return;
        }
        allow(match, routes[i].method);
        if (!match->nearest)
            match->nearest = &routes[i];
    }
}

/* With an address of its own for /metrics, that is there and nowhere else; beside it there are only the probes. */
static bool is_served_here(const struct service *service, const struct api_request *request)
{
    const bool is_metrics = !strcmp(request->path, "/metrics");
    if (!request->is_side)
        return !is_metrics || !service->config->metrics_listen;
    return is_metrics || !strcmp(request->path, "/healthz") || !strcmp(request->path, "/readyz");
}

const struct api_match *route_match(const struct service *service, const struct api_request *asked)
{
    struct api_request *request = (struct api_request *)(uintptr_t)asked;
    if (!request->is_matched) {
        request->path = base_path_strip(request->path);
        if (is_served_here(service, request))
            find_route(request->method, request->path, &request->match);
    }
    request->is_matched = true;
    return &request->match;
}
