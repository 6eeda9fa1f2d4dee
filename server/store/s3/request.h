/* One HTTP request to the store, signed, on one of a few connections that are kept. */
#ifndef POSED_SERVER_STORE_S3_REQUEST_H
#define POSED_SERVER_STORE_S3_REQUEST_H

#include "server/store/s3/client.h"

enum { S3_ETAG = 130 };

struct s3_request {
    const char *method;
    const char *key;   /* letters, digits and "-._/" only; NULL: the bucket itself */
    const char *query; /* as it is signed: sorted, percent-encoded. NULL: none */
    const uint8_t *body;
    size_t size;
    const uint8_t *hash; /* of the body; NULL: it has none */
    s3_sink *sink;       /* takes the bytes of a 2xx; NULL: they are ignored */
    void *user;
    uint64_t most; /* so many bytes are taken at most */
};

struct s3_answer {
    long status;
    char etag[S3_ETAG];
    uint64_t length;
    int64_t modified_s, now_s;
};

/* Statuses other than 2xx are failures. */
bool s3_ask(struct s3 *s3, const struct s3_request *request, struct s3_answer *answer,
            struct s3_failure *failure);
const struct s3_place *s3_place_of(const struct s3 *s3);
bool s3_fail(struct s3_failure *failure, enum s3_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct s3 *s3_open(const struct s3_place *place);
void s3_close(struct s3 *s3);

/* Appends text to a buffer of that capacity, percent-encoded as it is signed (RFC 3986, 2.3); false if it does not
 * fit. */
bool s3_encode(char *to, size_t capacity, const char *text);

#endif
