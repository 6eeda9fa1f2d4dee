/* The work of `posed convert`, shared by single files (convert.c) and whole archives (convert_all.c). */
#ifndef POSED_SERVER_COMMANDS_CONVERSION_JOB_H
#define POSED_SERVER_COMMANDS_CONVERSION_JOB_H

#include "api/conversion/converted.h"
#include "server/commands/commands.h"
#include "server/commands/report.h"

struct job {
    struct service *service;
    struct catalog *common;      /* the service's catalogue */
    struct catalog *source;      /* where the clips are: the same, or with --from a catalogue of IN alone */
    const char *in, *map;        /* paths; map NULL: none */
    const struct params *params; /* the options, as API parameters */
    struct report *report;
};

/* The file made from a clip. */
struct job_file {
    const char *name;     /* without extension */
    const char *key_file; /* name of a pair's second file, without extension; NULL: as in the clip */
    bool zipped;          /* put a pair into one ZIP */
};

/* The result for one clip. The conversion is read for each, since it depends on the clip's format and
 * skeleton. */
struct job_result {
    struct conversion_result made;
    bool misused, is_map; /* the options are wrong for any clip; is_map: their map is */
    char detail[480];
};

/*
 * Converts the given clips into one file; if there are none, the meshes, on the skeleton unless the options choose
 * another. False with detail.
 */
bool job_convert(const struct job *job, const struct pose_target *target,
                 const struct conversion_parts *given, const struct job_file *file,
                 struct job_result *result);
void job_result_release(struct job_result *result);

/* Whether an item of the source is from IN. */
bool job_has(const struct job *job, const struct catalog_item *item);
/* Whether an archive of the source is one of IN's. */
bool job_has_archive(const struct job *job, uint32_t archive);

/* Reports the wrong options of a result with misused set; returns the exit status. */
int job_misused(const struct job *job, const struct job_result *result);

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
