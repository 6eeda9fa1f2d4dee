/* Pictures of common kinds. */
#include "lib/formats/family.h"

extern const struct codec codec_bmp;
extern const struct codec codec_jpeg;
extern const struct codec codec_png;
extern const struct codec codec_tga;

/* clang-format off */
static const struct codec *const codecs[] = {
    &codec_bmp,
    &codec_png,
    &codec_jpeg,
    &codec_tga,
    NULL,
};
/* clang-format on */

const struct family family_pictures = {
    .id = "pictures",
    .title = "Pictures",
    .codecs = codecs,
};
