#include "server/log_line.h"

#include <math.h>
#include <string.h>

/* Most bytes that a text takes in the line, escapes included. All of a request's together stay below the capacity. */
enum {
    WORD_MOST = 64,
    ID_MOST = 256,
    PATH_MOST = 2048,
    MESSAGE_MOST = LOG_LINE_CAPACITY - 128,
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

/* The length of the UTF-8 sequence at text (1 to 4), 0 when there is none. */
static size_t utf8_length(const unsigned char *text)
{
    static const struct {
        unsigned char mask, lead;
        uint32_t least;
    } kinds[] = {{0x80, 0, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
    for (size_t length = 1; length <= 4; length++) {
        if ((text[0] & kinds[length - 1].mask) != kinds[length - 1].lead)
            continue;
        uint32_t character = text[0] & (unsigned char)~kinds[length - 1].mask;
        for (size_t i = 1; i < length; i++) {
            if ((text[i] & 0xc0) != 0x80) /* also stops at the end of the text */
                return 0;
            character = character << 6 | (text[i] & 0x3fu);
        }
        bool surrogate = character >= 0xd800 && character < 0xe000;
        return character >= kinds[length - 1].least && character < 0x110000 && !surrogate ? length : 0;
    }
    return 0;
}

/* What a terminal may act on: C0, DEL, and C1 in UTF-8. */
static bool is_control(const unsigned char *text, size_t length)
{
    return (length == 1 && (text[0] < 0x20 || text[0] == 0x7f)) ||
           (length == 2 && text[0] == 0xc2 && text[1] < 0xa0);
}

/* One character at text as the format writes it, into piece; how many bytes it takes of text. */
static size_t escape(enum log_format format, const unsigned char *text, char piece[12], size_t *piece_length)
{
    static const char hex[] = "0123456789abcdef";
    size_t length = utf8_length(text);
    unsigned char byte = text[length == 2 && is_control(text, 2)];
    if (length && !is_control(text, length)) {
        bool quoted = *text == '\\' || (*text == '"' && format == LOG_JSON);
        piece[0] = '\\';
        memcpy(piece + quoted, text, length);
        *piece_length = length + quoted;
    } else if (format == LOG_TEXT) {
        memcpy(piece, (char[]){'\\', 'x', hex[*text >> 4], hex[*text & 15]}, 4);
        *piece_length = 4;
        return 1;
    } else if (!length) {
        memcpy(piece, "\\ufffd", 6);
        *piece_length = 6;
    } else {
        memcpy(piece, (char[]){'\\', 'u', '0', '0', hex[byte >> 4], hex[byte & 15]}, 6);
        *piece_length = 6;
    }
    return length ? length : 1;
}

static bool is_plain(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
}

/* Text from outside, cut when it needs more than most bytes. */
static void put_escaped(struct log_line *line, enum log_format format, const char *text, size_t most)
{
    static const char ellipsis[] = "…";
    const unsigned char *at = (const unsigned char *)text;
    size_t used = 0;
    most -= sizeof ellipsis - 1;
    while (*at) {
        size_t plain = 0;
        while (used + plain < most && is_plain(at[plain]))
            plain++;
        put_bytes(line, (const char *)at, plain);
        used += plain;
        at += plain;
        if (!*at)
            break;
        char piece[12];
        size_t piece_length;
        size_t taken = escape(format, at, piece, &piece_length);
        if (used + piece_length > most) {
            put_text(line, ellipsis);
            break;
        }
        put_bytes(line, piece, piece_length);
        used += piece_length;
        at += taken;
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
        put_escaped(line, LOG_JSON, text, most);
        put_text(line, "\"");
    }
}

static void put_json(struct log_line *line, const struct log_request *request)
{
    put_member(line, "id", request->id, ID_MOST);
    put_member(line, "client", request->client, WORD_MOST);
    put_member(line, "method", request->method, WORD_MOST);
    put_member(line, "route", request->route, ID_MOST);
    put_member(line, "path", request->path, PATH_MOST);
    put_text(line, ",\"status\":");
    put_number(line, request->status, 1);
    put_text(line, ",\"bytes\":");
    put_number(line, request->bytes, 1);
    put_text(line, ",\"ms\":");
    put_ms(line, request->seconds);
    put_member(line, "cache", request->cache, WORD_MOST);
}

/* A blank and the text, "-" where there is none, so that columns stay where they are. */
static void put_column(struct log_line *line, const char *text, size_t most)
{
    put_text(line, " ");
    put_escaped(line, LOG_TEXT, text && *text ? text : "-", most);
}

/* Without the route, which the path tells as well. */
static void put_columns(struct log_line *line, const struct log_request *request)
{
    put_column(line, request->client, WORD_MOST);
    put_column(line, request->method, WORD_MOST);
    put_column(line, request->path, PATH_MOST);
    put_text(line, " ");
    put_number(line, request->status, 1);
    put_text(line, " ");
    put_number(line, request->bytes, 1);
    put_text(line, "B ");
    put_ms(line, request->seconds);
    put_text(line, "ms");
    put_column(line, request->cache, WORD_MOST);
    put_column(line, request->id, ID_MOST);
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
        put_member(line, "message", message, MESSAGE_MOST);
    } else {
        put_text(line, " ");
        put_escaped(line, LOG_TEXT, message, MESSAGE_MOST);
    }
    finish(line, format);
}
