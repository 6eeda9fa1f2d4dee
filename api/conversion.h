/* Conversions as they are asked for: the target, its parameters, what takes part, and the answer. */
#ifndef POSED_API_CONVERSION_H
#define POSED_API_CONVERSION_H

#include "api/reply.h"
#include "server/ingredients.h"

enum { CONVERSION_MESHES = 16 };

struct conversion {
    const struct convert_target *target;
    struct convert_options options;
    bool strict;
    void *map;                   /* what keeps the texts of the renames */
    struct pose_rename *renames; /* from malloc */
};

/*
 * The target that files of that extension are, of several the clip's own format, or the one that `to` says. NULL and the
 * problem in the response.
 */
const struct convert_target *conversion_target(struct api_call *call, const char *extension,
                                               const char *format);
/* The target that `to` says. */
const struct convert_target *conversion_target_of_to(struct api_call *call);

/* The parameters that the target takes; false and the problem in the response. To be released in either case. */
bool conversion_read(struct api_call *call, const struct convert_target *target,
                     struct conversion *conversion);
void conversion_release(struct conversion *conversion);
struct asset_id conversion_digest(struct asset_id digest, const struct conversion *conversion);

/* What takes part. */
struct conversion_parts {
    struct ingredient clip;              /* item NULL: none */
    struct ingredient_skeleton skeleton; /* choice.asset NULL: none */
    bool automatic;                      /* skeleton=auto */
    unsigned mesh_count;
    struct ingredient meshes[CONVERSION_MESHES];
};

/*
 * skeleton= and mesh=, with the clip (or else the first mesh) filled in. own: the catalogue of a request's own bytes,
 * looked through first; NULL: none. False and the problem in the response.
 */
bool conversion_parts_read(struct api_call *call, const struct catalog *own, struct conversion_parts *parts);
/* Whether fps would make more frames than max-frames allows: then false and the problem in the response. */
bool conversion_frames_fit(struct api_call *call, const struct conversion *conversion, double duration);

/* Codes of all warnings for the header Posed-Warning; "" when there are none. */
enum { WARNING_CODES = 1024 };
void conversion_warning_codes(const struct convert_warnings *warnings, char codes[WARNING_CODES]);
/* The notes of a skeleton that is not the game's, when the target is made on it. */
void conversion_warn_of_skeleton(const struct conversion *conversion,
                                 const struct ingredient_skeleton *skeleton,
                                 struct convert_warnings *warnings);

/* The problem of a conversion that failed. */
enum api_outcome conversion_failed(struct api_call *call, const struct pose_error *error);

/* A converted file, cached. */
struct converted {
    struct cache_object object;
    struct pose_buffer bytes;
    char codes[WARNING_CODES];
    char serious[480]; /* what strict=1 refuses, "": nothing */
};

/* From bytes that are taken over, and warnings; NULL when memory is out. */
struct converted *converted_new(struct pose_buffer *bytes, const struct convert_warnings *warnings);
void converted_put(struct converted *converted);
/* 200, or the 422 of strict=1. name: of the file, without extension. Takes the reference over. */
enum api_outcome reply_converted(struct api_call *call, const struct conversion *conversion,
                                 struct converted *converted, const char *name);

#endif
