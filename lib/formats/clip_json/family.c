/* A clip as the API's JSON. */
#include "lib/formats/family.h"

extern const struct codec codec_clip_json;

/* clang-format off */
static const struct codec *const codecs[] = {
    &codec_clip_json,
    NULL,
};
/* clang-format on */

const struct family family_clip_json = {
    .id = "clip_json",
    .title = "Clip JSON",
    .codecs = codecs,
};
