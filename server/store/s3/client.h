/*
 * Requests to an S3 object store, by libcurl. A module, so that only what is told to use such a store loads libcurl:
 * see loading.h. Its functions block, each until its deadline at the latest, and are thread-safe.
 */
#ifndef POSED_SERVER_STORE_S3_CLIENT_H
#define POSED_SERVER_STORE_S3_CLIENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { S3_HASH = 32, S3_HASH_TEXT = 65 };

/* Texts are copied by open. */
struct s3_place {
    const char *endpoint; /* "https://host:port", without a slash at the end */
    const char *region, *bucket;
    const char *key_id, *secret, *token; /* token: NULL or that of a session */
    uint64_t timeout_ms;                 /* of a request; a large body gets more as long as it moves on */
    uint64_t part_size;                  /* what is larger goes in parts of this size; 0: the usual one */
    unsigned connections;
    void (*sha256)(const void *bytes, size_t size, uint8_t hash[S3_HASH]);
};

enum s3_outcome {
    S3_DONE,
    S3_MISSING, /* there is no such object */
    S3_REFUSED, /* the store does not want it: rights, signature, bucket */
    S3_AWAY,    /* no answer, an error of the store, or an answer that breaks off: it may do so later */
    S3_WRONG,   /* its bytes are not those of the object */
    S3_STOPPED, /* the caller's function returned false */
};

struct s3_failure {
    enum s3_outcome outcome;
    char detail[200]; /* names neither the key's secret nor its signature */
};

struct s3_object {
    const char *key;
    uint64_t size;
    int64_t modified_s; /* since 1970, by the store's clock */
    int64_t now_s;      /* by the same clock when it was asked; 0: it did not say */
};

/* False ends the request, or the walk. */
typedef bool s3_sink(void *user, const void *bytes, size_t size);
typedef bool s3_visit(void *user, const struct s3_object *object);

struct s3;

/* Functions return false with the failure set. */
struct s3_module {
    /* NULL if out of memory. */
    struct s3 *(*open)(const struct s3_place *place);
    void (*close)(struct s3 *s3);
    /* Streams an object of at most that size. */
    bool (*get)(struct s3 *s3, const char *key, uint64_t most, s3_sink *sink, void *user,
                struct s3_failure *failure);
    /* The store checks the hash, which is that of the bytes. */
    bool (*put)(struct s3 *s3, const char *key, const void *bytes, size_t size, const uint8_t hash[S3_HASH],
                struct s3_failure *failure);
    /* No failure if there is none. */
    bool (*remove)(struct s3 *s3, const char *key, struct s3_failure *failure);
    /* found->key is not set. */
    bool (*head)(struct s3 *s3, const char *key, struct s3_object *found, struct s3_failure *failure);
    bool (*list)(struct s3 *s3, const char *prefix, s3_visit *visit, void *user, struct s3_failure *failure);
    /* Whether the bucket is there, and may be used. */
    bool (*reach)(struct s3 *s3, struct s3_failure *failure);
};

/* The module's only symbol. */
#define S3_MODULE_SYMBOL "s3_module"

#endif
