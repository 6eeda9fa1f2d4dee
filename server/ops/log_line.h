/* Building one line of the log without allocation and without locale. */
#ifndef POSED_SERVER_OPS_LOG_LINE_H
#define POSED_SERVER_OPS_LOG_LINE_H

#include "server/ops/log.h"

#include <stddef.h>
#include <time.h>

/* Without a NUL; ends with a line feed once it is made. Never longer than its capacity, however long what went in. */
struct log_line {
    size_t length;
    char text[LOG_LINE_CAPACITY];
};

void log_line_request(struct log_line *line, enum log_format format, const struct timespec *now,
                      const struct log_request *request);
void log_line_message(struct log_line *line, enum log_format format, const struct timespec *now,
                      enum log_level level, const char *message);

#endif
