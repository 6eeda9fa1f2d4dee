/* Second Life. */
#include "lib/formats/family.h"
#include "lib/formats/pages.h"
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

/* The pelvis (sl-anim.md, 5). */
static const char *const root_names[] = {"mPelvis", "hip", "avatar_mPelvis", NULL};
static const struct root_rule root = {root_names, {0, 0, 1.067f}};

static const struct rules_row rules[] = {
    {POSE_RULES_SL, "sl", "nlerp", POSE_AXES_SL, "sl-anim", &root},
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
    .relations = NOT_IN_PAGES(sl_relations),
    .people = NOT_IN_PAGES(sl_people),
    .rules = rules,
    .axes = axes,
    .bvh = &sl_bvh_dialect,
    .judge = sl_judge,
};
