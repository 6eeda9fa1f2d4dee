/* The work of `posed convert` (convert.c), shared by single files (convert_one.c) and whole archives (convert_all.c). */
#ifndef POSED_SERVER_COMMANDS_CONVERT_H
#define POSED_SERVER_COMMANDS_CONVERT_H

#include "api/conversion/making.h"
#include "server/commands/commands.h"
#include "server/commands/report.h"

struct job {
    /* With the options as parameters of the API. from.own is what has IN: with --from a catalogue of it alone. */
    struct conversion_place place;
    const char *in, *map; /* paths; map NULL: none */
    struct report *report;
};

/* Whether an item is from IN. */
bool job_has(const struct job *job, const struct catalog_item *item);
/* Whether an archive of from.own is one of IN's. */
bool job_has_archive(const struct job *job, uint32_t archive);

/* The document at a place of from.own, which may keep it; NULL if it is broken, which its conversion reports. */
struct pose_document *job_decode(const struct job *job, struct catalog_place place);
void job_document_free(const struct job *job, struct catalog_place place, struct pose_document *document);
/* A refusal as the API words it, with "--" before the parameter that it begins with. */
enum { JOB_REFUSAL = CONVERSION_DETAIL + 6 };
const char *job_refusal(const struct job *job, const char *detail, char shown[JOB_REFUSAL]);
/* Whether the target takes the options; false with a message printed, and the exit status. */
bool job_allows(const struct job *job, const struct pose_target *target, int *status);

/* Converts the clips of these names (comma-separated; NULL: the only one) into one file, in the format of
 * `to` or else of the extension. */
int convert_one(const struct job *job, const char *names, const char *to, const char *out);
/* What follows the last dot of OUT; "" if there is none. */
const char *convert_extension(const char *out);
/* Whether OUT has an extension that selects a format or a ZIP; whether it is standard output or another
 * stream. */
bool convert_has_extension(const char *out);
bool convert_is_stream(const char *out);
/* Converts everything into a folder. */
int convert_all(const struct job *job, const struct pose_target *target, const char *folder);

#endif
