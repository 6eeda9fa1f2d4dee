#include "lib/core/warn.h"

#include "lib/core/text.h"

#include <stdio.h>

void warn_vtell(pose_warn *warn, void *user, enum pose_severity severity, const char *code, uint64_t offset,
                const char *format, va_list arguments)
{
    char message[400];
    if (!warn)
        return;
    vsnprintf(message, sizeof message, format, arguments);
    text_make_line(message);
    warn(user,
         &(struct pose_warning){.code = code, .severity = severity, .message = message, .offset = offset});
}

void warn_tell(pose_warn *warn, void *user, enum pose_severity severity, const char *code, uint64_t offset,
               const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    warn_vtell(warn, user, severity, code, offset, format, arguments);
    va_end(arguments);
}
