/* Converted files with their warnings, cached among the encoded replies, and the responses that send them. */
#ifndef POSED_API_CONVERSION_CONVERTED_H
#define POSED_API_CONVERSION_CONVERTED_H

#include "api/conversion/making.h"
#include "api/protocol/reply.h"

/* A converted file, cached. */
struct converted {
    struct cache_object object;
    struct pose_buffer bytes;
    char codes[WARNING_CODES];
    char serious[480]; /* what strict=1 rejects; "": nothing */
};

/* Takes over bytes and warnings; NULL if out of memory. */
struct converted *converted_new(struct pose_buffer *bytes, const struct warnings *warnings);

/* Where the request names things. own: the catalogue of its own bytes; NULL: none. */
struct conversion_place conversion_place(const struct api_call *call, const struct catalog *own);

/* 200, or the 422 of strict=1. name: the file name without extension. Takes over the reference. */
enum api_outcome reply_converted(struct api_call *call, const struct conversion *conversion,
                                 struct converted *converted, const char *name);
/* Converts now, without caching. */
enum api_outcome reply_conversion(struct api_call *call, const struct conversion_order *order);
/* Sends the cached object for the key, or makes it on the pool. */
enum api_outcome reply_kept_conversion(struct api_call *call, const struct cache_key *key,
                                       const struct conversion_order *order);

/* 404: the ending of the path is neither .glb nor that of one of these targets; names them all. */
enum api_outcome reply_no_conversion(struct api_call *call, const struct pose_target *targets);

#endif
