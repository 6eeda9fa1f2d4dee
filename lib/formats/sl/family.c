/* Second Life. */
#include "lib/formats/family.h"
#include "lib/formats/sl/body/avatar.h"
#include "lib/formats/sl/verdict.h"

extern const struct codec codec_sl_anim;
extern const struct codec codec_sl_lad;
extern const struct codec codec_sl_llm;
extern const struct codec codec_sl_skeleton;

extern const struct humanoid_names *const sl_people[];

/* clang-format off */
static const struct codec *const codecs[] = {
    &codec_sl_anim,
    &codec_sl_skeleton,
    &codec_sl_llm,
    &codec_sl_lad,
    NULL,
};
/* clang-format on */

static const struct rules_row rules[] = {
    {POSE_RULES_SL, "sl", "nlerp", POSE_AXES_SL, "sl-anim"},
    {.name = NULL},
};

static const struct axes_row axes[] = {
    {POSE_AXES_SL, "sl"},
    {POSE_AXES_INCHES, "inches"},
    {.name = NULL},
};

const struct family family_sl = {
    .id = "sl",
    .title = "Second Life",
    .codecs = codecs,
    .made_for = sl_made_for,
    .relations = sl_relations,
    .people = sl_people,
    .rules = rules,
    .axes = axes,
    .bvh = &sl_bvh_dialect,
    .judge = sl_judge,
};
