/* What a conversion makes: the file and its warnings, kept among the encoded replies, and the answer with it. */
#ifndef POSED_API_CONVERSION_CONVERTED_H
#define POSED_API_CONVERSION_CONVERTED_H

#include "api/conversion/conversion.h"
#include "api/protocol/reply.h"

/* Fills ingredients with what is not known before; false with error. */
typedef bool conversion_gather(void *user, struct ingredients *ingredients, struct convert_warnings *warnings,
                               struct pose_error *error);

/* Fetches all the parts, and warns of a skeleton that is not the game's when the target is made on it. False with error. */
bool conversion_parts_add(const struct conversion_parts *parts, const struct conversion *conversion,
                          struct ingredients *ingredients, struct convert_warnings *warnings,
                          struct pose_error *error);
/* The skeleton, with the warning of a stand-in: for those who add the rest themselves. */
bool conversion_add_skeleton(const struct ingredient_skeleton *skeleton, const struct conversion *conversion,
                             struct ingredients *ingredients, struct convert_warnings *warnings,
                             struct pose_error *error);

/* How, of what, and under which name. */
struct conversion_order {
    struct service *service;
    struct pose_options options;  /* limits, and what stops it */
    const struct catalog *common; /* of the service */
    const struct conversion *conversion;
    const struct conversion_parts *parts;
    conversion_gather *gather; /* NULL: the parts as they are */
    void *user;
    const char *name;     /* of the file, without extension */
    const char *key_file; /* of a pair's second file, likewise; NULL: as the clip calls it */
    bool unzipped;        /* a pair is two files and no ZIP */
};

struct conversion_result {
    struct convert_warnings warnings;
    struct pose_buffer bytes;
    bool is_pair; /* bytes are the first of two files: */
    struct pose_second_file second;
    double decode_seconds;
};

/* False with error; the result is to be released in either case. May decode: on the pool. */
bool conversion_make(const struct conversion_order *order, struct conversion_result *result,
                     struct pose_error *error);
void conversion_result_release(struct conversion_result *result);

/* Codes of all warnings for the header Posed-Warning; "" when there are none. */
enum { WARNING_CODES = 1024 };
void conversion_warning_codes(const struct convert_warnings *warnings, char codes[WARNING_CODES]);

/* "code: message; …" of those that are more than notes, cut where the text ends; "" when there are none. */
void conversion_warnings_serious(const struct convert_warnings *warnings, char *text, size_t capacity);

/* A converted file, cached. */
struct converted {
    struct cache_object object;
    struct pose_buffer bytes;
    char codes[WARNING_CODES];
    char serious[480]; /* what strict=1 refuses, "": nothing */
};

/* From bytes that are taken over, and warnings; NULL when memory is out. */
struct converted *converted_new(struct pose_buffer *bytes, const struct convert_warnings *warnings);

/* 200, or the 422 of strict=1. name: of the file, without extension. Takes the reference over. */
enum api_outcome reply_converted(struct api_call *call, const struct conversion *conversion,
                                 struct converted *converted, const char *name);
/* Makes it now, and keeps nothing. */
enum api_outcome reply_conversion(struct api_call *call, const struct conversion_order *order);
/* What the key has, else makes it on the pool. */
enum api_outcome reply_kept_conversion(struct api_call *call, const struct cache_key *key,
                                       const struct conversion_order *order);

#endif
