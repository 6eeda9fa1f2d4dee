/*
 * The log on standard error: a line a request, and the daemon's own messages, as text or JSON.
 *
 * A line is one write, so lines of several threads (and of several processes on one pipe) never mix. What comes from
 * outside is escaped: a line is a line.
 */
#ifndef POSED_SERVER_LOG_H
#define POSED_SERVER_LOG_H

#include <stdbool.h>
#include <stdint.h>

enum log_format {
    LOG_TEXT,
    LOG_JSON,
};

enum log_level {
    LOG_INFO,
    LOG_WARNING,
    LOG_ERROR,
};

enum { LOG_LINE_CAPACITY = 4096 }; /* what a pipe takes whole; longer paths are cut, with "…" */

/* Where lines go and how they look. Before any thread logs; without it: text on standard error. */
void log_init(enum log_format format, int fd);

/* A request that was answered. Texts may be NULL: left out of text, null in JSON. */
struct log_request {
    const char *id;
    const char *client;
    const char *method;
    const char *route; /* the template, "" when none matched */
    const char *path;  /* raw */
    unsigned status;   /* 5xx is an error, 4xx a warning */
    uint64_t bytes;    /* of the body */
    double seconds;    /* written as milliseconds */
    const char *cache; /* "hit", "miss" */
};

void log_request(const struct log_request *request);

/* A message of the daemon itself; level and text. In JSON the keys are time, level and message. */
void log_message(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
