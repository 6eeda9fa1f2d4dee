#include "server/ops/log_line.h"

#include "server/text/escape.h"

#include <math.h>
#include <string.h>

/* Most bytes that a text takes in the line, escapes included. All of a request's together stay below the capacity. */
enum {
    MAX_WORD = 64,
    MAX_ID = 256,
    MAX_PATH_TEXT = 2048,
    MAX_MESSAGE = LOG_LINE_CAPACITY - 128,
};

/* ---------------------------------------------------------------------------------------------------- pieces -- */

static void put_bytes(struct log_line *line, const char *bytes, size_t length)
{
    size_t room = sizeof line->text - line->length;
    length = length < room ? length : room;
    memcpy(line->text + line->length, bytes, length);
    line->length += length;
}

static void put_text(struct log_line *line, const char *text)
{
    put_bytes(line, text, strlen(text));
}

/* With leading zeros to that width. */
static void put_number(struct log_line *line, uint64_t number, int width)
{
    char digits[20];
    size_t at = sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
        width--;
    } while (number || width > 0);
    put_bytes(line, digits + at, sizeof digits - at);
}

/* Text from outside, cut when it needs more than most bytes. */
static void put_escaped(struct log_line *line, enum escape_kind kind, const char *text, size_t most)
{
    static const char ellipsis[] = "…";
    size_t used = 0;
    most -= sizeof ellipsis - 1;
    for (;;) {
        size_t plain = 0;
        while (used + plain < most && escape_is_plain(text[plain]))
            plain++;
        put_bytes(line, text, plain);
        used += plain;
        text += plain;
        if (!*text)
            return;
        char piece[ESCAPE_CAPACITY];
        size_t length, taken = escape_character(kind, text, piece, &length);
        if (used + length > most) {
            put_text(line, ellipsis);
            return;
        }
        put_bytes(line, piece, length);
        used += length;
        text += taken;
    }
}

/* "2026-11-20T12:34:56.789Z". The part up to the second is kept by each thread: it is asked for over and over. */
static void put_time(struct log_line *line, const struct timespec *now)
{
    static _Thread_local time_t kept_second = -1;
    static _Thread_local char kept[24];
    if (kept_second != now->tv_sec) {
        struct tm date;
        gmtime_r(&now->tv_sec, &date);
        strftime(kept, sizeof kept, "%Y-%m-%dT%H:%M:%S.", &date);
        kept_second = now->tv_sec;
    }
    put_text(line, kept);
    put_number(line, (uint64_t)now->tv_nsec / 1000000, 3);
    put_text(line, "Z");
}

/* Milliseconds with three decimals. */
static void put_ms(struct log_line *line, double seconds)
{
    uint64_t microseconds = seconds > 0 ? (uint64_t)(fmin(seconds, 1e9) * 1e6 + 0.5) : 0;
    put_number(line, microseconds / 1000, 1);
    put_text(line, ".");
    put_number(line, microseconds % 1000, 3);
}

static const char *level_name(enum log_level level)
{
    return level == LOG_INFO ? "info" : level == LOG_WARNING ? "warning" : "error";
}

/* ----------------------------------------------------------------------------------------------------- lines -- */

static void start(struct log_line *line, enum log_format format, const struct timespec *now,
                  enum log_level level)
{
    line->length = 0;
    put_text(line, format == LOG_JSON ? "{\"time\":\"" : "");
    put_time(line, now);
    put_text(line, format == LOG_JSON ? "\",\"level\":\"" : " ");
    put_text(line, level_name(level));
    put_text(line, format == LOG_JSON ? "\"" : "");
}

static void finish(struct log_line *line, enum log_format format)
{
    put_text(line, format == LOG_JSON ? "}\n" : "\n");
}

/* ,"key":"text" */
static void put_member(struct log_line *line, const char *key, const char *text, size_t most)
{
    put_text(line, ",\"");
    put_text(line, key);
    put_text(line, text ? "\":\"" : "\":null");
    if (text) {
        put_escaped(line, ESCAPE_JSON, text, most);
        put_text(line, "\"");
    }
}

static void put_json(struct log_line *line, const struct log_request *request)
{
    put_member(line, "id", request->id, MAX_ID);
    put_member(line, "client", request->client, MAX_WORD);
    put_member(line, "method", request->method, MAX_WORD);
    put_member(line, "route", request->route, MAX_ID);
    put_member(line, "path", request->path, MAX_PATH_TEXT);
    put_text(line, ",\"status\":");
    put_number(line, request->status, 1);
    put_text(line, ",\"bytes\":");
    put_number(line, request->bytes, 1);
    put_text(line, ",\"ms\":");
    put_ms(line, request->seconds);
    put_member(line, "cache", request->cache, MAX_WORD);
}

/* A blank and the text, "-" where there is none, so that columns stay where they are. */
static void put_column(struct log_line *line, const char *text, size_t most)
{
    put_text(line, " ");
    put_escaped(line, ESCAPE_TEXT, text && *text ? text : "-", most);
}

/* Without the route, which the path tells as well. */
static void put_columns(struct log_line *line, const struct log_request *request)
{
    put_column(line, request->client, MAX_WORD);
    put_column(line, request->method, MAX_WORD);
    put_column(line, request->path, MAX_PATH_TEXT);
    put_text(line, " ");
    put_number(line, request->status, 1);
    put_text(line, " ");
    put_number(line, request->bytes, 1);
    put_text(line, "B ");
    put_ms(line, request->seconds);
    put_text(line, "ms");
    put_column(line, request->cache, MAX_WORD);
    put_column(line, request->id, MAX_ID);
}

void log_line_request(struct log_line *line, enum log_format format, const struct timespec *now,
                      const struct log_request *request)
{
    start(line, format, now,
          request->status >= 500   ? LOG_ERROR
          : request->status >= 400 ? LOG_WARNING
                                   : LOG_INFO);
    if (format == LOG_JSON)
        put_json(line, request);
    else
        put_columns(line, request);
    finish(line, format);
}

void log_line_message(struct log_line *line, enum log_format format, const struct timespec *now,
                      enum log_level level, const char *message)
{
    start(line, format, now, level);
    if (format == LOG_JSON) {
        put_member(line, "message", message, MAX_MESSAGE);
    } else {
        put_text(line, " ");
        put_escaped(line, ESCAPE_TEXT, message, MAX_MESSAGE);
    }
    finish(line, format);
}
