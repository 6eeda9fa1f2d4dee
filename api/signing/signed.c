#include "api/signing/signed.h"

#include "api/protocol/access.h"
#include "api/protocol/forwarded.h"
#include "api/protocol/reply.h"
#include "server/library/service.h"
#include "server/ops/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOUR = 3600, DAY = 24 * HOUR, PASS_HOURS = 12, LINK_DAYS = 31, PASS = 128 };

static const char pass_name[] = "posed_pass=";

static int64_t now_s(void)
{
    return clock_wall_ns() / 1000000000;
}

/* ------------------------------------------------------------------------------------------ what is signed -- */

static int compare(const void *a, const void *b)
{
    const struct param *first = a, *second = b;
    const int order = strcmp(first->name, second->name);
    return order ? order : strcmp(first->value, second->value);
}

/* Appends an encoded text; false if it may not fit. */
static bool put(char text[SIGNED_TARGET], size_t *used, const char *separator, const char *word)
{
    if (*used + strlen(separator) + 3 * strlen(word) + 1 > SIGNED_TARGET)
        return false;
    *used += (size_t)sprintf(text + *used, "%s", separator);
    percent_encode(word, text + *used);
    *used += strlen(text + *used);
    return true;
}

/* The text that is signed, of parameters without sig; false also where one comes twice, which no request may. */
static bool write_text(const char *path, const struct params *params, char text[SIGNED_TARGET])
{
    struct param sorted[MAX_PARAMS];
    size_t used = strlen(path);
    if (used >= SIGNED_TARGET)
        return false;
    memcpy(text, path, used + 1);
    memcpy(sorted, params->items, params->count * sizeof *sorted);
    qsort(sorted, params->count, sizeof *sorted, compare);
    for (unsigned i = 0; i < params->count; i++) {
        if (i && !strcmp(sorted[i].name, sorted[i - 1].name))
            return false;
        if (!put(text, &used, i ? "&" : "?", sorted[i].name) || !put(text, &used, "=", sorted[i].value))
            return false;
    }
    return true;
}

/* Takes the parameter out; NULL if it is absent. */
static const char *take(struct params *params, const char *name)
{
    for (unsigned i = 0; i < params->count; i++) {
        if (strcmp(params->items[i].name, name) != 0)
            continue;
        const char *value = params->items[i].value;
        params->count--;
        memmove(&params->items[i], &params->items[i + 1], (params->count - i) * sizeof *params->items);
        return value;
    }
    return NULL;
}

/* Without blanks, line ends and other characters that no request line has. */
static bool is_plain(const char *target)
{
    while ((unsigned char)*target > ' ' && *target != 0x7f)
        target++;
    return !*target;
}

bool signed_make(struct url_keys *keys, const char *target, int64_t exp, char out[SIGNED_TARGET])
{
    char text[SIGNED_TARGET], path[SIGNED_TARGET], signature[URL_SIGNATURE], whole[SIGNED_TARGET];
    struct params params;
    struct param_error error;
    const size_t length = strcspn(target, "?");
    const bool has_query = target[length];
    int size =
        exp ? snprintf(whole, sizeof whole, "%s%cexp=%lld", target, has_query ? '&' : '?', (long long)exp)
            : snprintf(whole, sizeof whole, "%s", target);
    if (target[0] != '/' || !is_plain(target) || size >= (int)sizeof whole)
        return false;
    snprintf(path, sizeof path, "%.*s", (int)length, target);
    const char *query = strchr(whole, '?');
    bool done = params_parse(&params, query ? query + 1 : "", &error) && !params_get(&params, "sig") &&
                write_text(path, &params, text);
    params_release(&params);
    if (!done)
        return false;
    url_keys_sign(keys, text, signature);
    size = snprintf(out, SIGNED_TARGET, "%s%csig=%s", whole, query ? '&' : '?', signature);
    return size < SIGNED_TARGET;
}

