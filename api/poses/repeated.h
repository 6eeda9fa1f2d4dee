/*
 * Answers with poses that are asked for again, kept as they were sent: many look at the same times of the same clip, and
 * writing the JSON, and packing it, costs more than everything else. They are kept among the encoded replies once a loop
 * has seen the same pose twice, so that times which come once drive nothing out.
 */
#ifndef POSED_API_POSES_REPEATED_H
#define POSED_API_POSES_REPEATED_H

#include "api/protocol/call.h"

/* What a loop has seen of one plan's poses. Zero-initialise. */
struct seen_poses {
    struct {
        uint32_t marks[4];
        uint8_t next; /* to be replaced */
    } sets[32];
};

/* Whether that pose was asked for before, and not too many others since; from now on it was. */
bool seen_before(struct seen_poses *seen, const struct asset_id *digest);

/* The headers that a response had before the pose was made. */
struct repeated_mark {
    uint16_t header_size, header_count;
};

/* Answers with what is kept for the digest in the coding that the request prefers. False if there is nothing. */
bool repeated_answer(struct api_call *call, const struct asset_id *digest, bool is_text);
struct repeated_mark repeated_begin(const struct api_call *call);
/* Keeps the response, made since the mark, if it is a body from malloc. The response is to be sent as before. */
void repeated_keep(struct api_call *call, const struct repeated_mark *mark, const struct asset_id *digest,
                   bool is_text);

#endif
