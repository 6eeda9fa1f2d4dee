#include "server/library/index/refusal.h"

#include "lib/core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct pose_error no_memory = {
    .status = POSE_NO_MEMORY, .code = "no_memory", .detail = "out of memory", .offset = POSE_NO_OFFSET};

void archive_set_error(struct index_archive *archive, const struct pose_error *error)
{
    struct pose_error *copy = REGION_NEW(&archive->region, struct pose_error, 1);
    if (copy)
        *copy = *error;
    archive->error = copy ? copy : &no_memory;
}

bool index_is_passing(const struct pose_error *error)
{
    return error && error->status == POSE_NO_MEMORY;
}

bool archive_no_memory(struct index_archive *archive)
{
    archive->error = &no_memory;
    return false;
}

bool archive_over_limit(struct index_archive *archive, const char *limit, const char *format, ...)
{
    struct pose_error error;
    va_list arguments;
    pose_error_init(&error);
    error.status = POSE_OVER_LIMIT;
    strcpy(error.code, "over_limit");
    snprintf(error.limit, sizeof error.limit, "%s", limit);
    va_start(arguments, format);
    vsnprintf(error.detail, sizeof error.detail, format, arguments);
    va_end(arguments);
    archive_set_error(archive, &error);
    return false;
}
