#include "api/protocol/body_files.h"

#include "api/protocol/disposition.h"
#include "api/protocol/form.h"
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

/* The files of a form in memory. False if the response is already an error. */
static bool parse_form(struct api_call *call, const char *type, struct pose_bytes body, struct parts *parts)
{
    struct pose_error error;
    uint32_t most = (uint32_t)call->service->config->max_entries;
    if (!multipart_parse(type, body, most, parts, &error)) {
        reply_error(call, &error, NULL, NULL);
        return false;
    }
    return true;
}

/* The files of a form that went to a draft. */
static bool finish_form(struct api_call *call, struct form *form)
{
    struct pose_error error;
    if (form_finish(form, &error))
        return true;
    if (error.status)
        reply_error(call, &error, NULL, NULL);
    else
        reply_no_room(call, "no_room", "no space left for the request body");
    return false;
}

static bool take_parts(struct api_call *call, struct parts *parts, bool is_too_large,
                       struct body_files *files)
{
    if (is_too_large || parts_bytes(parts) > PARTS_MOST_BYTES) {
        reply_problem(call, 413, "too_large", "the files of a form are at most 3.75 GiB");
        return false;
    }
    if (!parts->count) {
        reply_problem(call, 400, "empty_body", "the form contains no file");
        return false;
    }
    const struct part *first = &parts->items[0];
    files->name = choose_name(call, first->name);
    if (!files->name) {
        reply_no_memory(call);
        return false;
    }
    if (parts->count == 1) {
        files->upload.bytes = first->bytes;
    } else {
        parts_sort(parts);
        files->upload.parts = parts;
    }
    return true;
}

static bool read_form(struct api_call *call, const char *type, struct pose_bytes body,
                      struct body_files *files)
{
    struct form *form = call->request->form;
    if (!form)
        return parse_form(call, type, body, &files->parts) && take_parts(call, &files->parts, false, files);
    if (!finish_form(call, form) || !take_parts(call, &form->spool.parts, form->spool.is_too_large, files))
        return false;
    files->upload.draft = call->request->body_draft;
    files->upload.is_zip = true;
    return true;
}

/* The layouts that formats have, each once; NULL-terminated. */
enum { MAX_GAMES = 16 };

static void list_games(const char *games[MAX_GAMES + 1])
{
    unsigned count = 0;
    for (const struct pose_format *format = pose_formats(); format->id; format++) {
        for (const char *const *game = format->games; game && *game && count < MAX_GAMES; game++) {
            unsigned i = 0;
            while (i < count && strcmp(games[i], *game) != 0)
                i++;
            games[i] = *game;
            count += i == count;
        }
    }
    games[count] = NULL;
}

/* format= and game=, where the bytes leave doubt. False if the response is already an error. */
static bool read_hints(struct api_call *call, struct upload *upload)
{
    const char *games[MAX_GAMES + 1];
    struct param_error error;
    int game;
    list_games(games);
    upload->format = params_get(&call->params, "format");
    upload->game = params_get(&call->params, "game");
    bool is_known = upload->format && !pose_format_find(upload->format)
                        ? param_unknown_format(&error, "format", upload->format)
                        : params_choice(&call->params, "game", games, &game, &error);
    if (!is_known)
        reply_parameter(call, &error);
    return is_known;
}

bool body_files_read(struct api_call *call, struct body_files *files)
{
    const char *type = call->request->header(call->request, "Content-Type");
    struct pose_bytes body = {call->request->body, call->request->body_size};
    *files = (struct body_files){.name = NULL};
    if (!read_hints(call, &files->upload))
        return false;
    if (!body.size && !call->request->form) {
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
static struct draft *spool_parts(struct service *service, struct parts *parts)
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
    struct draft *zip = files->upload.is_zip ? *files->upload.draft : NULL;
    if (!zip)
        zip = files->spooled = spool_parts(call->service, &files->parts);
    if (!zip) {
        reply_no_room(call, "no_room", "no space left for the request body");
        return false;
    }
    source->bytes = (struct pose_bytes){zip->data, (size_t)zip->size};
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
