/*
 * The files that a command works on, indexed and catalogued like the daemon's, so that a command prints what the
 * API answers.
 */
#ifndef POSED_SERVER_COMMANDS_LIBRARY_H
#define POSED_SERVER_COMMANDS_LIBRARY_H

#include "server/library/service.h"

/* Files beside a loose file that are needed to decode it (a skill's key file). */
struct companions {
    size_t count;
    char **paths; /* NULL-terminated */
};

/* Finds none if the file cannot be read or decoded; the caller reports that later. */
void companions_find(const char *path, const char *format, struct companions *companions);
void companions_release(struct companions *companions);

struct library {
    struct config config;
    struct service *service;
    char **paths; /* the given paths, then the companions of the first */
    struct companions companions;
};

/* Indexes count paths. False, with a message printed, if one is missing. */
bool library_open(struct library *library, char *const *paths, size_t count);
void library_close(struct library *library);

/* Reports archives that cannot be opened; COMMAND_DONE if there are none. */
int library_report_broken(const struct index_result *result);

#endif
