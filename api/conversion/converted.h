/* Converted files with their warnings, cached among the encoded replies, and the responses that send them. */
#ifndef POSED_API_CONVERSION_CONVERTED_H
#define POSED_API_CONVERSION_CONVERTED_H

#include "api/conversion/conversion.h"
#include "api/protocol/reply.h"

/* Adds ingredients that are not known beforehand; false with error. */
typedef bool conversion_gather(void *user, struct ingredients *ingredients, struct convert_warnings *warnings,
                               struct pose_error *error);

/* Adds the skeleton, with a warning if it is a stand-in. For callers that add the other parts themselves. */
bool conversion_add_skeleton(const struct ingredient_skeleton *skeleton, const struct conversion *conversion,
                             struct ingredients *ingredients, struct convert_warnings *warnings,
                             struct pose_error *error);

/* Everything that determines a conversion. */
struct conversion_order {
    struct service *service;
    struct pose_options options;  /* limits, and cancellation */
    const struct catalog *common; /* the service's catalogue */
    const struct conversion *conversion;
    const struct conversion_parts *parts;
    conversion_gather *gather; /* NULL: the parts are complete */
    void *user;
    const char *name;     /* file name without extension */
    const char *key_file; /* name of a pair's second file, without extension; NULL: as in the clip */
    bool unzipped;        /* keep a pair, or what belongs to a mesh, as files instead of a ZIP */
};

struct conversion_result {
    struct convert_warnings warnings;
    struct pose_buffer bytes;
    bool is_pair; /* bytes is the first of two files */
    struct pose_second_file second;
    struct pose_mesh_files beside; /* of a mesh whose files are not zipped: those after the first */
    double decode_seconds;
};

/* Fetches all parts, with the body of the clips, and warns of a skeleton that is not the game's if the target depends
 * on it. False with error. */
bool conversion_parts_add(const struct conversion_order *order, struct ingredients *ingredients,
                          struct convert_warnings *warnings, struct pose_error *error);

/* False with error; the result must be released in either case. May decode, so call it on the pool. */
bool conversion_make(const struct conversion_order *order, struct conversion_result *result,
                     struct pose_error *error);
void conversion_result_release(struct conversion_result *result);

/* Comma-separated codes of all warnings for the header Posed-Warning; "" if there are none. */
enum { WARNING_CODES = 1024 };
void conversion_warning_codes(const struct convert_warnings *warnings, char codes[WARNING_CODES]);

/* "code: message; …" for warnings that are more than notes, truncated to fit; "" if there are none. */
void conversion_warnings_serious(const struct convert_warnings *warnings, char *text, size_t capacity);

/* A converted file, cached. */
struct converted {
    struct cache_object object;
    struct pose_buffer bytes;
    char codes[WARNING_CODES];
    char serious[480]; /* what strict=1 rejects; "": nothing */
};

/* Takes over bytes and warnings; NULL if out of memory. */
struct converted *converted_new(struct pose_buffer *bytes, const struct convert_warnings *warnings);

/* 200, or the 422 of strict=1. name: the file name without extension. Takes over the reference. */
enum api_outcome reply_converted(struct api_call *call, const struct conversion *conversion,
                                 struct converted *converted, const char *name);
/* Converts now, without caching. */
enum api_outcome reply_conversion(struct api_call *call, const struct conversion_order *order);
/* Sends the cached object for the key, or makes it on the pool. */
enum api_outcome reply_kept_conversion(struct api_call *call, const struct cache_key *key,
                                       const struct conversion_order *order);

#endif
