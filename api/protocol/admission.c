#include "api/protocol/admission.h"

#include "api/protocol/forwarded.h"
#include "api/protocol/reply.h"
#include "server/ops/clock.h"
#include "server/library/service.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* "example.org" matches that host, "*.example.org" any subdomain. */
static bool pattern_matches(const char *pattern, size_t size, const char *host, size_t length)
{
    if (size > 2 && pattern[0] == '*' && pattern[1] == '.') {
        size_t ending = size - 1;
        return length > ending && !strncasecmp(host + length - ending, pattern + 1, ending);
    }
    return size == length && !strncasecmp(pattern, host, size);
}

static bool host_is_listed(const char *list, const char *host)
{
    const size_t length = host_length(host);
    const char *port = host + length;
    if (*port && (*port != ':' || port[1 + strspn(port + 1, "0123456789")]))
        return false;
    while (*list) {
        list += strspn(list, ", \t");
        size_t size = strcspn(list, ", \t");
        if (size && pattern_matches(list, size, host, length))
            return true;
        list += size;
    }
    return false;
}

/* Both names: links are made with the forwarded one. */
static bool check_host(struct api_call *call)
{
    const struct config *config = call->service->config;
    const char *list = config->allowed_hosts;
    const char *host = call->request->header(call->request, "Host");
    const char *forwarded = forwarded_host(call->request, &config->trusted);
    if (!list)
        return true;
    if (host_is_listed(list, host ? host : "")) {
        if (!forwarded || host_is_listed(list, forwarded))
            return true;
        host = forwarded;
    }
    reply_problem(call, 403, "host_not_allowed", "unknown host \"%.100s\"; see --allowed-hosts",
                  host ? host : "");
    return false;
}

static bool check_rate(struct api_call *call)
{
    char client[API_CLIENT_CAPACITY], seconds[24];
    double wait;
    if (!call->service->rate_limit)
        return true;
    forwarded_client(call->request, &call->service->config->trusted, client);
    if (rate_limit_take(call->service->rate_limit, client, clock_seconds(), &wait))
        return true;
    snprintf(seconds, sizeof seconds, "%.0f", ceil(wait));
    response_header(call->response, "Retry-After", seconds);
    reply_problem(call, 429, "rate_limited", "more than %g requests per second from one client",
                  call->service->config->rate_limit);
    return false;
}

bool admission_has_rules(const struct service *service)
{
    return service->rate_limit || service->config->allowed_hosts;
}

static bool is_for_watchers(const char *path)
{
    return !strcmp(path, "/healthz") || !strcmp(path, "/readyz");
}

bool admission_check(struct api_call *call)
{
    return call->request->is_side || is_for_watchers(call->request->path) ||
           (check_host(call) && check_rate(call));
}
