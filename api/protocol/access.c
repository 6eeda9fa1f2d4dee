#include "api/protocol/access.h"

#include "api/protocol/reply.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Names that always mean this machine, whatever a name server says. */
static bool is_local_name(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};
    size_t length = host_length(host);
    if (host[length] == ':' && host[length + 1 + strspn(host + length + 1, "0123456789")])
        return false;
    if (host[length] && host[length] != ':')
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i]) == length && !strncasecmp(host, names[i], length))
            return true;
    }
    return false;
}

/* An Origin is same-origin if it is http:// followed by exactly the Host, including the port. */
static bool is_own_origin(const char *origin, const char *host)
{
    static const char scheme[] = "http://";
    return !strncasecmp(origin, scheme, sizeof scheme - 1) && !strcasecmp(origin + sizeof scheme - 1, host);
}

/* NULL if the request may write without a token, otherwise the reason why not. */
static const char *refusal(const struct api_request *request)
{
    const char *host = request->header(request, "Host"), *origin = request->header(request, "Origin");
    if (!request->client_is_loopback)
        return "without a token, only programs on this machine may write";
    if (!host || request->header_count(request, "Host") != 1 || !is_local_name(host))
        return "without a token, writes require the Host localhost, 127.0.0.1 or [::1]";
    if (request->header_count(request, "Forwarded") || request->header_count(request, "Via") ||
        request->header_count(request, "X-Forwarded-*"))
        return "without a token, writes through a proxy are refused";
    if (origin && (request->header_count(request, "Origin") != 1 || !is_own_origin(origin, host)))
        return "without a token, writes from pages of other sites are refused; "
               "start the daemon with --token-file and send the token";
    return NULL;
}

/* The token of "Authorization: Bearer TOKEN", or NULL. */
static const char *bearer_token(const struct api_request *request)
{
    static const char scheme[] = "Bearer ";
    const char *value = request->header(request, "Authorization");
    if (!value || request->header_count(request, "Authorization") != 1 ||
        strncasecmp(value, scheme, sizeof scheme - 1) != 0)
        return NULL;
    value += sizeof scheme - 1;
    value += strspn(value, " ");
    return *value ? value : NULL;
}

static const struct grant everything = {.scopes = SCOPES_ALL};

/* What the route asks for; one of them is enough. */
static unsigned scopes_of(const struct route *route)
{
    if (route->flags & ROUTE_UPLOADS)
        return SCOPE_UPLOAD;
    return route->flags & ROUTE_DELETES ? SCOPE_DELETE | SCOPE_DELETE_OWN : SCOPE_ADMIN;
}

static bool lacks_scope(struct api_call *call)
{
    const char *words = call->route->flags & ROUTE_UPLOADS   ? "upload"
                        : call->route->flags & ROUTE_DELETES ? "delete or delete:own"
                                                             : "admin";
    reply_problem(call, 403, "no_scope", "this needs a token with the scope %s", words);
    return false;
}

bool access_may_write(struct api_call *call)
{
    struct tokens *tokens = call->service->tokens;
    if (!tokens) {
        const char *why = refusal(call->request);
        if (why)
            reply_problem(call, 403, "write_refused", "%s", why);
        call->grant = everything;
        return !why;
    }
    const char *token = bearer_token(call->request);
    if (token && tokens_find(tokens, token, &call->grant)) {
        snprintf(call->response->token, sizeof call->response->token, "%s", call->grant.name);
        return call->grant.scopes & scopes_of(call->route) || lacks_scope(call);
    }
    if (!token)
        response_header(call->response, "WWW-Authenticate", "Bearer");
    reply_problem(call, token ? 403 : 401, token ? "wrong_token" : "no_token", "%s",
                  token ? "this token does not grant write access"
                        : "writes need a token: Authorization: Bearer TOKEN");
    return false;
}

void access_identify(struct api_call *call)
{
    struct tokens *tokens = call->service->tokens;
    const char *token = tokens ? bearer_token(call->request) : NULL;
    if (!tokens && !refusal(call->request))
        call->grant = everything;
    else if (token && tokens_find(tokens, token, &call->grant))
        snprintf(call->response->token, sizeof call->response->token, "%s", call->grant.name);
}
