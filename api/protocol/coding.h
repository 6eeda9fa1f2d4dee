/* Content codings: which one a client asks for, and applying it. */
#ifndef POSED_API_PROTOCOL_CODING_H
#define POSED_API_PROTOCOL_CODING_H

#include "api/protocol/message.h"
#include "pose.h"

enum {
    CODING_WORTH = 1024,   /* text of more bytes is compressed */
    MAX_CODING = 32 << 20, /* of more it is not: that would cost seconds */
};

enum coding { CODING_IDENTITY, CODING_GZIP, CODING_ZSTD };

/* The best coding of Accept-Encoding that we know; identity when it asks for none. */
enum coding coding_choose(const struct api_request *request);
/* The same for what is kept gzipped: that is taken when the client likes it no less. */
enum coding coding_choose_kept(const struct api_request *request);
/* Replaces the body by its compressed form; false (and nothing changed) when that fails. */
bool coding_apply(enum coding coding, struct pose_buffer *body);
/* gzipped bytes as they were, from malloc; size is what they unpack to. NULL when memory is out. */
void *coding_unpack(const void *packed, size_t packed_size, size_t size);
/* The q parameter in thousandths of the parameters ";q=0.5" in length characters; 1000 without one. */
int quality_of(const char *parameters, size_t length);

#endif
