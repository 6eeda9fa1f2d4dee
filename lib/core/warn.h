/* Calls a pose_warn callback. The message is a single line, valid only during the callback. */
#ifndef POSE_CORE_WARN_H
#define POSE_CORE_WARN_H

#include "lib/core/error.h"

/* Does nothing if warn is NULL. code is static; offset may be POSE_NO_OFFSET. */
void warn_vtell(pose_warn *warn, void *user, enum pose_severity severity, const char *code, uint64_t offset,
                const char *format, va_list arguments);
void warn_tell(pose_warn *warn, void *user, enum pose_severity severity, const char *code, uint64_t offset,
               const char *format, ...) POSE_PRINTF(6, 7);

#endif
