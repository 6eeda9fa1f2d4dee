/*
 * The bearer tokens that permit writing, from a file with one per line: who holds them, and what they permit. Stored as
 * digests and compared in constant time. Thread-safe.
 */
#ifndef POSED_SERVER_ACCESS_TOKENS_H
#define POSED_SERVER_ACCESS_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_scope {
    SCOPE_UPLOAD = 1,
    SCOPE_DELETE_OWN = 2, /* what a token of the same name uploaded */
    SCOPE_DELETE = 4,
    SCOPE_ADMIN = 8, /* sees, publishes and refuses what waits; includes the others */
};
enum {
    SCOPES_DEFAULT = SCOPE_UPLOAD | SCOPE_DELETE_OWN | SCOPE_DELETE,
    SCOPES_ALL = SCOPES_DEFAULT | SCOPE_ADMIN,
};

enum { TOKEN_NAME = 65 }; /* 64 characters and a NUL */

/* What a token permits. */
struct grant {
    char name[TOKEN_NAME]; /* of its holder; "": none was given */
    unsigned scopes;       /* of enum token_scope */
    uint64_t quota;        /* bytes of all uploads of that name; 0: no limit */
    int64_t ttl_ms;        /* uploads are removed after that time; 0: never */
};

struct tokens;

/*
 * Reads the file. Each line is a token (visible ASCII) and what it permits, separated by blanks:
 *
 *   TOKEN [name=NAME] [scopes=upload,delete:own,delete,admin] [quota=SIZE] [ttl=DAYS]
 *
 * Without scopes it permits all but admin. Empty lines and "#" comments are skipped. NULL with one line in error if the
 * file cannot be read, is larger than 1 MiB, or has an invalid line. A file without tokens permits nobody to write.
 */
struct tokens *tokens_open(const char *path, char *error, size_t error_size);
void tokens_close(struct tokens *tokens);

/* Rereads the file. On failure returns false with one line in error and keeps the old tokens. */
bool tokens_reload(struct tokens *tokens, char *error, size_t error_size);

/* What that token permits; false if there is no such token. */
bool tokens_find(struct tokens *tokens, const char *token, struct grant *grant);

#endif
