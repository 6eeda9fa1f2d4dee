/*
 * Questions that a command asks of the API's own handlers, without a socket in between, so that what it prints or writes
 * is what the daemon answers.
 */
#ifndef POSED_SERVER_COMMANDS_ASKING_H
#define POSED_SERVER_COMMANDS_ASKING_H

#include "api/protocol/message.h"
#include "server/library/service.h"

/* Whether an item is in an archive that came from that path, wherever else it may be. */
bool asking_is_from(const struct catalog *catalog, const struct catalog_item *item, const char *path);

/* The clip of that file by its name, its entry's name or its id; name NULL: the only one. NULL when it is not clear;
 * that has been said then. */
const struct catalog_item *asking_clip(const struct catalog *catalog, const char *path, const char *name);

/* The value of skeleton= for a file (NULL: auto; "none"). False when it holds no skeleton; that has been said then. */
bool asking_skeleton(const struct catalog *catalog, const char *path, char text[ID_TEXT]);

/*
 * Opens the library of a file (and of the files of skeletons, each NULL or "none" for none) and asks; the exit status.
 * What cannot be opened has been said.
 */
int asking_of_file(const char *path, const char *const skeletons[2],
                   int (*ask)(struct service *service, const char *path, void *user), void *user);

/*
 * GET target?query. COMMAND_DONE with a 200 in response, to be released; else what its problem says has been said of
 * path.
 */
int asking_get(struct service *service, const char *path, const char *target, const char *query,
               struct api_response *response);

#endif
