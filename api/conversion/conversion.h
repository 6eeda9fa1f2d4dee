/* Conversions as they are asked for: the target and its parameters. */
#ifndef POSED_API_CONVERSION_CONVERSION_H
#define POSED_API_CONVERSION_CONVERSION_H

#include "api/protocol/reply.h"
#include "server/convert/convert.h"

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

#endif
