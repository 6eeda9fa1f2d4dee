/* The Sims 3. */
#include "lib/formats/family.h"
#include "lib/formats/pages.h"
#include "lib/formats/sims3/body/relations.h"
#include "lib/formats/sims3/lint.h"
#include "lib/formats/sims3/names.h"
#include "lib/formats/sims3/resolve.h"
#include "lib/formats/sims3/verdict.h"

extern const struct codec codec_sims3_casp;
extern const struct codec codec_sims3_clip;
extern const struct codec codec_sims3_dds;
extern const struct codec codec_sims3_geom;
extern const struct codec codec_sims3_mlod;
extern const struct codec codec_sims3_modl;
extern const struct codec codec_sims3_rig;
extern const struct codec codec_sims3_vpxy;
extern const struct archive_type dbpf_archive;
extern const struct archive_type sims3pack_archive;

extern const struct humanoid_names *const sims3_people[];

/* clang-format off */
static const struct codec *const codecs[] = {
    &codec_sims3_clip,
    &codec_sims3_rig,
    &codec_sims3_dds,
    &codec_sims3_geom,
    &codec_sims3_modl,
    &codec_sims3_mlod,
    &codec_sims3_vpxy,
    &codec_sims3_casp,
    NULL,
};
/* clang-format on */

/* clang-format off */
static const struct archive_type *const archives[] = {
    &dbpf_archive,
    &sims3pack_archive,
    NULL,
};
/* clang-format on */

static const struct rules_row rules[] = {
    {POSE_RULES_SIMS3, "sims3", "slerp", POSE_AXES_GLTF, "sims3-clip", NULL},
    {.name = NULL},
};

const struct family family_sims3 = {
    .id = "sims3",
    .title = "The Sims 3",
    .codecs = codecs,
    .archives = archives,
    .made_for = sims3_made_for,
    .adulthood = sims3_adulthood,
    .clip_prefix = sims3_clip_prefix,
    .wear_of = NOT_IN_PAGES(sims3_wear_of),
    .resource_id = NOT_IN_PAGES(sims3_resource_id),
    .relations = NOT_IN_PAGES(sims3_relations),
    .people = NOT_IN_PAGES(sims3_people),
    .rules = rules,
    .lint = sims3_lint,
    .lint_skin = sims3_lint_skin,
    .morph_id = NOT_IN_PAGES(sims3_morph_id),
    .is_filed = NOT_IN_PAGES(sims3_is_filed),
    .describe = NOT_IN_PAGES(sims3_describe),
    .judge = sims3_judge,
};
