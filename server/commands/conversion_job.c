#include "server/commands/conversion_job.h"

#include <stdio.h>
#include <string.h>

bool job_has_archive(const struct job *job, uint32_t archive)
{
    const char *root = job->task.source->archives[archive]->root;
    return job->task.source != job->task.common || (root && !strcmp(root, job->in));
}

bool job_has(const struct job *job, const struct catalog_item *item)
{
    struct place_walk walk = {0};
    while (catalog_next_place(job->task.source, item, &walk)) {
        if (job_has_archive(job, walk.place.archive))
            return true;
    }
    return false;
}

int job_misused(const struct job *job, const struct task_result *result)
{
    return result->is_map ? command_failed(job->map, "%s", result->detail)
                          : command_misused("%s", result->detail);
}
