/*
 * The bearer tokens that may write: a file of them, one a line. Kept as digests, compared in a time that tells nothing
 * of them. All functions may be called by several threads at once.
 */
#ifndef POSED_SERVER_OPS_TOKENS_H
#define POSED_SERVER_OPS_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

struct tokens;

/*
 * Reads the file: a token a line, without blanks inside; empty lines and "#" comments are passed over. NULL and one
 * line in error when it cannot be read, is larger than 1 MiB, or holds a line that is no token. A file without tokens
 * lets nobody write.
 */
struct tokens *tokens_open(const char *path, char *error, size_t error_size);
void tokens_close(struct tokens *tokens);

/* Reads the file again. False and one line in error: the tokens stay as they were. */
bool tokens_reload(struct tokens *tokens, char *error, size_t error_size);

bool tokens_hold(struct tokens *tokens, const char *token);

#endif
