/* From options and environment to the place of a bucket, and the keys in it. */
#ifndef POSED_SERVER_STORE_S3_PLACE_H
#define POSED_SERVER_STORE_S3_PLACE_H

#include "server/ops/object_options.h"
#include "server/store/draft.h"
#include "server/store/s3/client.h"

enum { PLACE_TEXT = 600, PLACE_SECRET = 2048 };

struct place {
    char endpoint[PLACE_TEXT], region[64], bucket[64], prefix[PLACE_TEXT]; /* prefix: "" or "a/b/" */
    char key_id[256], secret[256], token[PLACE_SECRET];
};

/* STORE_BROKEN with what is wrong; no value of a secret is in it. */
bool place_read(struct place *place, const struct object_options *options, option_environment *environment,
                struct store_error *error);
/* Lines "name = value" of an AWS credentials file, those of its [default] or before any section. */
bool place_parse_credentials(struct place *place, const char *text, size_t size);

#endif
