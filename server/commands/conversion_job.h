/* What `posed convert` converts, and how: shared by one file (convert.c) and by everything in an archive (convert_all.c). */
#ifndef POSED_SERVER_COMMANDS_CONVERSION_JOB_H
#define POSED_SERVER_COMMANDS_CONVERSION_JOB_H

#include "api/conversion/converted.h"
#include "server/commands/commands.h"

struct job {
    struct service *service;
    struct catalog *common;      /* of the service */
    struct catalog *source;      /* where the clips are: the same, or with --from one over IN alone */
    const char *in, *map;        /* paths; map NULL: none */
    const struct params *params; /* the options, as the API has them */
};

/* What is made of a clip. */
struct job_file {
    const char *name;     /* without extension */
    const char *key_file; /* of a pair's second file, likewise; NULL: as the clip calls it */
    bool zipped;          /* a pair is one file */
};

/* A clip on its way: the conversion is read for each, as its format and skeleton decide. */
struct job_result {
    struct conversion_result made;
    bool misused, is_map; /* the options are wrong, whatever the clip is; is_map: their map */
    char detail[480];
};

/*
 * Converts the clips that are given into one file; without any, the meshes, on the skeleton unless the options say another.
 * False with detail.
 */
bool job_convert(const struct job *job, const struct pose_target *target,
                 const struct conversion_parts *given, const struct job_file *file,
                 struct job_result *result);
void job_result_release(struct job_result *result);

/* Whether an item of the source came from IN. */
bool job_has(const struct job *job, const struct catalog_item *item);
/* Is an archive of the source one of IN's? */
bool job_has_archive(const struct job *job, uint32_t archive);

/* Says what is wrong with the options of a result that is misused; the status to end with. */
int job_misused(const struct job *job, const struct job_result *result);

/* The clips of these names (comma-separated; NULL: the only one) into one file, as `to` or else its extension says. */
int convert_one(const struct job *job, const char *names, const char *to, const char *out);
/* Whether OUT goes by its extension into a format or a ZIP; whether it is standard output or another stream. */
bool convert_has_extension(const char *out);
bool convert_is_stream(const char *out);
/* Everything into a folder. */
int convert_all(const struct job *job, const struct pose_target *target, const char *folder);

#endif
