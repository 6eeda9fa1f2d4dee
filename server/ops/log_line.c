#include "server/ops/log_line.h"

#include "lib/core/bytes/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The maximum bytes of each text in the line, escapes included. Their sum is below the capacity. */
enum {
    MAX_WORD = 64,
    MAX_ID = 256,
    MAX_PATH_TEXT = 2048,
    MAX_MESSAGE = LOG_LINE_CAPACITY - 128,
};

/* The line has a fixed buffer and never allocates. */
static void *refuse(void *user, size_t size)
{
    (void)user;
    (void)size;
    return NULL;
}

static const struct pose_allocator no_allocator = {.alloc = refuse};

static struct pose_buffer room_of(struct log_line *line)
{
    return (struct pose_buffer){
        .allocator = &no_allocator, .data = (uint8_t *)line->text, .capacity = sizeof line->text};
}

/* ---------------------------------------------------------------------------------------------------- pieces -- */

/* "2026-11-20T12:34:56.789Z". Each thread caches the part up to the second, since it is formatted often. */
static const char *time_text(const struct timespec *now, char text[32])
{
    static _Thread_local time_t kept_second = -1;
    static _Thread_local char kept[24];
    if (kept_second != now->tv_sec) {
        struct tm date;
        gmtime_r(&now->tv_sec, &date);
        strftime(kept, sizeof kept, "%Y-%m-%dT%H:%M:%S.", &date);
        kept_second = now->tv_sec;
    }
    snprintf(text, 32, "%s%03uZ", kept, (unsigned)(now->tv_nsec / 1000000) % 1000);
    return text;
}

/* Milliseconds with three decimals. */
static const char *ms_text(double seconds, char text[32])
{
    uint64_t microseconds = seconds > 0 ? (uint64_t)(fmin(seconds, 1e9) * 1e6 + 0.5) : 0;
    snprintf(text, 32, "%llu.%03u", (unsigned long long)(microseconds / 1000),
             (unsigned)(microseconds % 1000));
    return text;
}

static const char *level_name(enum log_level level)
{
    return level == LOG_INFO ? "info" : level == LOG_WARNING ? "warning" : "error";
}

static enum log_level level_of(const struct log_request *request)
{
    return request->status >= 500 ? LOG_ERROR : request->status >= 400 ? LOG_WARNING : LOG_INFO;
}

/* ------------------------------------------------------------------------------------------------------ JSON -- */

static void open_json(struct json_writer *json, const struct timespec *now, enum log_level level)
{
    char text[32];
    jsonw_object(json, NULL);
    jsonw_string(json, "time", time_text(now, text));
    jsonw_string(json, "level", level_name(level));
}

static void close_json(struct json_writer *json, struct log_line *line)
{
    jsonw_end(json);
    writer_u8(&json->to, '\n');
    line->length = json->to.out->size;
}

static void request_json(struct json_writer *json, const struct log_request *request)
{
    char text[32];
    jsonw_string_cut(json, "id", request->id, MAX_ID);
    jsonw_string_cut(json, "client", request->client, MAX_WORD);
    jsonw_string_cut(json, "method", request->method, MAX_WORD);
    jsonw_string_cut(json, "route", request->route, MAX_ID);
    jsonw_string_cut(json, "path", request->path, MAX_PATH_TEXT);
    jsonw_integer(json, "status", request->status);
    jsonw_unsigned(json, "bytes", request->bytes);
    jsonw_raw(json, "ms", ms_text(request->seconds, text));
    jsonw_string_cut(json, "cache", request->cache, MAX_WORD);
    if (request->token && *request->token)
        jsonw_string_cut(json, "token", request->token, MAX_WORD);
}

/* ------------------------------------------------------------------------------------------------------ text -- */

static void open_text(struct writer *to, const struct timespec *now, enum log_level level)
{
    char text[32];
    writer_text(to, time_text(now, text));
    writer_u8(to, ' ');
    writer_text(to, level_name(level));
}

static void close_text(struct writer *to, struct log_line *line)
{
    writer_u8(to, '\n');
    line->length = to->out->size;
}

/* A blank and the text, or "-" if there is none, so that columns stay aligned. */
static void put_column(struct writer *to, const char *text, size_t most)
{
    writer_u8(to, ' ');
    writer_escaped(to, ESCAPE_TEXT, text && *text ? text : "-", most);
}

/* Omits the route, which follows from the path. */
static void request_text(struct writer *to, const struct log_request *request)
{
    char text[32];
    put_column(to, request->client, MAX_WORD);
    put_column(to, request->method, MAX_WORD);
    put_column(to, request->path, MAX_PATH_TEXT);
    writer_u8(to, ' ');
    writer_integer(to, request->status);
    writer_u8(to, ' ');
    writer_unsigned(to, request->bytes);
    writer_text(to, "B ");
    writer_text(to, ms_text(request->seconds, text));
    writer_text(to, "ms");
    put_column(to, request->cache, MAX_WORD);
    put_column(to, request->id, MAX_ID);
    if (request->token && *request->token)
        put_column(to, request->token, MAX_WORD);
}

/* ----------------------------------------------------------------------------------------------------- lines -- */

void log_line_request(struct log_line *line, enum log_format format, const struct timespec *now,
                      const struct log_request *request)
{
    struct pose_buffer room = room_of(line);
    struct json_writer json;
    jsonw_init(&json, &room);
    if (format == LOG_JSON) {
        open_json(&json, now, level_of(request));
        request_json(&json, request);
        close_json(&json, line);
    } else {
        open_text(&json.to, now, level_of(request));
        request_text(&json.to, request);
        close_text(&json.to, line);
    }
}

void log_line_message(struct log_line *line, enum log_format format, const struct timespec *now,
                      enum log_level level, const char *message)
{
    struct pose_buffer room = room_of(line);
    struct json_writer json;
    jsonw_init(&json, &room);
    if (format == LOG_JSON) {
        open_json(&json, now, level);
        jsonw_string_cut(&json, "message", message, MAX_MESSAGE);
        close_json(&json, line);
    } else {
        open_text(&json.to, now, level);
        put_column(&json.to, message, MAX_MESSAGE);
        close_text(&json.to, line);
    }
}