void signed_link(const struct api_call *call, const char *target, char out[SIGNED_TARGET])
{
    struct url_keys *keys = call->service->url_keys;
    const int64_t exp = (now_s() / DAY + 1 + LINK_DAYS) * DAY;
    if (!keys || !signed_make(keys, target, exp, out))
        snprintf(out, SIGNED_TARGET, "%s", target);
}

/* ---------------------------------------------------------------------------------------------- who may ask -- */

static void pass_text(int64_t exp, char text[PASS])
{
    snprintf(text, PASS, "pass %lld", (long long)exp);
}

/* "exp.signature" among the cookies. */
static bool has_pass(const struct api_call *call)
{
    const char *cookies = call->request->header(call->request, "Cookie");
    for (const char *at = cookies; at && (at = strstr(at, pass_name)); at++) {
        char text[PASS], signature[URL_SIGNATURE], *end;
        if (at != cookies && at[-1] != ' ' && at[-1] != ';')
            continue;
        const int64_t exp = strtoll(at + sizeof pass_name - 1, &end, 10);
        if (*end != '.' || strcspn(end + 1, "; ") != URL_SIGNATURE - 1 || exp < now_s())
            continue;
        pass_text(exp, text);
        snprintf(signature, sizeof signature, "%.*s", URL_SIGNATURE - 1, end + 1);
        if (url_keys_verify(call->service->url_keys, text, signature))
            return true;
    }
    return false;
}

static bool refuse(struct api_call *call, const char *code, const char *why)
{
    reply_problem(call, 403, code,
                  "%s; `posed sign URL` makes one, a token or the page of this server needs none", why);
    return false;
}

/* The time of exp, which stays in the parameters; 0: never expires; -1: not a number. */
static int64_t expiry_of(const struct params *params)
{
    const char *text = params_get(params, "exp");
    char *end;
    if (!text)
        return 0;
    const long long value = strtoll(text, &end, 10);
    return *text < '1' || *text > '9' || *end ? -1 : value;
}

static bool check(struct api_call *call, const char *signature)
{
    char text[SIGNED_TARGET];
    const int64_t exp = expiry_of(&call->params);
    if (!write_text(call->request->path, &call->params, text) ||
        !url_keys_verify(call->service->url_keys, text, signature))
        return refuse(call, "wrong_signature",
                      "the signature in sig is not of this address and these parameters");
    if (exp && exp < now_s())
        return refuse(call, "signature_expired", "the signature has expired: sign the address again");
    return true;
}

bool signed_admit(struct api_call *call)
{
    struct params *params = &call->params;
    const char *signature = take(params, "sig");
    bool done = true;
    if (call->service->url_keys) {
        access_identify(call);
        /* Without a token file nobody is known: a proxy on this machine may look like a program on it. */
        const bool is_known = call->service->tokens && call->grant.scopes;
        if (!is_known && !(!signature && has_pass(call)))
            done = signature ? check(call, signature)
                             : refuse(call, "needs_signature",
                                      "strangers need a signature for this: sig and exp in the address");
    }
    take(params, "exp");
    return done;
}

void signed_set_pass(struct api_call *call)
{
    struct url_keys *keys = call->service->url_keys;
    char text[PASS], cookie[3 * PASS], signature[URL_SIGNATURE], origin[API_ORIGIN_CAPACITY];
    if (!keys)
        return;
    const int64_t exp = (now_s() / HOUR + 1 + PASS_HOURS) * HOUR;
    pass_text(exp, text);
    url_keys_sign(keys, text, signature);
    forwarded_origin(call->request, &call->service->config->trusted, origin);
    /* In a frame on another site browsers send it only if it is for there, and came through TLS. */
    const char *where = !strncmp(origin, "https:", 6) ? "SameSite=None; Secure; Partitioned" : "SameSite=Lax";
    snprintf(cookie, sizeof cookie, "%s%lld.%s; Path=%s/; Max-Age=%d; HttpOnly; %s", pass_name,
             (long long)exp, signature, base_path(), PASS_HOURS * HOUR, where);
    response_header(call->response, "Set-Cookie", cookie);
}
