/* The work of `posed convert` (convert.c), shared by single files (convert_one.c) and whole archives (convert_all.c). */
#ifndef POSED_SERVER_COMMANDS_CONVERSION_JOB_H
#define POSED_SERVER_COMMANDS_CONVERSION_JOB_H

#include "api/conversion/making.h"
#include "server/commands/commands.h"
#include "server/commands/report.h"

struct job {
    struct conversion_task
        task; /* with the options as API parameters; source: with --from a catalogue of IN alone */
    const char *in, *map; /* paths; map NULL: none */
    struct report *report;
};

/* Whether an item of the source is from IN. */
bool job_has(const struct job *job, const struct catalog_item *item);
/* Whether an archive of the source is one of IN's. */
bool job_has_archive(const struct job *job, uint32_t archive);

/* Reports the wrong options of a result with misused set; returns the exit status. */
int job_misused(const struct job *job, const struct task_result *result);

/* Converts the clips of these names (comma-separated; NULL: the only one) into one file, in the format of
 * `to` or else of the extension. */
int convert_one(const struct job *job, const char *names, const char *to, const char *out);
/* Whether OUT has an extension that selects a format or a ZIP; whether it is standard output or another
 * stream. */
bool convert_has_extension(const char *out);
bool convert_is_stream(const char *out);
/* Converts everything into a folder. */
int convert_all(const struct job *job, const struct pose_target *target, const char *folder);

#endif
