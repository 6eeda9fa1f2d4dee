/*
 * What a command that makes files has to say: lines for people, of which --quiet leaves the failures, or (--json) one
 * JSON document for programs. Not for several threads at once.
 */
#ifndef POSED_SERVER_COMMANDS_REPORT_H
#define POSED_SERVER_COMMANDS_REPORT_H

#include "lib/core/bytes/json_writer.h"
#include "server/library/warnings.h"

struct report {
    bool json, quiet;
    size_t made, failed;
    struct pose_buffer files, errors; /* of JSON: the items of both lists so far */
};

/* Counts a file, and takes over what warnings_describe has made of it (empty unless json). */
void report_made(struct report *report, struct pose_buffer *described);
/* Prints "posed: FILE: warning: …" for each of the warnings; nothing if quiet or JSON is wanted. */
void report_warnings(const struct report *report, const char *file, const struct warnings *warnings);
/* Prints the failure and counts it. error may be NULL, then detail has the words. */
void report_failed(struct report *report, const char *file, const struct pose_error *error,
                   const char *detail);
/* The same for what fails but is no failure of the command. */
void report_skipped(struct report *report, const char *file, const struct pose_error *error);
/* Prints the document, or the line with the counts if they matter to people. Releases all. The exit status. */
int report_end(struct report *report, bool with_counts);

#endif
