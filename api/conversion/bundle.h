/*
 * Every clip of an archive as a file of another format, in a ZIP that is written while the client reads it. It holds
 * one file at a time, and at the end report.json: what was made, what could not be, and what has no clip.
 */
#ifndef POSED_API_CONVERSION_BUNDLE_H
#define POSED_API_CONVERSION_BUNDLE_H

#include "api/conversion/conversion.h"
#include "api/protocol/reply.h"

struct draft;

/* What an archive is made of that is not the service's: a file, or memory from malloc; both may be NULL. */
struct bundle_bytes {
    struct draft *draft;
    void *memory;
    size_t size; /* of what either holds */
};
void bundle_bytes_release(struct bundle_bytes *bytes);

struct bundle_order {
    struct catalog *source; /* holds the archive: the call's catalogue, or one of the request's own bytes */
    const struct index_archive *archive;
    uint32_t index; /* of the archive in it */
    const struct pose_target *target;
    struct bundle_bytes
        *bytes; /* taken over by the answer, and then empty; NULL: the catalogue has its own */
};

/* The ZIP, or the refusal of parameters that are wrong for its first clip. */
enum api_outcome reply_bundle(struct api_call *call, const struct bundle_order *order);

#endif
