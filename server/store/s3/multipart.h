/* Uploads in parts: what one request would have to begin anew when it breaks off. */
#ifndef POSED_SERVER_STORE_S3_MULTIPART_H
#define POSED_SERVER_STORE_S3_MULTIPART_H

#include "server/store/s3/client.h"

/* Nothing is left at the store on failure, unless it is away. */
bool s3_put_parts(struct s3 *s3, const char *key, const uint8_t *bytes, size_t size, size_t part_size,
                  struct s3_failure *failure);

#endif
