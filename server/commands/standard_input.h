/* "-" as the file that a command reads: what arrives on standard input becomes a file of its own. */
#ifndef POSED_SERVER_COMMANDS_STANDARD_INPUT_H
#define POSED_SERVER_COMMANDS_STANDARD_INPUT_H

/*
 * Reads standard input to its end into a file, at most what the daemon takes as an upload, and sets *operand to the
 * file's path. The file is removed at the end of the program. Once per program; ends it with a message and
 * COMMAND_BAD_INPUT when that fails.
 */
void standard_input_keep(char **operand);
/* The file's name in a message: "standard input" for that one. */
const char *standard_input_shown(const char *file);

#endif
