#include "server/access/url_keys.h"

#include "lib/core/bytes/base64.h"

#include <errno.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_KEYS = 16, SAFE_KEY = 16, MAX_KEY = 1024, MAX_LINES = 1000 };

struct key_set {
    unsigned count;
    char items[MAX_KEYS][MAX_KEY + 1];
};

struct url_keys {
    char *path;
    pthread_rwlock_t lock;
    struct key_set set; /* guarded by the lock */
};

/* A line without the blanks around it. */
static char *trim(char *line)
{
    static const char blanks[] = " \t\r\n";
    line += strspn(line, blanks);
    size_t length = strlen(line);
    while (length && strchr(blanks, line[length - 1]))
        line[--length] = '\0';
    return line;
}

static bool take(struct key_set *set, const char *key, const char *path, unsigned number, char *error,
                 size_t error_size)
{
    const size_t length = strlen(key);
    if (!length || *key == '#')
        return true;
    if (length > MAX_KEY || set->count == MAX_KEYS) {
        snprintf(error, error_size, "%s: line %u: there are at most %d keys of at most %d characters", path,
                 number, MAX_KEYS, MAX_KEY);
        return false;
    }
    memcpy(set->items[set->count++], key, length + 1);
    return true;
}

static bool read_keys(struct key_set *set, const char *path, char *error, size_t error_size)
{
    FILE *file = fopen(path, "re");
    char line[2 * MAX_KEY];
    bool done = file;
    if (!file)
        snprintf(error, error_size, "%s: %s", path, strerror(errno));
    for (unsigned number = 1; done && fgets(line, sizeof line, file); number++) {
        done = take(set, trim(line), path, number, error, error_size);
        if (done && number > MAX_LINES) { /* a device has no end */
            snprintf(error, error_size, "%s: a file of keys has at most %d lines", path, MAX_LINES);
            done = false;
        }
    }
    if (done && !set->count) {
        snprintf(error, error_size, "%s: there is no key", path);
        done = false;
    }
    if (file)
        fclose(file);
    explicit_bzero(line, sizeof line);
    return done;
}

bool url_keys_reload(struct url_keys *keys, char *error, size_t error_size)
{
    struct key_set *fresh = calloc(1, sizeof *fresh);
    const bool done = fresh && read_keys(fresh, keys->path, error, error_size);
    if (!fresh)
        snprintf(error, error_size, "out of memory");
    if (done) {
        pthread_rwlock_wrlock(&keys->lock);
        keys->set = *fresh;
        pthread_rwlock_unlock(&keys->lock);
    }
    if (fresh)
        explicit_bzero(fresh, sizeof *fresh);
    free(fresh);
    return done;
}

struct url_keys *url_keys_open(const char *path, char *error, size_t error_size)
{
    struct url_keys *keys = calloc(1, sizeof *keys);
    if (!keys || !(keys->path = strdup(path))) {
        snprintf(error, error_size, "out of memory");
        free(keys);
        return NULL;
    }
    pthread_rwlock_init(&keys->lock, NULL);
    if (url_keys_reload(keys, error, error_size))
        return keys;
    url_keys_close(keys);
    return NULL;
}

bool url_keys_are_safe(struct url_keys *keys)
{
    bool are_safe = true;
    pthread_rwlock_rdlock(&keys->lock);
    for (unsigned i = 0; i < keys->set.count; i++)
        are_safe &= strlen(keys->set.items[i]) >= SAFE_KEY;
    pthread_rwlock_unlock(&keys->lock);
    return are_safe;
}

void url_keys_close(struct url_keys *keys)
{
    if (!keys)
        return;
    pthread_rwlock_destroy(&keys->lock);
    explicit_bzero(&keys->set, sizeof keys->set);
    free(keys->path);
    free(keys);
}

static void sign_with(const char *key, const char *text, char signature[URL_SIGNATURE])
{
    struct hmac_sha256_ctx context;
    uint8_t digest[SHA256_DIGEST_SIZE];
    char encoded[URL_SIGNATURE];
    hmac_sha256_set_key(&context, strlen(key), (const uint8_t *)key);
    hmac_sha256_update(&context, strlen(text), (const uint8_t *)text);
    hmac_sha256_digest(&context, sizeof digest, digest);
    base64_encode(digest, sizeof digest, encoded); /* 43 characters and one of padding */
    for (unsigned i = 0; i + 1 < URL_SIGNATURE; i++)
        signature[i] = encoded[i] == '+' ? '-' : encoded[i] == '/' ? '_' : encoded[i];
    signature[URL_SIGNATURE - 1] = '\0';
    explicit_bzero(&context, sizeof context);
}

void url_keys_sign(struct url_keys *keys, const char *text, char signature[URL_SIGNATURE])
{
    pthread_rwlock_rdlock(&keys->lock);
    sign_with(keys->set.items[0], text, signature);
    pthread_rwlock_unlock(&keys->lock);
}

bool url_keys_verify(struct url_keys *keys, const char *text, const char *signature)
{
    char made[URL_SIGNATURE];
    bool found = false;
    if (strlen(signature) != URL_SIGNATURE - 1)
        return false;
    pthread_rwlock_rdlock(&keys->lock);
    for (unsigned i = 0; i < keys->set.count; i++) {
        sign_with(keys->set.items[i], text, made);
        found |= memeql_sec(made, signature, URL_SIGNATURE - 1) != 0;
    }
    pthread_rwlock_unlock(&keys->lock);
    explicit_bzero(made, sizeof made);
    return found;
}
