/* The Sims 1 and The Sims Online. */
#include "lib/formats/family.h"
#include "lib/formats/pages.h"
#include "lib/formats/sims/relations.h"
#include "lib/formats/sims/wearer.h"
#include "lib/formats/sims/verdict/verdict.h"

extern const struct codec codec_sims1_skn;
extern const struct codec codec_sims1_bmf;
extern const struct codec codec_tso_mesh;
extern const struct codec codec_tso_bnd;
extern const struct codec codec_tso_apr;
extern const struct codec codec_tso_oft;
extern const struct codec codec_tso_anim;
extern const struct codec codec_tso_skel;
extern const struct codec codec_sims1_cmx;
extern const struct codec codec_sims1_bcf;
extern const struct codec codec_sims1_cfp;
extern const struct archive_type far_archive;

/* clang-format off */
static const struct codec *const codecs[] = {
    &codec_sims1_skn,
    &codec_sims1_bmf,
    &codec_tso_mesh,
    &codec_tso_bnd,
    &codec_tso_apr,
    &codec_tso_oft,
    &codec_tso_anim,
    &codec_tso_skel,
    &codec_sims1_cmx,
    &codec_sims1_bcf,
    &codec_sims1_cfp,
    NULL,
};
/* clang-format on */

/* clang-format off */
static const struct archive_type *const archives[] = {
    &far_archive,
    NULL,
};
/* clang-format on */

/* Bone names of its people (sims1-character.md); the same for adults and children. */
static const struct humanoid_names person = {
    .id = "sims",
    .left = "l",
    .right = "r",
    .root = "root",
    .hips = "pelvis",
    .spine = "spine spine1 spine2",
    .neck = "neck",
    .head = "head",
    .shoulder = "#_arm",
    .upper_arm = "#_arm1",
    .lower_arm = "#_arm2",
    .hand = "#_hand",
    .upper_leg = "#_leg",
    .lower_leg = "#_leg1",
    .foot = "#_foot",
    .toes = "#_toe0",
};

static const struct humanoid_names *const people[] = {&person, NULL};

static const struct rules_row rules[] = {
    {POSE_RULES_SIMS, "sims", "nlerp", POSE_AXES_SIMS, "tso-anim", NULL},
    {.name = NULL},
};

static const struct axes_row axes[] = {
    {POSE_AXES_SIMS, "sims"},
    {.name = NULL},
};

const struct family family_sims = {
    .id = "sims",
    .title = "The Sims 1 and Online",
    .codecs = codecs,
    .archives = archives,
    .made_for = sims_made_for,
    .adulthood = sims_adulthood,
    .wear_of = NOT_IN_PAGES(sims_wear_of),
    .relations = NOT_IN_PAGES(sims_relations),
    .has_key = NOT_IN_PAGES(sims_has_key),
    .people = NOT_IN_PAGES(people),
    .rules = rules,
    .axes = axes,
    .judge = sims_judge,
};
