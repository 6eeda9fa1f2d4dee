/*
 * Files that commands write. Writes are atomic: a file is written under a temporary name and then renamed.
 */
#ifndef POSED_SERVER_COMMANDS_SAVE_H
#define POSED_SERVER_COMMANDS_SAVE_H

#include "pose.h"

/* Whether the path means standard output: "-", or /dev/stdout, which not every /dev has. */
bool save_is_output(const char *path);

/*
 * Writes a file at a path given by the user, or standard output. The target of a symbolic link is replaced, not
 * the link; anything but a regular file is written in place. False with errno.
 */
bool save_file(const char *path, struct pose_bytes bytes);

/* Opens a folder, creating it and its parents if missing. A descriptor, or -1 with errno. */
int save_folder(const char *path);

/*
 * Writes a file below a folder under a name from an archive, creating the folders in between. It cannot escape the
 * folder: a name that is absolute or contains ".." is refused (EINVAL), a symbolic link on the way is not followed
 * (ELOOP or ENOTDIR), and one in the place of the file is replaced. Control characters become '_'. False with
 * errno.
 */
bool save_below(int folder, const char *name, struct pose_bytes bytes);

#endif
