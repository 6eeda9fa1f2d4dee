#include "server/ops/tokens.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <openssl/sha.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FILE = 1 << 20 };

typedef unsigned char digest[SHA256_DIGEST_LENGTH];

struct tokens {
    char *path;
    pthread_rwlock_t lock; /* guards the following members */
    digest *digests;
    size_t count;
};

/* The whole file, NUL-terminated; NULL with errno. */
static char *read_file(const char *path, size_t *size)
{
    FILE *file = fopen(path, "re");
    char *text = file ? malloc(MAX_FILE + 1) : NULL;
    if (text) {
        *size = fread(text, 1, MAX_FILE + 1, file);
        if (ferror(file) || *size > MAX_FILE) {
            int problem = ferror(file) ? errno : EFBIG;
            free(text);
            text = NULL;
            errno = problem;
        } else {
            text[*size] = '\0';
        }
    }
    if (file) {
        int problem = errno;
        fclose(file);
        errno = problem;
    }
    return text;
}

/* Visible ASCII, as allowed in a header. */
static bool is_token(const char *text)
{
    size_t length = 0;
    while (text[length] > ' ' && text[length] < 0x7f)
        length++;
    return length && !text[length];
}

/* Strips blanks at both ends. */
static char *trim(char *line)
{
    line += strspn(line, " \t");
    size_t length = strlen(line);
    while (length && strchr(" \t\r", line[length - 1]))
        line[--length] = '\0';
    return line;
}

static bool add_digest(struct tokens *tokens, const char *token)
{
    digest *grown = realloc(tokens->digests, (tokens->count + 1) * sizeof *grown);
    if (!grown)
        return false;
    SHA256((const unsigned char *)token, strlen(token), grown[tokens->count++]);
    tokens->digests = grown;
    return true;
}

/* Fills in digests and count of a zeroed set. */
static bool parse(struct tokens *set, char *text, size_t size, const char *path, char *error,
                  size_t error_size)
{
    unsigned number = 0;
    if (strlen(text) != size) {
        snprintf(error, error_size, "%s: a token cannot contain NUL", path);
        return false;
    }
    for (char *next = text; next;) {
        char *line = next;
        next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        number++;
        line = trim(line);
        if (!*line || *line == '#')
            continue;
        if (!is_token(line)) {
            snprintf(error, error_size, "%s: line %u is not a token: visible ASCII without spaces", path,
                     number);
            return false;
        }
        if (!add_digest(set, line)) {
            snprintf(error, error_size, "%s: out of memory", path);
            return false;
        }
    }
    return true;
}

bool tokens_reload(struct tokens *tokens, char *error, size_t error_size)
{
    struct tokens fresh = {0};
    size_t size = 0;
    char *text = read_file(tokens->path, &size);
    if (!text) {
        snprintf(error, error_size, "%s: %s", tokens->path, strerror(errno));
        return false;
    }
    bool parsed = parse(&fresh, text, size, tokens->path, error, error_size);
    OPENSSL_cleanse(text, size);
    free(text);
    if (!parsed) {
        free(fresh.digests);
        return false;
    }
    pthread_rwlock_wrlock(&tokens->lock);
    digest *old = tokens->digests;
    tokens->digests = fresh.digests;
    tokens->count = fresh.count;
    pthread_rwlock_unlock(&tokens->lock);
    free(old);
    return true;
}

struct tokens *tokens_open(const char *path, char *error, size_t error_size)
{
    struct tokens *tokens = calloc(1, sizeof *tokens);
    if (!tokens || !(tokens->path = strdup(path))) {
        snprintf(error, error_size, "%s: out of memory", path);
        free(tokens);
        return NULL;
    }
    pthread_rwlock_init(&tokens->lock, NULL);
    if (!tokens_reload(tokens, error, error_size)) {
        tokens_close(tokens);
        return NULL;
    }
    return tokens;
}

void tokens_close(struct tokens *tokens)
{
    if (!tokens)
        return;
    pthread_rwlock_destroy(&tokens->lock);
    free(tokens->digests);
    free(tokens->path);
    free(tokens);
}

/* Compares every digest completely, whichever matches (constant time). */
bool tokens_hold(struct tokens *tokens, const char *token)
{
    digest given;
    unsigned found = 0;
    SHA256((const unsigned char *)token, strlen(token), given);
    pthread_rwlock_rdlock(&tokens->lock);
    for (size_t i = 0; i < tokens->count; i++)
        found |= CRYPTO_memcmp(given, tokens->digests[i], sizeof given) == 0;
    pthread_rwlock_unlock(&tokens->lock);
    return found;
}
