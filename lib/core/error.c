#include "lib/core/error.h"

#include "lib/core/utf8.h"

#include <stdio.h>
#include <string.h>

void pose_error_init(struct pose_error *error)
{
    memset(error, 0, sizeof *error);
    error->offset = POSE_NO_OFFSET;
}

bool error_is_set(const struct pose_error *error)
{
    return error && error->status != POSE_OK;
}

bool error_vset(struct pose_error *error, enum pose_status status, const char *code, const char *format,
                va_list arguments)
{
    if (!error || error->status != POSE_OK)
        return false;
    pose_error_init(error);
    error->status = status;
    snprintf(error->code, sizeof error->code, "%s", code);
    vsnprintf(error->detail, sizeof error->detail, format, arguments);
    text_make_line(error->detail);
    return false;
}

bool error_set(struct pose_error *error, enum pose_status status, const char *code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error_vset(error, status, code, format, arguments);
    va_end(arguments);
    return false;
}

bool error_limit(struct pose_error *error, const char *limit, const char *format, ...)
{
    if (!error || error->status != POSE_OK)
        return false;
    va_list arguments;
    va_start(arguments, format);
    error_vset(error, POSE_OVER_LIMIT, "over_limit", format, arguments);
    va_end(arguments);
    snprintf(error->limit, sizeof error->limit, "%s", limit);
    return false;
}

bool error_stopped(struct pose_error *error)
{
    return error_set(error, POSE_STOPPED, "stopped", "stopped before it was done");
}

bool error_no_memory(struct pose_error *error)
{
    return error_set(error, POSE_NO_MEMORY, "no_memory", "out of memory");
}
