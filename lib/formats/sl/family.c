/* Second Life. */
#include "lib/formats/family.h"

extern const struct codec codec_sl_anim;
extern const struct codec codec_sl_llm;
extern const struct codec codec_sl_skeleton;

extern const struct humanoid_names *const sl_people[];

/* clang-format off */
static const struct codec *const codecs[] = {
    &codec_sl_anim,
    &codec_sl_skeleton,
    &codec_sl_llm,
    NULL,
};
/* clang-format on */

const struct family family_sl = {
    .id = "sl",
    .title = "Second Life",
    .codecs = codecs,
    .people = sl_people,
};
