/* Telling a caller's pose_warn what is off: the message is made into one line that it may keep as long as the call. */
#ifndef POSE_CORE_WARN_H
#define POSE_CORE_WARN_H

#include "lib/core/error.h"

/* Nothing when warn is NULL. code is static; offset may be POSE_NO_OFFSET. */
void warn_vtell(pose_warn *warn, void *user, enum pose_severity severity, const char *code, uint64_t offset,
                const char *format, va_list arguments);
void warn_tell(pose_warn *warn, void *user, enum pose_severity severity, const char *code, uint64_t offset,
               const char *format, ...) POSE_PRINTF(6, 7);

#endif
