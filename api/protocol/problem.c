/* The answers that say what went wrong (RFC 9457), for reply.h. */
#include "api/protocol/reply.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *problem_title(unsigned status)
{
    static const struct {
        unsigned status;
        const char *title;
    } titles[] = {
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {411, "Length Required"},
        {412, "Precondition Failed"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {416, "Range Not Satisfiable"},
        {422, "Unprocessable Content"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {503, "Service Unavailable"},
        {507, "Insufficient Storage"},
    };
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        if (titles[i].status == status)
            return titles[i].title;
    }
    return "Error";
}

static void open_problem(struct json_writer *json, unsigned status)
{
    jsonw_object(json, NULL);
    jsonw_string(json, "type", "about:blank");
    jsonw_string(json, "title", problem_title(status));
    jsonw_integer(json, "status", status);
}

/* Drops the headers of a cacheable answer, such as its ETag, that a handler began before it hit the error. */
static void forget_answer(struct api_response *response)
{
    static const char *const names[] = {"ETag",          "Cache-Control", "Content-Location",
                                        "Accept-Ranges", "Posed-Warning", "Content-Disposition"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        response_drop_header(response, names[i]);
}

static enum api_outcome close_problem(struct api_call *call, struct json_writer *json, unsigned status,
                                      const char *detail)
{
    struct api_response *response = call->response;
    if (response->request_id[0])
        jsonw_string(json, "request_id", response->request_id);
    jsonw_end(json);
    snprintf(response->detail, sizeof response->detail, "%s", detail);
    response->status = status;
    forget_answer(response);
    response_header(response, "Cache-Control", "no-store");
    if (status == 503)
        response_header(response, "Retry-After", "1");
    response_take(response, "application/problem+json", json->to.out->data, json->to.out->size);
    return API_DONE;
}

/* The subject of a problem; NULL where it does not apply. */
struct problem_about {
    const char *parameter, *pointer, *limit;
    const struct nearest *nearest;
    const char *folder; /* each suggestion comes after this; NULL: nothing */
};

static void put_suggestions(struct json_writer *json, const struct nearest *nearest, const char *folder)
{
    char path[2048];
    if (!nearest || !nearest->count)
        return;
    jsonw_array(json, "suggestions");
    for (unsigned i = 0; i < nearest->count; i++) {
        snprintf(path, sizeof path, "%s%s", folder ? folder : "", nearest->words[i]);
        jsonw_string(json, NULL, path);
    }
    jsonw_end(json);
}

static enum api_outcome simple_problem(struct api_call *call, unsigned status, const char *code,
                                       struct problem_about about, const char *detail)
{
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    open_problem(&json, status);
    jsonw_line(&json, "detail", detail);
    if (code)
        jsonw_string(&json, "code", code);
    if (about.parameter)
        jsonw_string(&json, "parameter", about.parameter);
    if (about.pointer)
        jsonw_string(&json, "pointer", about.pointer);
    if (about.limit)
        jsonw_string(&json, "limit", about.limit);
    put_suggestions(&json, about.nearest, about.folder);
    return close_problem(call, &json, status, detail);
}

enum api_outcome reply_problem(struct api_call *call, unsigned status, const char *code, const char *format,
                               ...)
{
    char detail[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(detail, sizeof detail, format, arguments);
    va_end(arguments);
    return simple_problem(call, status, code, (struct problem_about){0}, detail);
}

enum api_outcome reply_limit(struct api_call *call, unsigned status, const char *code, const char *limit,
                             const char *detail)
{
    return simple_problem(call, status, code, (struct problem_about){.limit = limit}, detail);
}

enum api_outcome reply_no_room(struct api_call *call, const char *code, const char *detail)
{
    const struct store *store = call->service->store;
    return reply_problem(call, store && store_sharing(store) ? 503 : 507, code, "%s", detail);
}

/* Where the parameter is in the body, if it is a member of one; else where in its value the error is. */
static void point_to(const struct api_call *call, const struct param_error *error, char *pointer, size_t size)
{
    static const char *const of_parts[] = {"clip", "joints", "archive"};
    const char *object = call->pointer;
    for (size_t i = 0; i < sizeof of_parts / sizeof *of_parts && call->part_pointer; i++) {
        if (!strcmp(error->name, of_parts[i]))
            object = call->part_pointer;
    }
    if (object)
        snprintf(pointer, size, "%s/%s%s", object, error->name, error->pointer);
    else
        snprintf(pointer, size, "%s", error->pointer);
}

enum api_outcome reply_parameter(struct api_call *call, const struct param_error *error)
{
    char detail[sizeof error->name + sizeof error->detail + 2];
    snprintf(detail, sizeof detail, "%s%s%s", error->name, error->name[0] ? ": " : "", error->detail);
    unsigned status = strcmp(error->code, PARAM_NO_MEMORY) ? 400 : 503;
    char pointer[sizeof error->name + sizeof error->pointer + 80];
    point_to(call, error, pointer, sizeof pointer);
    struct problem_about about = {.parameter = error->name,
                                  .pointer = *pointer ? pointer : NULL,
                                  .limit = error->limit[0] ? error->limit : NULL,
                                  .nearest = &error->nearest};
    return simple_problem(call, status, error->code[0] ? error->code : "bad_parameter", about, detail);
}

enum api_outcome reply_bad_parameter(struct api_call *call, const char *name, const char *format, ...)
{
    struct param_error error = {0};
    va_list arguments;
    va_start(arguments, format);
    snprintf(error.name, sizeof error.name, "%s", name);
    vsnprintf(error.detail, sizeof error.detail, format, arguments);
    va_end(arguments);
    return reply_parameter(call, &error);
}

static unsigned problem_status(const struct pose_error *error)
{
    switch (error->status) {
    case POSE_UNKNOWN_FORMAT:
    case POSE_UNSUPPORTED:
        return 415;
    case POSE_OVER_LIMIT:
        return 413;
    case POSE_BAD_ARGUMENT:
        if (!strcmp(error->code, "changed") || !strcmp(error->code, "corrupt_blob") ||
            !strcmp(error->code, "store_down"))
            return 503;
        return !strcmp(error->code, "not_found") || !strcmp(error->code, "unreadable") ? 404 : 400;
    case POSE_NO_MEMORY:
    case POSE_STOPPED:
        return 503;
    default:
        return 422;
    }
}

void problem_members(struct json_writer *json, const struct pose_error *error, const char *format,
                     const char *entry)
{
    unsigned status = problem_status(error);
    jsonw_string(json, "type", "about:blank");
    jsonw_string(json, "title", problem_title(status));
    jsonw_integer(json, "status", status);
    jsonw_error_members(json, error);
    if (format)
        jsonw_string(json, "format", format);
    if (entry)
        jsonw_string(json, "entry", entry);
}

enum api_outcome reply_error(struct api_call *call, const struct pose_error *error, const char *format,
                             const char *entry)
{
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    problem_members(&json, error, format, entry);
    return close_problem(call, &json, problem_status(error), error->detail);
}

/* curl -d leaves out line ends and NULs of a file; without an option it is also the type of what is whole. */
static bool is_stripped_form(const struct api_request *request)
{
    static const char form[] = "application/x-www-form-urlencoded", stripped[] = "\n\r";
    const char *type = request->header(request, "Content-Type");
    if (!type || strncasecmp(type, form, sizeof form - 1) != 0 || !request->body_size)
        return false;
    for (size_t i = 0; i < sizeof stripped; i++) { /* with its end */
        if (memchr(request->body, stripped[i], request->body_size))
            return false;
    }
    return true;
}

enum api_outcome reply_body_error(struct api_call *call, const struct pose_error *error, const char *format,
                                  const char *entry)
{
    struct pose_error told = *error;
    if (is_stripped_form(call->request))
        snprintf(told.detail, sizeof told.detail,
                 "%.240s; without its line ends and NULs: with curl use --data-binary @FILE", error->detail);
    return reply_error(call, &told, format, entry);
}

enum api_outcome reply_error_of(struct api_call *call, const struct pose_error *error, const char *parameter)
{
    struct pose_buffer body = {0};
    struct json_writer json;
    jsonw_init(&json, &body);
    jsonw_object(&json, NULL);
    problem_members(&json, error, NULL, NULL);
    jsonw_string(&json, "parameter", parameter);
    return close_problem(call, &json, problem_status(error), error->detail);
}

enum api_outcome reply_not_found(struct api_call *call, const char *what, const char *name)
{
    return reply_problem(call, 404, "not_found", "no %s \"%.80s\"", what, name);
}

enum api_outcome reply_not_found_near(struct api_call *call, const char *what, const struct nearest *nearest,
                                      const char *name)
{
    char text[128];
    snprintf(text, sizeof text, "there is no %s \"%.80s\"", what, name);
    return reply_near(call, "not_found", nearest, text);
}

const char *id_hint(const char *text, size_t length)
{
    struct asset_id id;
    return id_parse(text, length, &id) ? "" : "; an id has 32 hex digits; by name: /v1/named/ARCHIVE/CLIP";
}

enum api_outcome reply_near(struct api_call *call, const char *code, const struct nearest *nearest,
                            const char *text)
{
    char detail[512], hint[NEAREST_HINT];
    nearest_hint(nearest, hint);
    snprintf(detail, sizeof detail, "%.400s%s", text, hint);
    return simple_problem(call, 404, code, (struct problem_about){.nearest = nearest}, detail);
}

enum api_outcome reply_near_path(struct api_call *call, const struct nearest *nearest, const char *folder,
                                 const char *text)
{
    enum { MAX_SHOWN = 200 };
    char detail[768];
    snprintf(detail, sizeof detail, "%.400s; did you mean \"%s%s\"?", text,
             strlen(folder) > MAX_SHOWN ? ".../" : folder, nearest->words[0]);
    return simple_problem(call, 404, "not_found",
                          (struct problem_about){.nearest = nearest, .folder = folder}, detail);
}

enum api_outcome reply_out_of_time(struct api_call *call)
{
    struct pose_error error;
    pose_error_init(&error);
    error.status = POSE_STOPPED;
    effort_explain(call->effort, &error);
    return reply_error(call, &error, NULL, NULL);
}

enum api_outcome reply_no_memory(struct api_call *call)
{
    return reply_problem(call, 503, "no_memory", "out of memory");
}
