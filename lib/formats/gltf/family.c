/* glTF 2.0, as GLB and as text. */
#include "lib/formats/family.h"

extern const struct codec codec_gltf;

/* clang-format off */
static const struct codec *const codecs[] = {
    &codec_gltf,
    NULL,
};
/* clang-format on */

const struct family family_gltf = {
    .id = "gltf",
    .title = "glTF",
    .codecs = codecs,
};
