/*
 * The log on standard error: a line a request, and the daemon's own messages, as text or JSON.
 *
 * What comes from outside is escaped: a line is a line. Requests are handed to a thread that writes them some
 * milliseconds later, many at once, so that neither a system call a request nor a slow reader of standard error holds
 * up the loops; when that reader is so slow that the buffer is full, lines are lost and the log says how many.
 */
#ifndef POSED_SERVER_OPS_LOG_H
#define POSED_SERVER_OPS_LOG_H

#include "server/ops/log_line.h"

/* Where lines go and how they look, and starts the thread. Without it lines are text on standard error, at once. Before
 * any thread logs. Whoever reads may close early: SIGPIPE must be ignored. */
void log_init(enum log_format format, int fd);
/* Writes what is waiting, and ends the thread; later lines are written at once. When no other thread logs any more. */
void log_close(void);

void log_request(const struct log_request *request);

/* A message of the daemon itself, written before the call returns, after all requests that were logged before. In JSON
 * the keys are time, level and message. */
void log_message(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
