/*
 * The bearer tokens that permit writing, from a file with one per line. Stored as digests and compared in constant
 * time. Thread-safe.
 */
#ifndef POSED_SERVER_OPS_TOKENS_H
#define POSED_SERVER_OPS_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

struct tokens;

/*
 * Reads the file: one token per line, without blanks inside; empty lines and "#" comments are skipped. NULL with
 * one line in error if it cannot be read, is larger than 1 MiB, or has an invalid line. A file without tokens
 * permits nobody to write.
 */
struct tokens *tokens_open(const char *path, char *error, size_t error_size);
void tokens_close(struct tokens *tokens);

/* Rereads the file. On failure returns false with one line in error and keeps the old tokens. */
bool tokens_reload(struct tokens *tokens, char *error, size_t error_size);

bool tokens_hold(struct tokens *tokens, const char *token);

#endif
