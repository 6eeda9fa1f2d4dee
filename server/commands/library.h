/*
 * The files that a command works on, as the daemon sees them: indexed and catalogued, so that what a command prints is
 * what the API answers.
 */
#ifndef POSED_SERVER_COMMANDS_LIBRARY_H
#define POSED_SERVER_COMMANDS_LIBRARY_H

#include "server/library/service.h"

/* The files beside a loose file that decoding it asked for (a skill's key file). */
struct companions {
    size_t count;
    char **paths; /* ended by NULL */
};

/* None when the file cannot be read or decoded: whoever uses it says why. */
void companions_find(const char *path, const char *format, struct companions *companions);
void companions_release(struct companions *companions);

struct library {
    struct config config;
    struct service *service;
    char **paths; /* what was given, then the companions of the first */
    struct companions companions;
};

/* Indexes paths (count of them). False when one is missing; that has been said then. */
bool library_open(struct library *library, char *const *paths, size_t count);
void library_close(struct library *library);

/* Says what is wrong with archives that cannot be opened; COMMAND_DONE when there are none. */
int library_report_broken(const struct index_result *result);

#endif
