/* Content codings: negotiation and compression. */
#ifndef POSED_API_PROTOCOL_CODING_H
#define POSED_API_PROTOCOL_CODING_H

#include "api/protocol/message.h"
#include "pose.h"

enum {
    CODING_WORTH = 1024,    /* text longer than this is compressed */
    CODING_LARGE = 1 << 20, /* longer bodies take more than some milliseconds */
    MAX_CODING = 32 << 20,  /* longer bodies are not: that would take seconds */
};

enum coding { CODING_IDENTITY, CODING_GZIP, CODING_ZSTD, CODING_BROTLI, CODING_COUNT };

/* The best coding of Accept-Encoding that we support; identity if there is none. */
enum coding coding_choose(const struct api_request *request);
/* The same for bodies stored gzipped: gzip is chosen if the client accepts it at least as much as
 * identity; if they are stored by Brotli as well, that, which nothing else is ever coded by. */
enum coding coding_choose_kept(const struct api_request *request, bool has_brotli);
/* Replaces the body by its compressed form. On failure returns false and changes nothing. */
bool coding_apply(enum coding coding, struct pose_buffer *body);
/* Unpacks gzipped bytes; size is the unpacked size. From malloc; NULL if out of memory. */
void *coding_unpack(const void *packed, size_t packed_size, size_t size);
/* The value of q in thousandths from parameters such as ";q=0.5"; 1000 if absent. */
int quality_of(const char *parameters, size_t length);

#endif
