/* glTF 2.0, as GLB and as text. */
#include "lib/formats/family.h"

extern const struct codec codec_gltf;

/* clang-format off */
static const struct codec *const codecs[] = {
    &codec_gltf,
    NULL,
};
/* clang-format on */

static const struct rules_row rules[] = {
    {POSE_RULES_PLAIN, "plain", "slerp", POSE_AXES_GLTF, "gltf", NULL},
    {.name = NULL},
};

static const struct axes_row axes[] = {
    {POSE_AXES_GLTF, "gltf"},
    {.name = NULL},
};

const struct family family_gltf = {
    .id = "gltf",
    .title = "glTF",
    .codecs = codecs,
    .rules = rules,
    .axes = axes,
};
