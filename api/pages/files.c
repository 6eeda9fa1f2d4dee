/* The web pages and their assets. Nothing is loaded from other hosts, as the content security policy
 * enforces. */
#include "api/pages/files.h"

#include "api/protocol/coding.h"
#include "api/handlers/handlers.h"

#include <stdio.h>
#include <string.h>

const struct web_file *web_file_find(const char *name)
{
    for (const struct web_file *file = web_files; file->name; file++) {
        if (!strcmp(file->name, name))
            return file;
    }
    return NULL;
}

static const char *etag_of(const struct web_file *file, enum coding coding, char made[64])
{
    if (coding != CODING_ZSTD)
        return coding == CODING_GZIP ? file->gzip_etag : file->etag;
    snprintf(made, 64, "%.*s-zstd\"", (int)strlen(file->etag) - 1, file->etag);
    return made;
}

struct pose_buffer web_file_unpack(const struct web_file *file)
{
    void *data = coding_unpack(file->packed, (size_t)(file->end - file->packed), file->size);
    size_t size = data ? file->size : 0;
    return (struct pose_buffer){.data = data, .size = size, .capacity = size};
}

void page_headers(struct api_response *response, const char *policy)
{
    response_header(response, "Content-Security-Policy", policy);
    response_header(response, "Referrer-Policy", "same-origin");
}

enum api_outcome reply_no_page(struct api_call *call)
{
    return reply_problem(call, 404, "not_found",
                         "this program was built without its web page; /openapi.json describes the API");
}

static enum api_outcome reply_file(struct api_call *call, const struct web_file *file, enum lifetime lifetime)
{
    struct api_response *response = call->response;
    enum coding coding = file->size > CODING_WORTH ? coding_choose_kept(call->request) : CODING_IDENTITY;
    size_t packed_size = (size_t)(file->end - file->packed);
    char made[64];
    if (reply_known(call, etag_of(file, coding, made), lifetime))
        return API_DONE;
    if (coding == CODING_GZIP) {
        response_header(response, "Content-Encoding", "gzip");
        response_static(response, file->media_type, file->packed, packed_size);
        return API_DONE;
    }
    struct pose_buffer body = web_file_unpack(file);
    if (!body.data || (coding == CODING_ZSTD && !coding_apply(CODING_ZSTD, &body))) {
        pose_buffer_free(&body);
        return reply_problem(call, 503, "no_memory", "out of memory");
    }
    if (coding == CODING_ZSTD)
        response_header(response, "Content-Encoding", "zstd");
    response_take(response, file->media_type, body.data, body.size);
    return API_DONE;
}

static enum api_outcome reply_document_file(struct api_call *call, const char *name, const char *policy)
{
    const struct web_file *file = web_file_find(name);
    if (!file)
        return reply_no_page(call);
    page_headers(call->response, policy);
    return reply_file(call, file, LIFETIME_NONE);
}

enum api_outcome handle_page(struct api_call *call)
{
    return reply_document_file(call, "index.html", PAGE_POLICY("", "'none'"));
}

enum api_outcome handle_embed(struct api_call *call)
{
    return reply_document_file(call, "embed.html", PAGE_POLICY("", "*"));
}

/* Swagger UI sets inline styles. */
enum api_outcome handle_docs(struct api_call *call)
{
    return reply_document_file(call, "docs.html", PAGE_POLICY(" 'unsafe-inline'", "'none'"));
}

/* A file that keeps its name from version to version. */
static enum api_outcome reply_named(struct api_call *call, const char *name)
{
    const struct web_file *file = web_file_find(name);
    return file ? reply_file(call, file, LIFETIME_HOUR) : reply_not_found(call, "file", name);
}

enum api_outcome handle_moderation(struct api_call *call)
{
    return reply_document_file(call, "moderation.html", PAGE_POLICY("", "'none'"));
}

enum api_outcome handle_client(struct api_call *call)
{
    return reply_named(call, "client.js");
}

enum api_outcome handle_element(struct api_call *call)
{
    return reply_named(call, "posed-clip.js");
}

enum api_outcome handle_icon(struct api_call *call)
{
    return reply_named(call, "favicon.ico");
}

/* Asset names contain a digest of their bytes. */
enum api_outcome handle_asset(struct api_call *call)
{
    char name[160];
    const struct web_file *file = NULL;
    if (snprintf(name, sizeof name, "assets/%s", call->values[0]) < (int)sizeof name)
        file = web_file_find(name);
    return file ? reply_file(call, file, LIFETIME_FOR_EVER) : reply_not_found(call, "file", call->values[0]);
}
