/*
 * The log on standard error: a line a request, and the daemon's own messages, as text or JSON.
 *
 * What comes from outside is escaped: a line is a line. Requests are handed to a thread that writes them some
 * milliseconds later, many at once, so that neither a system call a request nor a slow reader of standard error holds
 * up the loops; when that reader is so slow that the buffer is full, lines are lost and the log says how many.
 */
#ifndef POSED_SERVER_OPS_LOG_H
#define POSED_SERVER_OPS_LOG_H

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

enum { LOG_LINE_CAPACITY = 4096 }; /* longer paths and messages are cut, with "…" at the end */

/* Where lines go and how they look, and starts the thread. Without it lines are text on standard error, at once. Before
 * any thread logs. Whoever reads may close early: SIGPIPE must be ignored. */
void log_init(enum log_format format, int fd);
/* Writes what is waiting, and ends the thread; later lines are written at once. When no other thread logs any more. */
void log_close(void);

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

/* A message of the daemon itself, written before the call returns, after all requests that were logged before. In JSON
 * the keys are time, level and message. */
void log_message(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
