/* What `posed convert` converts, and how: shared by one file (convert.c) and by everything in an archive (convert_all.c). */
#ifndef POSED_SERVER_COMMANDS_CONVERSION_JOB_H
#define POSED_SERVER_COMMANDS_CONVERSION_JOB_H

#include "api/conversion.h"
#include "server/commands.h"

struct job {
    struct service *service;
    struct catalog *common;      /* of the service */
    struct catalog *source;      /* where the clips are: the same, or with --from one over IN alone */
    const char *in, *map;        /* paths; map NULL: none */
    const struct params *params; /* the options, as the API has them */
};

/* A clip on its way: the conversion is read for each, as its format and skeleton decide. */
struct job_result {
    struct convert_warnings warnings;
    struct pose_buffer bytes; /* of what is no pair */
    struct convert_pair pair;
    bool is_pair;
    bool misused; /* the options are wrong, whatever the clip is */
    char detail[480];
};

/*
 * Converts clips into one file; without any, skeletons and meshes (parts may hold some). name: of what is made. False with
 * detail.
 */
bool job_convert(const struct job *job, const struct convert_target *target,
                 const struct catalog_item *const *clips, uint32_t clip_count,
                 const struct conversion_parts *given, const char *name, bool zipped,
                 struct job_result *result);
void job_result_release(struct job_result *result);

/* Whether an item of the source came from IN. */
bool job_has(const struct job *job, const struct catalog_item *item);
/* Is an archive of the source one of IN's? */
bool job_has_archive(const struct job *job, uint32_t archive);

/* Everything into a folder. */
int convert_all(const struct job *job, const struct convert_target *target, const char *folder);

#endif
