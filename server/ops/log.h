/*
 * The log on standard error: one line per request, and the daemon's own messages, as text or JSON.
 *
 * Input from outside is escaped, so that each entry is exactly one line. Requests are written in batches by a
 * thread, some milliseconds later, so that neither system calls nor a slow reader of standard error block the
 * loops. If the reader is so slow that the buffer fills up, lines are dropped and the log says how many.
 */
#ifndef POSED_SERVER_OPS_LOG_H
#define POSED_SERVER_OPS_LOG_H

#include "server/ops/log_line.h"

/* Sets destination and format, and starts the thread. Call it before any thread logs; until then lines are
 * written at once to standard error, as text. The reader may close early, so SIGPIPE must be ignored. */
void log_init(enum log_format format, int fd);
/* Writes buffered lines and ends the thread; later lines are written at once. No other thread may log any
 * more. */
void log_close(void);

void log_request(const struct log_request *request);

/* Logs a message of the daemon itself. It is written before the call returns, after all requests logged
 * earlier. In JSON the keys are time, level and message. */
void log_message(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
