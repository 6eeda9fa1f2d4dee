/*
 * Files that commands write. A file appears whole under its name or not at all: it is written under another name and
 * moved.
 */
#ifndef POSED_SERVER_COMMANDS_SAVE_H
#define POSED_SERVER_COMMANDS_SAVE_H

#include "pose.h"

/* Whether the path means standard output: "-", and /dev/stdout, which not every /dev has. */
bool save_is_output(const char *path);

/*
 * A file where the user says, or standard output. What a link points at is replaced, not the link; what is no regular
 * file is written as it is. False with errno.
 */
bool save_file(const char *path, struct pose_bytes bytes);

/* A folder, made with all above it when it is not there. A descriptor, or -1 with errno. */
int save_folder(const char *path);

/*
 * A file below a folder whose name comes from an archive, with the folders in between. Never outside: a name that is
 * absolute or holds ".." is refused (EINVAL), a link on the way is not followed (ELOOP or ENOTDIR), one in the place of
 * the file is replaced. Control characters become '_'. False with errno.
 */
bool save_below(int folder, const char *name, struct pose_bytes bytes);

#endif
