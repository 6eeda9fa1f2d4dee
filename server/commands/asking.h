/*
 * Requests that a command makes to the API's own handlers without a socket, so that its output matches what the
 * daemon answers.
 */
#ifndef POSED_SERVER_COMMANDS_ASKING_H
#define POSED_SERVER_COMMANDS_ASKING_H

#include "api/protocol/message.h"
#include "server/library/service.h"

/* Whether an item is in an archive loaded from that path, even if it is elsewhere too. */
bool asking_is_from(const struct catalog *catalog, const struct catalog_item *item, const char *path);

/* The clip of that file by clip name, entry name or id; name NULL: the only one. NULL, with a message
 * printed, if it is not unique. */
const struct catalog_item *asking_clip(const struct catalog *catalog, const char *path, const char *name);

/* The value of skeleton= for a file (NULL: auto; "none"). False, with a message printed, if it has no
 * skeleton. */
bool asking_skeleton(const struct catalog *catalog, const char *path, char text[ID_TEXT]);

/*
 * Opens the library of a file (and of the skeleton files, each NULL or "none" for none), makes the request and
 * returns the exit status. Prints a message for what cannot be opened.
 */
int asking_of_file(const char *path, const char *const skeletons[2],
                   int (*ask)(struct service *service, const char *path, void *user), void *user);

/*
 * GET target?query. COMMAND_DONE with a 200 in response, which must be released; otherwise prints the problem's
 * message for path.
 */
int asking_get(struct service *service, const char *path, const char *target, const char *query,
               struct api_response *response);

#endif
