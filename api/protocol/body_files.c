#include "api/protocol/body_files.h"

#include "api/protocol/disposition.h"
#include "api/protocol/multipart.h"
#include "api/protocol/reply.h"

#include <stdlib.h>
#include <string.h>

/* The last component of a name, safe as part of a path; "upload" if nothing is left. From malloc; NULL if
 * out of memory. */
static char *base_name(const char *text)
{
    char *name = strdup(text && *text ? text : "upload");
    if (!name)
        return NULL;
    name_stay_inside(name);
    char *slash = strrchr(name, '/');
    if (slash)
        memmove(name, slash + 1, strlen(slash + 1) + 1);
    if (!*name || !strcmp(name, ".") || !strcmp(name, "..")) {
        free(name);
        return base_name("upload");
    }
    return name;
}

/* ?name=, else the name in Content-Disposition, else the fallback. */
static char *choose_name(const struct api_call *call, const char *other)
{
    const char *given = params_get(&call->params, "name");
    const char *header = call->request->header(call->request, "Content-Disposition");
    struct disposition disposition = {0};
    if (!given && header && disposition_parse(header, strlen(header), &disposition))
        given = disposition.name;
    char *name = base_name(given && *given ? given : other);
    disposition_release(&disposition);
    return name;
}

static bool read_form(struct api_call *call, const char *type, struct pose_bytes body,
                      struct body_files *files)
{
    struct pose_error error;
    uint32_t most = (uint32_t)call->service->config->max_entries;
    if (!multipart_parse(type, body, most, &files->parts, &error)) {
        reply_error(call, &error, NULL, NULL);
        return false;
    }
    if (!files->parts.count) {
        reply_problem(call, 400, "empty_body", "the form contains no file");
        return false;
    }
    if (parts_bytes(&files->parts) > PARTS_MOST_BYTES) {
        reply_problem(call, 413, "too_large", "the files of a form are at most 3.75 GiB");
        return false;
    }
    const struct part *first = &files->parts.items[0];
    files->name = choose_name(call, first->name);
    if (!files->name) {
        reply_no_memory(call);
        return false;
    }
    if (files->parts.count == 1) {
        files->upload.bytes = first->bytes;
    } else {
        parts_sort(&files->parts);
        files->upload.parts = &files->parts;
    }
    return true;
}

bool body_files_read(struct api_call *call, struct body_files *files)
{
    const char *type = call->request->header(call->request, "Content-Type");
    struct pose_bytes body = {call->request->body, call->request->body_size};
    *files = (struct body_files){
        .upload = {.format = params_get(&call->params, "format"), .game = params_get(&call->params, "game")}};
    const char *format = files->upload.format;
    if (format && !pose_format_find(format)) {
        struct param_error error;
        param_unknown_format(&error, "format", format);
        reply_parameter(call, &error);
        return false;
    }
    if (!body.size) {
        reply_problem(call, 400, "empty_body", "the body is empty");
        return false;
    }
    if (multipart_is(type)) {
        if (!read_form(call, type, body, files)) {
            body_files_release(files);
            return false;
        }
    } else {
        files->name = choose_name(call, NULL);
        if (!files->name) {
            reply_no_memory(call);
            return false;
        }
        files->upload.bytes = body;
        files->upload.draft = call->request->body_draft;
    }
    if (files->upload.bytes.data && !files->upload.bytes.size) {
        reply_problem(call, 400, "empty_body", "the file is empty");
        body_files_release(files);
        return false;
    }
    files->upload.name = files->name;
    return true;
}

static bool append(void *user, const void *data, size_t size)
{
    struct store_error ignored;
    return draft_append(user, data, size, &ignored);
}

/* Packs the parts into one archive in an unnamed file. NULL if there is no room. */
static struct draft *spool_parts(struct service *service, const struct parts *parts)
{
    struct store_error error;
    const char *folder = service->store ? store_spool_folder(service->store) : "/tmp";
    struct draft *draft = draft_in_folder(folder, false, &error);
    if (draft && (!parts_write(parts, append, draft) || !draft_finish(draft, &error))) {
        draft_free(draft);
        draft = NULL;
    }
    return draft;
}

bool body_files_source(struct api_call *call, struct body_files *files, struct upload_source *source)
{
    *source = (struct upload_source){.name = files->upload.name,
                                     .bytes = files->upload.bytes,
                                     .format = files->upload.format,
                                     .game = files->upload.game};
    if (!files->upload.parts)
        return true;
    files->spooled = spool_parts(call->service, files->upload.parts);
    if (!files->spooled) {
        reply_problem(call, 507, "no_room", "no space left for the request body");
        return false;
    }
    source->bytes = (struct pose_bytes){files->spooled->data, (size_t)files->spooled->size};
    source->has_parts = true;
    source->id = parts_id(files->upload.parts);
    return true;
}

void body_files_release(struct body_files *files)
{
    draft_free(files->spooled);
    parts_release(&files->parts);
    free(files->name);
    files->name = NULL;
}
