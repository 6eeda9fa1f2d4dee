/* Biovision hierarchies. */
#include "lib/formats/family.h"

extern const struct codec codec_bvh;

/* clang-format off */
static const struct codec *const codecs[] = {
    &codec_bvh,
    NULL,
};
/* clang-format on */

static const struct axes_row axes[] = {
    {POSE_AXES_Z_UP, "z_up"},
    {.name = NULL},
};

const struct family family_bvh = {
    .id = "bvh",
    .title = "BVH",
    .codecs = codecs,
    .axes = axes,
};
