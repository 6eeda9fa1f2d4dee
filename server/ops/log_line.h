/* Formats one line of the log without allocation and independent of the locale. */
#ifndef POSED_SERVER_OPS_LOG_LINE_H
#define POSED_SERVER_OPS_LOG_LINE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

enum log_format {
    LOG_TEXT,
    LOG_JSON,
};

enum log_level {
    LOG_INFO,
    LOG_WARNING,
    LOG_ERROR,
};

enum { LOG_LINE_CAPACITY = 4096 }; /* longer paths and messages are truncated with "…" */

/* An answered request. Texts may be NULL: omitted in text, null in JSON. */
struct log_request {
    const char *id;
    const char *client;
    const char *method;
    const char *route; /* the template, "" if none matched */
    const char *path;  /* raw */
    unsigned status;   /* 5xx is an error, 4xx a warning */
    uint64_t bytes;    /* of the body */
    double seconds;    /* written as milliseconds */
    const char *cache; /* "hit", "miss" */
    const char *token; /* the name of the client's token; "" or NULL: omitted */
};

/* Not NUL-terminated; ends with a line feed. Never longer than its capacity, whatever the input. */
struct log_line {
    size_t length;
    char text[LOG_LINE_CAPACITY];
};

void log_line_request(struct log_line *line, enum log_format format, const struct timespec *now,
                      const struct log_request *request);
void log_line_message(struct log_line *line, enum log_format format, const struct timespec *now,
                      enum log_level level, const char *message);

#endif
