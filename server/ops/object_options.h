/* The options that name a store of objects, which several commands take. */
#ifndef POSED_SERVER_OPS_OBJECT_OPTIONS_H
#define POSED_SERVER_OPS_OBJECT_OPTIONS_H

#include "server/ops/options.h"

struct object_options {
    const char *blobs;                           /* s3://BUCKET[/PREFIX]; NULL: uploads are in the folder */
    const char *endpoint, *region, *credentials; /* NULL: not given */
    uint64_t timeout_ms;
};

/* Rows of a table of options; type is that of the values, member its struct object_options, name the first option's. */
#define OBJECT_OPTION_ROWS(type, field, first)                                                               \
    {.name = first,                                                                                          \
     .metavar = "s3://BUCKET[/PREFIX]",                                                                      \
     .shown = "none: they are files in DIR",                                                                 \
     .kind = OPTION_TEXT,                                                                                    \
     .member = offsetof(type, field.blobs),                                                                  \
     .help = "S3 object store for the bytes of uploads; one PREFIX belongs to one DIR"},                     \
        {.name = "--s3-endpoint",                                                                            \
         .metavar = "URL",                                                                                   \
         .shown = "Amazon's",                                                                                \
         .kind = OPTION_TEXT,                                                                                \
         .member = offsetof(type, field.endpoint),                                                           \
         .help = "where it answers: http://HOST[:PORT] or https://…"},                                       \
        {.name = "--s3-region",                                                                              \
         .metavar = "NAME",                                                                                  \
         .fallback = "us-east-1",                                                                            \
         .kind = OPTION_TEXT,                                                                                \
         .member = offsetof(type, field.region),                                                             \
         .help = "its region"},                                                                              \
        {.name = "--s3-credentials",                                                                         \
         .metavar = "FILE",                                                                                  \
         .shown = "AWS_ACCESS_KEY_ID and others of the environment",                                         \
         .kind = OPTION_TEXT,                                                                                \
         .member = offsetof(type, field.credentials),                                                        \
         .help = "file with aws_access_key_id = … and aws_secret_access_key = …"},                           \
    {                                                                                                        \
        .name = "--store-timeout", .metavar = "T", .fallback = "2s", .kind = OPTION_DURATION,                \
        .member = offsetof(type, field.timeout_ms), .least = 100, .most = 60000,                             \
        .help = "time in which the object store, and the database of --catalog, must answer"                 \
    }

#endif
