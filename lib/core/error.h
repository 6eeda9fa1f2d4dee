/* Filling in a struct pose_error: the first error is kept, later ones are ignored. */
#ifndef POSE_CORE_ERROR_H
#define POSE_CORE_ERROR_H

#include "pose.h"

#include <stdarg.h>

#define POSE_PRINTF(string, first) __attribute__((format(printf, string, first)))

/* Always returns false, so that callers can return its result. error may be NULL. */
bool error_set(struct pose_error *error, enum pose_status status, const char *code, const char *format, ...)
    POSE_PRINTF(4, 5);
bool error_vset(struct pose_error *error, enum pose_status status, const char *code, const char *format,
                va_list arguments);
/* A limit was exceeded; limit is its public name ("joints"). */
bool error_limit(struct pose_error *error, const char *limit, const char *format, ...) POSE_PRINTF(3, 4);
bool error_no_memory(struct pose_error *error);
/* The caller's struct pose_stop asked to stop. */
bool error_stopped(struct pose_error *error);
/* True once an error was reported. */
bool error_is_set(const struct pose_error *error);

#endif
