#include "api/protocol/range.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum range_kind { RANGE_NONE, RANGE_ONE, RANGE_OUTSIDE };

static bool read_number(const char **at, uint64_t *value)
{
    size_t digits = strspn(*at, "0123456789");
    if (!digits || digits > 18)
        return false;
    *value = strtoull(*at, NULL, 10);
    *at += digits;
    return true;
}

/* "bytes=0-99", "bytes=100-", "bytes=-50"; anything else is ignored, as the RFC requires. */
static enum range_kind read_range(const char *text, uint64_t size, uint64_t *first, uint64_t *last)
{
    if (!text || strncasecmp(text, "bytes=", 6))
        return RANGE_NONE;
    const char *at = text + 6;
    uint64_t from, to = UINT64_MAX;
    if (*at == '-') {
        at++;
        if (!read_number(&at, &from) || *at)
            return RANGE_NONE;
        if (!from || !size)
            return RANGE_OUTSIDE;
        *first = from < size ? size - from : 0;
        *last = size - 1;
        return RANGE_ONE;
    }
    if (!read_number(&at, &from) || *at++ != '-')
        return RANGE_NONE;
    if (*at && (!read_number(&at, &to) || *at || to < from))
        return RANGE_NONE;
    if (from >= size)
        return RANGE_OUTSIDE;
    *first = from;
    *last = to < size ? to : size - 1;
    return RANGE_ONE;
}

/* If-Range holds an ETag: the range applies only while the ETag is unchanged. */
static bool range_holds(const struct api_call *call)
{
    const char *condition = call->request->header(call->request, "If-Range");
    const char *etag = response_find_header(call->response, "ETag");
    return !condition || (etag && !strcmp(condition, etag));
}

enum api_outcome reply_range(struct api_call *call, struct pose_buffer *body)
{
    uint64_t first = 0, last = body->size ? body->size - 1 : 0;
    const char *asked = range_holds(call) ? call->request->header(call->request, "Range") : NULL;
    enum range_kind kind = read_range(asked, body->size, &first, &last);
    char text[80];
    if (kind == RANGE_OUTSIDE) {
        snprintf(text, sizeof text, "bytes */%zu", body->size);
        pose_buffer_free(body);
        response_header(call->response, "Content-Range", text);
        return reply_problem(call, 416, "bad_range", "the range is outside the file");
    }
    if (kind == RANGE_NONE && body->capacity)
        return reply_body(call, "application/octet-stream", body, false);
    if (kind == RANGE_ONE) {
        snprintf(text, sizeof text, "bytes %llu-%llu/%zu", (unsigned long long)first,
                 (unsigned long long)last, body->size);
        response_header(call->response, "Content-Range", text);
        call->response->status = 206;
    }
    bool copied = response_copy(call->response, "application/octet-stream", body->data + first,
                                body->size ? (size_t)(last - first + 1) : 0);
    pose_buffer_free(body);
    return copied ? API_DONE : reply_problem(call, 503, "no_memory", "out of memory");
}
