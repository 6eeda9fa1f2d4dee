/* The web pages and their assets. Nothing is loaded from other hosts, as the content security policy
 * enforces. */
#include "api/pages/files.h"

#include "api/protocol/coding.h"
#include "api/choices/scope.h"
#include "api/signing/signed.h"
#include "api/handlers/handlers.h"
#include "lib/core/bytes/writer.h"
#include "server/ops/base_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct web_file *web_file_find(const char *name)
{
    for (const struct web_file *file = web_files; file->name; file++) {
        if (!strcmp(file->name, name))
            return file;
    }
    return NULL;
}

/* Documents link to the root of the site; below a prefix they are changed. */
static bool is_moved(const struct web_file *file)
{
    return *base_path() && !strncmp(file->media_type, "text/html", 9);
}

enum { ETAG_CAPACITY = 64 + BASE_PATH_CAPACITY };

static const char *etag_of(const struct web_file *file, enum coding coding, char made[ETAG_CAPACITY])
{
    static const char *const suffixes[CODING_COUNT] = {"", "-gzip", "-zstd", "-br"};
    if ((coding == CODING_IDENTITY || coding == CODING_GZIP) && !is_moved(file))
        return coding == CODING_GZIP ? file->gzip_etag : file->etag;
    snprintf(made, ETAG_CAPACITY, "%.*s%s%s\"", (int)strlen(file->etag) - 1, file->etag,
             is_moved(file) ? base_path() : "", suffixes[coding]);
    return made;
}

/* The text with the prefix before each path that an attribute begins with; empty if out of memory. */
static struct pose_buffer put_prefix(const char *text, size_t size)
{
    static const char mark[] = "=\"/";
    const char *end = text + size;
    struct pose_buffer moved = {0};
    struct pose_error error;
    struct writer writer;
    pose_error_init(&error);
    writer_init(&writer, &moved, &error);
    for (const char *at; (at = memmem(text, (size_t)(end - text), mark, sizeof mark - 1)); text = at) {
        at += sizeof mark - 2; /* before the slash */
        writer_bytes(&writer, text, (size_t)(at - text));
        writer_text(&writer, base_path());
    }
    writer_bytes(&writer, text, (size_t)(end - text));
    if (!writer_finish(&writer))
        pose_buffer_free(&moved);
    return moved;
}

struct pose_buffer web_file_unpack(const struct web_file *file)
{
    void *data = coding_unpack(file->packed, (size_t)(file->end - file->packed), file->size);
    size_t size = data ? file->size : 0;
    if (data && is_moved(file)) {
        struct pose_buffer moved = put_prefix(data, size);
        free(data);
        return moved;
    }
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
    enum coding coding =
        file->size > CODING_WORTH ? coding_choose_kept(call->request, file->brotli) : CODING_IDENTITY;
    size_t packed_size = (size_t)(file->end - file->packed);
    char made[ETAG_CAPACITY];
    if (reply_known(call, etag_of(file, coding, made), lifetime))
        return API_DONE;
    if (coding == CODING_GZIP && !is_moved(file)) {
        response_header(response, "Content-Encoding", "gzip");
        response_static(response, file->media_type, file->packed, packed_size);
        return API_DONE;
    }
    if (coding == CODING_BROTLI) {
        response_header(response, "Content-Encoding", "br");
        response_static(response, file->media_type, file->brotli, (size_t)(file->brotli_end - file->brotli));
        return API_DONE;
    }
    struct pose_buffer body = web_file_unpack(file);
    if (!body.data || (coding != CODING_IDENTITY && !coding_apply(coding, &body))) {
        pose_buffer_free(&body);
        return reply_problem(call, 503, "no_memory", "out of memory");
    }
    if (coding != CODING_IDENTITY)
        response_header(response, "Content-Encoding", coding == CODING_ZSTD ? "zstd" : "gzip");
    response_take(response, file->media_type, body.data, body.size);
    return API_DONE;
}

static enum api_outcome reply_document_file(struct api_call *call, const char *name, const char *policy)
{
    const struct web_file *file = web_file_find(name);
    if (!file)
        return reply_no_page(call);
    page_headers(call->response, policy);
    signed_set_pass(call);
    return reply_file(call, file, LIFETIME_NONE);
}

enum api_outcome handle_page(struct api_call *call)
{
    return reply_document_file(call, "index.html", PAGE_POLICY("", "'none'"));
}

/* Who prefers a page gets the viewer, which says in its frame what is wrong with the address. */
enum api_outcome handle_embed(struct api_call *call)
{
    const char *text = call->values[0];
    const bool wants_page = accept_prefers_page(call);
    struct asset_id id;
    struct catalog_item *item =
        id_parse(text, strlen(text), &id) ? catalog_find(call->catalog, ASSET_CLIP, &id) : NULL;
    if (!wants_page && !item)
        return reply_not_found(call, "clip", text);
    if (!wants_page && !scope_item(call, &item))
        return API_DONE;
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
