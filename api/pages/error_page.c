#include "api/pages/error_page.h"

#include "api/pages/files.h"
#include "lib/core/bytes/markup.h"

#include <string.h>

static bool is_problem(const struct api_response *response)
{
    const char *type = response_find_header(response, "Content-Type");
    return type && !strcmp(type, "application/problem+json");
}

/* The fields of server/web/error.html, in its order. */
static void put_field(struct writer *writer, const struct api_call *call, const char *name, size_t length)
{
    const struct api_response *response = call->response;
    if (length == 6 && !memcmp(name, "status", length))
        writer_format(writer, "%u", response->status);
    else if (length == 5 && !memcmp(name, "title", length))
        markup_text(writer, problem_title(response->status));
    else if (length == 6 && !memcmp(name, "detail", length))
        markup_text(writer, response->detail);
    else if (length == 7 && !memcmp(name, "request", length))
        markup_text(writer, response->request_id);
}

/* The template with its [[fields]] filled in; "" if it is not a template. */
static void fill(struct writer *writer, const struct api_call *call, const char *text, size_t size)
{
    const char *end = text + size;
    while (text < end) {
        const char *open = memmem(text, (size_t)(end - text), "[[", 2);
        const char *close = open ? memmem(open, (size_t)(end - open), "]]", 2) : NULL;
        writer_bytes(writer, text, (size_t)((close ? open : end) - text));
        if (!close)
            return;
        put_field(writer, call, open + 2, (size_t)(close - open - 2));
        text = close + 2;
    }
}

void error_page_replace(struct api_call *call)
{
    struct api_response *response = call->response;
    /* Every response passes here: what costs something is only looked at for errors. */
    if (response->status < 400 || !call->request || !is_problem(response) || !accept_prefers_page(call))
        return;
    const struct web_file *file = web_file_find("error.html");
    if (!file)
        return;
    struct pose_buffer page = {0}, plain = web_file_unpack(file);
    struct pose_error error;
    struct writer writer;
    pose_error_init(&error);
    writer_init(&writer, &page, &error);
    if (plain.data)
        fill(&writer, call, (const char *)plain.data, plain.size);
    pose_buffer_free(&plain);
    if (!writer_finish(&writer) || !page.size)
        return; /* the problem's text already says this */
    response_drop_header(response, "Content-Type");
    page_headers(response, PAGE_POLICY("", "'none'"));
    response_take(response, file->media_type, page.data, page.size);
}
