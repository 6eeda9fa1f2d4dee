/* Biovision hierarchies. */
#include "lib/formats/family.h"

extern const struct codec codec_bvh;

/* clang-format off */
static const struct codec *const codecs[] = {
    &codec_bvh,
    NULL,
};
/* clang-format on */

const struct family family_bvh = {
    .id = "bvh",
    .title = "BVH",
    .codecs = codecs,
};
