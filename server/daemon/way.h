/* The way of a path: which names in which folders decide where it leads. */
#ifndef POSED_SERVER_DAEMON_WAY_H
#define POSED_SERVER_DAEMON_WAY_H

/* A step: the name, within the folder, both valid during the call only. */
typedef void way_step(void *user, const char *folder, const char *name);

/*
 * Follows the path as the kernel does and calls step for each name whose replacement leads the path elsewhere: every
 * symbolic link, everything behind the first one, and the path's last name. Stops without an error at what is not
 * there, after the step that names it, or after as many links as the kernel follows.
 */
void way_walk(const char *path, way_step *step, void *user);

#endif
